"""slim's data part: what the golden pipelines do not show."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

import queueio
from queueio import contrib, io, train
from queueio.compile.vectorise import Chunked, vectorise

v1 = tf.compat.v1
slim = contrib.slim
CONFIG = v1.ConfigProto(operation_timeout_in_ms=20000)


@pytest.fixture
def lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Two files of lines in the working directory: 0 1 2 and 3 4."""
    monkeypatch.chdir(tmp_path)
    Path("a.txt").write_text("0\n1\n2\n")
    Path("b.txt").write_text("3\n4\n")
    return ["a.txt", "b.txt"]


def delivered(*tensors: Any) -> list[Any]:
    """What session calls give until the end, under slim's own context of queue runners."""
    found = []
    with v1.Session(config=CONFIG) as session:
        session.run([v1.local_variables_initializer(), v1.tables_initializer()])
        with slim.queues.QueueRunners(session), pytest.raises(tf.errors.OutOfRangeError):
            while True:
                found.append(session.run(tensors))
    return found


def test_a_dataset_has_what_it_was_given() -> None:
    given = slim.dataset.Dataset("*.txt", "reader", "decoder", 3, {"x": "a number"}, classes=2)
    assert vars(given) == {
        "data_sources": "*.txt", "reader": "reader", "decoder": "decoder", "num_samples": 3,
        "items_to_descriptions": {"x": "a number"}, "classes": 2,
    }  # fmt: skip


def test_a_decoder_without_its_methods_cannot_be_made() -> None:
    with pytest.raises(TypeError, match="abstract"):
        slim.data_decoder.DataDecoder()
    with pytest.raises(TypeError, match="abstract"):
        slim.tfexample_decoder.ItemHandler("key")


def test_a_provider_gives_items_in_the_order_they_were_asked_for() -> None:
    provider = slim.data_provider.DataProvider({"image": 1, "label": 2}, num_samples=9)
    assert provider.get(("label", "image", "label")) == [2, 1, 2]
    assert list(provider.list_items()) == ["image", "label"]
    assert provider.num_samples() == 9


def test_an_item_that_there_is_not_is_named_with_those_that_there_are() -> None:
    provider = slim.data_provider.DataProvider({"image": 1, "label": 2}, num_samples=9)
    with pytest.raises(ValueError, match=r"Item \[lable\] is invalid.*include: image, label"):
        provider.get(["image", "lable"])


def test_files_are_listed_as_glob_does_and_names_are_not_looked_up(
    lines: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def found(pattern: str) -> list[str]:
        """As of a file system that lists no folder by name, which most do not."""
        return sorted(glob(pattern), reverse=True)

    glob = v1.gfile.Glob
    listed = slim.parallel_reader.get_data_files
    assert listed("no-such-file") == ["no-such-file"]
    folder = Path().resolve()
    monkeypatch.setattr(v1.gfile, "Glob", found)
    for pattern in ("[ab].txt", "?.txt", "*.txt"):
        files = listed(str(folder / pattern))
        assert files == found(str(folder / pattern))
        assert sorted(files) == [str(folder / name) for name in lines]
    first = str(folder / "a.txt")
    assert listed([("b.txt", str(folder / "a*")), "b.txt"]) == ["b.txt", first, "b.txt"]


@pytest.mark.parametrize("sources", ["*.csv", ["a.txt", "*.csv"], []])
def test_sources_without_a_file_are_an_error(lines: list[str], sources: Any) -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match="No data files found in"):
        slim.parallel_reader.single_pass_read(sources, io.TextLineReader)


def test_a_parallel_reader_counts_what_all_its_readers_gave(lines: list[str]) -> None:
    with tf.Graph().as_default(), v1.Session(config=CONFIG) as session:
        common = io.FIFOQueue(10, [tf.string, tf.string], shapes=[[], []])
        reader = slim.parallel_reader.ParallelReader(io.TextLineReader, common, num_readers=2)
        assert (reader.num_readers, reader.common_queue) == (2, common)
        reader.read(train.string_input_producer(lines, num_epochs=2, shuffle=False))
        counts = [reader.num_records_produced(), reader.num_work_units_completed()]
        session.run(v1.local_variables_initializer())
        coord = train.Coordinator()
        threads = train.start_queue_runners(session, coord)
        coord.join(threads, stop_grace_period_secs=20)  # all is read: ten lines fit
        assert session.run(counts) == [10, 4]


def test_a_parallel_reader_is_a_reader() -> None:
    with tf.Graph().as_default():
        common = io.FIFOQueue(10, [tf.string, tf.string])
        reader = slim.parallel_reader.ParallelReader(io.IdentityReader, common)
    assert isinstance(reader, io.ReaderBase)


def test_one_seed_shuffles_names_and_records(lines: list[str]) -> None:
    with tf.Graph().as_default() as graph:
        slim.parallel_reader.parallel_read(lines, io.TextLineReader, seed=7)
    seeds = {
        op.type: op.get_attr("seed2")
        for op in graph.get_operations()
        if op.type in ("RandomShuffle", "RandomShuffleQueueV2")
    }
    assert seeds == {"RandomShuffle": 7, "RandomShuffleQueueV2": 7}


def test_each_thread_of_a_prefetch_queue_runs_its_one_enqueue_op() -> None:
    with tf.Graph().as_default() as graph:
        slim.prefetch_queue.prefetch_queue([tf.zeros([2])], num_threads=3, shared_name="cluster")
        (runner,) = graph.get_collection(v1.GraphKeys.QUEUE_RUNNERS)
    assert len(runner.enqueue_ops) == 3 and len(set(runner.enqueue_ops)) == 1
    assert runner.queue.queue_ref.op.get_attr("shared_name") == b"cluster"


def test_queue_runners_cannot_be_nested_and_can_be_begun_again(lines: list[str]) -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        runners = slim.queues.QueueRunners
        nested = pytest.raises(slim.queues.NestedQueueRunnerError, match="cannot be nested")
        with runners(session), nested, runners(session):
            pass
        with runners(session):
            pass


def test_queue_runners_can_be_begun_again_after_a_thread_failed() -> None:
    with tf.Graph().as_default():
        queue = io.FIFOQueue(2, [tf.string])
        enqueue = queue.enqueue(v1.read_file("no-such-file"))
        train.add_queue_runner(train.QueueRunner(queue, [enqueue]))
        for _ in range(2):
            failing = pytest.raises(tf.errors.NotFoundError)
            with v1.Session(config=CONFIG) as session, failing, slim.queues.QueueRunners(session):
                session.run(queue.dequeue())


def test_a_decoder_makes_all_items_unless_some_are_asked_for() -> None:
    handlers = slim.tfexample_decoder
    features = {"x": tf.io.FixedLenFeature([], tf.int64, 4), "y": tf.io.VarLenFeature(tf.int64)}
    decoder = handlers.TFExampleDecoder(
        features, {"one": handlers.Tensor("x"), "two": handlers.Tensor("y", default_value=3)}
    )
    assert decoder.list_items() == ["one", "two"]
    with tf.Graph().as_default(), v1.Session() as session:
        one, two = session.run(decoder.decode(tf.constant(b"")))
        assert (one, list(two)) == (4, [])
        assert len(decoder.decode(tf.constant(b""), ["two"])) == 1


def test_a_sparse_item_takes_a_shape_of_several_numbers_as_an_array() -> None:
    """TF1 asked whether the array is true, which only one of a single number can tell."""
    import numpy as np

    handler = slim.tfexample_decoder.SparseTensor(shape=np.array([2, 3]), densify=True)
    indices = tf.constant([[0, 0], [1, 0]], tf.int64)
    with tf.Graph().as_default(), v1.Session() as session:
        features = {
            "indices": tf.SparseTensor(indices.numpy(), tf.constant([2, 1], tf.int64), [2, 1]),
            "values": tf.SparseTensor(indices.numpy(), tf.constant([5.0, 6.0]), [2, 1]),
        }
        dense = session.run(handler.tensors_to_item(features))
    assert dense.tolist() == [[0, 0, 5], [0, 6, 0]]


def numbers_of(lines: list[str]) -> Any:
    """Lines read by two readers, decoded, batched, prefetched."""
    _, line = slim.parallel_reader.parallel_read(
        lines, io.TextLineReader, 2, num_readers=2, capacity=4, min_after_dequeue=1
    )
    line.set_shape([])
    number = train.batch([tf.strings.to_number(line)], 5)
    return slim.prefetch_queue.prefetch_queue([number]).dequeue()


@pytest.mark.long
def test_all_forms_of_a_pipeline_deliver_the_same_numbers(lines: list[str]) -> None:
    want = sorted([0, 1, 2, 3, 4] * 2)
    with tf.Graph().as_default():
        assert sorted(n for (batch,) in delivered(numbers_of(lines)) for n in batch) == want
    plan = queueio.lift(lambda: numbers_of(lines))
    for in_chunks in (False, True):
        batches = plan.to_dataset(vectorise=in_chunks).as_numpy_iterator()
        assert sorted(n for batch in batches for n in batch) == want
    with queueio.engine("data"), tf.Graph().as_default():
        assert sorted(n for (batch,) in delivered(numbers_of(lines)) for n in batch) == want
    source = str(plan.to_source())
    assert "interleave" in source and "shuffle" in source and "prefetch" in source


IMPORTS = """
import tensorflow as tf
from tensorflow.contrib import slim
from tensorflow.contrib.slim.python.slim import queues
from tensorflow.contrib.slim.python.slim.data import dataset, parallel_reader
from tensorflow.contrib.slim.python.slim.data import tfexample_decoder as decoders
import tensorflow.contrib.slim as again

assert again is slim is tf.contrib.slim
assert slim.dataset is dataset and slim.parallel_reader is parallel_reader
assert slim.tfexample_decoder is decoders and slim.queues is queues
assert slim.dataset_data_provider.DatasetDataProvider and slim.data_provider.DataProvider
assert slim.prefetch_queue.prefetch_queue and slim.data_decoder.DataDecoder
print("all there")
"""


def test_a_script_finds_the_modules_at_their_old_addresses(
    run_python: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    (tmp_path / "script.py").write_text(IMPORTS)
    done = run_python("from queueio.__main__ import main\n\nmain()\n", "run", "script.py")
    assert "all there" in done.stdout, done.stderr[-2000:]


def test_records_of_a_queue_without_shapes_are_parsed_in_chunks(lines: list[str]) -> None:
    """As parallel_read's queue declares none, the graph asks each record for its rank."""
    handlers = slim.tfexample_decoder
    features = {"x": tf.io.FixedLenFeature([], tf.float32, 1.5)}
    decoder = handlers.TFExampleDecoder(features, {"x": handlers.Tensor("x")})

    def build() -> Any:
        _, record = slim.parallel_reader.parallel_read(lines, io.TFRecordReader, num_epochs=1)
        assert record.shape.rank is None
        return train.batch(decoder.decode(record), 2)

    node: Any = queueio.lift(build).root
    while not hasattr(node, "fragment"):
        node = node.input
    assert [type(piece) for piece in vectorise(node._run)] == [Chunked]
