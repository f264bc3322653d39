"""Each side of a comparison means what it means as a program of its own."""

from __future__ import annotations

import functools
import itertools
import json
import tempfile
from pathlib import Path

import pytest
import tensorflow as tf

import queueio
from queueio.compare.sides.behaviour import current
from tests.processes import python
from tests.turns import by_turns

PROGRAMS = Path(__file__).with_name("tf2_programs.py")
OLD = """
import json
import tensorflow as tf

with open("results.json") as file:
    RESULTS = json.load(file)

def reading(rows):
    def inputs():
        row = tf.train.slice_input_producer([tf.constant(rows, tf.int64)], 1, shuffle=False)
        return row[0]
    return inputs

for name, rows in RESULTS.items():
    globals()[name] = reading(rows)
"""
COMPARED = """
import json
import queueio

with open("results.json") as file:
    names = list(json.load(file))
for name in names:
    try:
        result = queueio.compare(f"old.py:{name}", f"new.py:{name}", cost=False, order=False)
        print(json.dumps([name, result.level, str(result)]), flush=True)
    except Exception as problem:
        print(json.dumps([name, "failed", str(problem)]), flush=True)
"""
OPERATORS = ("==", "!=")
OPERANDS = ("7", "tf.constant(7, tf.int64)", "(y + 7)", "tf.Variable(7, dtype=tf.int64)", "seven")
PLACES = {
    "filter": "numbers().filter(lambda x: {0})",
    "where": "numbers().map(lambda x: tf.where({0}, -x, x))",
    "cond": "numbers().map(lambda x: tf.cond({0}, lambda: -x, lambda: x))",
    "cast": "numbers().map(lambda x: tf.cast({0}, tf.int64))",
    "called": "numbers().map(tf.function(lambda x: tf.cast({0}, tf.int64)))",
    "at_once": "numbers(sum(bool({0}) for x in numbers()))",
}
GENERATED = """
def {0}():
    y, seven = tf.constant(0, tf.int64), tf.Variable(7, dtype=tf.int64)
    return {1}

"""


def generated() -> str:
    """Functions that compare a tensor with something, somewhere in a program."""
    code = ""
    cases = by_turns(itertools.product(PLACES.items(), OPERATORS, OPERANDS))
    for count, ((name, place), operator, operand) in enumerate(cases):
        if "Variable" in operand and name != "at_once":
            continue  # TensorFlow makes no variable in a dataset's function
        code += GENERATED.format(f"{name}_{count}", place.format(f"x {operator} {operand}"))
    return code


@functools.cache
def verdicts() -> dict[str, tuple[str, str]]:
    """Of each program: how a queue pipeline that delivers what it gives alone compares with it."""
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        before, main = PROGRAMS.read_text().split("def results(")
        (here / "new.py").write_text(f"{before}{generated()}def results({main}")
        (here / "old.py").write_text(OLD)
        alone = python("new.py", "results.json", cwd=here, timeout=300)
        assert alone.returncode == 0, alone.stderr
        done = python("-c", COMPARED, cwd=here, timeout=600)
        assert done.returncode == 0, done.stderr
    told = map(json.loads, filter(lambda line: line.startswith("["), done.stdout.splitlines()))
    return {name: (level, text) for name, level, text in told}


@pytest.mark.long
def test_a_new_side_delivers_what_it_delivers_in_a_program_of_its_own() -> None:
    found = verdicts()
    assert len(found) > 40
    wrong = {name: text for name, (level, text) in found.items() if level != "identical stream"}
    assert not wrong, "\n\n".join(f"{name}: {text}" for name, text in wrong.items())


QUEUES = """
def inputs(num_epochs=1):
    number = tf.train.range_input_producer(20, num_epochs=1, shuffle=False).dequeue()
    return tf.train.batch([number], 5)

def sevens(num_epochs=1):
    made = tf.data.Dataset.range(20).map(lambda x: tf.cast(x, tf.int32))
    return made.filter(lambda x: SAME).batch(5, drop_remainder=True)
"""
HEADS = {
    "TF1's own script": "import tensorflow as tf",
    "the drop-in": "import queueio.v1 as tf",
    "version 1 by hand": "import tensorflow.compat.v1 as tf\ntf.disable_v2_behavior()",
    "a module that switches": "from switched import tf",
}
AS_OBJECTS = "tf.constant((x == 7) is False)"


def compared(folder: Path, old: str, new: str, *sides: str) -> str:
    (folder / "switched.py").write_text(HEADS["version 1 by hand"])
    (folder / "old.py").write_text(old)
    (folder / "new.py").write_text(new)
    done = python("-m", "queueio", "compare", *sides, "--no-cost", cwd=folder, timeout=120)
    return done.stdout + done.stderr


@pytest.mark.long
@pytest.mark.parametrize("new", HEADS)
@pytest.mark.parametrize("old", HEADS)
def test_a_new_side_of_version_1_keeps_its_behaviour_beside_any_old_one(
    old: str, new: str, tmp_path: Path
) -> None:
    scripts = [f"{HEADS[head]}\n{QUEUES}" for head in (old, new)]
    scripts[1] = scripts[1].replace("SAME", AS_OBJECTS)
    said = compared(tmp_path, *scripts, "old.py:inputs", "new.py:sevens")
    assert "Identical stream: 20 examples" in said, said


@pytest.mark.long
@pytest.mark.parametrize("new", HEADS)
def test_a_new_side_written_with_queues_runs_as_before(new: str, tmp_path: Path) -> None:
    scripts = [f"{HEADS[head]}\n{QUEUES}" for head in ("TF1's own script", new)]
    said = compared(tmp_path, *scripts, "old.py:inputs", "new.py:inputs")
    assert "Identical stream: 20 examples" in said, said


@pytest.mark.long
@pytest.mark.parametrize("head", HEADS)
def test_an_old_and_a_new_function_in_one_file_share_its_behaviour(
    head: str, tmp_path: Path
) -> None:
    script = f"{HEADS[head]}\n{QUEUES}".replace("SAME", AS_OBJECTS)
    said = compared(tmp_path, script, "", "old.py:inputs", "old.py:sevens")
    assert "Identical stream: 20 examples" in said, said


@pytest.mark.long
@pytest.mark.parametrize("old", HEADS)
def test_an_example_that_the_new_side_filters_out_is_missed(old: str, tmp_path: Path) -> None:
    new = f"import tensorflow as tf\ndef sevens{QUEUES.partition('def sevens')[2]}"
    new = new.replace("SAME", "x != 7")
    said = compared(tmp_path, f"{HEADS[old]}\n{QUEUES}", new, "old.py:inputs", "new.py:sevens")
    assert said.startswith("Different: ") and "example 7 0: old 7, new –" in said, said


@pytest.mark.long
def test_a_comparison_leaves_the_process_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "old.py").write_text(f"{HEADS['the drop-in']}\n{QUEUES}")
    (tmp_path / "new.py").write_text(
        "import tensorflow as tf\nNEW = tf.data.Dataset.range(20, output_type=tf.int32)\n"
        "def new():\n    return NEW.batch(5, drop_remainder=True)\n"
    )
    code = """
import sys, queueio
if sys.argv[1] == "1":
    import queueio.v1
from queueio.compare.sides.behaviour import current, TF1, TF2
before = current()
print(queueio.compare("old.py:inputs", "new.py:new", cost=False).verdict)
print(before == current() == (TF1 if sys.argv[1] == "1" else TF2))
"""
    for version in "12":
        done = python("-c", code, version, cwd=tmp_path)
        said = done.stdout.splitlines()
        assert said[0].startswith("Identical stream") and said[1] == "True", done.stderr


FAILS = """
import tensorflow as tf

def missing():
    count = tf.constant(3).numpy()
    raise KeyError(f"{count} columns")

def tensors():
    return [batch.numpy() for batch in tf.data.Dataset.range(3)]
"""


@pytest.mark.long
def test_what_fails_is_told_as_the_program_itself_tells_it(tmp_path: Path) -> None:
    old = f"{HEADS['version 1 by hand']}\n{QUEUES}"
    said = compared(tmp_path, old, FAILS, "old.py:inputs", "new.py:missing")
    assert "new.py:missing failed: KeyError: '3 columns'" in said, said
    said = compared(tmp_path, old, FAILS, "old.py:inputs", "new.py:tensors")
    assert "new.py:tensors is list, which cannot be compared" in said, said


@pytest.mark.long
@pytest.mark.parametrize("seeds_first", [False, True])
def test_a_seed_that_one_side_sets_is_not_in_force_for_the_other(seeds_first: bool) -> None:
    def numbers() -> tf.data.Dataset:
        return tf.data.Dataset.range(8).map(lambda n: tf.random.uniform([], 0, 2**30, tf.int32))

    def seeded() -> tf.data.Dataset:
        tf.random.set_seed(3)
        return numbers()

    sides = (seeded, numbers) if seeds_first else (numbers, seeded)
    said = queueio.compare(*sides, cost=False).verdict
    drawing = "new" if seeds_first else "old"
    assert f"the {drawing} side delivers other values in component 0 each time it runs" in said
    assert current().seed is None
