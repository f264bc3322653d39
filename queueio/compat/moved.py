"""Names that TensorFlow, NumPy and Python removed or moved since TF1, and where each is today.

Libraries of that time (tf_slim, tensorflow_estimator, and what a script brings along) import
them. `queueio.compat.serving` answers for them, and only to the code that queueio runs. Every row
is `old address: new address`, `package.module:name`; MIGRATION.md lists them from here.
"""

from __future__ import annotations

_PYTHON = "tensorflow.python."
_STAND_INS = "queueio.compat.stand_ins:"

# Module below tensorflow.python: the module that has these names of it now.
_INTERNAL: dict[str, dict[str, str]] = {
    "framework.func_graph": {
        "framework.auto_control_deps": "AutomaticControlDependencies",
        "eager.graph_only_ops": "graph_placeholder",
    },
    "framework.graph_util": {"framework.convert_to_constants": "convert_variables_to_constants"},
    "framework.ops": {
        "framework.tensor": "Tensor enable_tensor_equality disable_tensor_equality",
        "framework.tensor_conversion": "convert_to_tensor_v2",
        "framework.tensor_conversion_registry": "register_tensor_conversion_function",
        "framework.stack": "default_session",
        "framework.indexed_slices": (
            "IndexedSlices IndexedSlicesValue convert_to_tensor_or_indexed_slices"
            " convert_n_to_tensor_or_indexed_slices internal_convert_to_tensor_or_indexed_slices"
            " internal_convert_n_to_tensor_or_indexed_slices"
        ),
    },
    "framework.tensor_util": {"ops.shape_util": "shape_tensor maybe_set_static_shape"},
    "ops.array_ops": {"ops.array_ops_stack": "stack unstack"},
    "ops.control_flow_ops": {
        "ops.cond": "cond cond_for_tf_v2",
        "ops.control_flow_assert": "Assert",
        "ops.control_flow_case": "case case_v2",
        "ops.control_flow_switch_case": "switch_case",
        "ops.while_loop": "while_loop while_loop_v2",
    },
    "ops.custom_gradient": {"ops.handle_data_util": "copy_handle_data"},
    "ops.functional_ops": {"ops.gen_functional_ops": "partitioned_call"},
    "ops.gradients_util": {
        "eager.backprop_util": "IsTrainable",
        "framework.func_graph": "FuncGraph",
    },
    "ops.math_ops": {
        "ops.bincount_ops": "bincount_v1",
        "ops.special_math_ops": "bessel_i0e bessel_i1e",
    },
    "ops.nn": {
        "ops.rnn": "bidirectional_dynamic_rnn dynamic_rnn raw_rnn static_rnn"
        " static_state_saving_rnn"
    },
    "ops.nn_impl": {"ops.nn_impl_distribute": "compute_average_loss scale_regularization_loss"},
    "ops.random_ops": {"ops.random_crop_ops": "random_crop"},
    "ops.standard_ops": {
        "ops.array_ops_stack": "stack unstack",
        "ops.bincount_ops": "bincount_v1",
        "ops.gen_functional_ops": "partitioned_call",
        "ops.random_crop_ops": "random_crop",
        "ops.ref_variable": "RefVariable default_variable_creator",
        "ops.variable_v1": "VariableV1 is_variable_initialized",
    },
    "ops.variable_scope": {
        "ops.ref_variable": "default_variable_creator",
        "ops.resource_variables_toggle": (
            "enable_resource_variables disable_resource_variables resource_variables_enabled"
        ),
        "ops.variables": "default_variable_creator_v2",
        "ops.variable_v1": "VariableV1",
    },
    "ops.variables": {
        "ops.ref_variable": "RefVariable default_variable_creator",
        "ops.variable_v1": "VariableV1 is_variable_initialized",
    },
    "training.training": {"training.quantize_training": "do_quantize_training_on_graphdef"},
}
# Single names of which the new one is called otherwise, or is made by queueio.
_OTHERWISE = {
    "distribute:estimator_training": f"{_STAND_INS}estimator_training",
    "layers.normalization:BatchNormalization": f"{_STAND_INS}BatchNormalization",
    "layers.normalization:batch_normalization": f"{_STAND_INS}batch_normalization",
    "ops.variable_scope:variable": "tensorflow.compat.v1:Variable",
    "tpu:session_support": f"{_STAND_INS}session_support",
    "tpu:tpu_embedding": f"{_STAND_INS}tpu_embedding",
    "tpu:tpu_embedding_gradient": f"{_STAND_INS}tpu_embedding_gradient",
    "util.tf_export:ESTIMATOR_API_NAME": f"{_STAND_INS}ESTIMATOR_API_NAME",
}
TENSORFLOW: dict[str, str] = {
    f"{_PYTHON}{old}:{name}": f"{_PYTHON}{new}:{name}"
    for old, moves in _INTERNAL.items()
    for new, names in moves.items()
    for name in names.split()
} | {f"{_PYTHON}{old}": new for old, new in _OTHERWISE.items()}

_ABC = """AsyncGenerator AsyncIterable AsyncIterator Awaitable ByteString Callable Collection
Container Coroutine Generator Hashable ItemsView Iterable Iterator KeysView Mapping MappingView
MutableMapping MutableSequence MutableSet Reversible Sequence Set Sized ValuesView"""
PYTHON: dict[str, str] = {
    **{f"collections:{name}": f"collections.abc:{name}" for name in _ABC.split()},
    "base64:decodestring": "base64:decodebytes",
    "base64:encodestring": "base64:encodebytes",
    "fractions:gcd": "math:gcd",
    "inspect:ArgSpec": f"{_STAND_INS}ArgSpec",
    "inspect:getargspec": f"{_STAND_INS}getargspec",
    "time:clock": "time:process_time",
}

_BUILTINS = "bool complex float int object str"
_SAME = {
    "Inf": "inf", "Infinity": "inf", "NAN": "nan", "NaN": "nan", "PINF": "inf", "infty": "inf",
    "alltrue": "all", "complex_": "complex128", "cumproduct": "cumprod", "float_": "float64",
    "mat": "asmatrix", "product": "prod", "rank": "ndim", "round_": "round", "row_stack": "vstack",
    "sometrue": "any", "string_": "bytes_", "trapz": "trapezoid", "typeDict": "sctypeDict",
    "unicode_": "str_",
}  # fmt: skip
NUMPY: dict[str, str] = {
    **{f"numpy:{name}": f"builtins:{name}" for name in _BUILTINS.split()},
    **{f"numpy:{old}": f"numpy:{new}" for old, new in _SAME.items()},
    "numpy:NINF": f"{_STAND_INS}NINF",
    "numpy:asfarray": f"{_STAND_INS}asfarray",
    "numpy:asscalar": f"{_STAND_INS}asscalar",
    "numpy:byte_bounds": "numpy.lib.array_utils:byte_bounds",
    "numpy:in1d": f"{_STAND_INS}in1d",
    "numpy:issubclass_": f"{_STAND_INS}issubclass_",
    "numpy:long": "builtins:int",
    "numpy:msort": f"{_STAND_INS}msort",
    "numpy:safe_eval": "ast:literal_eval",
    "numpy:unicode": "builtins:str",
    "numpy.lib:pad": "numpy:pad",
    "numpy.lib:unique": "numpy:unique",
}

ROWS: dict[str, str] = {**TENSORFLOW, **NUMPY, **PYTHON}
"""Every name that is present again, by its old address; in the order of MIGRATION.md."""


def markdown() -> str:
    """The table of MIGRATION.md: every name, and what it gives."""
    rows = [f"| `{_spelled(old)}` | {_given(new)} |" for old, new in ROWS.items()]
    return "\n".join(["| name | gives |", "|---|---|", *rows]) + "\n"


def _spelled(address: str) -> str:
    return address.replace(":", ".")


def _given(address: str) -> str:
    if address.startswith(_STAND_INS):
        return "what it was, made by queueio"
    return f"`{_spelled(address).removeprefix('builtins.')}`"
