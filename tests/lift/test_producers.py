"""A join whose producers differ and share what they take: each element through one of them.

Which producer takes which element is a race in TF1, so every assignment is one of its outcomes:
what holds in every run is that each element is treated once, by one of the producers.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import queueio
from queueio import train
from queueio.graph.fragment import Fragment

v1 = tf.compat.v1
COUNT, THREADS, BATCH = 48, 4, 8


@pytest.fixture
def images(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Three files of examples: a JPEG image of its own and a label for each."""
    monkeypatch.chdir(tmp_path)
    noise, names = np.random.default_rng(5), [f"train-{shard}" for shard in range(3)]
    for shard, name in enumerate(names):
        with tf.io.TFRecordWriter(name) as writer:
            for label in range(shard, COUNT, 3):
                pixels = noise.integers(0, 256, (20, 16, 3), np.uint8)
                features = {
                    "image/encoded": tf.train.Feature(bytes_list=tf.train.BytesList(
                        value=[tf.io.encode_jpeg(pixels).numpy()])),
                    "image/class/label": tf.train.Feature(
                        int64_list=tf.train.Int64List(value=[label])),
                }  # fmt: skip
                example = tf.train.Example(features=tf.train.Features(feature=features))
                writer.write(example.SerializeToString())
    return names


def treated(image: Any, thread: int) -> Any:
    """Two ways to resize and two orders of distortions, chosen by the thread."""
    methods = [tf.image.ResizeMethod.BILINEAR, tf.image.ResizeMethod.NEAREST_NEIGHBOR]
    image = tf.image.convert_image_dtype(image, tf.float32)
    image = v1.image.resize_images(image, [8, 8], methods[thread % 2])
    steps = [lambda x: v1.image.adjust_brightness(x, 0.1), lambda x: tf.clip_by_value(x, 0.2, 0.8)]
    for step in steps if thread % 2 == 0 else steps[::-1]:
        image = step(image)
    return tf.reshape(image, [8, 8, 3])


def parsed(serialized: Any) -> tuple[Any, Any]:
    features = {
        "image/encoded": v1.FixedLenFeature([], tf.string, default_value=""),
        "image/class/label": v1.FixedLenFeature([], tf.int64, default_value=-1),
    }
    found = v1.parse_single_example(serialized, features)
    return tf.image.decode_jpeg(found["image/encoded"], 3), found["image/class/label"]


def inception(names: list[str]) -> list[Any]:
    """Readers fill a queue of examples; each thread takes from it and distorts in its own way."""
    files = v1.train.string_input_producer(names, shuffle=True, num_epochs=1, capacity=16)
    examples = v1.RandomShuffleQueue(32, 8, [tf.string])
    fills = [examples.enqueue([v1.TFRecordReader().read(files)[1]]) for _ in range(2)]
    v1.train.add_queue_runner(v1.train.QueueRunner(examples, fills))
    serialized = examples.dequeue()
    images_and_labels = []
    for thread in range(THREADS):
        image, label = parsed(serialized)
        images_and_labels.append([treated(image, thread), label])
    return list(v1.train.batch_join(images_and_labels, BATCH, capacity=2 * THREADS * BATCH))


@pytest.fixture
def either(images: list[str]) -> dict[int, list[Any]]:
    """For each label what the two kinds of producers make of its image."""
    found = {}
    for serialized in tf.data.TFRecordDataset(images):
        image, label = parsed(serialized)
        found[int(label)] = [treated(image, thread).numpy() for thread in (0, 1)]
    return found


def kinds(batches: list[Any], either: dict[int, list[Any]]) -> dict[int, int]:
    """For each label the kind of producer that its image went through; each label comes once."""
    labels = [int(label) for _, labels in batches for label in labels]
    assert sorted(labels) == list(range(COUNT))
    found = {}
    for images, labels in batches:
        for image, label in zip(images, labels, strict=True):
            same = [np.allclose(image, way, atol=1e-6) for way in either[int(label)]]
            assert sum(same) == 1, "through one producer, and the two differ"
            found[int(label)] = same.index(True)
    return found


@pytest.mark.long
def test_each_element_goes_through_one_of_the_producers_as_in_the_queues(
    images: list[str], either: dict[int, list[Any]], from_queues: Callable[..., list[Any]],
    behaviour: str,
) -> None:  # fmt: skip
    kinds(from_queues(lambda: inception(images)), either)
    plan = queueio.lift(lambda: inception(images))
    for vectorise in (False, True):
        batches = list(plan.to_dataset(vectorise=vectorise).as_numpy_iterator())
        given = kinds(batches, either)
        assert sum(given.values()) == COUNT // 2, "the producers take turns"


@pytest.mark.long
def test_the_plan_says_in_one_line_that_the_producers_differ(images: list[str]) -> None:
    plan = queueio.lift(lambda: inception(images))
    (line,) = [line for line in str(plan).splitlines() if "Producers" in line]
    assert "ResizeBilinear" in line and "ResizeNearestNeighbor" in line and "(0, 1)" in line
    assert "widths=(4,)" in str(plan), "the join says how many there are"
    told = " ".join(plan.explain().split())
    assert "Decodes a compressed image" in told, "the lessons of what the producers do"
    assert "they take turns" in told and "switch_case" in told


@pytest.mark.long
def test_the_written_module_has_both_treatments(
    images: list[str], either: dict[int, list[Any]]
) -> None:
    module = queueio.lift(lambda: inception(images)).to_source()
    assert "tf.switch_case(" in str(module) and "turns" in str(module)
    scope: dict[str, Any] = {"__name__": "written"}
    exec(str(module), scope)
    given = kinds(list(scope["input_fn"]().as_numpy_iterator()), either)
    assert sum(given.values()) == COUNT // 2


@pytest.mark.long
def test_a_file_is_treated_by_one_producer_where_each_has_a_reader(
    from_queues: Callable[..., list[Any]], tmp_path: Path, behaviour: str
) -> None:
    """The readers take the names from one queue, so the race is for files, not for records."""
    lines = {f"{tmp_path}/{name}": range(10 * name, 10 * name + name + 2) for name in range(6)}
    for name, numbers in lines.items():
        Path(name).write_text("".join(f"{number}\n" for number in numbers))

    def build(keys: bool = True) -> Any:
        names = v1.train.string_input_producer(sorted(lines), num_epochs=1)
        rows = []
        for sign in (1, -1, 1, -1):
            key, line = v1.TextLineReader().read(names)
            rows.append([key, sign * v1.string_to_number(line, tf.int32)])
        batch = v1.train.batch_join(rows, 5, allow_smaller_final_batch=True)
        return batch if keys else batch[1]

    def signs(batches: list[Any]) -> dict[str, set[bool]]:
        found: dict[str, set[bool]] = {name: set() for name in lines}
        pairs = [pair for batch in batches for pair in zip(*batch, strict=True)]
        for key, number in pairs:
            found[key.decode().rpartition(":")[0]].add(bool(number < 0))
        every = sorted(number for numbers in lines.values() for number in numbers)
        assert sorted(abs(int(number)) for _, number in pairs) == every
        return {name: some for name, some in found.items() if name != f"{tmp_path}/0"}

    plan = queueio.lift(build)
    scope: dict[str, Any] = {"__name__": "written"}
    exec(str(plan.to_source()), scope)
    datasets = [plan.to_dataset(), plan.to_dataset(vectorise=False), scope["input_fn"]()]
    for batches in [from_queues(build), *(list(d.as_numpy_iterator()) for d in datasets)]:
        assert all(len(some) == 1 for some in signs(batches).values()), "a file, one treatment"
    for batches in [list(d.as_numpy_iterator()) for d in datasets]:
        assert sum(some == {True} for some in signs(batches).values()) >= 2, "each has its turn"
    (values,) = {str(queueio.lift(lambda: build(keys=False)).to_dataset().element_spec)}
    assert "int32" in values


def test_producers_that_differ_by_seeds_only_are_alike() -> None:
    def build() -> Any:
        number = v1.train.range_input_producer(4, num_epochs=1).dequeue()
        seeds = (3, 4)
        noisy = [[tf.random.uniform([], seed=seed) + tf.cast(number, tf.float32)] for seed in seeds]
        return v1.train.batch_join(noisy, 4)

    assert "Producers" not in str(queueio.lift(build))


def by_cond(*branches: Any) -> str:
    """The plan of producers that each ask a cond of TF2's, whose branches are functions."""

    def build() -> Any:
        queue = v1.train.range_input_producer(8, num_epochs=1, shuffle=False)
        rows = [(queue.dequeue(), branch) for branch in branches]
        return v1.train.batch_join(
            [[tf.cond(n < 4, lambda n=n, b=b: b(n, n * n), lambda n=n: n)] for n, b in rows], 2
        )

    return str(queueio.lift(build))


def test_functions_that_do_the_same_under_other_names_are_alike() -> None:
    branches = [lambda a, b: tf.subtract(a, b, name="one"), lambda a, b: tf.subtract(a, b)]
    assert "Producers" not in by_cond(*branches)
    assert "Producers" not in by_cond(*[lambda a, b: tf.random.uniform([], 0, 9, a.dtype)] * 2)


def test_functions_of_the_same_ops_on_other_values_differ() -> None:
    assert "Producers" in by_cond(lambda a, b: a - b, lambda a, b: b - a)
    assert "Producers" in by_cond(lambda a, b: (a - b) * b, lambda a, b: (a - b) * a)


def test_three_producers_of_which_two_are_alike_take_three_turns() -> None:
    def build() -> Any:
        queue = v1.train.range_input_producer(9, num_epochs=1, shuffle=False)
        rows = [[queue.dequeue(), sign] for sign in (1, 1, -1)]
        return v1.train.batch_join([[number * sign] for number, sign in rows], 9)

    plan = queueio.lift(build)
    for vectorise in (False, True):
        (batch,) = plan.to_dataset(vectorise=vectorise).as_numpy_iterator()
        assert batch.tolist() == [0, 1, -2, 3, 4, -5, 6, 7, -8]
    scope: dict[str, Any] = {"__name__": "written"}
    exec(str(plan.to_source()), scope)
    (batch,) = scope["input_fn"]().as_numpy_iterator()
    assert batch.tolist() == [0, 1, -2, 3, 4, -5, 6, 7, -8]


def test_producers_keep_dropping_and_spreading_as_before(
    from_queues: Callable[..., list[Any]], behaviour: str
) -> None:
    """Under keep_input, with rows, with a variable, with two queues in lock step."""

    def build() -> Any:
        scale = v1.get_variable("scale", [], tf.int32, v1.constant_initializer(10))
        first = v1.train.range_input_producer(8, num_epochs=1, shuffle=False).dequeue()
        other = v1.train.range_input_producer(8, num_epochs=1, shuffle=False).dequeue()
        rows = [
            [tf.stack([first, first]), tf.stack([other * scale, 1])],
            [tf.stack([other, other]), tf.stack([2, first * scale])],
        ]
        return v1.train.maybe_batch_join(rows, first < 6, 2, enqueue_many=True)

    plan = queueio.lift(build)
    for vectorise in (False, True):
        dataset = plan.to_dataset(vectorise=vectorise)
        made = [[part.tolist() for part in batch] for batch in dataset.as_numpy_iterator()]
        assert made == [
            [[n, n], [n * 10, 1] if n % 2 == 0 else [2, n * 10]] for n in range(6)
        ]  # fmt: skip


SCRIPT = """
import json
import queueio.v1 as tf

queue = tf.train.range_input_producer(40, num_epochs=2)
number = queue.dequeue()
rows = []
for thread in range(4):
    made = tf.stack([tf.negative(number), 0] if thread % 2 else [tf.square(number), 1])
    rows.append([number, made])
numbers, made = tf.train.batch_join(rows, 8)
found = []
with tf.Session() as sess:
    sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess, coord)
    try:
        while not coord.should_stop():
            found += zip(*(part.tolist() for part in sess.run([numbers, made])))
    except tf.errors.OutOfRangeError:
        coord.request_stop()
    coord.join(threads)
assert sorted(number for number, _ in found) == sorted([*range(40), *range(40)])
assert all(made in ([-number, 0], [number ** 2, 1]) for number, made in found), found
"""


@pytest.mark.parametrize("engine", ["queue", "data"])
def test_a_session_script_gets_each_element_from_one_of_its_producers(
    engine: str, run_python: Callable[..., Any], tmp_path: Path
) -> None:
    report = tmp_path / "report.json"
    ended = run_python(
        SCRIPT, env={"QUEUEIO_ENGINE": engine, "QUEUEIO_REPORT": str(report)}, timeout=60
    )
    assert ended.returncode == 0, ended.stderr
    (pipeline,) = json.loads(report.read_text())["pipelines"]
    assert (pipeline["engine"], pipeline["examples"], pipeline["reason"]) == (engine, 80, None)


@pytest.mark.long
def test_a_resumed_run_goes_on_with_the_next_producer(tmp_path: Path) -> None:
    def build() -> Any:
        number = train.range_input_producer(40, num_epochs=1).dequeue()
        rows = [[number, number * 2 if thread % 2 else number + 1000] for thread in range(4)]
        v1.assign_add(v1.get_variable("step", [], tf.int32, v1.zeros_initializer()), 1)
        return train.batch_join(rows, 4)

    found: list[tuple[int, int]] = []
    for resumed in (False, True):
        with tf.Graph().as_default(), queueio.engine("data"), v1.Session() as session:
            batch, saver = build(), v1.train.Saver()
            session.run([v1.global_variables_initializer(), v1.local_variables_initializer()])
            if resumed:
                saver.restore(session, str(tmp_path / "model"))
            with queueio.running(session):
                for _ in range(6 if resumed else 4):
                    found += zip(*(part.tolist() for part in session.run(batch)), strict=True)
                if resumed:
                    with pytest.raises(tf.errors.OutOfRangeError):
                        session.run(batch)
                else:
                    saver.save(session, str(tmp_path / "model"))
    assert sorted(number for number, _ in found) == list(range(40)), "each example once"
    assert [made == number * 2 for number, made in found] == [False, True] * 20, "taking turns"


def cropped(count: int) -> Any:
    """`count` producers of one kind, which crop with TensorFlow's own assertions of the sizes."""
    files = v1.train.string_input_producer(["a.png", "b.png"], num_epochs=1, shuffle=False)
    made = []
    for _ in range(count):
        image = tf.io.decode_png(v1.WholeFileReader().read(files)[1], channels=3)
        made.append([v1.image.resize_image_with_crop_or_pad(image, 7, 7)])
    return v1.train.batch_join(made, 2)


def test_producers_whose_assertions_only_name_their_own_tensors_are_alike() -> None:
    """The texts say 'resize_image_with_crop_or_pad_1/…', and their order in memory is chance."""
    plan = str(queueio.lift(lambda: cropped(3)))
    assert "Producers" not in plan and plan.count("Transform") == 1


def test_producers_whose_assertions_ask_something_else_differ() -> None:
    def build() -> Any:
        numbers = v1.train.range_input_producer(8, num_epochs=1, shuffle=False)
        made = []
        for limit in (9, 5):
            number = numbers.dequeue()
            with tf.control_dependencies([v1.assert_less(number, limit)]):
                made.append([tf.identity(number) * 2])
        return v1.train.batch_join(made, 2)

    assert "Producers" in str(queueio.lift(build))


def test_what_ops_wait_for_is_read_in_the_order_in_which_it_was_made() -> None:
    """TensorFlow tells of more than a few control edges in an order that memory decides."""
    read = []
    for _ in range(4):
        with tf.Graph().as_default():
            number = v1.placeholder(tf.int32, [])
            checks = [v1.assert_less(number, limit) for limit in range(40, 60)]
            with tf.control_dependencies(checks):
                found = Fragment.between([number], [tf.identity(number)])
            read.append([op.name for op in found.ops if op.type == "Assert"])
    assert read == [read[0]] * 4 and len(read[0]) == 20


def looked_up(vocabularies: list[list[str]], from_file: bool) -> list[Any]:
    """As many readers as vocabularies, each with the table that its own call has made."""
    Path("words.txt").write_text("".join(f"w{n % 4}\n" for n in range(12)))
    files = train.string_input_producer(["words.txt"], num_epochs=2, shuffle=False)
    found = []
    for words in vocabularies:
        if from_file:
            vocabulary = Path(f"vocabulary{''.join(words)}")
            vocabulary.write_text("\n".join(words))
            initializer: Any = tf.lookup.TextFileInitializer(
                str(vocabulary), tf.string, tf.lookup.TextFileIndex.WHOLE_LINE,
                tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER)  # fmt: skip
        else:
            ids = np.arange(len(words), dtype=np.int64)
            initializer = tf.lookup.KeyValueTensorInitializer(words, ids)
        _, word = v1.TextLineReader().read(files)
        found.append([tf.lookup.StaticHashTable(initializer, -1).lookup(word)])
    return [train.batch_join(found, 4)]


@pytest.mark.parametrize("from_file", [False, True], ids=["of values", "of a file"])
def test_readers_that_each_made_the_same_table_are_alike(
    from_file: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    plan = queueio.lift(lambda: looked_up([["w0", "w1", "w2"]] * 2, from_file))
    assert "Producers" not in str(plan)
    assert str(plan.to_source()).count(" = tf.lookup.StaticHashTable(") == 1
    given = [n for batch in plan.to_dataset().as_numpy_iterator() for n in batch[0].tolist()]
    assert sorted(given) == sorted(2 * 3 * [-1, 0, 1, 2])


@pytest.mark.parametrize("from_file", [False, True], ids=["of values", "of a file"])
def test_readers_of_which_one_numbers_its_words_otherwise_are_not(
    from_file: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    plan = queueio.lift(lambda: looked_up([["w0", "w1"], ["w1", "w0"]], from_file))
    assert "Producers" in str(plan)
