"""The golden pipelines, one module per family."""

from pipelines import (  # noqa: F401
    batching,
    contrib_buckets,
    contrib_learn,
    contrib_sampling,
    contrib_sequences,
    contrib_slim,
    contrib_timeseries,
    decoders,
    faults,
    joins,
    keep_input,
    naming,
    producers,
    programs,
    queues,
    readers,
    refusals,
    runners,
    shuffling,
    sparse,
)
from pipelines.registry import PIPELINES

__all__ = ["PIPELINES"]
