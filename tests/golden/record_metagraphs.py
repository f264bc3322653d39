"""Save real MetaGraphs of TensorFlow 1.15.5, and the data it read through them.

`python3.7 record_metagraphs.py --out metagraphs` writes NAME.meta, the files that the pipelines
read (data/), and manifest.json, which says what to initialise, what to fetch and what to expect.
"""

from __future__ import annotations

import argparse
import json
import os
from typing import Any

import datafiles
import tensorflow as tf
import values
from observing import run
from pipelines import PIPELINES

SAVED = [
    "batch_enqueue_many_of_unequal_lots",
    "batch_keeps_the_remainder",
    "batch_read_up_to",
    "batch_with_padding_keeps_the_remainder",
    "bucket_of_kept_sparse_examples",
    "bucket_words_by_their_number",
    "csv_of_a_batch",
    "fixed_length_between_header_and_footer",
    "join_of_two_readers",
    "keep_even",
    "keep_rows",
    "keep_even_shuffled",
    "learn_features_parsed_by_one_thread",
    "learn_lines_of_several_readers",
    "learn_lines_parsed_into_a_dict",
    "matched_files",
    "nested_scopes",
    "program_batches_parsed_at_once",
    "program_csv_to_shuffle_batch",
    "program_filtered_examples_with_tags",
    "program_images_of_fixed_length_records",
    "program_padded_sequences",
    "program_word_ids_from_a_vocabulary",
    "range_shuffled_with_seed",
    "raw_bytes",
    "runner_of_a_chain",
    "sample_classes_of_rows",
    "shuffle_of_parsed_examples",
    "shuffle_then_prefetch",
    "slim_images_of_one_shape",
    "slim_parallel_read_batched",
    "slim_provider_shuffled_and_prefetched",
    "sparse_batch_of_a_dict",
    "sparse_join",
    "sparse_keep_even",
    "sparse_shuffle",
    "text_lines_after_a_header",
    "variable_in_the_preprocessing",
]


def named(fetches: Any) -> dict[str, Any]:
    """The tensor name of each fetch; of a sparse one, the names of its three parts."""
    found: dict[str, Any] = {}
    for path, tensor in values.flatten(tf, fetches).items():
        stem, part = values.split(path)
        if part:
            found.setdefault(stem or "0", {})[part] = tensor.name
        else:
            found[path] = tensor.name
    return found


def save(name: str, out: str) -> dict[str, Any]:
    """Write NAME.meta and return its entry of the manifest."""
    pipeline = PIPELINES[name]
    with tf.Graph().as_default() as graph:
        fetches = pipeline.build(tf)
        initialisers = [
            tf.global_variables_initializer(),
            tf.local_variables_initializer(),
            tf.tables_initializer(),
        ]
        meta = tf.train.export_meta_graph(clear_devices=True, strip_default_attrs=True)
        with open(os.path.join(out, name + ".meta"), "wb") as f:
            f.write(meta.SerializeToString(deterministic=True))
        result = run(tf, pipeline, fetches)
        types = sorted({op.type for op in graph.get_operations()})
    entry = {
        "name": name,
        "meta": name + ".meta",
        "initialise": [op.name for op in initialisers],
        "fetches": named(fetches),
        "order": pipeline.order,
        "batches": result["count"],
        "end": result["end"]["type"],
        "ends_at": result["end"]["op"],
        "op_types": types,
    }
    key = "examples" if pipeline.order == "rows" else "steps"
    entry[key] = result[key]
    entry["shapes"] = result["shapes"]
    return entry


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", required=True)
    out = os.path.abspath(parser.parse_args().out)
    datafiles.write(out)
    os.chdir(out)
    entries = [save(name, out) for name in SAVED]
    with open("manifest.json", "w") as f:
        f.write("[\n" + ",\n".join(values.pretty(entry).rstrip() for entry in entries) + "\n]\n")
    json.load(open("manifest.json"))


if __name__ == "__main__":
    main()
