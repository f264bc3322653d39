"""Each op type of the emit tables gives the same bits on queues, as a dataset, in each style."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import op_cases
import op_inputs
import pytest
import tensorflow as tf
from tensorflow.python.framework import kernels  # no public spelling

from queueio.emit.ops import TABLE
from queueio.graph.traits import TRAITS
from tests.processes import ONEDNN, environment, python
from tests.turns import by_turns

_PROCESSES = 4
_TYPES = by_turns(sorted(TABLE))


def test_no_op_type_is_without_a_case() -> None:
    assert {case.type for case in op_cases.CASES} == set(TABLE)


@pytest.mark.long
def test_an_op_that_is_said_not_to_fail_takes_values_at_the_edges() -> None:
    """The traits let conds and shuffles run such an op on examples that never came to it."""
    safe = {name for name, row in TRAITS.items() if row.fails_by is not None}
    cases = [case for case in op_cases.CASES if case.type in safe]
    untried = safe - {case.type for case in cases}
    drawing = {t for t in untried if t.startswith("Stateless")}
    cases += [
        op_cases.Case(t, t, (op_inputs.floats(),), op_cases.op(t))
        for t in untried - drawing - {"Const"}
    ]
    for op_type, word in itertools.product(drawing, (0, 1, 2**63, 2**64 - 1)):
        given = {"shape": [3], "key": tf.constant([word], tf.uint64), "alg": 1}
        given |= {"counter": tf.constant([word, word], tf.uint64)}
        given |= {"minval": 0, "maxval": 1} if "Int" in op_type else {}
        getattr(tf.raw_ops, op_type)(**given)
    for case in cases:
        for row in zip(*case.rows, strict=True):
            case.build(*map(tf.constant, row))


@pytest.mark.long
@pytest.mark.parametrize("part", range(_PROCESSES))
def test_all_four_ways_give_the_same_bits(part: int, tmp_path: Path) -> None:
    assert differences(tmp_path, _TYPES[part::_PROCESSES]) == {}


@pytest.mark.long
def test_ops_that_onednn_computes_give_the_same_bits_in_all_four_ways(tmp_path: Path) -> None:
    registered = {kernel.op for kernel in kernels.get_all_registered_kernels().kernel}
    its = [name for name in _TYPES if registered & {f"_Mkl{name}", f"_MklNative{name}"}]
    assert differences(tmp_path, its, **{ONEDNN: "1"}) == {}


def differences(folder: Path, types: list[str], **more: str) -> Any:
    """What four_ways.py finds of op types, in a process with these variables besides."""
    out, script = folder / "DIFFERENCES.json", Path(__file__).with_name("four_ways.py")
    done = python(script, out, *types, cwd=folder, env=environment(**more), timeout=400)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(out.read_text())
