"""Feature columns and sequences of `tf.contrib.layers`, which tf_slim did not take along."""

from __future__ import annotations

_COLUMN = "tf.feature_column"
_VOCABULARY = f"{_COLUMN}.categorical_column_with_vocabulary"

# Names below tf.contrib.layers, as contrib.slim shows them too.
COLUMNS: dict[str, str] = {
    "bow_encoder": (
        "tf.nn.embedding_lookup_sparse(table, tf.sparse.from_dense(ids), None, combiner='mean'),"
        " which leaves out id 0 too, with a table of your own,"
        " tf.get_variable('embeddings', [vocab_size, embed_dim])"
    ),
    "bucketized_column": f"{_COLUMN}.bucketized_column",
    "create_feature_spec_for_parsing": f"{_COLUMN}.make_parse_example_spec(columns)",
    "crossed_column": (
        f"{_COLUMN}.crossed_column(columns, hash_bucket_size), which hashes into other buckets"
    ),
    "embed_sequence": (
        "tf.nn.embedding_lookup(table, ids), with a table of your own,"
        " tf.get_variable('embeddings', [vocab_size, embed_dim])"
    ),
    "embedding_column": f"{_COLUMN}.embedding_column",
    "input_from_feature_columns": f"{_COLUMN}.input_layer(features, columns)",
    "one_hot_column": f"{_COLUMN}.indicator_column",
    "parse_feature_columns_from_examples": (
        f"tf.parse_example(serialized, {_COLUMN}.make_parse_example_spec(columns))"
    ),
    "real_valued_column": f"{_COLUMN}.numeric_column(name, shape=(dimension,))",
    "safe_embedding_lookup_sparse": "tf.nn.safe_embedding_lookup_sparse",
    "shared_embedding_columns": f"{_COLUMN}.shared_embedding_columns",
    "sparse_column_with_hash_bucket": f"{_COLUMN}.categorical_column_with_hash_bucket",
    "sparse_column_with_integerized_feature": (
        f"{_COLUMN}.categorical_column_with_identity(name, num_buckets=bucket_size)"
    ),
    "sparse_column_with_keys": f"{_VOCABULARY}_list(name, keys)",
    "sparse_column_with_vocabulary_file": f"{_VOCABULARY}_file",
    "weighted_sparse_column": f"{_COLUMN}.weighted_categorical_column",
}
