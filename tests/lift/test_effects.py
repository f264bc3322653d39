"""A graph from elsewhere acts on this machine only where it was allowed to."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import tensorflow as tf
from tensorflow.python.framework import op_def_registry

import queueio
from queueio import lift_meta_graph
from queueio.compare.sides.side import CannotRun
from queueio.graph.traits import TRAITS, Effect
from queueio.graph.trust import Trust

v1 = tf.compat.v1


def numbers() -> Any:
    return v1.train.range_input_producer(4, num_epochs=1, shuffle=False).dequeue()


def written(path: str = "written.txt") -> Any:
    return tf.io.write_file(path, "x")


def after(op: Any, tensor: Any) -> Any:
    with tf.control_dependencies([op]):
        return tf.identity(tensor)


def before_an_example() -> Any:
    return v1.train.batch([after(written(), numbers())], 2)


def before_a_source() -> Any:
    names = after(written(), tf.constant(["a", "b"]))
    return v1.train.batch([v1.train.input_producer(names, num_epochs=1).dequeue()], 2)


def in_a_branch() -> Any:
    number = numbers()
    value = tf.cond(number > 1, lambda: after(written(), number), lambda: number)
    return v1.train.batch([tf.reshape(value, [])], 2)


def in_a_function_of_a_branch() -> Any:
    number, write = numbers(), tf.function(lambda: after(written(), 1), autograph=False)
    value = tf.cond(number > 1, lambda: number + write(), lambda: number)
    return v1.train.batch([tf.reshape(value, [])], 2)


def where_it_is_kept() -> Any:
    number, queue = numbers(), v1.FIFOQueue(5, [tf.int32], [[]])
    fill = v1.cond(number > 1, lambda: queue.enqueue([after(written(), number)]), tf.no_op)
    v1.train.add_queue_runner(v1.train.QueueRunner(queue, [fill]))
    return v1.train.batch([queue.dequeue()], 2)


def where_it_is_written_if_kept() -> Any:
    number, queue = numbers(), v1.FIFOQueue(5, [tf.int32], [[]])

    def fill() -> Any:
        with tf.control_dependencies([written()]):
            return queue.enqueue([number])

    v1.train.add_queue_runner(v1.train.QueueRunner(queue, [v1.cond(number > 1, fill, tf.no_op)]))
    return v1.train.batch([queue.dequeue()], 2)


def behind_the_batch() -> Any:
    return after(written(), v1.train.batch([numbers()], 2))


def as_a_print_into_a_file() -> Any:
    printed = tf.print("x", output_stream="file://written.txt")
    return v1.train.batch([after(printed, numbers())], 2)


def in_an_initialiser() -> Any:
    first = after(written(), tf.constant(3))
    scale = v1.Variable(first, collections=[v1.GraphKeys.LOCAL_VARIABLES], name="scale")
    return v1.train.batch([numbers() * scale], 2)


def as_a_checkpoint() -> Any:
    number = numbers()
    saved = tf.raw_ops.SaveV2(prefix="written.txt", tensor_names=["n"], shape_and_slices=[""],
                              tensors=[number])  # fmt: skip
    return v1.train.batch([after(saved, number)], 2)


PLACES = [before_an_example, before_a_source, in_a_branch, in_a_function_of_a_branch,
          where_it_is_kept, where_it_is_written_if_kept, behind_the_batch,
          as_a_print_into_a_file, in_an_initialiser, as_a_checkpoint]  # fmt: skip
OP = {as_a_print_into_a_file: "PrintV2", as_a_checkpoint: "SaveV2"}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def exported(build: Callable[[], Any]) -> str:
    """The name of the fetch of a MetaGraph `old.meta`."""
    with tf.Graph().as_default():
        fetch = build()
        v1.train.export_meta_graph("old.meta")
        return str(fetch.name)


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.__name__)
def test_a_metagraph_writes_no_file_without_leave(
    place: Callable[[], Any], folder: Path, behaviour: str
) -> None:
    name, what = exported(place), OP.get(place, "WriteFile")
    with pytest.raises(queueio.NotLifted, match=what) as refusal:
        list(lift_meta_graph("old.meta", name).to_dataset())
    told = str(refusal.value)
    assert "imported graph" in told
    assert f'allow=["{what}"]' in told or "only where a condition holds" in told
    assert not list(folder.glob("written*")), "nor while it was refused"


def test_what_is_allowed_runs(folder: Path) -> None:
    name = exported(before_an_example)
    plan = lift_meta_graph("old.meta", name, allow=["WriteFile"])
    assert not list(folder.glob("written*")), "lifting runs nothing"
    assert len(list(plan.to_dataset())) == 2
    assert (folder / "written.txt").read_text() == "x"


def test_what_the_program_itself_writes_is_written(folder: Path) -> None:
    assert len(list(queueio.lift(before_an_example).to_dataset())) == 2
    assert (folder / "written.txt").exists()


def test_a_write_under_the_condition_of_an_enqueue_is_not_left_out(behaviour: str) -> None:
    with pytest.raises(queueio.NotLifted, match=r"WriteFile' writes.*only where a condition"):
        queueio.lift(where_it_is_written_if_kept)


def test_what_is_made_under_the_condition_of_an_enqueue_is_made_there(behaviour: str) -> None:
    def build() -> Any:
        number, queue = numbers(), v1.FIFOQueue(5, [tf.int32], [[]])
        fill = v1.cond(number > 1, lambda: queue.enqueue([number * 10]), tf.no_op)
        v1.train.add_queue_runner(v1.train.QueueRunner(queue, [fill]))
        return v1.train.batch([queue.dequeue()], 2)

    assert [b.tolist() for b in queueio.lift(build).to_dataset().as_numpy_iterator()] == [[20, 30]]


def test_printing_is_no_harm(folder: Path) -> None:
    name = exported(lambda: v1.train.batch([after(tf.print("x"), numbers())], 2))
    assert len(list(lift_meta_graph("old.meta", name).to_dataset())) == 2


def test_a_program_that_imports_a_metagraph_is_asked_as_well(folder: Path) -> None:
    name = exported(before_an_example)

    def imported() -> Any:
        v1.train.import_meta_graph("old.meta")
        return v1.get_default_graph().get_tensor_by_name(name)

    with pytest.raises(queueio.NotLifted, match="WriteFile"):
        queueio.lift(imported)
    with tf.Graph().as_default():
        assert queueio.lift(imported(), allow=["WriteFile"])
    with pytest.raises(CannotRun, match=r"WriteFile op 'WriteFile'.*writes, renames"):
        queueio.compare(imported, imported)
    assert not list(folder.glob("written*"))
    assert queueio.compare(imported, imported, allow=["WriteFile"], cost=False).ok
    assert (folder / "written.txt").exists()


EFFECTS = sorted(name for name, row in TRAITS.items() if row.effect)


@pytest.mark.parametrize("op_type", filter(op_def_registry.get, EFFECTS))
def test_every_effect_is_refused_by_its_type_and_allowed_by_it(op_type: str) -> None:
    op = SimpleNamespace(
        type=op_type, name="it", traceback=(), op_def=op_def_registry.get(op_type),
        get_attr=lambda name: b"stderr",
    )  # fmt: skip
    functions = any("func" in attr.type for attr in op.op_def.attr)
    if functions or TRAITS[op_type].effect is Effect.PRINTS:
        return
    with pytest.raises(queueio.Refusal, match=op_type):
        Trust(foreign=True).check(op)
    Trust(foreign=True, allow=frozenset([op_type])).check(op)


SCRIPT = """
import queueio.v1 as tf
tf.train.import_meta_graph("old.meta")
tf.Session().run("batch:0")
"""
SIDE = """
import tensorflow as tf

def inputs():
    tf.compat.v1.train.import_meta_graph("old.meta")
    return tf.compat.v1.get_default_graph().get_tensor_by_name("batch:0")
"""


@pytest.mark.long
def test_the_commands_ask_for_leave(folder: Path, run_python: Callable[..., Any]) -> None:
    assert exported(before_an_example) == "batch:0"
    (folder / "script.py").write_text(SCRIPT)
    (folder / "side.py").write_text(SIDE)
    command = Path(queueio.__file__).parent / "__main__.py"
    side = "side.py:inputs"

    def run(*arguments: str) -> Any:
        return run_python(command, *arguments, cwd=folder, timeout=120)

    assert "WriteFile" in run("explain", "script.py").stdout
    assert "--allow WriteFile" not in run("explain", "--allow", "WriteFile", "script.py").stdout
    refused = run("compare", "--no-cost", side, side)
    assert refused.returncode == 2 and "WriteFile" in refused.stderr
    assert not list(folder.glob("written*"))
    assert run("compare", "--no-cost", "--allow", "WriteFile", side, side).returncode == 0
