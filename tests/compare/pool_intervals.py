"""How often the stated interval of the shuffle pool holds the pool; run by hand.

    python -m tests.compare.pool_intervals [queue|data|dataset] [cases] [seed]

Each case draws pool, input length, epochs, batch size and what the other side does. Of
Dataset.shuffle the truth is its buffer. A TF1 queue draws from what it holds at that moment: after
a dequeue never less than min_after_dequeue, so each draw is from min_after_dequeue + 1 at least and
from its capacity at most, as the threads have it; no one number is the truth, and an interval
holds it that meets this band. Half of the cases have a band of one or two numbers, so that they say
as much as a buffer does; they are counted by themselves ("narrow").
"""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
import tensorflow as tf

import queueio
from queueio import settings
from queueio.compare.mixing.order import Mixing, figure

MOST = 24_000  # examples of a side


@dataclass(frozen=True)
class Case:
    """One pair of pipelines; `least` and `most` are what the old side's pool holds."""

    engine: str
    least: int
    most: int
    count: int
    epochs: int
    batch: int
    other: int  # the new side's pool, 0 for none
    apart: bool  # of datasets: shuffled before they are repeated
    smaller: bool  # an incomplete last batch is kept
    limit: int | None

    def old(self) -> Any:
        if self.engine == "dataset":
            return self._dataset(self.most)
        train = tf.compat.v1.train
        number = train.range_input_producer(self.count, self.epochs, shuffle=False).dequeue()
        return train.shuffle_batch(
            [number], self.batch, self.most, self.least - 1, allow_smaller_final_batch=self.smaller
        )

    def new(self) -> Any:
        return self._dataset(self.other)

    def _dataset(self, pool: int) -> tf.data.Dataset:
        made = tf.data.Dataset.range(self.count, output_type=tf.int32)
        made = made.shuffle(pool) if pool and self.apart else made
        made = made.repeat(self.epochs)
        made = made.shuffle(pool) if pool and not self.apart else made
        return made.batch(self.batch, drop_remainder=not self.smaller)


def drawn(engine: str, rng: np.random.Generator) -> Case:
    """A case at random."""

    def between(low: float, high: float) -> int:
        return round(float(np.exp(rng.uniform(np.log(low), np.log(high)))))

    count = between(100, MOST)
    epochs = int(rng.integers(1, min(4, MOST // count) + 1))
    pool = between(2, max(3, count * epochs / 3))
    wide = engine != "dataset" and rng.random() < 0.5
    most = between(pool + 2, 3 * pool + 2) if wide else pool + (engine != "dataset")
    other = int(rng.choice([0, most, between(2, count)]))
    limit = round(count * epochs * rng.uniform(0.5, 1)) if rng.random() < 0.2 else None
    apart, smaller = bool(rng.random() < 0.5), bool(rng.random() < 0.5)
    return Case(engine, pool, most, count, epochs, between(1, 64), other, apart, smaller, limit)


def held(case: Case) -> dict[str, str]:
    """For each shuffled side, by its kind: "held", "missed" or "no figure"."""
    with settings.override(engine="data" if case.engine == "data" else "queue"):
        result = queueio.compare(case.old, case.new, cost=False, stages=False, limit=case.limit)
    kind = "dataset" if case.engine == "dataset" else f"{case.engine} engine"
    kind += ", narrow" if case.engine != "dataset" and case.most - case.least < 2 else ""
    found = {kind: _judged(result.old.mixing, case.least, case.most)}
    if case.other:
        found["dataset, new side"] = _judged(result.new.mixing, case.other, case.other)
    return found


def _judged(mixing: Mixing | None, least: int, most: int) -> str:
    pool = None if mixing is None else figure(mixing)
    if pool is None:
        return "no figure"
    return "held" if pool.low <= most and least <= pool.high else "missed"


def main(engine: str = "dataset", cases: int = 100, seed: int = 0) -> None:
    """Runs the cases, and prints those missed and the counts."""
    rng = np.random.default_rng(seed)
    table: Counter[tuple[str, str]] = Counter()
    for _ in range(cases):
        case = drawn(engine, rng)
        for kind, state in held(case).items():
            table[kind, state] += 1
            if state == "missed":
                print(f"missed ({kind}): {case}", flush=True)
    for kind in sorted({kind for kind, _ in table}):
        states = {s: table[kind, s] for s in ("held", "missed", "no figure")}
        print(f"{kind:24} " + ", ".join(f"{n} {s}" for s, n in states.items()))


if __name__ == "__main__":
    main(*sys.argv[1:2], *map(int, sys.argv[2:]))
