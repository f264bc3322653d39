"""Names of `tf.contrib` that have no successor, though the part that they were in has one."""

from __future__ import annotations

NOWHERE: dict[str, str] = {
    "autograph": (
        "AutoGraphError ConversionOptions Feature StackTraceMapper convert converted_call"
        " do_not_convert set_element_type set_loop_options stack"
    ),
    "checkpoint": (
        "Checkpointable CheckpointableBase CheckpointableObjectGraph NoDependency NumpyState"
        " PythonStateWrapper UniqueNameTracker capture_dependencies dot_graph_from_checkpoint"
        " list_objects object_metadata split_dependency"
    ),
    "cluster_resolver": "UnionClusterResolver",
    "data": "CheckpointInputPipelineHook LMDBDataset assert_element_shape",
    "distribute": (
        "AllReduceCrossDeviceOps CollectiveAllReduceStrategy DistributeConfig"
        " DistributionStrategy Monitor MultiWorkerAllReduce StandardInputStep"
        " StandardSingleLossStep Step UpdateContext get_cross_replica_context"
        " get_distribution_strategy has_distribution_strategy initialize_tpu_system"
        " require_replica_context run_standard_tensorflow_server"
    ),
    "distributions": (
        "Autoregressive BatchReshape BetaWithSoftplusConcentration Binomial Cauchy Chi2"
        " Chi2WithAbsDf ConditionalDistribution ConditionalTransformedDistribution Deterministic"
        " ExpRelaxedOneHotCategorical ExponentialWithSoftplusRate"
        " GammaWithSoftplusConcentrationRate Geometric HalfNormal Independent InverseGamma"
        " InverseGammaWithSoftplusConcentrationRate Kumaraswamy LaplaceWithSoftplusScale"
        " Logistic Mixture MixtureSameFamily MultivariateNormalDiag"
        " MultivariateNormalDiagPlusLowRank MultivariateNormalDiagWithSoftplusScale"
        " MultivariateNormalFullCovariance MultivariateNormalTriL NegativeBinomial"
        " NormalWithSoftplusScale OneHotCategorical Poisson PoissonLogNormalQuadratureCompound"
        " QuantizedDistribution RelaxedBernoulli RelaxedOneHotCategorical SeedStream SinhArcsinh"
        " StudentTWithAbsDfSoftplusScale TransformedDistribution VectorDeterministic"
        " VectorDiffeomixture VectorExponentialDiag VectorLaplaceDiag VectorSinhArcsinhDiag"
        " WishartCholesky WishartFull assign_log_moving_mean_exp assign_moving_mean_variance"
        " auto_correlation estimator_head_distribution_regression fill_triangular"
        " fill_triangular_inverse matrix_diag_transform moving_mean_variance"
        " normal_conjugates_known_scale_posterior normal_conjugates_known_scale_predictive"
        " percentile quadrature_scheme_lognormal_gauss_hermite"
        " quadrature_scheme_lognormal_quantiles quadrature_scheme_softmaxnormal_gauss_hermite"
        " quadrature_scheme_softmaxnormal_quantiles reduce_weighted_logsumexp softplus_inverse"
        " tridiag"
    ),
    "eager": (
        "ASYNC Checkpointable DEVICE_PLACEMENT_EXPLICIT DEVICE_PLACEMENT_SILENT"
        " DEVICE_PLACEMENT_WARN EagerVariableStore ExecutionCallback Network SYNC"
        " add_execution_callback async_clear_error async_wait clear_execution_callbacks"
        " connect_to_remote_host defun enable_remote_eager_execution errstate execution_mode"
        " get_optimizer_variables gradients_function implicit_gradients"
        " implicit_value_and_gradients in_eager_mode inf_callback inf_nan_callback list_devices"
        " nan_callback num_gpus restore_network_checkpoint restore_variables_on_create run"
        " run_all_tests_in_graph_and_eager_modes run_test_in_graph_and_eager_modes"
        " save_network_checkpoint set_execution_mode set_server_def seterr"
        " value_and_gradients_function"
    ),
    "feature_column": "sequence_input_layer",
    "framework": (
        "BoundedTensorSpec assert_scalar_int convolutional_delta_orthogonal"
        " convolutional_orthogonal_1d convolutional_orthogonal_2d convolutional_orthogonal_3d"
        " deprecated_arg_values deprecated_args fuse_op get_placeholders"
        " load_and_remap_matrix_initializer load_embedding_initializer"
        " load_linear_multiclass_bias_initializer load_variable_slot_initializer"
        " prepend_name_scope py_func reduce_sum_n strip_name_scope with_same_shape with_shape"
        " zero_initializer"
    ),
    "layers": (
        "SPARSE_FEATURE_CROSS_DEFAULT_HASH_KEY check_feature_columns embedding_lookup_unique"
        " infer_real_valued_columns joint_weighted_sum_from_feature_columns"
        " make_place_holder_tensors_for_base_features multi_class_target"
        " parse_feature_columns_from_sequence_examples regression_target"
        " scattered_embedding_column sequence_input_from_feature_columns transform_features"
        " weighted_sum_from_feature_columns"
    ),
    "nn": (
        "alpha_dropout nth_element rank_sampled_softmax_loss sampled_sparse_softmax_loss"
        " scaled_softplus"
    ),
    "rnn": (
        "AttentionCellWrapper BidirectionalGridLSTMCell CompiledWrapper Conv1DLSTMCell"
        " Conv2DLSTMCell Conv3DLSTMCell ConvLSTMCell CoupledInputForgetGateLSTMCell"
        " EmbeddingWrapper FusedRNNCell FusedRNNCellAdaptor GLSTMCell GRUBlockCell"
        " GRUBlockCellV2 GridLSTMCell HighwayWrapper IndRNNCell IndyGRUCell IndyLSTMCell"
        " InputProjectionWrapper IntersectionRNNCell LSTMBlockCell LSTMBlockFusedCell"
        " LSTMBlockWrapper LayerNormBasicLSTMCell NASCell OutputProjectionWrapper PhasedLSTMCell"
        " SRUCell TimeFreqLSTMCell TimeReversedFusedRNN UGRNNCell best_effort_input_batch_size"
        " stack_bidirectional_dynamic_rnn stack_bidirectional_rnn transpose_batch_time"
    ),
    "slim": (
        "DataFrameColumn InputLayer ProblemType binary_svm_target deprecated"
        " deprecated_arg_values embedding_lookup_sparse_with_distributed_aggregation"
        " experimental get_default_binary_metrics_for_eval make_all scattered_embedding_lookup"
        " scattered_embedding_lookup_sparse sparse_feature_cross zero_initializer"
    ),
    "training": "GreedyLoadBalancingStrategy RandomStrategy byte_size_load_fn",
}
"""By part. What contrib.slim showed of contrib.layers stands with the layers."""


def has_no_successor(name: str) -> bool:
    """Whether neither TensorFlow nor tf_slim has `tf.contrib.<name>` under another name."""
    room, _, rest = name.partition(".")
    rooms = ("slim", "layers") if room == "slim" else (room,)
    return any(rest.partition(".")[0] in NOWHERE.get(each, "").split() for each in rooms)
