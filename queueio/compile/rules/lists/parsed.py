"""Records parsed into lists, many in one call."""

from __future__ import annotations

from typing import Any

from queueio.compile.rules.rule import ChunkSite, list_rule, only
from queueio.compile.sequences import Sequences


@list_rule("ParseExampleV2", "ParseSequenceExampleV2", "ParseSingleExample",
           "ParseSingleSequenceExample",
           fits=lambda site: only(0)(site) and Sequences.of(site.op) is not None)  # fmt: skip
def parse(site: ChunkSite, values: list[Any]) -> list[Any]:
    sequences = Sequences.of(site.op)
    assert sequences is not None
    given = {t.name: value for t, value in zip(site.op.inputs, values, strict=True)}
    return sequences.parse(values[0], [given[t.name] for t in sequences.defaults])
