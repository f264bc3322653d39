"""Every stage's lesson has its form, and its two code blocks deliver the same."""

from __future__ import annotations

import ast
import base64
import importlib
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import lmdb
import numpy as np
import pytest
import tensorflow as tf

from queueio import contrib, io, train
from queueio.lesson import Lesson, lesson
from queueio.plan.contract import stage_modules

v1 = tf.compat.v1
NOT_STAGES = (
    "eager_safe", "example_queue", "pipeline",
    # of slim: what stages are given, and what they share
    "data_decoder", "data_provider", "dataset", "image_item", "item_handlers", "python", "queues",
    # of training: what builds buckets, and cuts sequences
    "bucket_queues", "bucketing", "barrier", "next_queued_sequence_batch", "sequence_checks",
    "sequence_padding", "sparse_sequences", "state_saver", "hparam", "hparam_def", "hparam_values",
    # of learn: the feeding threads, what runs a session, and the modules of other names
    "fed_rows", "feeding_queue_runner", "feeds", "frames", "graph_actions", "graph_io", "io",
    "mode_keys", "padding",
    "feature_keys", "file_readers", "input_pipeline", "readers", "series",  # of timeseries
    "projective",  # of image: functions of a pixel's place, which decode stages call
    "initializers", "layers", "regularizers",  # of layers: what a model has, no stage of its input
)  # fmt: skip
DRAWS = 80


def stages() -> list[ModuleType]:
    found = map(importlib.import_module, stage_modules())
    modules = [module for module in found if not hasattr(module, "__path__")]
    return [module for module in modules if module.__name__.split(".")[-1] not in NOT_STAGES]


MODULES = stages()
IDS = [m.__name__.removeprefix("queueio.") for m in MODULES]


class LegacyTf:
    """What `tf` meant in 2016: queueio's names above compat.v1's."""

    train = train
    contrib = contrib

    def __getattr__(self, name: str) -> Any:
        return getattr(io if hasattr(io, name) else v1, name)


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("a.txt").write_text("header\none\ntwo\n")
    Path("b.txt").write_text("header\nthree\n")
    Path("a.csv").write_text("x,1\ny,2\n")
    Path("a.bin").write_bytes(bytes(range(7)))
    Path("a.base64").write_text(base64.urlsafe_b64encode(b"hello!").decode() + "\n")
    Path("data").mkdir()
    for name in ("one", "two"):
        Path(f"data/{name}.txt").write_text(name)
    Path("a.png").write_bytes(
        tf.io.encode_png(np.arange(6, dtype=np.uint8).reshape(2, 3, 1)).numpy()
    )
    with tf.io.TFRecordWriter("a.tfrecord") as writer:
        writer.write(b"first")
        writer.write(b"second")
    with tf.io.TFRecordWriter("a.examples") as writer:
        for x in (3, 4):
            feature = tf.train.Feature(int64_list=tf.train.Int64List(value=[x]))
            example = tf.train.Example(features=tf.train.Features(feature={"x": feature}))
            writer.write(example.SerializeToString())
    with lmdb.open("train.lmdb", map_size=1 << 20) as entries, entries.begin(write=True) as change:
        change.put(b"second", b"2")
        change.put(b"first", b"1")
    return tmp_path


@pytest.mark.parametrize("module", MODULES, ids=IDS)
def test_a_lesson_has_all_its_sections_in_order(module: ModuleType) -> None:
    told = lesson(module)
    assert told.summary.endswith("."), "the first line is a sentence"
    assert "\n" not in told.summary, "the first line is one line"
    for field in ("legacy", "modern", "emits", "differs", "raises", "source"):
        assert getattr(told, field), f"{field} is empty"
    assert not told.difference.startswith("None"), "shown alone, without its heading"


PROSE = ("summary", "emits", "differs", "raises", "prose", "source")


@pytest.mark.parametrize("module", MODULES, ids=IDS)
def test_nothing_of_a_lesson_is_lost_as_if_it_were_a_tag(module: ModuleType) -> None:
    """The guide and the site are Markdown: `<capacity>` outside of code is an element there."""
    told = lesson(module)
    for part in PROSE:
        outside = re.sub(r"`[^`]*`", "", getattr(told, part))
        assert not re.search(r"<[a-z/!]", outside), (part, outside)


@pytest.mark.parametrize("module", MODULES, ids=IDS)
def test_the_modern_form_delivers_what_the_legacy_form_delivers(
    module: ModuleType, data: Path
) -> None:
    told = lesson(module)
    if told.modern.startswith("none:"):
        assert drawn_from_queue(told), "the legacy form delivers something"
        return
    old, new = drawn_from_queue(told), drawn_from_dataset(told)
    assert old and new
    if len(old) < DRAWS or len(new) < DRAWS:
        assert len(old) == len(new), "both end after as many elements"
        assert sorted(scalars(old, new), key=repr) == sorted(scalars(new, old), key=repr)
    else:
        assert set(scalars(old, new)) == set(scalars(new, old))


def drawn_from_queue(told: Lesson) -> list[list[Any]]:
    with tf.Graph().as_default(), v1.Session() as sess:
        scope: dict[str, Any] = {"tf": LegacyTf()}
        exec(told.legacy, scope)
        last = ast.parse(told.legacy).body[-1]
        assert isinstance(last, ast.Assign), "the legacy block ends by naming its result"
        names = [node.id for node in ast.walk(last.targets[0]) if isinstance(node, ast.Name)]
        fetches = [scope[name] for name in names]
        sess.run([v1.global_variables_initializer(), v1.local_variables_initializer()])
        drawn = []
        coord = train.Coordinator()
        threads = train.start_queue_runners(sess, coord)
        try:
            while len(drawn) < DRAWS:
                drawn.append(tf.nest.flatten(sess.run(fetches)))
        except tf.errors.OutOfRangeError:
            pass
        coord.request_stop()
        coord.join(threads, stop_grace_period_secs=20)
    return drawn


def drawn_from_dataset(told: Lesson) -> list[list[Any]]:
    scope: dict[str, Any] = {"tf": tf}
    exec(told.modern, scope)
    elements = scope["dataset"].take(DRAWS)
    return [[sparse_or_array(part) for part in tf.nest.flatten(element)] for element in elements]


def sparse_or_array(part: Any) -> Any:
    if isinstance(part, tf.SparseTensor):
        return v1.SparseTensorValue(
            *(t.numpy() for t in (part.indices, part.values, part.dense_shape))
        )
    return part.numpy()


def scalars(elements: list[list[Any]], other: list[list[Any]]) -> list[Any]:
    """All numbers and strings, without the keys that only one side has."""
    flat = [flatten(element) for element in elements]
    width = min(len(flat[0]), len(flatten(other[0])))
    return [v for row in flat for part in row[-width:] for v in np.asarray(part).ravel().tolist()]


def flatten(element: list[Any]) -> list[Any]:
    parts: list[Any] = []
    for part in element:
        parts.extend(part if isinstance(part, v1.SparseTensorValue) else [part])
    return parts


PUBLIC = Path(__file__).parents[1] / "compat" / "contrib_1_15_5_names.txt"


@pytest.mark.parametrize("module", MODULES, ids=IDS)
def test_the_legacy_form_names_nothing_of_contrib_that_tf1_did_not_show(module: ModuleType) -> None:
    rooms = (line.partition(": ") for line in PUBLIC.read_text().splitlines())
    public = {f"{room}.{name}" for room, _, names in rooms for name in names.split()}
    named = re.findall(r"tf\.contrib\.(\w+)\.(\w+)\(", lesson(module).legacy)
    assert {f"{room}.{name}" for room, name in named} <= public
