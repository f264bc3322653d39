"""What upstream's tests take from elsewhere than `tf`.

Of modules functions, and helpers behind them; of the folder of slim's tests a module of helpers.
"""

from __future__ import annotations

import types
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from queueio.contrib.training import resampling, sampling
from queueio.stages.batching.pipeline import _like, _lists
from queueio.train import (  # noqa: F401 - the tests call them
    batch,
    batch_join,
    input_producer,
    limit_epochs,
    match_filenames_once,
    maybe_batch,
    maybe_batch_join,
    maybe_shuffle_batch,
    maybe_shuffle_batch_join,
    range_input_producer,
    shuffle_batch,
    shuffle_batch_join,
    slice_input_producer,
    string_input_producer,
)


def _as_tensor_list(tensors: Any) -> list[Any]:
    return _lists([tensors])[0]


def _as_original_type(original: Any, tensors: list[Any]) -> Any:
    return _like(original, tensors)


def beside(path: str) -> types.ModuleType:
    """A module of upstream's that is no test, from the checkout, which is the working directory."""
    from tests.upstream.adapt import adapt

    module = types.ModuleType(Path(path).stem)
    exec(compile(adapt(Path(path).read_text(), False), path, "exec"), vars(module))
    return module


resample = SimpleNamespace(
    resample_at_rate=resampling.resample_at_rate,
    weighted_resample=resampling.weighted_resample,
    _repeat_range=resampling._repeated,
)
sampling_ops = SimpleNamespace(
    rejection_sample=sampling.rejection_sample,
    stratified_sample=sampling.stratified_sample,
    _verify_input=sampling.verified,
    _estimate_data_distribution=sampling.estimated,
)
