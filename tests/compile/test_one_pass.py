"""What the op in C transposes and scales has the bits that TensorFlow's ops give."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from queueio.compile.kernels import native
from queueio.compile.one_pass import chains
from queueio.compile.vectorise import Chunked, vectorise
from queueio.graph.fragment import Fragment
from tests.turns import by_turns

v1 = tf.compat.v1
pytestmark = pytest.mark.skipif(not native.moves(), reason="it was built without a compiler")
TYPES = (tf.bool, tf.uint8, tf.int8, tf.int16, tf.uint16, tf.float16, tf.bfloat16, tf.int32,
         tf.float32, tf.int64, tf.float64, tf.complex64, tf.complex128)  # fmt: skip
AS_WRITTEN = v1.ConfigProto()  # a fragment was rewritten before
AS_WRITTEN.graph_options.rewrite_options.disable_meta_optimizer = True
AS_WRITTEN.graph_options.optimizer_options.opt_level = -1
ODD = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-45, -1e-40, 3e38, 1.1754944e-38], np.float32)


def values_of(rng: np.random.Generator, dtype: tf.DType, shape: list[int]) -> np.ndarray:
    made = np.frombuffer(rng.bytes(int(np.prod(shape)) * dtype.size), np.uint8)
    if dtype == tf.bool:
        return (made > 127).reshape(shape)
    made = made.view(dtype.as_numpy_dtype).reshape(shape).copy()
    if dtype == tf.float32:
        odd = rng.random(shape) < 0.3
        made[odd] = rng.choice(ODD, int(odd.sum()))
    return made


def arithmetic(rng: np.random.Generator, value: tf.Tensor) -> tf.Tensor:
    number = tf.constant(rng.choice([*ODD, 1 / 255, 255.0, -0.5, 3.0]), tf.float32)
    kind = rng.integers(8)
    raw = tf.raw_ops
    return [
        lambda: value * number, lambda: number * value, lambda: value / number,
        lambda: raw.Div(x=value, y=number), lambda: value + number, lambda: number + value,
        lambda: value - number, lambda: number - value,
    ][kind]()  # fmt: skip


def part_of(rng: np.random.Generator, value: tf.Tensor) -> tf.Tensor:
    """Some of a vector, by one of the ways to say so."""
    length = int(value.shape[0])
    begin, end = sorted(int(n) for n in rng.integers(0, length + 1, 2))
    below = begin - length
    return [
        lambda: value[begin:end], lambda: value[begin:], lambda: value[:end], lambda: value[below:],
        lambda: tf.slice(value, [begin], [end - begin]), lambda: tf.slice(value, [begin], [-1]),
        lambda: tf.strided_slice(value, [begin], [end]), lambda: value[begin:end:2],
        lambda: value[below - length : end], lambda: value[:: -1],
        lambda: tf.strided_slice(value, [begin], [end], begin_mask=1),
        lambda: value[min(begin, length - 1)][tf.newaxis],
    ][rng.integers(12)]()  # fmt: skip


def taken_apart(rng: np.random.Generator) -> Fragment:
    """Records cast as a whole or not, whose parts become images, labels and whatever else."""
    sides = [int(n) for n in rng.choice([1, 2, 3, 5, 8, 9], 3)]
    before, after = (int(n) for n in rng.integers(0, 5, 2))
    length = before + int(np.prod(sides)) + after
    with tf.Graph().as_default():
        value = given = v1.placeholder(tf.uint8, [length])
        if rng.random() < 0.5:
            value = tf.cast(value, tf.float32)
            value = arithmetic(rng, value) if rng.random() < 0.3 else value
        image = tf.reshape(value[before : length - after], sides)
        if rng.random() < 0.7:
            image = tf.transpose(image, rng.permutation(3))
        image = tf.cast(image, tf.float32)
        image = arithmetic(rng, image) if rng.random() < 0.5 else image
        wanted = [image if rng.random() < 0.7 else tf.reshape(image, [-1])]
        for _ in range(rng.integers(0, 3)):
            part = part_of(rng, value)
            wanted.append(tf.cast(part, tf.int32) if rng.random() < 0.5 else part)
        if rng.random() < 0.2:
            wanted.append(value)
        return Fragment.between([given], wanted)


def program(rng: np.random.Generator) -> Fragment:
    """Random casts, transpositions and arithmetic, of which some in between are wanted too."""
    if rng.random() < 0.5:
        return taken_apart(rng)
    shape = [int(n) for n in rng.choice([1, 2, 3, 4, 5, 8, 9, 17], int(rng.integers(2, 5)))]
    with tf.Graph().as_default():
        dtype = TYPES[rng.integers(len(TYPES))] if rng.random() < 0.4 else tf.uint8
        value = given = v1.placeholder(dtype, shape)
        wanted = []
        for _ in range(rng.integers(1, 7)):
            kind = rng.integers(3)
            if kind == 0:
                value = tf.transpose(value, rng.permutation(len(shape)))
            elif kind == 1 and value.dtype == tf.uint8:
                value = tf.cast(value, tf.float32)
            elif value.dtype == tf.float32:
                value = arithmetic(rng, value)
            if rng.random() < 0.15:
                wanted.append(value)
        return Fragment.between([given], [value, *wanted])


def made_of(fragment: Fragment, chunk: np.ndarray) -> list[np.ndarray]:
    (piece,) = vectorise(fragment)
    assert isinstance(piece, Chunked)
    with tf.Graph().as_default(), v1.Session(config=AS_WRITTEN) as session:
        given = v1.placeholder(chunk.dtype, [None, *chunk.shape[1:]])
        made: list[np.ndarray] = session.run(list(piece.call(given)), {given: chunk})
        return made


@pytest.mark.parametrize("seed", by_turns(range(24)))
def test_any_chain_gives_the_bits_of_the_ops_that_it_stands_for(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(5):
        fragment = program(rng)
        (given,) = fragment.inputs
        for rows in (0, 1, 3):
            chunk = values_of(rng, given.dtype, [rows, *given.shape])
            ours = made_of(fragment, chunk)
            with native.left_out():
                assert not chains(fragment)
                theirs = made_of(fragment, chunk)
            for one, other in zip(ours, theirs, strict=True):
                assert (one.dtype, one.shape) == (other.dtype, other.shape)
                np.testing.assert_array_equal(_bits(one), _bits(other))


def _bits(array: np.ndarray) -> np.ndarray:
    """Its bytes; of what is no number, that it is none."""
    if array.dtype.kind not in "fc":
        return np.ascontiguousarray(array).view(np.uint8)
    return np.where(np.isnan(array), array.dtype.type(0), array).view(np.uint8)


def chain_of(make: Any, shape: list[int], dtype: tf.DType = tf.uint8) -> list[list[str]]:
    with tf.Graph().as_default():
        given = v1.placeholder(dtype, shape)
        made = make(given)
        fragment = Fragment.between([given], made if isinstance(made, list) else [made])
    return [[op.type for op in chain.ops] for chain in chains(fragment).values()]


def test_bytes_transposed_made_floats_and_scaled_are_one_op_in_either_order() -> None:
    def last(image: tf.Tensor) -> tf.Tensor:
        return (tf.cast(tf.transpose(image, [1, 2, 0]), tf.float32) - 127.5) / 128.0

    def first(image: tf.Tensor) -> tf.Tensor:
        return tf.transpose(tf.cast(image, tf.float32) * (1 / 255), [1, 2, 0])

    assert chain_of(last, [3, 8, 8]) == [["Transpose", "Cast", "Sub", "RealDiv"]]
    assert chain_of(first, [3, 8, 8]) == [["Cast", "Mul", "Transpose"]]


def test_parts_of_a_record_are_cast_and_not_the_whole_of_it() -> None:
    def apart(record: tf.Tensor) -> list[tf.Tensor]:
        numbers = tf.cast(record, tf.float32)
        image = tf.transpose(tf.reshape(numbers[1:193], [3, 8, 8]), [1, 2, 0]) / 255.0
        return [image, tf.cast(numbers[0], tf.int64)]

    def turned(record: tf.Tensor) -> tf.Tensor:
        return tf.transpose(tf.reshape(record[1:], [3, 8, 8]), [1, 2, 0])

    image = ["Cast", "StridedSlice", "Reshape", "Transpose", "RealDiv"]
    assert sorted(chain_of(apart, [193])) == [["Cast", "StridedSlice"], image]
    assert chain_of(turned, [193]) == [["StridedSlice", "Reshape", "Transpose"]]


def test_what_is_wanted_in_between_is_made_once() -> None:
    def both(image: tf.Tensor) -> list[tf.Tensor]:
        floats = tf.cast(tf.transpose(image, [1, 2, 0]), tf.float32)
        return [floats, floats * (1 / 255)]

    def twice(image: tf.Tensor) -> list[tf.Tensor]:
        floats = tf.cast(tf.transpose(image, [1, 2, 0]), tf.float32)
        return [floats * (1 / 255), floats - 0.5]

    assert chain_of(both, [3, 8, 8]) == [["Transpose", "Cast"]]
    assert chain_of(twice, [3, 8, 8]) == [["Transpose", "Cast"]]


def test_few_numbers_and_single_passes_are_left_to_tensorflow() -> None:
    assert not chain_of(lambda x: tf.cast(x, tf.float32) * 2.0 - 1.0, [5])
    assert not chain_of(lambda x: tf.cast(x, tf.float32), [784])
    assert not chain_of(lambda x: x * 2.0, [784], tf.float32)
    assert not chain_of(lambda x: tf.transpose(x, [2, 1, 0]), [8, 8, 3])


@pytest.mark.parametrize(
    ("sides", "shape", "kinds", "factors"),
    [
        ([2, 3, 1], [7], [], []),
        ([2, 3], [6], [], []),
        ([4, 2, 1], [6], [], []),
        ([0, 3, 1], [6], [], []),
        ([-2, -3, 1], [6], [], []),
        ([1 << 62, 4, 1], [6], [], []),
        ([2, 3, 1], [-6], [], []),
        ([2, 3, 1], [1 << 62, 8], [], []),
        ([2, 3, 1], [6], [1], []),
        ([2, 3, 1], [6], [0], [1.0]),
        ([2, 3, 1], [6], [5], [1.0]),
    ],
)
def test_arguments_that_do_not_go_together_are_refused(
    sides: list[int], shape: list[int], kinds: list[int], factors: list[float]
) -> None:
    values = tf.zeros([6], tf.uint8)
    numbers = [tf.constant(n, tf.int64, [len(n)]) for n in (shape, [0, 0], sides, kinds)]
    with pytest.raises(tf.errors.InvalidArgumentError, match="that go together"):
        native._moved()(values, *numbers, tf.constant(factors, tf.float32), D=tf.float32)


@pytest.mark.parametrize(
    ("part", "shape"),
    [
        ([0], [6]), ([0, 0, 0], [6]), ([1, 6], [6]), ([-1, 6], [3]), ([0, -6], [6]), ([0, 4], [4]),
        ([2, 3], [4]), ([3, 3], [2]), ([0, 7], [6]), ([2**63 - 1, 3], [2]), ([0, 3], [3]),
        ([0, 0], [3]),
    ],
)  # fmt: skip
def test_parts_that_no_row_has_are_refused(part: list[int], shape: list[int]) -> None:
    values, one = tf.zeros([6], tf.uint8), [1, 1, 1]
    numbers = [tf.constant(n, tf.int64, [len(n)]) for n in (shape, part, one, [])]
    with pytest.raises(tf.errors.InvalidArgumentError, match="that go together"):
        native._moved()(values, *numbers, tf.constant([], tf.float32), D=tf.uint8)


def test_types_that_it_cannot_move_are_refused() -> None:
    one = tf.constant([1, 1, 1], tf.int64)
    whole, none = tf.constant([0, 0], tf.int64), tf.constant([], tf.int64)
    for values in (tf.constant(["text"]), tf.zeros([1], tf.complex128)):
        with pytest.raises(tf.errors.InvalidArgumentError, match="that go together"):
            factors = tf.constant([], tf.float32)
            native._moved()(values, one[:1], whole, one, none, factors, D=values.dtype)
