"""Every rule gives, row by row, the bits that the user's graph gives for each example."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from queueio.compile.in_session import in_session
from queueio.compile.pipeline import map_chunks
from queueio.compile.rules import RULES
from queueio.compile.rules import elementwise as e
from tests.compile.fragments import (
    ROWS,
    Build,
    at_once,
    floats,
    fragment_of,
    integers,
    one_by_one,
    same_bits,
    strings,
)

raw = tf.raw_ops
NUMBERS = [b"1", b"-2.5", b"1e-3", b"nan", b" 7 "]
WORDS = [b"", b"Ab c", b"xyz", b"  pad ", b"\xff\x00"]
BOOLS = integers(3, low=0, high=2).astype(bool)
LINES = strings([b"1,2.5,a", b"-3,,b", b'7,1e9,"x,y"'])


def _example(i: int) -> bytes:
    example = tf.train.Example()
    example.features.feature["image"].bytes_list.value.append(bytes([i, 2, 3, 4]))
    if i % 2:
        example.features.feature["label"].int64_list.value.append(i)
    return example.SerializeToString()


EXAMPLES = np.array([_example(i) for i in range(9)], dtype=object)
FEATURES = {
    "image": tf.io.FixedLenFeature([], tf.string),
    "label": tf.io.FixedLenFeature([], tf.int64, default_value=-1),
}


def _v1_parse(record: tf.Tensor) -> Any:
    return raw.ParseSingleExample(
        serialized=record, dense_defaults=[tf.zeros([0], tf.string), tf.constant([-1], tf.int64)],
        num_sparse=0, sparse_keys=[], dense_keys=["image", "label"], sparse_types=[],
        dense_shapes=[[], [1]],
    ).dense_values  # fmt: skip


def _table(keys: tf.Tensor) -> tf.Tensor:
    pairs = tf.lookup.KeyValueTensorInitializer([b"xyz", b"Ab c"], tf.constant([5, 6], tf.int64))
    return tf.lookup.StaticHashTable(pairs, -1).lookup(keys)


def _assert(x: tf.Tensor) -> tf.Tensor:
    with tf.control_dependencies([raw.Assert(condition=tf.less(x[0], 1000), data=[x])]):
        return tf.identity(x)


def _of_three(split: Any) -> list[tf.Tensor]:
    places, values, shape = split
    return [tf.reshape(values, [3]), *tf.unstack(tf.strings.upper(values), 3), places, shape]


def _three_words(text: tf.Tensor) -> tf.Tensor:
    return tf.reshape(raw.StringSplitV2(input=text[None], sep=" ").values, [3])


def _unary(name: str, attrs: dict[str, Any] | None = None) -> Build:
    def build(x: tf.Tensor) -> Any:
        op_def = getattr(raw, name)
        first = {"StringLower": "input", "AsString": "input"}.get(name)
        names = [first] if first else ["x", "input", "tensor", "features", "string_tensor"]
        for arg in names:
            try:
                return op_def(**{arg: x}, **(attrs or {}))
            except TypeError:
                continue
        raise AssertionError(f"{name} takes none of {names}")

    return build


def _binary(name: str) -> Build:
    return lambda x, y: getattr(raw, name)(x=x, y=y)


def _shared(name: str) -> Build:
    def build(x: tf.Tensor) -> Any:
        return getattr(raw, name)(x=x, y=tf.cast(tf.reshape(tf.range(1, 5), [4, 1]), x.dtype))

    return build


PAIR = [floats(2, 4, 16), floats(16, seed=3)]
INTS = [integers(2, 3), integers(3, low=1, high=7)]
_LOGICAL_UNARY = {"LogicalNot": [BOOLS]}
_INT_UNARY = {"Invert": [integers(3)]}
_INT_BINARY = {"BitwiseAnd", "BitwiseOr", "BitwiseXor", "LeftShift", "RightShift", "Mod",
               "TruncateDiv", "TruncateMod"}  # fmt: skip
_BOOL_BINARY = {"LogicalAnd", "LogicalOr"}
_ATTRS: dict[str, dict[str, Any]] = {
    "Bitcast": {"type": tf.int32}, "CheckNumerics": {"message": "m"},
    "StaticRegexFullMatch": {"pattern": "[a-z]+"},
    "StaticRegexReplace": {"pattern": "[a-z]", "rewrite": "_"},
    "StringToHashBucket": {"num_buckets": 7}, "StringToHashBucketFast": {"num_buckets": 7},
    "StringToHashBucketStrong": {"num_buckets": 7, "key": [1, 2]},
}  # fmt: skip
_TEXT = {"StringToNumber": NUMBERS, "DecodeBase64": [b"YWI", b""]}


def _cases() -> dict[str, tuple[Build, list[np.ndarray]]]:
    cases: dict[str, tuple[Build, list[np.ndarray]]] = {}
    for name in e.EXACT_UNARY:
        rows = _LOGICAL_UNARY.get(name) or _INT_UNARY.get(name) or [floats(3)]
        if name == "CheckNumerics":
            rows = [np.nan_to_num(floats(3))]
        cases[name] = (_unary(name, _ATTRS.get(name)), rows)
    for name in e.STRINGS:
        rows = [integers(3)] if name == "AsString" else [strings(_TEXT.get(name, WORDS), 3)]
        cases[name] = (_unary(name, _ATTRS.get(name)), rows)
    for name in e.ROUNDED_UNARY:
        cases[name] = (_unary(name), [floats(4, 16)])
    for name in (*e.EXACT_BINARY, *e.ROUNDED_BINARY):
        rows = PAIR
        if name in _INT_BINARY:
            rows = INTS
        if name in _BOOL_BINARY:
            rows = [BOOLS, BOOLS[:, ::-1]]
        cases[name] = (_binary(name), rows)
    for name in ("AddV2", "Mul", "Sub", "Less"):
        cases[f"{name} with a shared operand"] = (_shared(name), [floats(3)])
    return cases | _layout_cases() | _other_cases()


def _layout_cases() -> dict[str, tuple[Build, list[np.ndarray]]]:
    image = [integers(3, 4, 5, high=100, dtype=np.int32)]
    return {
        "Reshape": (lambda x: tf.reshape(x, [-1, 2]), image),
        "ExpandDims": (lambda x: [tf.expand_dims(x, a) for a in (0, 1, -1)], image),
        "Squeeze": (lambda x: [tf.squeeze(x), tf.squeeze(x, [0]), tf.squeeze(x, [-2])],
                    [floats(1, 3, 1, 2)]),
        "Transpose": (lambda x: tf.transpose(x, [2, 0, 1]), image),
        "Pad": (lambda x: raw.Pad(input=x, paddings=[[1, 0], [0, 2], [0, 0]]), image),
        "PadV2": (lambda x: tf.pad(x, [[1, 0], [0, 2], [0, 0]], constant_values=7), image),
        "MirrorPad": (lambda x: tf.pad(x, [[1, 1], [0, 2], [0, 0]], "REFLECT"), image),
        "Tile": (lambda x: tf.tile(x, [2, 1, 3]), image),
        "BroadcastTo": (lambda x: tf.broadcast_to(x, [2, 3]), [floats(3)]),
        "ReverseV2": (lambda x: [tf.reverse(x, a) for a in ([0, -1], [0], [1], [-1], [-2])], image),
        "ConcatV2": (lambda x: [tf.concat([x, tf.ones_like(x[:1]), [[[9] * 5] * 4]], 0),
                                tf.concat([x, x], -1)], image),
        "Concat": (lambda x: raw.Concat(concat_dim=1, values=[x, x]), image),
        "Pack": (lambda x: [tf.stack([x, x], 1), tf.stack([x, tf.zeros([3, 4, 5], tf.int32)], -1)],
                 image),
        "Unpack": (lambda x: [*tf.unstack(x, axis=1), *tf.unstack(x, axis=-1)], image),
        "Split": (lambda x: tf.split(x, 2, axis=1), image),
        "SplitV": (lambda x: tf.split(x, [1, 4], axis=-1), image),
        "Slice": (lambda x: tf.slice(x, [1, 0, 2], [2, -1, 3]), image),
        "Slice at each example's offset": (
            lambda x, at: tf.slice(x, tf.stack([at, 0, at]), [2, 4, 3]),
            [*image, integers(low=0, high=2)]),
        "StridedSlice": (lambda x: [x[0], x[..., 1], x[::-2, tf.newaxis, 1:3], x[-1, :, 0]], image),
    }  # fmt: skip


ODD = np.array([0, np.nan, -0.0, 1, np.inf, 0, -np.nan, -np.inf, -0.0, 2, 3], np.float32)


def floats_without_oddities(*shape: int) -> np.ndarray:
    return np.random.default_rng(6).normal(0, 30, (9, *shape)).astype(np.float32)


def _other_cases() -> dict[str, tuple[Build, list[np.ndarray]]]:
    image = [integers(3, 4, high=100)]
    near = integers(2, low=0, high=3)
    chosen = integers(low=0, high=2).astype(bool)
    return {
        "Cast": (lambda x: [tf.cast(x, t) for t in (tf.float64, tf.half, tf.int32, tf.int64)],
                 [np.nan_to_num(floats(3)) / np.float32(1e30)]),
        "Cast of bytes": (lambda x: tf.cast(x, tf.float32), [integers(5, low=0, dtype=np.uint8)]),
        "Div": (_binary("Div"), PAIR),
        "RealDiv": (lambda x, y: [x / y, x / 255.0, x / tf.range(1.0, 17.0)], PAIR),
        "AddN": (lambda x: [tf.add_n([x, tf.constant(ODD[3:6])]), tf.add_n([[0.1, 2, -0.0], x])],
                 [floats(3)]),
        "Equal": (_binary("Equal"), PAIR),
        "NotEqual": (_binary("NotEqual"), PAIR),
        "Maximum": (_binary("Maximum"), PAIR),
        "Minimum": (_binary("Minimum"), PAIR),
        "extremes of scalars": (
            lambda x: [tf.maximum(x, 0.5), tf.minimum(2.0, x), tf.maximum(x, x + 1)],
            [floats_without_oddities()]),
        "extremes where vector and scalar instructions may disagree": (
            lambda x: [tf.maximum(x, 0.5), tf.minimum(-x, x), tf.maximum(-0.0, x),
                       tf.maximum(x[:1], tf.fill([2, 3], np.nan)), tf.minimum(x * 0, x[2] * -0.0)],
            [np.stack([np.roll(ODD, n)[:3] for n in range(9)])]),
        "ClipByValue": (lambda x: raw.ClipByValue(t=x, clip_value_min=-1.0, clip_value_max=2.0),
                        [floats(16)]),
        "RegexFullMatch": (lambda x: tf.strings.regex_full_match(x, tf.constant("[a-z]+")),
                           [strings(WORDS, 3)]),
        "RegexReplace": (lambda x: raw.RegexReplace(input=x, pattern="b", rewrite="q"),
                         [strings(WORDS)]),
        "LookupTableFindV2": (_table, [strings(WORDS, 2)]),
        "Substr": (lambda x: tf.strings.substr(x, 0, 2), [strings(WORDS, 2)]),
        "Gather": (lambda i: raw.Gather(params=tf.constant([5, 6, 7]), indices=i), [near]),
        "GatherV2": (lambda x, i: [tf.gather([[5, 6], [7, 8], [9, 1]], i),
                                   tf.gather(x, [0, 2], axis=1),
                                   tf.gather(x, i, axis=0), tf.gather(x, i, axis=1)],
                     [image[0], near]),
        "GatherNd": (lambda i: tf.gather_nd([[1, 2, 3], [4, 5, 6], [7, 8, 9]], i), [near]),
        "Sum": (lambda x: [tf.reduce_sum(x), tf.reduce_sum(x, -1, keepdims=True)], image),
        "Sum of floats": (lambda x: [tf.reduce_sum(x), tf.reduce_sum(x, [2, 0, -2], keepdims=True)],
                          [floats(24, 24, 3)]),
        "Sum of few floats": (tf.reduce_sum, [floats(3)]),
        "Sum of doubles": (lambda x: tf.reduce_sum(tf.cast(x, tf.float64)), [floats(5, 7)]),
        "Mean": (lambda x: [tf.reduce_mean(x), tf.reduce_mean(x[:5, :7]),
                            tf.reduce_mean(tf.square(x[0]))], [floats(127, 128, 1)]),
        "Prod": (lambda x: tf.reduce_prod(x, 0), image),
        "Max": (lambda x: tf.reduce_max(x, [0, 1]), image),
        "Min": (lambda x: tf.reduce_min(x, 1), image),
        "Any": (lambda x: tf.reduce_any(x > 0, 0), image),
        "All": (lambda x: tf.reduce_all(x > 0), image),
        "ArgMax": (lambda x: [tf.argmax(x, 0), tf.argmax(x, -1)], image),
        "ArgMin": (lambda x: tf.argmin(x, 1), image),
        "StringJoin": (lambda x, y: [tf.strings.join([x, "-", y, x], ":"),
                                     tf.strings.join([x[0], y[2]])],
                       [strings(WORDS, 3), strings(NUMBERS, 3)]),
        "SelectV2": (lambda c, x: [tf.where(c, x, tf.zeros_like(x[:1])), tf.where(c, x, -x),
                                   tf.where(c, x[0, 0], x[1, 1])], [chosen, image[0]]),
        "SelectV2 of large examples": (
            lambda c, b, f: [tf.where(c, b, b[::-1]), tf.where(c, f, -f),
                             tf.where(c, f[:9], f[2:])],
            [chosen, integers(4, 25, 8, low=0, dtype=np.uint8), floats(11, 16)]),
        "Select": (lambda c, x: [raw.Select(condition=c, x=x, y=-x),
                                 raw.Select(condition=x[:, 0] > 0, x=x, y=-x)],
                   [chosen, image[0]]),
        "OneHot": (lambda x: [tf.one_hot(x, 4), tf.one_hot(x, 4, axis=0)], [near]),
        "Assert": (_assert, [near]),
        "DecodeRaw": (lambda x: [tf.io.decode_raw(x, tf.int16),
                                 tf.io.decode_raw(x, tf.int16, little_endian=False)],
                      [strings([b"abcd", b"\x00\xff12"])]),
        "DecodePaddedRaw": (lambda x: tf.io.decode_raw(x, tf.uint8, fixed_length=6),
                            [strings([b"abcd", b"", b"123456789"])]),
        "DecodeCSV": (lambda x: tf.io.decode_csv(x, [[0], [1.5], ["d"]]), [LINES]),
        "DecodeJSONExample": (lambda x: raw.DecodeJSONExample(json_examples=x), [strings([b"{}"])]),
        "DecodeCompressed": (lambda x: tf.io.decode_compressed(x, ""), [strings(WORDS)]),
        "ParseSingleExample": (_v1_parse, [EXAMPLES[1::2]]),
        "ParseExampleV2": (lambda x: list(tf.io.parse_single_example(x, FEATURES).values()),
                           [EXAMPLES]),
        "StringSplit": (lambda x: [*_of_three(raw.StringSplit(input=x[None], delimiter=", ")),
                                   *_of_three(raw.StringSplit(input=x[None], delimiter=";",
                                                              skip_empty=False))],
                        [strings([b"a;, b;,c", b"x;,y;, z", b" ;1,;, 2"])]),
        "StringSplitV2": (lambda x: _of_three(raw.StringSplitV2(input=x[None], sep=", ")),
                          [strings([b"a, b, c", b", , ", b"1,2, 3, \xff\x00"])]),
        "ResizeBilinear": (lambda x: tf.compat.v1.image.resize_images(x, [7, 3]),
                           [integers(5, 4, 3, low=0, dtype=np.uint8)]),
        "ResizeNearestNeighbor": (lambda x: raw.ResizeNearestNeighbor(images=x[None], size=[7, 3]),
                                  [integers(5, 4, 3, low=0, dtype=np.uint8)]),
        "AdjustContrastv2": (
            lambda x, f: [raw.AdjustContrastv2(images=x, contrast_factor=f),
                          raw.AdjustContrastv2(images=x, contrast_factor=0.7)],
            [floats_without_oddities(9, 7, 3), floats_without_oddities()]),
        "AdjustContrastv2 of what is no number": (
            lambda x, f: raw.AdjustContrastv2(images=x, contrast_factor=f),
            [np.stack([np.resize(np.roll(ODD, n), [3, 4, 3]) for n in range(9)]),
             floats_without_oddities()]),
        "shapes that the graph knows": (
            lambda x: [tf.reshape(x, tf.reverse(tf.shape(x), [0])), tf.size(x) + x, tf.zeros([2])],
            image),
        "an input handed on": (lambda x: [x, x], image),
    }  # fmt: skip


CASES = _cases()
BY_COUNTER = {
    "StatelessRandomNormalV2",
    "StatelessRandomUniformIntV2",
    "StatelessRandomUniformV2",
    "StatelessTruncatedNormalV2",
}  # test_numbered_draws.py
DRAWS = {"RandomUniform", "RandomUniformInt", "RandomStandardNormal", "TruncatedNormal"}


@pytest.mark.parametrize("name", CASES)
def test_a_chunk_gives_each_example_the_bits_of_its_own_run(name: str) -> None:
    build, rows = CASES[name]
    with tf.Graph().as_default():
        fragment = fragment_of(build, rows)
        expected = one_by_one(fragment, rows)
        got = at_once(fragment, rows)
    for i, example in enumerate(expected):
        for component, (want, have) in enumerate(zip(example, got, strict=True)):
            assert same_bits(want, have[i]), (i, component, want, have[i])


_COMPLEX: dict[str, Callable[..., Any]] = {
    "products": lambda x, y: [x * y, x * x, tf.square(x), tf.math.squared_difference(x, y)],
    "quotients": lambda x, y: [x / y, x / (0.5 - 2j), tf.math.divide_no_nan(x, y)],
    "roots and powers": lambda x, y: [tf.sqrt(x), tf.exp(x), tf.math.log(y), tf.sign(y)],
    "sums": lambda x, y: [x + y, x - y, -x, tf.equal(x, y)],
}


def test_the_larger_of_two_keeps_subnormal_numbers_of_bfloat16() -> None:
    bits = np.array([0, 0x8000, 1, 0x8001, 0x40, 0x807F, 0x3F80, 0xBF80], np.uint16)
    rows = [np.random.default_rng(seed).choice(bits, (ROWS, 6)) for seed in (1, 2)]

    def build(x: tf.Tensor, y: tf.Tensor) -> Any:
        x, y = tf.bitcast(x, tf.bfloat16), tf.bitcast(y, tf.bfloat16)
        return [tf.maximum(x, y), tf.minimum(x, y), tf.maximum(x, tf.constant(-1, tf.bfloat16))]

    compare_in_a_chunk(build, rows)


@pytest.mark.parametrize("size", [3, 16])
@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
@pytest.mark.parametrize("name", _COMPLEX)
def test_complex_numbers_have_the_bits_that_a_session_gives_them(
    name: str, dtype: Any, size: int
) -> None:
    rows = [floats(2 * size, seed=n).view(np.complex64).astype(dtype) for n in (1, 2)]
    compare_in_a_chunk(_COMPLEX[name], rows)


def compare_in_a_chunk(build: Build, rows: list[np.ndarray]) -> None:
    """What need not vectorise as a whole, on a chunk against each example in a session."""
    with tf.Graph().as_default():
        fragment = fragment_of(build, rows)
        expected = one_by_one(fragment, rows)
        fragment = in_session(fragment)
    (got,) = map_chunks(tf.data.Dataset.from_tensor_slices(tuple(rows)).batch(ROWS), fragment)
    for i, example in enumerate(expected):
        for component, (want, have) in enumerate(zip(example, got, strict=True)):
            assert same_bits(want, have[i].numpy()), (i, component, want, have[i])


def test_a_place_or_pattern_of_each_example_is_met_by_one_text_as_in_a_session() -> None:
    places, patterns = integers(low=0, high=5), strings([b"a", b"[b-d]", b"."])
    compare_in_a_chunk(lambda n: tf.strings.substr("abcdefg", n, 2), [places])
    compare_in_a_chunk(lambda n: tf.strings.substr("abcdefg", 1, n), [places])
    compare_in_a_chunk(lambda p: tf.strings.regex_replace("abcd", p, "_"), [patterns])


@pytest.mark.parametrize("size", [2049, 4097, 6001, 8193, 12288, 12345])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_sum_that_is_added_up_in_parts_has_the_bits_of_a_session(dtype: Any, size: int) -> None:
    rows = [np.random.default_rng(5).normal(size=(ROWS, size)).astype(dtype)]
    compare_in_a_chunk(lambda x: [tf.reduce_sum(x), tf.reduce_mean(x)], rows)


def test_no_rule_goes_untested() -> None:
    assert set(RULES) - set(CASES) - DRAWS - BY_COUNTER == set()


@pytest.mark.parametrize("words", [[b"a b c", b"d e f g", b"h i"], [b"a b c", b"d e f", b"g h"]])
def test_a_chunk_of_texts_in_other_numbers_of_parts_fails(words: list[bytes]) -> None:
    rows = [strings(words)]
    with tf.Graph().as_default(), pytest.raises(tf.errors.InvalidArgumentError):
        at_once(fragment_of(_three_words, rows), rows)


@pytest.mark.parametrize("op_type", sorted(DRAWS))
def test_unseeded_draws_differ_between_the_examples_of_a_chunk(op_type: str) -> None:
    attrs: dict[str, Any] = {"shape": [3]}
    attrs |= (
        {"minval": 0, "maxval": 10**6} if op_type == "RandomUniformInt" else {"dtype": tf.float32}
    )
    with tf.Graph().as_default():
        rows = [floats(3)]
        fragment = fragment_of(lambda x: getattr(raw, op_type)(**attrs), rows)
        (got,) = at_once(fragment, rows)
    assert len(np.unique(got)) > len(rows[0])
