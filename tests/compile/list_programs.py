"""Programs that make lists of any length of a record: one for each rule, and drawn at random."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import tensorflow as tf

from queueio.graph.fragment import Fragment

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


def alone(op_type: str) -> Callable[[Any], Any]:
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
