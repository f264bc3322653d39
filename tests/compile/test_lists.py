"""Rules for values of another length in each example, against the program's ops in a session."""

from __future__ import annotations

import re
import resource
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from queueio.compile.in_session import in_session
from queueio.compile.lists import Lists
from queueio.compile.packed import Packed, PackedLists
from queueio.compile.pipeline import map_chunks
from queueio.compile.replay import guarded
from queueio.compile.rules import LISTS
from queueio.compile.vectorise import Chunked, PerExample, vectorise
from queueio.graph.fragment import Fragment
from tests.compile.fragments import same_bits
from tests.compile.list_programs import (
    CASES,
    RECORDS,
    Program,
    alone,
    example,
    fragment_of,
    raw,
    sequence,
    v1,
)
from tests.turns import by_turns


def one_by_one(fragment: Fragment, records: list[bytes]) -> tuple[list[list[np.ndarray]], Any]:
    """What a session gives of each record, and the error of the first that fails."""
    found: list[list[np.ndarray]] = []
    with v1.Session(graph=fragment.graph) as session:
        session.run(v1.tables_initializer())
        for record in records:
            try:
                found.append(session.run(list(fragment.outputs), {fragment.inputs[0]: record}))
            except tf.errors.OpError as error:
                return found, error
    return found, None


def at_once(fragment: Fragment, records: list[bytes]) -> list[list[np.ndarray]]:
    """The same out of one call for all of them."""
    (piece,) = vectorise(fragment)
    assert isinstance(piece, Chunked)
    with fragment.graph.as_default(), v1.Session() as session:
        session.run(v1.tables_initializer())
        made = session.run(list(piece.call(tf.constant(records))))
    apart = [
        np.split(each.values, each.splits[1:-1]) if isinstance(each, Lists) else list(each)
        for each in made
    ]
    return [list(row) for row in zip(*apart, strict=True)]


OF_SEQUENCES = {"ParseSequenceExampleV2", "ParseSingleSequenceExample"}  # test_packed.py


ALONE = sorted({*LISTS} - {*CASES} - OF_SEQUENCES)
"""Op types without a case of their own."""


def assert_bits(build: Callable[[Any], Any]) -> None:
    with tf.Graph().as_default():
        fragment = fragment_of(build)
        expected, error = one_by_one(fragment, RECORDS)
        got = at_once(fragment, RECORDS)
    assert error is None
    for want, have in zip(expected, got, strict=True):
        assert list(map(same_bits, want, have)) == [True] * len(want), (want, have)


@pytest.mark.parametrize("name", CASES)
def test_a_chunk_gives_each_example_the_bits_of_its_own_run(name: str) -> None:
    assert_bits(CASES[name])


@pytest.mark.parametrize("first", range(0, len(ALONE), 8))
def test_ops_that_treat_each_value_alone_do_so_among_those_of_a_chunk(first: int) -> None:
    assert_bits(lambda f: [alone(op_type)(f) for op_type in ALONE[first : first + 8]])


def delivered(fragment: Fragment, records: list[bytes]) -> tuple[list[list[np.ndarray]], Any]:
    """What chunks of five records give of each, and the error of the first that fails."""
    elements = tuple(tf.TensorSpec(t.shape, t.dtype) for t in fragment.outputs)
    piece = Packed.of(in_session(fragment), elements)
    assert isinstance(piece, PackedLists)
    chunks = tf.data.Dataset.from_tensor_slices((records,)).batch(5)
    each = guarded(chunks, [piece]).unbatch().batch(1).map(piece.batch)
    found: list[list[np.ndarray]] = []
    try:
        found.extend([row[0] for row in batch] for batch in each.as_numpy_iterator())
    except tf.errors.OpError as error:
        return found, error
    return found, None


# What an iterator says before the op's own words, in TensorFlow of today and of 2.16.
_BEFORE = re.compile(r".*Map: |^\{\{function_node [^}]*\}\} ")


def told(error: Any) -> str:
    """What ops say; not which of two ops that fail for one example was the first."""
    return re.sub(r"-?[0-9]+", "#", str(error.message))


def assert_alike(build: Callable[[Any], Any], records: list[bytes]) -> Any:
    """Examples and the error are those of a session; returns the error."""
    with tf.Graph().as_default():
        fragment = fragment_of(build)
        expected, wrong = one_by_one(fragment, records)
    got, error = delivered(fragment, records)
    assert len(got) == len(expected)
    for want, have in zip(expected, got, strict=True):
        assert list(map(same_bits, want, have)) == [True] * len(want), (want, have)
    assert type(error) is type(wrong)
    assert wrong is None or _BEFORE.sub("", told(error).split("\n")[0]) in told(wrong)
    return error


FAILING: dict[str, Callable[[Any], Any]] = {
    "an item beyond the end": lambda f: [f["a"][2], f["b"]],
    "a slice of more than there is": lambda f: [tf.slice(f["a"], [0], [3]), f["b"]],
    "a slice of which only the length is used": lambda f: [
        tf.size(tf.slice(f["a"], [2], [-1])), f["b"]],
    "no numbers, of which only how many is used": lambda f: [
        tf.size(tf.strings.to_number(tf.strings.substr(f["words"], 1, 1))), f["b"]],
    "lists of unequal length": lambda f: f["a"] + f["b"][1:],
    "one value beside many": lambda f: f["a"] * f["b"][:1],
    "no division by nothing": lambda f: f["a"] // tf.maximum(f["b"], 0),
    "a place out of the list": lambda f: tf.gather(f["a"], f["b"]),
    "a length below nothing": lambda f: tf.fill(tf.shape(f["a"]) - 2, 1),
    "an odd number of halves": lambda f: tf.reshape(f["a"], [-1, 2]),
    "no numbers up to less": lambda f: tf.range(2, tf.size(f["a"])),
    "padding of less than nothing": lambda f: tf.pad(f["a"], [[0, 4 - tf.size(f["a"])]]),
    "more places than room": lambda f: raw.SparseToDense(
        sparse_indices=f["sparse"].indices, output_shape=f["n"][None],
        sparse_values=f["sparse"].values, default_value=np.int64(7)),
}  # fmt: skip


@pytest.mark.parametrize("name", FAILING)
def test_an_example_that_fails_does_so_with_its_own_error_after_those_before_it(name: str) -> None:
    rng = np.random.default_rng(len(name))
    lengths = [4, 2, 3, 4, 2, 4, 1, 6, 0, 5] if "range" not in name else [4]
    assert_alike(FAILING[name], [example(rng, n) for n in (4, 4, *lengths)])


@pytest.mark.long
@pytest.mark.parametrize("seed", by_turns(range(8)))
def test_random_programs_give_what_a_session_gives_up_to_the_first_error(seed: int) -> None:
    rng = np.random.default_rng(seed)
    lengths = [*rng.integers(3, 9, 12).tolist(), *rng.integers(0, 3, 6).tolist()]
    records = [example(rng, length) for length in lengths]
    assert_alike(lambda f: Program(seed, f).grow(4 + seed // 2), records)


@pytest.fixture
def shapes_of_then() -> Iterator[None]:
    """Sizes are `Dimension`s, as a program that switches TF2 off has them."""
    v1.disable_v2_tensorshape()
    yield
    v1.enable_v2_tensorshape()


@pytest.mark.long
@pytest.mark.usefixtures("shapes_of_then")
def test_the_rules_fit_in_programs_whose_sizes_are_no_numbers() -> None:
    for number, name in enumerate(CASES):
        with tf.Graph().as_default():
            fragment = fragment_of(CASES[name])
            (piece,) = vectorise(fragment)
            assert isinstance(piece, Chunked), name
            if number % 4 == 0:
                piece.call(tf.constant(RECORDS))


@pytest.mark.long
def test_where_an_op_has_no_rule_the_rows_made_of_lists_go_on_to_it() -> None:
    def build(f: dict[str, Any]) -> Any:
        most = tf.cast(tf.reduce_sum(f["a"] * f["b"]), tf.float32) / 100.0
        padded = tf.pad(f["a"], [[0, 9 - tf.size(f["a"])]])
        padded.set_shape([9])
        return [tf.exp(most), padded * 2, tf.exp(tf.cast(padded, tf.float32))]

    with tf.Graph().as_default():
        fragment = fragment_of(build)
        expected, _ = one_by_one(fragment, RECORDS)
    fragment = in_session(fragment)
    kinds = [type(piece) for piece in vectorise(fragment)]
    assert kinds[:2] == [Chunked, PerExample]
    chunks = tf.data.Dataset.from_tensor_slices((RECORDS,)).batch(4)
    got = list(map_chunks(chunks, fragment).unbatch().as_numpy_iterator())
    for want, have in zip(expected, got, strict=True):
        assert list(map(same_bits, want, have)) == [True] * len(want), (want, have)


@pytest.mark.long
def test_one_long_list_among_many_short_ones_is_not_made_room_for_in_each() -> None:
    """A thousand lists padded to a million values would take eight gigabytes."""
    made = tf.train.SequenceExample()
    steps = made.feature_lists.feature_list["steps"].feature
    steps.add().int64_list.value.append(1)
    short = made.SerializeToString()
    steps.extend([steps[0]] * 1_000_000)
    with tf.Graph().as_default():
        record = v1.placeholder(tf.string, [])
        features = {"steps": sequence([], tf.int64)}
        _, parsed_ = tf.io.parse_single_sequence_example(record, sequence_features=features)
        fragment = Fragment.between([record], [parsed_["steps"][-3:]])
        (piece,) = vectorise(fragment)
    assert isinstance(piece, Chunked)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    records = [short] * 1000 + [made.SerializeToString()]
    (lists,) = tf.data.Dataset.from_tensors(records).map(piece.call).get_single_element()
    assert lists.values.numpy().tolist() == [1] * 1003
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 2 << 20


def test_a_feature_of_another_type_fails_though_nobody_takes_it() -> None:
    rng = np.random.default_rng(2)
    odd = tf.train.Example.FromString(example(rng, 3))
    odd.features.feature["sparse"].float_list.value.append(1.5)
    records = [example(rng, 2) for _ in range(7)]
    records.insert(4, odd.SerializeToString())
    assert assert_alike(lambda f: [f["a"][1:], f["n"]], records) is not None
