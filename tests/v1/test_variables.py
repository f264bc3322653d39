"""`variable.initialized_value()` gives the ops that TensorFlow 1.15.5 gave, asked."""

from __future__ import annotations

import subprocess
from collections.abc import Callable

import pytest

PROGRAM = """
import sys
import queueio.v1 as tf
reference = sys.argv[1] == "ref"
single = tf.Variable(3.0, use_resource=not reference, name="single")
double = tf.Variable(single.initialized_value() * 2, use_resource=not reference, name="double")
operations = tf.get_default_graph().get_operations()
print(*(f"{op.name}:{op.type}" for op in operations if "le" not in op.name.partition("/")[0]))
for _ in range(30):  # either may be initialised first
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        assert sess.run([single, double]) == [3.0, 6.0]
"""
IN_COND = "cond/Switch:Switch cond/switch_t:Identity cond/switch_f:Identity cond/pred_id:Identity"
MERGED = "cond/Switch_1:Switch cond/Merge:Merge mul/y:Const mul:Mul"
OF_TF1 = {
    "ref": f"{IN_COND} cond/read:Identity cond/read/Switch:RefSwitch {MERGED}"
    " cond/read/Switch_double:Switch cond/read_double:Identity cond/Merge_double:Merge",
    "resource": f"VarIsInitializedOp:VarIsInitializedOp {IN_COND}"
    " cond/Read/ReadVariableOp:ReadVariableOp cond/Read/ReadVariableOp/Switch:Switch"
    f" cond/Identity:Identity {MERGED}",
}


@pytest.mark.long
@pytest.mark.parametrize("kind", sorted(OF_TF1))
def test_a_variable_is_made_of_another_one(
    kind: str, run_python: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    done = run_python(PROGRAM, kind, timeout=100)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.strip() == OF_TF1[kind]
