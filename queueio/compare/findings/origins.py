"""Which record of which file each of a queue pipeline's examples is made of.

Most pipelines do not deliver the readers' keys. But the records can be read again, and each be put
through the pipeline's own graph, from the read op on: what comes out is its example.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from queueio import recorder
from queueio.compare.reading.digest import digest_batch
from queueio.compare.reading.scan import Scan
from queueio.compare.sides.graph_side import GraphSide, as_batch, initialised
from queueio.graph.own_session import own_session

SECONDS = 20.0  # for all records


@dataclass(frozen=True)
class RecordAt:
    """A record; its number is as in the reader's key, None where a file is one record."""

    file: str
    number: int | None

    @property
    def key(self) -> str:
        return self.file if self.number is None else f"{self.file}:{self.number}"


def origins(scan: Scan, select: list[int] | None) -> dict[bytes, RecordAt]:
    """The origins of a side's examples by their digests.

    Args:
      scan: the first pass over the side.
      select: the components that were compared, if not all as they come.

    Returns:
      Those of all records, but for records that give equal examples; nothing where the graph has
      more to an example than a record, or the records are too many for SECONDS.
    """
    if not isinstance(scan.side, GraphSide):
        return {}
    found: dict[bytes, RecordAt | None] = {}
    try:
        for digest, origin in _all(scan, scan.side, select):
            found[digest] = None if digest in found else origin
    except Exception:  # to name a record is a courtesy; the finding stands without
        return {}
    return {digest: origin for digest, origin in found.items() if origin is not None}


def _all(scan: Scan, side: GraphSide, select: list[int] | None) -> Iterator[tuple[bytes, RecordAt]]:
    from queueio.forensics.records import records
    from queueio.forensics.replay import Runner, Way
    from queueio.forensics.sources import files_of, reader_of, reads_of

    until = time.monotonic() + SECONDS
    with side.graph().as_default() as graph, own_session(graph) as session:
        leaves = [leaf for _, leaf in recorder.flatten(side.build())]
        initialised(session)
        tensors = [t for leaf in leaves for t in _parts(leaf)]
        (read, *_) = reads_of(tensors[0])
        way = Way(read, Runner(session, graph))
        for file in files_of(read, session):
            for record in records(reader_of(read), file):
                if time.monotonic() > until:
                    raise TimeoutError
                values = _joined(leaves, way.values(tensors, record))
                chosen = values if select is None else [values[i] for i in select]
                arrays = as_batch(chosen, scan.schema.batched).values
                assert arrays is not None
                digests = recorder.join_digests(digest_batch(arrays, scan.dtypes))
                yield digests[0].tobytes(), RecordAt(record.file, record.number)


def _parts(leaf: Any) -> list[Any]:
    sparse = hasattr(leaf, "dense_shape")
    return [leaf.indices, leaf.values, leaf.dense_shape] if sparse else [leaf]


def _joined(leaves: list[Any], values: list[Any]) -> list[Any]:
    """The values of the leaves, of which a sparse one has three."""
    rest = iter(values)
    return [
        recorder.Sparse(*(next(rest) for _ in range(3))) if len(_parts(leaf)) == 3 else next(rest)
        for leaf in leaves
    ]
