"""Wide records, shuffled as they are read: each comes once, drawn from a pool of that size."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from queueio.compile.kernels import file_pool, native
from queueio.compile.kernels.file_pool import FilePool
from queueio.compile.kernels.keys import KeyForm
from tests.turns import by_turns

pytestmark = pytest.mark.skipif(not native.has_a_pool(), reason="it was built without a compiler")


class Files:
    """Files of records that begin with their number."""

    def __init__(self, folder: Path, record: int, header: int = 0, footer: int = 0) -> None:
        self.folder, self.sizes = folder, (record, header, footer)
        self.records: list[bytes] = []
        self.names: list[str] = []

    def add(self, count: int, rest: int = 0) -> Path:
        """Writes another file of so many records, with so many bytes of one more."""
        record, header, footer = self.sizes
        rng = np.random.default_rng(len(self.records))
        first = len(self.records)
        made = [
            n.to_bytes(4, "little") + rng.bytes(record - 4) for n in range(first, first + count)
        ]
        path = self.folder / f"{len(self.names)}.bin"
        path.write_bytes(rng.bytes(header) + b"".join(made) + rng.bytes(footer + rest))
        self.records += made
        self.names.append(str(path))
        return path

    def keys(self) -> dict[str, bytes]:
        """The records by their keys, as TF1's reader names them."""
        record, header, footer = self.sizes
        found = {}
        for name in self.names:
            content = Path(name).read_bytes()
            for n in range((len(content) - header - footer) // record):
                at = header + n * record
                found[f"{name}:{n}"] = content[at : at + record]
        return found

    def pool(self) -> FilePool:
        """What shuffles them."""
        return FilePool(tf.data.Dataset.from_tensor_slices(self.names), *self.sizes)

    def shuffled(self, pool: int, rows: int, seed: int | None = None) -> tf.data.Dataset:
        """Chunks of the records, [n, record]."""
        made = self.pool().shuffled(pool, rows, seed, lambda records: (records,))
        assert made is not None
        return made


def of(dataset: Any) -> list[bytes]:
    return [row.tobytes() for (chunk,) in dataset.as_numpy_iterator() for row in chunk]


@pytest.mark.parametrize("seed", by_turns(range(8)))
def test_every_record_comes_once_in_chunks_from_no_further_ahead_than_the_pool(
    seed: int, tmp_path: Path
) -> None:
    rng = np.random.default_rng(seed)
    record, header, footer = int(rng.integers(8, 4000)), int(rng.integers(9)), int(rng.integers(9))
    files = Files(tmp_path, record, header, footer)
    pool, rows = int(rng.integers(1, 90)), int(rng.choice([1, 2, 7, 64, 300]))
    for _ in range(rng.integers(1, 6)):
        files.add(int(rng.choice([0, 1, rows, rng.integers(400)])), int(rng.integers(5)))
    if not files.records:
        files.add(10)

    dataset = files.shuffled(pool, rows, seed)
    chunks = [len(chunk) for (chunk,) in dataset.as_numpy_iterator()]
    assert all(count == rows for count in chunks[:-1])
    found = of(dataset)
    assert Counter(found) == Counter(files.records)
    for place, content in enumerate(found):
        assert int.from_bytes(content[:4], "little") < place + pool + 2 * rows
    if len(found) > 20 and pool > 20:
        assert found != of(dataset), "two passes went alike"
    again = files.shuffled(pool, rows, seed)
    list(again)
    assert of(again) == found, "a seed gave two orders"


def test_no_more_of_heavy_records_are_read_ahead_than_two_megabytes(tmp_path: Path) -> None:
    files = Files(tmp_path, 300_000)
    for count in (30, 1, 29):
        files.add(count)
    found = of(files.shuffled(4, 16))
    assert Counter(found) == Counter(files.records)
    ahead = [int.from_bytes(content[:4], "little") - place for place, content in enumerate(found)]
    assert max(ahead) < 4 + 16 + 7


@pytest.mark.parametrize("far", [False, True])
@pytest.mark.parametrize("form", [KeyForm.WHOLE, KeyForm.PARTS])
def test_keys_leave_beside_their_records(
    form: KeyForm, far: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if far:
        monkeypatch.setattr(file_pool, "is_local", lambda name: False)
    files = Files(tmp_path, 1600, 7, 3)
    for count in (50, 0, 33, 8):
        files.add(count, 9)
    dataset = files.pool().shuffled(20, 4, None, lambda records: (records,), form)
    assert dataset is not None
    found = {}
    for *keys, records in dataset.as_numpy_iterator():
        if form == KeyForm.PARTS:
            keys = [[b"%s:%d" % pair for pair in zip(*keys, strict=True)]]
        found |= {k.decode(): r.tobytes() for k, r in zip(keys[0], records, strict=True)}
    assert found == files.keys()
    assert list(found) != list(files.keys())


@pytest.mark.long
def test_a_pool_that_holds_all_gives_every_order_as_often(tmp_path: Path) -> None:
    files = Files(tmp_path, 2000)
    files.add(3)
    passes = 600
    found = of(files.shuffled(8, 3, 42).repeat(passes))
    orders = Counter(tuple(found[at : at + 3]) for at in range(0, len(found), 3))
    expected = passes / 6
    assert len(orders) == 6
    # Chi-squared of five degrees of freedom: beyond this once in ten thousand seeds.
    assert sum((count - expected) ** 2 / expected for count in orders.values()) < 25.7


@pytest.mark.long
def test_a_record_stays_in_a_full_pool_as_long_as_chance_wants(tmp_path: Path) -> None:
    files = Files(tmp_path, 1600)
    files.add(3000)
    pool = 50
    at = [int.from_bytes(content[:4], "little") for content in of(files.shuffled(pool, 1, 7))]
    stay = np.array([place - number for place, number in enumerate(at)][200:-200]) + pool
    assert stay.min() >= 0
    assert stay.mean() == pytest.approx(pool, rel=0.05)  # each draw takes it with one in `pool`
    assert np.mean(stay > pool) == pytest.approx((1 - 1 / pool) ** pool, abs=0.03)


def test_a_missing_file_is_told_once_and_the_others_come(tmp_path: Path) -> None:
    files = Files(tmp_path, 1700)
    files.add(40)
    files.add(40).unlink()
    files.add(40)
    iterator = files.shuffled(10, 8).as_numpy_iterator()
    found: list[bytes] = []
    told: list[str] = []
    while True:
        try:
            (chunk,) = next(iterator)
            found += [row.tobytes() for row in chunk]
        except StopIteration:
            break
        except tf.errors.NotFoundError as error:
            told.append(error.message)
    assert len(told) == 1 and files.names[1] in told[0]
    assert Counter(found) == Counter(files.records[:40] + files.records[80:])


def test_a_file_that_becomes_shorter_is_told_and_nothing_comes_twice(tmp_path: Path) -> None:
    files = Files(tmp_path, 1700)
    path = files.add(200)
    files.add(50)
    iterator = files.shuffled(10, 4).as_numpy_iterator()
    found = [row.tobytes() for row in next(iterator)[0]]
    with path.open("r+b") as file:
        file.truncate(100 * 1700 + 5)
    told: list[str] = []
    while True:
        try:
            found += [row.tobytes() for row in next(iterator)[0]]
        except StopIteration:
            break
        except tf.errors.DataLossError as error:
            told.append(error.message)
    assert told and all(files.names[0] in text and "shorter" in text for text in told)
    assert Counter(found) == Counter(files.records[:100] + files.records[200:])


def test_a_file_that_is_replaced_while_it_is_read_is_read_to_its_end(tmp_path: Path) -> None:
    files = Files(tmp_path, 1600)
    path = files.add(300)
    iterator = files.shuffled(10, 4).as_numpy_iterator()
    found = [row.tobytes() for row in next(iterator)[0]]
    (tmp_path / "new").write_bytes(bytes(300 * 1600))
    (tmp_path / "new").replace(path)
    found += [row.tobytes() for (chunk,) in iterator for row in chunk]
    assert Counter(found) == Counter(files.records)


def test_a_file_that_only_tensorflow_finds_is_read_by_tensorflow(tmp_path: Path) -> None:
    """TensorFlow takes "link/.." away by its letters; the system goes to where the link leads."""
    (tmp_path / "far" / "away").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "far" / "away")
    (tmp_path / "far" / "0.bin").write_bytes(b"another file" * 1000)
    files = Files(tmp_path, 1600, 3, 2)
    files.add(100, rest=7)
    files.names = [f"{tmp_path}/link/../0.bin"]
    assert Counter(of(files.shuffled(10, 8))) == Counter(files.records)


def test_two_iterators_of_one_dataset_have_a_pool_each(tmp_path: Path) -> None:
    files = Files(tmp_path, 1600)
    files.add(60)
    dataset = files.shuffled(20, 4)
    both: list[list[bytes]] = [[], []]
    for chunks in zip(dataset.as_numpy_iterator(), dataset.as_numpy_iterator(), strict=True):
        for found, (chunk,) in zip(both, chunks, strict=True):
            found += [row.tobytes() for row in chunk]
    assert all(Counter(found) == Counter(files.records) for found in both)
    assert both[0] != both[1]


def test_a_pool_of_a_quarter_of_a_gigabyte_is_none_to_ask_for_at_once(tmp_path: Path) -> None:
    files = Files(tmp_path, 1 << 20)
    files.add(1)
    assert files.pool().shuffled(300, 1, None, lambda records: (records,)) is None


@pytest.mark.parametrize("counts", [(90, 33, 70), (192,)])
@pytest.mark.parametrize("far", [False, True])
def test_a_state_that_was_kept_is_what_it_was_however_many_go_on_from_it(
    far: bool, counts: tuple[int, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As of a checkpoint that is written while the iterator goes on, and of two that take it up."""
    files = Files(tmp_path, 1600)
    for count in counts:
        files.add(count)
    if far:  # what only TensorFlow can reach is in the state itself
        monkeypatch.setattr(file_pool, "is_local", lambda name: False)
    dataset = files.shuffled(20, 4)
    iterator = iter(dataset)
    before = [row.tobytes() for _ in range(9) for row in next(iterator)[0].numpy()]
    kept = tf.raw_ops.SerializeIterator(resource_handle=iterator._iterator_resource)
    lines = [list(before), list(before), list(before)]
    ways = [iterator, iter(dataset), iter(dataset)]
    lines[0] += [row.tobytes() for _ in range(20) for row in next(iterator)[0].numpy()]
    for way in ways[1:]:
        tf.raw_ops.DeserializeIterator(resource_handle=way._iterator_resource, serialized=kept)
    going = list(range(3))
    while going:
        for number in list(going):
            chunk = next(ways[number], None)
            if chunk is None:
                going.remove(number)
            else:
                lines[number] += [row.tobytes() for row in chunk[0].numpy()]
    for line in lines:
        assert Counter(line) == Counter(files.records)
    assert lines[0] == lines[1] == lines[2]


def test_a_record_of_a_file_that_is_gone_is_told_where_a_state_is_taken_up(tmp_path: Path) -> None:
    files = Files(tmp_path, 1600)
    path = files.add(90)
    dataset = files.shuffled(20, 4)
    one, other = iter(dataset), iter(dataset)
    next(one)
    kept = tf.raw_ops.SerializeIterator(resource_handle=one._iterator_resource)
    path.unlink()
    assert next(one)[0].shape == [4, 1600]  # has its pool, and the file open
    with pytest.raises(tf.errors.NotFoundError, match=str(path)):
        tf.raw_ops.DeserializeIterator(resource_handle=other._iterator_resource, serialized=kept)
        next(other)


@pytest.mark.long
def test_more_iterators_than_pools_that_stay_in_memory(tmp_path: Path) -> None:
    files = Files(tmp_path, 1600)
    for count in (12, 5, 30):
        files.add(count)
    dataset = files.shuffled(10, 4)
    lines: list[list[bytes]] = [[] for _ in range(20)]
    for chunks in zip(*(dataset.as_numpy_iterator() for _ in lines), strict=True):
        for line, (chunk,) in zip(lines, chunks, strict=True):
            line += [row.tobytes() for row in chunk]
    assert all(Counter(line) == Counter(files.records) for line in lines)


GOOD: dict[str, Any] = {
    "ids": [[0, 0, 0], [0, 8, 1]], "names": ["a"], "far": np.zeros([2, 8], np.uint8),
    "known": [0, 0, 0], "file": "", "come": [0, 0, 0, 1], "data": "", "seed": [1, 2],
    "sizes": [4, 8, 1],
}  # fmt: skip


@pytest.mark.parametrize(
    "wrong",
    [
        {"ids": [[1, 0, 0]]}, {"ids": [[-1, 0, 0]]}, {"ids": [[0, 0, 2]]}, {"ids": [[0, 0, -2]]},
        {"ids": [[0, -1, 0]]}, {"ids": [[0, 2**63 - 1, 0]]}, {"ids": [[0, 0, 0]] * 5},
        {"known": [0, 2]},
        {"come": [0, 0, 0, 3]}, {"come": [0, 3, 0, 0]}, {"come": [-1, 1, 0, 0]},
        {"come": [0, -1, 0, 0]}, {"come": [0, 2**63 - 1, 0, 0]}, {"come": [2**63 - 1, 1, 0, 0]},
        {"come": [0, 0, 0, -1]}, {"sizes": [1, 8, 0]}, {"sizes": [4, 9, 0]},
        {"sizes": [4, 0, 0]}, {"sizes": [2**31, 2**40, 0]}, {"sizes": [2**31 - 1, 2**40, 0]},
        {"sizes": [4, 8]}, {"seed": [1]},
        {"data": "1234567", "come": [0, 1, 0, 0]}, {"far": np.zeros([1, 8], np.uint8)},
    ],
)  # fmt: skip
def test_what_does_not_go_together_is_refused_by_the_op(wrong: dict[str, Any]) -> None:
    types = {"far": tf.uint8, "names": tf.string, "file": tf.string, "data": tf.string}

    def given(values: dict[str, Any]) -> list[tf.Tensor]:
        return [tf.constant(value, types.get(name, tf.int64)) for name, value in values.items()]

    *_, rows, names, offsets = native._pool()(*given(GOOD))
    assert rows.shape == [1, 8] and names.numpy() == [b"a"] and offsets.numpy()[0] in (0, 8)
    with pytest.raises(tf.errors.InvalidArgumentError):
        native._pool()(*given({**GOOD, **wrong}))
