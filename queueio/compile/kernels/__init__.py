"""What moves chunks of rows: datasets in, datasets out, and nothing of graphs, ops or plans.

    files ─▶ blocks ─▶ chunks of records ─▶ pool ─▶ the same, mixed ─▶ batches ─▶ batches

    blocks    file_blocks opens a file, lines cuts text; side_by_side reads several files in turns
    pool      gather makes chunks large enough; moves says which rows leave and which stay;
              together holds the rows in one tensor, apart each for itself, weighed begins with
              the one and goes on with the other
    batches   cuts out batches without copying; buckets those whose rows belong together

All ask budget how many rows, bytes and calls may be under way. python_ops calls what TensorFlow has
no op for.
"""
