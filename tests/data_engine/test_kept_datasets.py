"""What the data engine keeps of a graph for the next run is what that run would make anew."""

from __future__ import annotations

import functools
import json
import os
import random
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import datafiles
import numpy as np
import pytest
import tensorflow as tf
from modules import Stock
from pipelines import PIPELINES

import queueio
from queueio import settings, train
from queueio.compile import definition
from queueio.compile.dataset import in_chunks
from queueio.compile.definition import Definition
from queueio.compile.kernels import tracing
from queueio.compile.kernels.op_building import PlainGraph, building
from queueio.compile.kernels.python_ops import home_of
from queueio.plan.fingerprint import fingerprint
from tests.processes import ROOT, environment
from tests.turns import PARTS, by_turns

v1 = tf.compat.v1
FED_BY_PYTHON = {
    name for name in PIPELINES
    if name.startswith(("learn_arrays", "learn_queue_of_a", "learn_queue_of_o"))
} | {"timeseries_of_arrays_whole"}  # fmt: skip
ENOUGH = 200 // PARTS
"""Of them, and of those whose dataset is kept, there are more in a run of the tests."""
SHARE = 0.3
"""Of the pipelines, those of which something is changed."""
NUMBERS = (tf.int32.as_datatype_enum, tf.int64.as_datatype_enum, tf.float32.as_datatype_enum)
Run = Callable[..., subprocess.CompletedProcess[str]]


def plans(names: Iterable[str] = tuple(by_turns(PIPELINES))) -> Iterator[tuple[str, Any, Any]]:
    """The golden pipelines whose dataset needs nothing of their graph: name, fetches, plan."""
    for name in names:
        with tf.Graph().as_default():
            fetches, plan = lifted(functools.partial(PIPELINES[name].build, Stock(train)))
            if plan is not None:
                yield name, fetches, plan


def lifted(build: Callable[[], Any]) -> tuple[Any, Any]:
    try:
        fetches = build()
        plan = queueio.lift(fetches)
    except Exception:  # no pipeline, or one that is refused
        return None, None
    return (None, None) if plan.state else (fetches, plan)


def written(plan: Any) -> Definition:
    graph = PlainGraph()
    with building(graph):
        return Definition.of(in_chunks(plan, captures={}), graph, {})


def written_by_tensorflow(plan: Any, monkeypatch: pytest.MonkeyPatch) -> Definition:
    with monkeypatch.context() as patch, tf.Graph().as_default() as graph:
        patch.setattr(tracing, "FunctionGraph", tf.__internal__.FuncGraph)
        patch.setattr(tracing, "building", tf.Graph.as_default)
        return Definition.of(in_chunks(plan, captures={}), graph, {})


def name_of(plan: Any) -> str | None:
    return fingerprint(functools.partial(in_chunks, plan))


def settled(made: Definition) -> list[str]:
    """A definition without the numbers that TensorFlow gives to functions."""
    graph_def = v1.GraphDef.FromString(made.graph_def)
    bodies = [graph_def.node, *(function.node_def for function in graph_def.library.function)]
    for node in (node for nodes in bodies for node in nodes if "token" in node.attr):
        token = node.attr["token"].s
        node.attr["token"].s = (home_of(token) or "python").encode()
    parts = [*graph_def.node, *graph_def.library.function]
    return sorted(re.sub(r"_[0-9a-f]{12}|_\d+", "", str(part)) for part in parts)


def unmakeable() -> Definition:
    raise AssertionError("it was not kept")


class Found(NamedTuple):
    """What was seen of the dataset of one pipeline."""

    key: str | None
    as_tensorflow_builds_it: bool
    read_back: bool
    """Whether what was read back is what was made; true where nothing is kept."""


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Found]:
    """Each golden pipeline's dataset, made once for the tests below."""
    seen, kept = {}, str(tmp_path_factory.mktemp("kept"))
    with pytest.MonkeyPatch.context() as patch, settings.override(cache=kept):
        patch.chdir(tmp_path_factory.mktemp("data"))
        datafiles.write(".")
        for name, _, plan in plans():
            key = name_of(plan)
            made = settled(first := definition.kept(key, lambda plan=plan: written(plan)))
            again = made
            if key is not None and not (first.keeps is not None and "python" in str(made)):
                again = settled(definition.kept(key, unmakeable))
            elif key is not None:
                with pytest.raises(AssertionError, match="not kept"):
                    definition.kept(key, unmakeable)
            theirs = settled(written_by_tensorflow(plan, patch))
            seen[name] = Found(key, made == theirs, made == again)
    return seen


@pytest.mark.long
@pytest.mark.timeout(900)  # on a machine with other work
def test_the_graphs_are_those_that_tensorflow_would_have_built(found: dict[str, Found]) -> None:
    assert len(found) > ENOUGH
    assert not [name for name, one in found.items() if not one.as_tensorflow_builds_it]


@pytest.mark.long
@pytest.mark.timeout(900)
def test_what_is_read_back_of_every_golden_pipeline_is_what_was_made(
    found: dict[str, Found],
) -> None:
    assert {name for name, one in found.items() if one.key is None} <= FED_BY_PYTHON
    assert len([one for one in found.values() if one.key is not None]) > ENOUGH
    assert not [name for name, one in found.items() if not one.read_back]


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.usefixtures("data")
def test_equal_fingerprints_mean_equal_datasets_whatever_is_changed_in_a_graph() -> None:
    """Of each pipeline and of graphs that differ from it in one number, one shape or one text."""
    draw = random.Random(11)
    others = 0
    for name, fetches, plan in plans(
        [name for name in by_turns(PIPELINES) if draw.random() < SHARE]
    ):
        if (key := name_of(plan)) is None:
            continue
        fetched = [tensor.name for tensor in tf.nest.flatten(fetches) if hasattr(tensor, "name")]
        whole, was = v1.train.export_meta_graph(), None
        for _ in range(3):
            meta = mutant(whole, draw)
            with tf.Graph().as_default():
                _, changed = lifted(functools.partial(imported, meta, fetched))
                if changed is None:
                    continue
                if name_of(changed) != key:
                    others += 1
                    continue
                now = settled(written(changed))
            was = was or settled(written(plan))
            assert now == was, name
    assert others > 25


def imported(meta: Any, names: list[str]) -> Any:
    v1.train.import_meta_graph(meta)
    return [v1.get_default_graph().get_tensor_by_name(name) for name in names]


def mutant(meta: Any, draw: random.Random) -> Any:
    """The same graph with one thing changed in one op."""
    meta = type(meta).FromString(meta.SerializeToString())
    nodes = [node for node in meta.graph_def.node if node.op != "NoOp"]
    while True:
        node = draw.choice(nodes)
        key = draw.choice(sorted(node.attr) or [""])
        kind = node.attr[key].WhichOneof("value") if key else None
        value = node.attr[key]
        if kind == "i":
            value.i += draw.choice([1, 2, 7])
        elif kind == "b":
            value.b = not value.b
        elif kind == "s" and not key.startswith("_"):
            value.s += b"x"
        elif kind == "f":
            value.f += 0.5
        elif kind == "tensor" and value.tensor.dtype in NUMBERS:
            array = tf.make_ndarray(value.tensor)
            value.tensor.CopyFrom(tf.make_tensor_proto(array + np.ones([], array.dtype)))
        elif kind == "tensor" and value.tensor.string_val:
            value.tensor.string_val[0] += b"x"
        else:
            continue
        return meta


@pytest.mark.long
@pytest.mark.usefixtures("conds_of_tf1")  # the functions of TF2's have numbers
def test_another_process_finds_what_one_has_kept_of_every_golden_pipeline(data: Path) -> None:
    code = f"""
import json, sys
sys.path[:0] = {sys.path[:2]!r} + [{str(ROOT)!r}]
import tensorflow as tf
tf.compat.v1.disable_control_flow_v2()
from tests.data_engine.test_kept_datasets import name_of, plans
print(json.dumps({{name: name_of(plan) for name, _, plan in plans()}}))
"""
    other_hashes = "7" if os.environ.get("PYTHONHASHSEED") != "7" else "1"
    started = subprocess.Popen(
        [sys.executable, "-c", code], cwd=data, text=True, stdout=subprocess.PIPE,
        env=environment(PYTHONHASHSEED=other_hashes), stderr=subprocess.DEVNULL,
    )  # fmt: skip
    one = {name: name_of(plan) for name, _, plan in plans()}
    assert one == json.loads(started.communicate(timeout=200)[0])
    assert sum(name is not None for name in one.values()) > ENOUGH


SCRIPT = """
import sys
import tensorflow as tf
import queueio
from queueio import train
v1 = tf.compat.v1
tf.get_logger().setLevel("ERROR")

def build():
    files = train.string_input_producer(["lines.txt"], num_epochs=2)
    _, line = v1.TextLineReader().read(files)
    number = v1.string_to_number(line, tf.int32)
    return train.shuffle_batch([number], 5, 60, 20, seed=SEED, allow_smaller_final_batch=True)

with tf.Graph().as_default(), queueio.engine("data"):
    batch = build()
    with v1.Session() as session:
        session.run(v1.local_variables_initializer())
        with queueio.running(session):
            found = []
            while True:
                try:
                    found += session.run(batch).tolist()
                except tf.errors.OutOfRangeError:
                    break
print(found)
"""


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    (tmp_path / "lines.txt").write_text("".join(f"{number}\n" for number in range(100)))
    return tmp_path / "kept"


def delivered(run_python: Run, kept: Path, seed: int | None = 3, before: str = "") -> list[int]:
    code = before + SCRIPT.replace("SEED", str(seed))
    done = run_python(code, cwd=kept.parent, env={"QUEUEIO_CACHE": str(kept)})
    assert not done.returncode, done.stderr
    assert not re.search("Warning|queueio", done.stderr), done.stderr  # TensorFlow greets
    return list(json.loads(done.stdout))


@pytest.mark.long
def test_a_seed_gives_the_same_order_from_what_was_kept(run_python: Run, kept: Path) -> None:
    anew = delivered(run_python, kept.parent / "anew")
    assert sorted(anew) == sorted([*range(100)] * 2)
    assert [delivered(run_python, kept) for _ in range(3)] == [anew] * 3
    assert len(list(kept.iterdir())) == 1


@pytest.mark.long
def test_without_a_seed_each_run_has_an_order_of_its_own(run_python: Run, kept: Path) -> None:
    orders = [delivered(run_python, kept, seed=None) for _ in range(3)]
    assert len(list(kept.iterdir())) == 1
    assert len({tuple(order) for order in orders}) == 3


@pytest.mark.long
def test_what_a_file_holds_is_read_anew(run_python: Run, kept: Path) -> None:
    delivered(run_python, kept)
    (kept.parent / "lines.txt").write_text("".join(f"{number}\n" for number in range(200, 330)))
    assert sorted(delivered(run_python, kept)) == sorted([*range(200, 330)] * 2)
    assert len(list(kept.iterdir())) == 1


@pytest.mark.long
def test_a_script_whose_lines_have_moved_finds_its_dataset(run_python: Run, kept: Path) -> None:
    delivered(run_python, kept)
    delivered(run_python, kept, before="# a comment\n\n")
    assert len(list(kept.iterdir())) == 1


@pytest.mark.long
@pytest.mark.parametrize("harm", ["cut", "empty", "another byte", "no file"])
def test_a_harmed_file_is_made_anew(run_python: Run, kept: Path, harm: str) -> None:
    anew = delivered(run_python, kept)
    (path,) = kept.iterdir()
    content = path.read_bytes()
    if harm == "no file":
        path.unlink()
        path.mkdir()
    else:
        at = len(content) // 2
        changed = content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :]
        path.write_bytes({"cut": content[:at], "empty": b"", "another byte": changed}[harm])
    assert delivered(run_python, kept) == anew
    made = path.read_bytes() if path.is_file() else b""
    assert delivered(run_python, kept) == anew
    assert harm == "no file" or (len(made) > 10_000 and path.read_bytes() == made)


UNTOUCHABLE = """
import os
from queueio.compile.definition import Definition

def refuse(*args, **kwargs):
    raise PermissionError("Operation not permitted")

def never(*args):
    raise AssertionError("made anew")

os.utime, Definition.of = refuse, never
"""


@pytest.mark.long
def test_what_another_user_has_kept_is_read(run_python: Run, kept: Path) -> None:
    """As in an image of a container, or on a file system that is mounted to be read."""
    anew = delivered(run_python, kept)
    assert delivered(run_python, kept, before=UNTOUCHABLE) == anew


@pytest.mark.long
def test_a_folder_that_cannot_be_written_costs_nothing_but_time(
    run_python: Run, kept: Path
) -> None:
    kept.write_text("a file stands here")
    assert sorted(delivered(run_python, kept)) == sorted([*range(100)] * 2)


FULL_DISK = """
import os, resource, signal, sys
import tensorflow as tf
import queueio
from queueio import settings, train

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
with tf.Graph().as_default(), settings.override(cache=sys.argv[1], engine="data", small_job=0):
    batch = train.batch([train.range_input_producer(9, shuffle=False).dequeue()], 2)
    with tf.compat.v1.Session() as session, queueio.running(session):
        session.run(tf.compat.v1.local_variables_initializer())
        resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))
        print(session.run(batch).tolist(), os.listdir(sys.argv[1]))
"""


def test_a_disk_that_is_full_leaves_no_half_written_file(run_python: Run, kept: Path) -> None:
    done = run_python(FULL_DISK, str(kept))
    assert done.stdout == "[0, 1] []\n", done.stderr


TOGETHER = """
import subprocess, sys
started = [
    subprocess.Popen([sys.executable, "script.py"], text=True, stdout=subprocess.PIPE)
    for _ in range(4)
]
for process in started:
    print(process.communicate()[0], end="")
"""


@pytest.mark.long
def test_processes_that_begin_together_keep_one_whole_file(run_python: Run, kept: Path) -> None:
    (kept.parent / "script.py").write_text(SCRIPT.replace("SEED", "3"))
    env = {"QUEUEIO_CACHE": str(kept)}
    done = run_python(TOGETHER, cwd=kept.parent, env=env, timeout=120, starts=True)
    first, *others = done.stdout.splitlines()
    assert others == [first] * 3, done.stderr
    assert sorted(json.loads(first)) == sorted([*range(100)] * 2)
    assert [path.suffix for path in kept.iterdir()] == [".dataset"]


def test_who_changes_the_package_gets_no_old_dataset(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with tf.Graph().as_default():
        plan = queueio.lift(train.batch([train.range_input_producer(9).dequeue()], 2))
        key = name_of(plan)
        with settings.override(cache=str(tmp_path)):
            definition.kept(key, lambda: written(plan))
            files = definition._own_files()
            assert any(path.endswith("to_stream.py") or "compile" in path for path, *_ in files)
            monkeypatch.setattr(definition, "_own_files", lambda: files[1:])
            monkeypatch.setattr(definition, "_surroundings", definition._surroundings.__wrapped__)
            with pytest.raises(AssertionError, match="not kept"):
                definition.kept(key, unmakeable)


def test_the_oldest_are_removed_where_many_are_kept(tmp_path: Path) -> None:
    with tf.Graph().as_default(), settings.override(cache=str(tmp_path)):
        plan = queueio.lift(train.batch([train.range_input_producer(9).dequeue()], 2))
        for number in range(300):  # one was being written when its process was killed
            path = tmp_path / f"old{number}.dataset{'.4711' * (number == 50)}"
            path.write_bytes(b"old")
            os.utime(path, (number, number))
        definition.kept(name_of(plan), lambda: written(plan))
    left = sorted(path.name for path in tmp_path.iterdir())
    assert len(left) == 200
    assert "old299.dataset" in left
    assert "old100.dataset" not in left and "old50.dataset.4711" not in left


TWO_DEVICES = """
import tensorflow as tf
import queueio
from queueio import train
tf.get_logger().setLevel("ERROR")
(cpu,) = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)

def build():
    files = train.string_input_producer(["lines.txt"], num_epochs=2)
    _, line = tf.compat.v1.TextLineReader().read(files)
    number = tf.strings.to_number(line, tf.int32)
    return train.shuffle_batch([number, line], 10, 60, 20)

dataset = queueio.lift(build).to_dataset()
strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
found = []
for numbers, _ in strategy.experimental_distribute_dataset(dataset):
    parts = strategy.experimental_local_results(numbers)
    assert len(parts) == 2
    found += [number for part in parts for number in part.numpy().tolist()]
print(found)
"""


@pytest.mark.long
def test_a_plan_s_dataset_is_dealt_to_the_devices_of_a_strategy(
    run_python: Run, kept: Path
) -> None:
    for _ in range(2):
        done = run_python(TWO_DEVICES, cwd=kept.parent, env={"QUEUEIO_CACHE": str(kept)})
        assert done.returncode == 0, done.stderr
        assert sorted(json.loads(done.stdout)) == sorted([*range(100)] * 2)
