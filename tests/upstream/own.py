"""What upstream's input_test.py takes from its module `input`: functions, and two helpers."""

from __future__ import annotations

from typing import Any

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
