"""Plan → dataset: the ops of a pipeline on chunks of examples, with the bits of one by one.

    dataset ─▶ each stage's `to_stream` ─▶ stream: one by one or in chunks, what is put off

A stage runs its fragment, the user's own ops, in these steps, those that it needs:

    in_session       as a session's optimiser rewrites it
    if_conversion    conds that are free become selects; v1_control_flow: all others stay whole
    cut              before the shuffle, and after it, where an example is smallest
    vectorise        pieces for chunks, by rules/, and for single examples, by placement;
                     window: of a JPEG only what is cropped; one_pass: what an op of our own does
    pipeline         the pieces over a dataset; replay: a chunk that fails, one by one;
                     ends: an op that ends the stream
    parsed_twice     sparse features: the record waits in the pool, a batch is parsed again
    packed           tensors of any length: each is one cell of a row, which a batch pads;
                     lists: all of a chunk at once, by rules/lists/; sequences: parsed so
    sparse_rows      sparse tensors: cells of a row, which a batch makes sparse again
    lots             many lots of records in a call of what works on each record alone
    columns          hundreds of numbers: one row until they are in a batch
    deferred_ops     what was cut off, on whole batches

entry.py and record_shuffle.py begin behind the decoding of fixed records, kernels/ moves chunks
about, resources.py finds values of variables and tables. definition.py writes the dataset down, and
keeps it for the next run; marks.py lets a report tell what each work took.
"""
