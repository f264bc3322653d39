"""What of TensorFlow gives the same in each run, by name.

At its top level, and in those of its modules that make ops, it is the exceptions that are listed:
TF 1.15 is closed, and this was read along its names. In all others what is missing is not pure.
"""

from __future__ import annotations

from queueio.convert.pure_names import all_but, only

_COLLECTIONS = """
    all_variables get_collection get_collection_ref get_local_variables get_losses
    get_model_variables get_regularization_losses get_total_loss get_trainable_variables
    get_variables get_variables_by_name get_variables_to_restore global_variables
    local_variables model_variables moving_average_variables trainable_variables
"""
"""What asks a graph for what other lines have put into it."""
_RUNNING = """
    InteractiveSession MonitoredSession MonitoredTrainingSession Session SessionManager
    SingularMonitoredSession Supervisor basic_train_loop batch_get_value get_default_session
    get_session get_value global_step learning evaluation evaluate_once
"""
_OUTSIDE = """
    FLAGS NewCheckpointReader Server app checkpoint_exists checkpoints_iterator config datasets
    device_lib file_io flags forward_compatible get_checkpoint_mtimes get_checkpoint_state
    get_data_files_path get_seed gfile gpu_device_name is_gpu_available latest_checkpoint
    list_variables load_checkpoint load_file_system_library load_library load_op_library
    load_variable learn_runner predictor pywrap_tensorflow python_io resource_loader
    saved_model session_bundle summary_iterator sysconfig test tf_record_iterator
    wait_for_new_checkpoint
"""
ANYWHERE = frozenset(f"{_COLLECTIONS} {_RUNNING} {_OUTSIDE}".split())
"""Parts of TensorFlow by which a value comes out of a session, a graph, a file or the machine,
under whichever of its modules they stand."""

_QUEUES = """
    add_queue_runner batch batch_join input_producer limit_epochs match_filenames_once maybe_batch
    maybe_batch_join maybe_shuffle_batch maybe_shuffle_batch_join queue_runner QueueRunner
    range_input_producer shuffle_batch shuffle_batch_join slice_input_producer start_queue_runners
    string_input_producer Coordinator LooperThread
"""
_MESSAGES = """
    BytesList ClusterDef ClusterSpec Example Feature FeatureList FeatureLists Features FloatList
    Int64List JobDef SequenceExample ServerDef
"""
_TRAINING_OPS = """
    cosine_decay cosine_decay_restarts create_global_step exponential_decay get_global_step
    get_or_create_global_step inverse_time_decay linear_cosine_decay natural_exp_decay
    noisy_linear_cosine_decay piecewise_constant piecewise_constant_decay polynomial_decay
    replica_device_setter ExponentialMovingAverage AdadeltaOptimizer AdagradDAOptimizer
    AdagradOptimizer AdamOptimizer FtrlOptimizer GradientDescentOptimizer MomentumOptimizer
    ProximalAdagradOptimizer ProximalGradientDescentOptimizer RMSPropOptimizer
"""
_IO = """
    FixedLenFeature FixedLenSequenceFeature PaddingFIFOQueue PriorityQueue QueueBase
    RandomShuffleQueue SparseFeature TFRecordCompressionType TFRecordOptions VarLenFeature
    RaggedFeature decode_and_crop_jpeg decode_base64 decode_bmp decode_compressed decode_csv
    decode_gif decode_image decode_jpeg decode_json_example decode_png decode_proto decode_raw
    deserialize_many_sparse encode_base64 encode_jpeg encode_png encode_proto extract_jpeg_shape
    is_jpeg match_filenames_once matching_files parse_example parse_sequence_example
    parse_single_example parse_single_sequence_example parse_tensor read_file
    serialize_many_sparse serialize_sparse serialize_tensor write_file
"""
_OPS = """
    audio bitwise data debugging distributions dtypes errors feature_column image initializers
    layers linalg logging lookup losses manip math metrics nest nn quantization queue ragged
    random raw_ops sets signal sparse spectral string strings user_ops
"""
_CONTRIB = """
    crf data distributions feature_column ffmpeg framework image input_pipeline layers
    legacy_seq2seq learn lookup losses metrics nn opt quantization resampler rnn seq2seq signal
    slim stateless timeseries training util
"""
_LEARN = """
    ModeKeys io python queue_parsed_features read_batch_examples read_batch_features
    read_batch_record_features read_keyed_batch_examples read_keyed_batch_examples_shared_queue
    read_keyed_batch_features read_keyed_batch_features_shared_queue
"""
_TRAINING = """
    HParams NextQueuedSequenceBatch SequenceQueueingStateSaver batch_sequences_with_states bucket
    bucket_by_sequence_length python rejection_sample resample_at_rate stratified_sample
    weighted_resample
"""
TENSORFLOW = {
    "": all_but(
        f"{' '.join(ANYWHERE)} autograph compat compiler contrib core distribute estimator"
        " examples experimental graph_util io keras lite mixed_precision mlir models profiler"
        " python summary tools tpu train types version xla get_logger"
    ),
    **dict.fromkeys(_OPS.split(), all_but(f"get_seed get_verbosity {_COLLECTIONS}")),
    "compat": only(
        "as_bytes as_str as_str_any as_text bytes_or_text_types complex_types dimension_at_index"
        " dimension_value integral_types path_to_str real_types"
    ),
    "contrib": only(_CONTRIB),
    "contrib.learn": only(_LEARN),
    "contrib.training": only(_TRAINING),
    "estimator": only("ModeKeys inputs"),
    "io": only(_IO),
    "keras": only(
        "activations constraints initializers layers losses metrics optimizers regularizers"
    ),
    "python": only("data framework layers ops training util"),
    "python.lib.io.tf_record": only("TFRecordCompressionType TFRecordOptions"),
    "python.platform": only("tf_logging"),
    "python_io": only("TFRecordCompressionType TFRecordOptions"),
    "saved_model": only("signature_constants tag_constants"),
    "summary": only("audio histogram image merge merge_all scalar tensor_summary text"),
    "train": only(f"{_QUEUES} {_MESSAGES} {_TRAINING_OPS}"),
    "version": only("COMPILER_VERSION GIT_VERSION GRAPH_DEF_VERSION VERSION"),
}
"""By what follows `tensorflow`; the longest that fits says what comes after it."""
