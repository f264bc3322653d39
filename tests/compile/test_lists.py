"""Rules for values of another length in each example, against the program's ops in a session."""

from __future__ import annotations

import contextlib
import inspect
import re
import resource
from collections.abc import Callable, Iterator
from functools import partial
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

raw, v1 = tf.raw_ops, tf.compat.v1
sequence = tf.io.FixedLenSequenceFeature
FEATURES = {
    "n": tf.io.FixedLenFeature([], tf.int64),
    "row": tf.io.FixedLenFeature([3], tf.int64),
    "a": sequence([], tf.int64, allow_missing=True),
    "b": sequence([], tf.int64, allow_missing=True),
    "pairs": sequence([2], tf.float32, allow_missing=True),
    "words": sequence([], tf.string, allow_missing=True),
    "sparse": tf.io.VarLenFeature(tf.int64),
}


def example(rng: np.random.Generator, length: int) -> bytes:
    """As many of `a`, `b`, pairs and words; of sparse values as many as by chance."""
    made = tf.train.Example()
    feature = made.features.feature
    feature["n"].int64_list.value.append(int(rng.integers(0, 4)))
    feature["row"].int64_list.value.extend(rng.integers(-9, 9, 3).tolist())
    for name in ("a", "b"):
        feature[name].int64_list.value.extend(rng.integers(-9, 9, length).tolist())
    feature["pairs"].float_list.value.extend(rng.normal(size=2 * length).tolist())
    feature["words"].bytes_list.value.extend(b"%d" % n for n in rng.integers(0, 99, length))
    feature["sparse"].int64_list.value.extend(rng.integers(-9, 9, rng.integers(4)).tolist())
    return bytes(made.SerializeToString())


def fragment_of(build: Callable[[Any], Any]) -> Fragment:
    record = v1.placeholder(tf.string, [])
    return Fragment.between(
        [record],
        tf.nest.flatten(build(parsed(record) | {"record": record}), expand_composites=True),
    )


def parsed(record: Any) -> dict[str, Any]:
    values: dict[str, Any] = tf.io.parse_single_example(record, FEATURES)
    return values


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


RECORDS = [example(np.random.default_rng(n), n * 5 % 7) for n in range(9)]
"""Of 0 to 6 values each."""


def _looked_up(f: Any) -> Any:
    pairs = tf.lookup.KeyValueTensorInitializer(["1", "4"], tf.constant([2, 3], tf.int64))
    return tf.lookup.StaticHashTable(pairs, -1).lookup(f["words"])


def _after(op: Any, tensor: Any) -> Any:
    with tf.control_dependencies([op]):
        return tf.identity(tensor)


def _of_shape(tensor: Any, shape: list[int]) -> Any:
    tensor.set_shape(shape)
    return tensor


def _split(op: Any, text: Any) -> Any:
    made = op(input=text[None])
    return [made.indices, made.values, made.shape]


def _parsed_as_then(record: Any) -> Any:
    made = raw.ParseSingleExample(
        serialized=record, dense_defaults=[tf.zeros([], tf.int64)], num_sparse=1,
        sparse_keys=["sparse"], sparse_types=[tf.int64], dense_keys=["a"], dense_shapes=[[None]],
    )  # fmt: skip
    return [*made.sparse_indices, *made.sparse_values, *made.sparse_shapes, *made.dense_values]


CASES: dict[str, Callable[[Any], Any]] = {
    "ParseSingleExample": lambda f: _parsed_as_then(f["record"]),
    "ParseExampleV2": lambda f: [f["sparse"], f["pairs"], f["n"]],
    "CheckNumerics": lambda f: raw.CheckNumerics(tensor=f["pairs"], message="odd"),
    "DecodeBase64": lambda f: raw.DecodeBase64(input=raw.EncodeBase64(input=f["words"])),
    "RealDiv": lambda f: [f["pairs"] / 3.0, tf.cast(f["n"], tf.float32) / f["pairs"]],
    "Cast": lambda f: [tf.cast(f["a"], tf.float32), tf.cast(f["pairs"], tf.int32)],
    "Substr": lambda f: tf.strings.substr(f["words"], 0, 1),
    "RegexFullMatch": lambda f: tf.strings.regex_full_match(f["words"], tf.constant("1.")),
    "RegexReplace": lambda f: raw.RegexReplace(input=f["words"], pattern="1", rewrite="q"),
    "LookupTableFindV2": _looked_up,
    "ClipByValue": lambda f: raw.ClipByValue(
        t=f["a"], clip_value_min=np.int64(-2), clip_value_max=np.int64(3)),
    "Select": lambda f: raw.Select(condition=f["a"] > 0, x=f["pairs"], y=-f["pairs"]),
    "SelectV2": lambda f: [tf.where(f["a"] > f["b"], f["a"], f["n"]),
                           tf.where(f["n"] > 1, f["pairs"], 0.5)],
    "Assert": lambda f: _after(raw.Assert(condition=tf.size(f["a"]) < 9, data=[f["a"]]), f["a"]),
    "StridedSlice": lambda f: [f["a"][1:], f["a"][:-1], f["a"][-3:], f["a"][::-1], f["a"][4:0:-2],
                               f["pairs"][1:, 0], f["pairs"][:, ::-1], f["pairs"][::2, tf.newaxis],
                               f["a"][: f["n"]], f["a"][f["n"] :: 2], f["row"][f["n"] :]],
    "StridedSlice of one": lambda f: [tf.concat([f["a"], [5, 6, 7, 8]], 0)[f["n"]],
                                      tf.concat([f["pairs"], [[1.0, 2.0]]], 0)[-1],
                                      tf.concat([f["pairs"], [[1.0, 2.0]]], 0)[0, 1]],
    "Slice": lambda f: [tf.slice(f["a"], [0], [-1]),
                        tf.slice(f["row"], [0], tf.cast(f["n"], tf.int32)[None]),
                        tf.slice(f["a"], [0], tf.maximum(tf.shape(f["a"]) - 1, 0)),
                        tf.slice(f["pairs"], [0, 1], tf.stack([tf.size(f["a"]), 1])),
                        tf.slice(f["pairs"], [0, 0], [-1, -1])],
    "Gather": lambda f: raw.Gather(params=tf.range(20), indices=f["a"] + 9),
    "GatherV2": lambda f: [tf.gather(tf.range(20), f["a"] + 9), tf.gather(f["pairs"], [1], axis=1),
                           tf.gather(f["a"], tf.range(tf.size(f["b"]))),
                           tf.gather(tf.concat([f["a"], f["row"]], 0), [2, 0]),
                           tf.gather(tf.concat([f["a"], [1, 2, 3, 4]], 0), f["n"])],
    "Where": lambda f: [tf.where(f["a"] > 0), tf.where(f["pairs"] > 0)],
    "Where, as a mask": lambda f: tf.boolean_mask(f["words"], f["a"] > 0),
    "Shape": lambda f: [tf.shape(f["a"]), tf.shape(f["pairs"], tf.int64)],
    "ShapeN": lambda f: raw.ShapeN(input=[f["a"], f["b"]]),
    "Size": lambda f: [tf.size(f["words"]), tf.size(f["pairs"])],
    "ExpandDims": lambda f: [tf.expand_dims(f["a"], 1), tf.expand_dims(f["pairs"], -1)],
    "Squeeze": lambda f: tf.squeeze(tf.expand_dims(f["pairs"], 1), [1]),
    "Transpose": lambda f: tf.transpose(tf.stack([f["pairs"], f["pairs"] * 2], 1), [0, 2, 1]),
    "OneHot": lambda f: tf.one_hot(f["a"], 4),
    "Pack": lambda f: tf.stack([f["a"], f["b"], f["a"]], 1),
    "Unpack": lambda f: tf.unstack(f["pairs"], axis=1),
    "ConcatV2": lambda f: [tf.concat([[1], f["a"], f["n"][None], f["b"]], 0),
                           tf.concat([f["pairs"], f["pairs"]], 1),
                           tf.concat([f["pairs"], f["pairs"][1:], [[0.5, 1.5]]], 0)],
    "Concat": lambda f: [raw.Concat(concat_dim=0, values=[f["a"], f["row"]]),
                         raw.Concat(concat_dim=1, values=[f["pairs"], f["pairs"]])],
    "Pad": lambda f: [tf.pad(f["a"], [[1, 2]]), tf.pad(f["words"], [[f["n"], 0]])],
    "PadV2": lambda f: tf.pad(f["a"], [[0, 1]], constant_values=-1),
    "Pad to one length": lambda f: _of_shape(tf.pad(f["a"], [[0, 9 - tf.size(f["a"])]]), [9]),
    "ReverseV2": lambda f: [tf.reverse(f["a"], [0]), tf.reverse(f["pairs"], [1]),
                            tf.reverse(f["pairs"], [0, -1])],
    "Tile": lambda f: [tf.tile(f["n"][None], [tf.size(f["a"])]), tf.tile(f["a"], [2]),
                       tf.tile(f["row"], f["n"][None])],
    "Reshape": lambda f: [tf.reshape(f["pairs"], [-1]), tf.reshape(f["a"], [-1, 1]),
                          tf.reshape(f["a"], tf.shape(f["b"])),
                          tf.reshape(f["pairs"], [tf.size(f["a"]), 1, 2])],
    "Fill": lambda f: [tf.ones(tf.shape(f["a"])), tf.fill(tf.shape(f["a"]), f["n"]),
                       tf.fill(tf.stack([tf.size(f["a"]), 2]), "x")],
    "Range": lambda f: [tf.range(tf.size(f["a"])), tf.range(2, f["n"] + 3, 2)],
    "sequence_mask": lambda f: tf.sequence_mask(f["n"], tf.size(f["a"], tf.int64)),
    "SparseToDense": lambda f: [
        tf.sparse.to_dense(f["sparse"]),
        raw.SparseToDense(sparse_indices=f["sparse"].indices, output_shape=[5],
                          sparse_values=f["sparse"].values, default_value=np.int64(7))],
    "StringSplit": lambda f: _split(partial(raw.StringSplit, delimiter="2"), tf.as_string(f["n"])),
    "StringSplitV2": lambda f: _split(partial(raw.StringSplitV2, sep="2"), tf.as_string(f["n"])),
    "Sum": lambda f: [tf.reduce_sum(f["a"]), tf.reduce_sum(f["a"], keepdims=True),
                      tf.reduce_sum(tf.stack([f["a"], f["b"]], 1), 1)],
    "Max": lambda f: tf.reduce_max(f["a"]),
    "Min": lambda f: tf.reduce_min(f["a"], 0),
    "Any": lambda f: [tf.reduce_any(f["a"] > 5), tf.reduce_any(f["pairs"] > 0, [-1], True)],
    "All": lambda f: tf.reduce_all(f["a"] > -5, keepdims=True),
}  # fmt: skip


KINDS = [tf.int64, tf.float32, tf.bool, tf.string]
"""Of the values that an op is tried on: the first that it takes."""


def _alone(op_type: str) -> Callable[[Any], Any]:
    """An op that treats each value alone: on lists, and on a list and what it meets all along."""
    op = getattr(raw, op_type)
    names = [n for n in inspect.signature(op).parameters if n in ("x", "y", "a", "b")]
    of_text = {"pattern": "1.", "rewrite": "q", "num_buckets": 7, "key": [1, 2]}

    def build(f: Any) -> Any:
        for kind in KINDS:
            a, b, n, one = (_of_kind(t, kind) for t in (f["a"], f["b"], f["n"], [2]))
            pairs = [[a, b], [n, b], [a, one]] if len(names) == 2 else [[a]]
            more = {k: v for k, v in of_text.items() if k in inspect.signature(op).parameters}
            first = next(iter(inspect.signature(op).parameters))
            with contextlib.suppress(TypeError, ValueError):
                return [op(**dict(zip(names or [first], each, strict=True)), **more)
                        for each in pairs]  # fmt: skip
        raise AssertionError(op_type)

    return build


def _of_kind(tensor: Any, kind: Any) -> Any:
    tensor = tf.convert_to_tensor(tensor, tf.int64)
    if kind == tf.string:
        return tf.as_string(tf.abs(tensor))
    if kind == tf.bool:
        return tensor > 0
    return tf.cast(tf.abs(tensor) + 1, kind)


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
    assert_bits(lambda f: [_alone(op_type)(f) for op_type in ALONE[first : first + 8]])


def delivered(fragment: Fragment, records: list[bytes]) -> tuple[list[list[np.ndarray]], Any]:
    """What chunks of five records give of each, and the error of the first that fails."""
    elements = tuple(tf.TensorSpec(t.shape, t.dtype) for t in fragment.outputs)
    piece = Packed.of(in_session(fragment), elements)
    assert isinstance(piece, PackedLists)
    chunks = tf.data.Dataset.from_tensor_slices((records,)).batch(5)
    each = guarded(chunks, piece).unbatch().batch(1).map(piece.batch)
    found: list[list[np.ndarray]] = []
    try:
        found.extend([row[0] for row in batch] for batch in each.as_numpy_iterator())
    except tf.errors.OpError as error:
        return found, error
    return found, None


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
    assert wrong is None or told(error).split("\n")[0].rpartition("Map: ")[2] in told(wrong)
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


class Program:
    """Ops as programs have them between a record and a padded batch, drawn at random."""

    def __init__(self, seed: int, f: dict[str, Any]) -> None:
        self.rng = np.random.default_rng(seed)
        self.lists = [
            f["a"],
            f["b"],
            f["sparse"].values,
            tf.strings.to_number(f["words"], tf.int64),
        ]
        self.numbers = [f["n"], tf.size(f["words"], tf.int64), tf.constant(2, tf.int64)]
        self.others = [f["words"], f["pairs"]]

    def grow(self, steps: int) -> list[Any]:
        """Some of what these steps make, at least one list among it."""
        makers = [self.part, self.shifted, self.joined, self.computed, self.counted, self.told,
                  self.masked, self.moved, self.converted, self.chosen]  # fmt: skip
        for number in self.rng.integers(len(makers), size=steps):
            makers[number]()
        kinds = [self.lists, self.lists, self.numbers, self.others]
        return [self.lists[-1], *map(self.any, kinds)]

    def any(self, of: list[Any]) -> Any:
        """One of them, rather a late one."""
        return of[-1 - int(self.rng.integers(min(len(of), 4)))]

    def number(self) -> Any:
        """One that every example has, or one of its own."""
        return int(self.rng.integers(-3, 5)) if self.rng.random() < 0.5 else self.any(self.numbers)

    def part(self) -> None:
        step = int(self.rng.choice([1, 1, 1, 2, -1, -2]))
        of = self.any([self.lists, self.others])
        of.append(self.any(of)[self.number() : self.number() : step])

    def shifted(self) -> None:
        steps = self.any(self.lists)
        length = tf.maximum(tf.shape(steps) - 1, 0)
        self.lists += [tf.slice(steps, [0], length), steps[1:], tf.ones(length, tf.int64)]

    def joined(self) -> None:
        parts = [[7], self.any(self.lists), self.any(self.numbers)[None], self.any(self.lists)]
        self.lists.append(tf.concat([parts[n] for n in self.rng.permutation(4)], 0))

    def computed(self) -> None:
        op = [tf.add, tf.multiply, tf.maximum, tf.subtract][int(self.rng.integers(4))]
        steps = self.any(self.lists)
        self.lists.append(op(steps, self.number()))
        self.lists.append(op(steps, tf.reverse(steps, [0])))

    def counted(self) -> None:
        steps = self.any(self.lists)
        mask = tf.sequence_mask(self.any(self.numbers), tf.size(steps, tf.int64))
        self.lists += [tf.cast(mask, tf.int64), tf.range(tf.size(steps, tf.int64))]

    def told(self) -> None:
        steps = self.any(self.lists)
        self.numbers += [tf.size(steps, tf.int64), tf.reduce_sum(steps),
                         tf.shape(self.any(self.others), tf.int64)[0]]  # fmt: skip

    def masked(self) -> None:
        steps = self.any(self.lists)
        self.lists += [tf.boolean_mask(steps, steps > self.number()),
                       tf.where(steps > 0, steps, -steps)]  # fmt: skip

    def moved(self) -> None:
        steps = self.any(self.lists)
        paddings = [[int(self.rng.integers(3)), tf.abs(self.any(self.numbers)) % 4]]
        self.lists += [tf.reverse(steps, [0]), tf.pad(steps, paddings),
                       tf.reshape(tf.stack([steps, steps], 1), [-1])]  # fmt: skip

    def converted(self) -> None:
        self.others += [tf.as_string(self.any(self.lists)),
                        tf.cast(self.any(self.lists), tf.float32)[:, tf.newaxis] / 3.0]  # fmt: skip

    def chosen(self) -> None:
        steps = self.any(self.lists)
        self.lists.append(tf.gather(steps, tf.range(tf.size(steps) // 2)))
        self.numbers.append(steps[self.number()])  # not every example has it


@pytest.mark.parametrize("seed", range(8))
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


@pytest.mark.usefixtures("shapes_of_then")
def test_the_rules_fit_in_programs_whose_sizes_are_no_numbers() -> None:
    for number, name in enumerate(CASES):
        with tf.Graph().as_default():
            fragment = fragment_of(CASES[name])
            (piece,) = vectorise(fragment)
            assert isinstance(piece, Chunked), name
            if number % 4 == 0:
                piece.call(tf.constant(RECORDS))


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
