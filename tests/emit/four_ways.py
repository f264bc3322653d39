"""Runs cases of op_cases.py on queues, as datasets and as modules: `four_ways.py OUT TYPE…`.

OUT then has one entry for each difference, by case, and for each module whose notes speak of last
bits though none differs; {} is what a test wants.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf

sys.path.insert(0, str(Path(__file__).resolve().parent))
import op_cases

import queueio
from tests.loading import loaded

v1 = tf.compat.v1
BATCH = 4
TOGETHER = 12


def pipeline(cases: list[Any]) -> tuple[Any, list[Any]]:
    """The batch of some cases' pipeline, in order and by one thread; the case of each component."""
    rows = [
        tf.constant(r.tolist() if r.dtype == object else r) for case in cases for r in case.rows
    ]
    row, made, owners = v1.train.slice_input_producer(rows, num_epochs=1, shuffle=False), [], []
    for case in cases:
        parts = tf.nest.flatten(case.build(*row[: len(case.rows)]))
        row, made = row[len(case.rows) :], made + parts
        owners += [case] * len(parts)
    return v1.train.batch([_shaped(part) for part in made], BATCH), owners


def _shaped(part: Any) -> Any:
    # A queue that batches needs a shape; what has none is written into a string as it is.
    return part if part.shape.is_fully_defined() else tf.io.serialize_tensor(part)


def on_queues(batch: Any) -> list[Any]:
    """All batches of a session."""
    start = [v1.local_variables_initializer(), v1.global_variables_initializer()]
    with v1.Session() as session:
        session.run([*start, v1.tables_initializer()])
        coordinator = tf.train.Coordinator()
        threads = v1.train.start_queue_runners(session, coordinator)
        found = []
        try:
            while True:
                found.append(session.run(batch))
        except tf.errors.OutOfRangeError:
            coordinator.request_stop()
            coordinator.join(threads)
    return found


def run(written: Any, folder: str) -> Any:
    """The dataset of a module, whose ops need nothing of autograph, which is slow."""
    path = Path(folder) / "written.py"
    written.write(path)
    return tf.autograph.experimental.do_not_convert(loaded(path).input_fn)()


def batches(dataset: Any) -> list[Any]:
    return [tf.nest.flatten(step) for step in dataset.as_numpy_iterator()]


def difference(wanted: list[Any], given: list[Any], owners: list[Any]) -> str:
    """What differs, the first time for each case; an empty text if nothing does."""
    if len(wanted) != len(given):
        return f"{len(wanted)} batches and {len(given)}"
    found: dict[str, str] = {}
    for one, other in zip(wanted, given, strict=True):
        parts = zip(tf.nest.flatten(one), tf.nest.flatten(other), owners, strict=True)
        for a, b, case in parts:
            if (a.dtype, a.shape) != (b.dtype, b.shape):
                found[case.name] = f"{a.dtype} {a.shape} and {b.dtype} {b.shape}"
            elif not case.drawn and not same_bits(a, b):
                told = next(f"{x} and {y}" for x, y in zip(a.ravel(), b.ravel(), strict=True)
                            if not same_bits(np.asarray(x), np.asarray(y)))  # fmt: skip
                found.setdefault(case.name, told)
    return "; ".join(f"{name}: {told}" for name, told in found.items())


def same_bits(a: Any, b: Any) -> bool:
    """Zeros with their sign; which of its many patterns a NaN has is left open."""
    if a.dtype.kind == "c":
        return same_bits(a.real, b.real) and same_bits(a.imag, b.imag)
    if a.dtype.kind != "f":
        return bool(np.array_equal(a, b))
    return bool((((a == b) & (np.signbit(a) == np.signbit(b))) | (np.isnan(a) & np.isnan(b))).all())


def differences(cases: list[Any], folder: str) -> dict[str, str]:
    """How each of three ways differs from the queues."""
    with tf.Graph().as_default() as graph:
        batch, owners = pipeline(cases)
        missing = {case.type for case in cases} - {op.type for op in graph.get_operations()}
        if missing:
            return {"case": f"has no {sorted(missing)}"}
        wanted = on_queues(batch)
        plan = queueio.lift(batch)
    found = {}
    for name in cases[0].ways:
        try:
            written = None if name == "dataset" else plan.to_source(style=name)
            dataset = plan.to_dataset() if written is None else run(written, folder)
            told = difference(wanted, batches(dataset), owners)
            if not told and "last bits" in str(written):
                told = "no bit differs, and yet: " + " ".join(written.notes)
        except Exception as error:
            told = f"{type(error).__name__}: {error}"
        if told:
            found[name] = told
    return found


def tried(cases: list[Any], folder: str) -> dict[str, str]:
    """The same, with an error on the queues as a difference."""
    try:
        return differences(cases, folder)
    except Exception as error:
        return {"queue": f"{type(error).__name__}: {error}"[:900]}


def grouped(types: list[str]) -> dict[str, list[Any]]:
    """The cases of some op types, those that share a pipeline together."""
    groups: dict[str, list[Any]] = {}
    for case in op_cases.CASES:
        if case.type in types:
            groups.setdefault(f"{case.type} {case.group}".strip(), []).append(case)
    return groups


def together(groups: dict[str, list[Any]]) -> list[dict[str, list[Any]]]:
    """Some groups at a time, as most of the time is not the ops' own."""
    by_ways: dict[Any, list[str]] = {}
    for name, cases in groups.items():
        by_ways.setdefault(cases[0].ways, []).append(name)
    return [
        {name: groups[name] for name in names[at : at + TOGETHER]}
        for names in by_ways.values()
        for at in range(0, len(names), TOGETHER)
    ]


def main() -> None:
    out, types = sys.argv[1], sys.argv[2:]
    found: dict[str, dict[str, str]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for groups in together(grouped(types)):
            if told := tried([case for cases in groups.values() for case in cases], folder):
                alone = {name: tried(cases, folder) for name, cases in groups.items()}
                alone = {name: each for name, each in alone.items() if each}
                found |= alone or {" and ".join(groups): told}
    Path(out).write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
