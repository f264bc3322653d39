"""What real code does with a dataset, done with that of a plan."""

from __future__ import annotations

import gc
from collections import OrderedDict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

import queueio
from queueio import contrib, io, train

v1 = tf.compat.v1
Build = Callable[[], Any]


def doubled(function: Callable[..., Any]) -> Build:
    """A pipeline of batches [0, 2], [4, 6], [8, 10], doubled by a Python function."""

    def build() -> Any:
        number = train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()
        (twice,) = tf.nest.flatten(function(lambda n: n + n, [number], [tf.int32]))
        twice.set_shape([])
        return train.batch([twice], 2)

    return build


@pytest.mark.parametrize("function", [v1.py_func, tf.numpy_function, tf.py_function])
@pytest.mark.parametrize("vectorise", [True, False])
def test_a_dataset_keeps_its_python_functions(function: Any, vectorise: bool) -> None:
    dataset = queueio.lift(doubled(function)).to_dataset(vectorise=vectorise)
    more = dataset.map(lambda batch: batch + 1)
    gc.collect()
    assert [batch.numpy().tolist() for batch in dataset] == [[0, 2], [4, 6], [8, 10]]
    iterator = iter(dataset)
    next(iterator)
    del dataset
    gc.collect()
    assert [batch.numpy().tolist() for batch in iterator] == [[4, 6], [8, 10]]
    assert [batch.numpy().tolist() for batch in more] == [[1, 3], [5, 7], [9, 11]]


def numbers() -> Any:
    number = train.range_input_producer(20, num_epochs=2, shuffle=False).dequeue()
    return train.batch([number], 4, allow_smaller_final_batch=True)


def whole_batches() -> Any:
    (number,) = train.slice_input_producer([tf.range(24)], num_epochs=1, shuffle=False)
    return train.batch([number], 4)


@pytest.mark.parametrize("vectorise", [True, False])
def test_the_tuner_whose_thread_an_iteration_s_end_waits_for_is_off_until_asked_for(
    vectorise: bool,
) -> None:
    dataset = queueio.lift(numbers).to_dataset(vectorise=vectorise)
    assert dataset.options().autotune.enabled is False
    options = tf.data.Options()
    options.autotune.enabled = True
    assert dataset.with_options(options).options().autotune.enabled is True


def kept() -> Any:
    number = train.range_input_producer(20, num_epochs=1, shuffle=False).dequeue()
    return train.maybe_batch([number], number % 3 > 0, 4, allow_smaller_final_batch=True)


def mixed() -> Any:
    number = train.range_input_producer(24, num_epochs=1).dequeue()
    return train.shuffle_batch([number], 4, 30, 10)


BUILDS: list[Build] = [numbers, whole_batches, kept, mixed]
STRATEGIES: list[Callable[[], Any]] = [
    lambda: tf.distribute.OneDeviceStrategy("/cpu:0"),
    lambda: tf.distribute.MirroredStrategy(["/cpu:0"]),
]


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("strategy", STRATEGIES, ids=["one device", "mirrored"])
def test_a_strategy_of_one_replica_gives_the_batches_as_they_are(
    strategy: Callable[[], Any], build: Build
) -> None:
    dataset = queueio.lift(build).to_dataset()
    given = list(strategy().experimental_distribute_dataset(dataset))
    sizes = [int(tf.size(batch)) for batch in dataset]
    assert [int(tf.size(batch)) for batch in given] == sizes
    assert sum(sizes) == sum(1 for batch in given for _ in batch)


def lines(folder: Path) -> Build:
    """Batches of two numbers, from a file, scaled and shuffled a little."""
    (folder / "lines.csv").write_text("".join(f"{n},{n}.5\n" for n in range(40)))

    def build() -> Any:
        names = train.string_input_producer([str(folder / "lines.csv")], num_epochs=1)
        columns = tf.io.decode_csv(io.TextLineReader().read(names)[1], [[0], [0.0]])
        return train.batch(columns, 2)

    return build


@pytest.mark.long
@pytest.mark.parametrize("taken", [1, 7, 19])
def test_an_iterator_goes_on_where_its_checkpoint_was_saved(taken: int, tmp_path: Path) -> None:
    for number, build in enumerate([lines(tmp_path), whole_batches, numbers, kept]):
        dataset = queueio.lift(build).to_dataset()
        every = [tf.nest.flatten(batch)[0].numpy().tolist() for batch in dataset]
        iterator = iter(dataset)
        for _ in every[:taken]:
            next(iterator)
        place = tf.train.Checkpoint(iterator=iterator).save(str(tmp_path / f"place{number}"))
        again = iter(dataset)
        tf.train.Checkpoint(iterator=again).restore(place)
        rest = [tf.nest.flatten(batch)[0].numpy().tolist() for batch in again]
        assert rest == every[taken:]


def memory() -> Any:
    """A pipeline whose Python function makes the data: where it stands, nobody can write down."""
    made = iter(range(100))
    number = v1.py_func(lambda: next(made), [], tf.int64)
    queue = tf.queue.FIFOQueue(8, [tf.int64], shapes=[[]])
    train.add_queue_runner(train.QueueRunner(queue, [queue.enqueue(number)]))
    return train.batch([queue.dequeue()], 2)


def test_an_iterator_whose_place_nobody_knows_is_not_saved(tmp_path: Path) -> None:
    iterator = iter(queueio.lift(memory).to_dataset())
    next(iterator)
    with pytest.raises(tf.errors.FailedPreconditionError, match="stateful"):
        tf.train.Checkpoint(iterator=iterator).save(str(tmp_path / "place"))


def disturbed() -> Any:
    (number,) = train.slice_input_producer([tf.range(24)], num_epochs=1, shuffle=False)
    return train.batch([tf.cast(number, tf.float32) + tf.random.uniform([])], 4)


@pytest.fixture
def program_seed() -> Iterator[Callable[[int | None], None]]:
    yield tf.random.set_seed
    tf.random.set_seed(None)


@pytest.mark.long
@pytest.mark.parametrize("build", [mixed, disturbed])
@pytest.mark.parametrize("vectorise", [True, False])
def test_the_seed_of_the_program_is_that_of_what_is_lifted(
    vectorise: bool, build: Build, program_seed: Callable[[int | None], None]
) -> None:
    def drawn(seed: int | None) -> list[float]:
        program_seed(seed)
        dataset = queueio.lift(build).to_dataset(vectorise=vectorise)
        return [float(n) for batch in dataset for n in batch]

    first, other = drawn(7), drawn(8)
    assert drawn(7) == first
    assert len({*map(tuple, (first, other, drawn(None), drawn(None)))}) == 4
    assert sorted(map(int, first)) == sorted(map(int, other)) == list(range(24))


def test_an_ordered_dict_of_fetches_is_one_of_the_elements() -> None:
    def build() -> Any:
        number = train.range_input_producer(4, num_epochs=1, shuffle=False).dequeue()
        batch = train.batch([number], 2)
        return OrderedDict([("z", batch), ("a", (batch + 1, batch))])

    for vectorise in (True, False):
        element = next(iter(queueio.lift(build).to_dataset(vectorise=vectorise)))
        assert type(element) is OrderedDict
        assert list(element) == ["z", "a"]
        assert [part.numpy().tolist() for part in element["a"]] == [[1, 2], [0, 1]]


@pytest.mark.parametrize("made", [
    lambda batch: tf.strings.split(tf.strings.as_string(batch)),
    lambda batch: tf.IndexedSlices(batch, batch),
])  # fmt: skip
def test_a_fetch_of_several_tensors_that_is_not_sparse_is_refused_by_its_type(made: Any) -> None:
    def build() -> Any:
        number = train.range_input_producer(4, num_epochs=1, shuffle=False).dequeue()
        return made(train.batch([number], 2))

    with pytest.raises(queueio.NotLifted, match=r"(RaggedTensor|IndexedSlices).*Fetch its values"):
        queueio.lift(build)


def two_files(folder: Path) -> Build:
    """Batches of two numbers, from two files."""
    files = [folder / "one.csv", folder / "two.csv"]
    for start, file in zip((0, 10), files, strict=True):
        file.write_text("".join(f"{n}\n" for n in range(start, start + 10)))

    def build() -> Any:
        names = train.string_input_producer(list(map(str, files)), num_epochs=1, shuffle=False)
        (number,) = tf.io.decode_csv(io.TextLineReader().read(names)[1], [[0]])
        return train.batch([number], 2)

    return build


@pytest.mark.parametrize("vectorise", [True, False])
@pytest.mark.parametrize("workers", [2, 3])
def test_workers_of_a_strategy_share_the_batches_among_them(
    workers: int, vectorise: bool, tmp_path: Path
) -> None:
    for build in (two_files(tmp_path), whole_batches):
        dataset = queueio.lift(build).to_dataset(vectorise=vectorise)
        every = [batch.numpy().tolist() for batch in dataset]
        given = [part_of_a_worker(dataset, workers, index) for index in range(workers)]
        assert given == [every[index::workers] for index in range(workers)]


def part_of_a_worker(dataset: Any, workers: int, index: int) -> list[list[int]]:
    """What a strategy over several machines gives to one of them, by the dataset's own options."""
    policy = dataset.options().experimental_distribute.auto_shard_policy
    shapes = [tuple(spec.shape) for spec in tf.nest.flatten(dataset.element_spec)]
    sharded = tf.raw_ops.AutoShardDataset(
        input_dataset=tf.data.experimental.to_variant(dataset),
        num_workers=workers, index=index, auto_shard_policy=policy.value,
        output_types=[tf.int32], output_shapes=shapes,
    )  # fmt: skip
    part = tf.data.experimental.from_variant(sharded, dataset.element_spec)
    return [batch.numpy().tolist() for batch in part]


@pytest.mark.long
@pytest.mark.parametrize("smaller", [True, False])
def test_buckets_of_padded_lists_can_be_kept_as_a_snapshot(smaller: bool, tmp_path: Path) -> None:
    def build() -> Any:
        number = train.range_input_producer(50, num_epochs=1, shuffle=False).dequeue()
        length, (lists,) = contrib.training.bucket_by_sequence_length(
            number % 7, [tf.range(number % 7)], 4, [3, 5], dynamic_pad=True,
            allow_smaller_final_batch=smaller,
        )  # fmt: skip
        return length, lists

    dataset = queueio.lift(build).to_dataset()
    written = dataset.snapshot(str(tmp_path / "snapshot"))
    batches = [[part.tolist() for part in batch] for batch in dataset.as_numpy_iterator()]
    for _ in range(2):
        seen = [[part.tolist() for part in batch] for batch in written.as_numpy_iterator()]
        assert seen == batches


@pytest.mark.long
def test_within_a_tf_function_autograph_leaves_queueio_s_own_code_alone(
    caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    """It rewrote a hundred files, for tens of seconds, and warned of those that it could not."""
    (tmp_path / "rows.csv").write_text("".join(f"{row},1.5\n" for row in range(20)))

    def rows() -> Any:
        names = train.string_input_producer([str(tmp_path / "rows.csv")], num_epochs=1)
        number, _ = tf.io.decode_csv(io.TextLineReader().read(names)[1], [[0], [0.0]])
        return train.shuffle_batch([number], 4, 40, 10)

    @tf.function
    def total() -> Any:
        found = tf.constant(0)
        for batch in queueio.lift(rows).to_dataset():
            found += tf.reduce_sum(batch)
        return found

    with caplog.at_level("WARNING", "tensorflow"):
        assert int(total()) == sum(range(20))
    assert "AutoGraph could not" not in caplog.text
