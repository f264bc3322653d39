"""A fragment in pieces gives what it gives whole, and fails at the record that is bad."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import queueio
from queueio import io, train
from queueio.compile.cut import cheapest_cut
from queueio.compile.entry import bytes_entry
from queueio.compile.in_session import in_session
from queueio.compile.pipeline import map_chunks
from queueio.compile.vectorise import Chunked, PerExample, vectorise
from queueio.graph.fragment import Fragment

v1 = tf.compat.v1


def record() -> tf.Tensor:
    return v1.placeholder(tf.string, [], name="record")


def chunks_of(rows: list[bytes], size: int) -> tf.data.Dataset:
    return tf.data.Dataset.zip((tf.data.Dataset.from_tensor_slices(rows).batch(size),))


def run(fragment: Fragment, rows: list[bytes]) -> list[list[Any]]:
    with v1.Session(graph=fragment.graph) as session:
        return [session.run(list(fragment.outputs), {fragment.inputs[0]: r}) for r in rows]


def jpegs() -> list[bytes]:
    rng = np.random.default_rng(0)
    images = rng.integers(0, 256, (5, 9, 6, 3), dtype=np.uint8)
    return [tf.io.encode_jpeg(i).numpy() for i in images]


def test_a_decoder_of_single_images_stands_between_two_chunked_pieces() -> None:
    with tf.Graph().as_default():
        encoded = record()
        image = tf.io.decode_jpeg(tf.strings.strip(encoded), channels=3)
        image = tf.ensure_shape(image, [9, 6, 3])
        outputs = [tf.cast(image, tf.float32) / 255, encoded]
        fragment = in_session(Fragment.between([encoded], outputs))
        pieces = vectorise(fragment)
    assert [type(p) for p in pieces] == [Chunked, PerExample, Chunked]
    rows = jpegs()
    got = [
        r for c in map_chunks(chunks_of(rows, 2), fragment).as_numpy_iterator()
        for r in zip(*c, strict=True)
    ]  # fmt: skip
    for want, have in zip(run(fragment, rows), got, strict=True):
        assert want[0].tobytes() == have[0].tobytes()
        assert want[1] == have[1]


@pytest.mark.parametrize(
    "name",
    [
        "exp",
        "float sum over an axis",
        "float sum of many",
        "seeded draw",
        "python",
        "matmul",
        "unknown shape",
        "cond",
    ],
)
def test_what_is_not_provably_exact_stays_per_example(name: str) -> None:
    def build(text: tf.Tensor) -> tf.Tensor:
        x = tf.strings.to_number(tf.io.decode_csv(text, [[""]] * 3))
        return {
            "exp": lambda: tf.exp(x),
            "float sum over an axis": lambda: tf.reduce_sum(tf.reshape(x, [3, 1]), 0),
            "float sum of many": lambda: tf.reduce_sum(tf.tile(x, [100_000])),
            "seeded draw": lambda: x + tf.random.uniform([3], seed=5),
            "python": lambda: tf.numpy_function(lambda v: v, [x], tf.float32),
            "matmul": lambda: tf.linalg.matvec(tf.ones([3, 3]), x),
            "unknown shape": lambda: tf.boolean_mask(x, x > 0),
            "cond": lambda: tf.cond(x[0] > 0, lambda: x, lambda: -x),
        }[name]()

    with tf.Graph().as_default():
        text = record()
        pieces = vectorise(Fragment.between([text], [build(text)]))
    assert any(isinstance(p, PerExample) for p in pieces)


@pytest.mark.parametrize("count", [2, 12])
def test_a_few_ops_between_ops_of_single_examples_make_no_chunk_of_their_own(count: int) -> None:
    with tf.Graph().as_default():
        text = record()
        x = tf.linalg.matvec(tf.ones([3, 3]), tf.strings.to_number(tf.stack([text] * 3)))
        for _ in range(count):
            x = x * 2 + 1
        fragment = Fragment.between([text], [tf.linalg.matvec(tf.ones([3, 3]), x)])
        kinds = [type(p) for p in vectorise(fragment)]
    between = [Chunked, PerExample] if count > 2 else []
    assert kinds == [Chunked, PerExample, *between, Chunked]


def _logarithms(text: tf.Tensor) -> tf.Tensor:
    return tf.math.log1p(tf.strings.to_number(tf.stack([text] * 3)))


def _words(text: tf.Tensor) -> tf.Tensor:
    return tf.size(tf.strings.unicode_decode(text, "UTF-8"))


def _looked_up(text: tf.Tensor) -> tf.Tensor:
    pairs = tf.lookup.KeyValueTensorInitializer(["1.5", "4"], [2.0, 3.0])
    return tf.exp(tf.lookup.StaticHashTable(pairs, -1.0).lookup(text))


def _inverse(text: tf.Tensor) -> tf.Tensor:
    return tf.linalg.inv(tf.reshape(tf.strings.to_number(text), [1, 1]))


@pytest.mark.parametrize("build", [_logarithms, _words, _inverse])
def test_small_ops_for_single_examples_give_their_bits_without_leaving_the_chunk(
    build: Callable[[tf.Tensor], tf.Tensor],
) -> None:
    with tf.Graph().as_default():
        text = record()
        fragment = Fragment.between([text], [build(text)])
        pieces = vectorise(fragment)
    assert any(isinstance(p, PerExample) and p.cheap for p in pieces)
    rows = [b"1.5", b"0.1", b"2.25", b"-0.5", b"3"]
    sizes, got = [], []
    for (chunk,) in map_chunks(chunks_of(rows, 4), fragment).as_numpy_iterator():
        sizes.append(len(chunk))
        got += list(chunk)
    assert sizes == [4, 1]
    for (want,), have in zip(run(fragment, rows), got, strict=True):
        assert want.tobytes() == have.tobytes()


def test_an_example_that_fails_in_such_ops_comes_after_those_before_it() -> None:
    with tf.Graph().as_default():
        text = record()
        fragment = Fragment.between([text], [_inverse(text)])
    chunks = map_chunks(chunks_of([b"1", b"2", b"0", b"4"], 4), fragment).as_numpy_iterator()
    assert [next(chunks)[0].tolist(), next(chunks)[0].tolist()] == [[[[1.0]]], [[[0.5]]]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="not invertible"):
        next(chunks)


def test_tables_are_looked_up_in_such_ops() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        text = record()
        fragment = Fragment.between([text], [_looked_up(text)])
        assert any(isinstance(p, PerExample) and p.cheap for p in vectorise(fragment))
        rows = tf.data.Dataset.from_tensors((tf.constant([b"4", b"5"]),))
        iterator = v1.data.make_initializable_iterator(map_chunks(rows, fragment))
        session.run([v1.tables_initializer(), iterator.initializer])
        (got,) = session.run(iterator.get_next())
        want = [session.run(fragment.outputs[0], {text: row}) for row in (b"4", b"5")]
    assert got.tolist() == want


def _decoded(text: tf.Tensor) -> tf.Tensor:
    return tf.ensure_shape(tf.io.decode_jpeg(text), [8, 8, 3])


def _looped(text: tf.Tensor) -> tf.Tensor:
    start = tf.strings.to_number(text)
    return tf.while_loop(lambda v: v < 9, lambda v: v + 2, [start])[0]


@pytest.mark.parametrize("build", [_decoded, _looped])
def test_what_takes_its_time_keeps_no_chunk_waiting(
    build: Callable[[tf.Tensor], tf.Tensor],
) -> None:
    with tf.Graph().as_default():
        pieces = vectorise(Fragment.between([text := record()], [build(text)]))
    assert [p.cheap for p in pieces if isinstance(p, PerExample)] == [False]


def test_v1_cond_and_while_keep_their_meaning(v1_behaviour: None) -> None:
    with tf.Graph().as_default():
        text = record()
        x = tf.strings.to_number(text)
        x = tf.cond(
            x > 1, lambda: x * 3, lambda: tf.while_loop(lambda v: v < 9, lambda v: v + 2, [x])[0]
        )
        fragment = Fragment.between([text], [x + 1])
        pieces = vectorise(fragment)
    assert [type(p) for p in pieces] == [Chunked, PerExample, Chunked]
    rows = [b"0", b"1", b"2", b"5.5"]
    got = [x for (c,) in map_chunks(chunks_of(rows, 3), fragment).as_numpy_iterator() for x in c]
    assert got == [x for (x,) in run(fragment, rows)]


@pytest.mark.parametrize("stateful", [False, True])
def test_only_state_inside_a_cond_of_tf2_makes_examples_pass_in_order(stateful: bool) -> None:
    def branch(x: tf.Tensor) -> tf.Tensor:
        if stateful:
            return tf.ensure_shape(tf.numpy_function(lambda v: v, [x], tf.float32), [])
        tf.debugging.Assert(x > 1, [x])
        return x + tf.random.uniform([])

    with tf.Graph().as_default():
        x = tf.strings.to_number(text := record())
        chosen = tf.cond(x > 2, lambda: branch(x), lambda: x)
        pieces = vectorise(Fragment.between([text], [chosen]))
    assert [p.in_order for p in pieces if isinstance(p, PerExample)] == [stateful]


def test_seeded_draws_come_in_the_order_of_the_examples() -> None:
    with tf.Graph().as_default():
        text = record()
        drawn = tf.random.uniform([2], seed=5) + tf.strings.to_number(text)
        fragment = Fragment.between([text], [drawn])
    rows = [b"0"] * 7
    got = [x for (c,) in map_chunks(chunks_of(rows, 3), fragment).as_numpy_iterator() for x in c]
    np.testing.assert_array_equal(got, [x for (x,) in run(fragment, rows)])


@pytest.mark.parametrize("bad", [0, 3, 4])
def test_the_bad_record_raises_after_the_good_ones_before_it(bad: int) -> None:
    rows = [b"%d,1.5" % i for i in range(9)]
    rows[bad] = b"%d,x" % bad
    with tf.Graph().as_default():
        line = record()
        fragment = Fragment.between([line], tf.io.decode_csv(line, [[0], [0.0]]))
    with pytest.raises(tf.errors.InvalidArgumentError) as single:
        run(fragment, rows[bad : bad + 1])
    stream, seen = iter(map_chunks(chunks_of(rows, 4), fragment)), []
    with pytest.raises(tf.errors.InvalidArgumentError) as chunked:
        for number, _ in stream:
            seen.extend(number.numpy().tolist())
    assert seen == list(range(bad))
    reason = "Field 1 in record 0 is not a valid float: x"
    assert reason in str(single.value) and reason in str(chunked.value)


def test_a_record_of_the_wrong_length_fails_as_a_promised_shape() -> None:
    with tf.Graph().as_default():
        line = record()
        data = tf.io.decode_raw(line, tf.uint8)
        data.set_shape([3])
        fragment = Fragment.between([line], [data])
    stream = iter(map_chunks(chunks_of([b"abc", b"ab", b"abc"], 3), fragment))
    assert next(stream)[0].numpy().tolist() == [[97, 98, 99]]
    with pytest.raises(tf.errors.InvalidArgumentError):
        next(stream)


def test_a_reshape_of_what_is_known_beforehand_is_the_constant_that_a_session_makes_of_it() -> None:
    with tf.Graph().as_default():
        number = v1.placeholder(tf.float32, [])
        places = tf.reshape(tf.where([True, False, True]), [2])  # of no shape that the graph tells
        fragment = Fragment.between([number], [tf.cast(places, tf.float32) + number / 4])
        rewritten = in_session(fragment)
    for each in (fragment, rewritten):
        with v1.Session(graph=each.graph) as session:
            (got,) = session.run(list(each.outputs), {each.inputs[0]: 2.0})
        assert got.tolist() == [0.5, 2.5]


def test_a_cond_whose_branches_the_optimiser_rewrites_keeps_the_functions_made_for_it() -> None:
    with tf.Graph().as_default():
        count, x = v1.placeholder(tf.int32, []), v1.placeholder(tf.float32, [])
        part = x / 3.0
        made = tf.cond(count > 2, lambda: tf.fill([count], part / 7.0), lambda: tf.fill([1], part))
        fragment = Fragment.between([count, x], [made])
        rewritten = in_session(fragment)
    assert rewritten is not fragment
    for taken in (5, 1):
        results = []
        for each in (fragment, rewritten):
            with v1.Session(graph=each.graph) as session:
                values = dict(zip(each.inputs, (taken, 2.0), strict=True))
                results.append(session.run(each.outputs[0], values).tolist())
        assert results[0] == results[1] and len(results[0]) == taken


def image_of(line: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    data = tf.io.decode_raw(line, tf.uint8)
    data.set_shape([769])
    image = tf.transpose(tf.reshape(data[1:], [3, 16, 16]), [1, 2, 0])
    return tf.cast(image, tf.float32) * (1 / 255), data[0]


def image_fragment() -> Fragment:
    line = record()
    return Fragment.between([line], image_of(line))


def test_bytes_are_shuffled_and_floats_made_afterwards() -> None:
    with tf.Graph().as_default():
        fragment = image_fragment()
    before, after = cheapest_cut(fragment)
    assert sum(t.dtype.size * t.shape.num_elements() for t in before.outputs) <= 770
    assert "Cast" in [op.type for op in after.ops]
    entry = bytes_entry(fragment)
    assert entry is not None and entry.inputs[-1].dtype == tf.uint8


@pytest.mark.parametrize("pool", [None, 6])
def test_batches_hold_the_bits_of_the_examples(pool: int | None, tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    rows = [bytes(r) for r in rng.integers(0, 256, (23, 769), dtype=np.uint8)]
    (tmp_path / "rows.bin").write_bytes(b"".join(rows))

    def build() -> Any:
        names = train.string_input_producer([str(tmp_path / "rows.bin")], num_epochs=1)
        outputs = list(image_of(io.FixedLengthRecordReader(769).read(names)[1]))
        if pool is None:
            return train.batch(outputs, 4, allow_smaller_final_batch=True)
        return train.shuffle_batch(outputs, 4, 30, pool, allow_smaller_final_batch=True)

    batches = queueio.lift(build).to_dataset().as_numpy_iterator()
    got = [(i.tobytes(), int(k)) for batch in batches for i, k in zip(*batch, strict=True)]
    with tf.Graph().as_default():
        fragment = image_fragment()
    want = [(i.tobytes(), int(k)) for i, k in run(fragment, rows)]
    assert (got if pool is None else sorted(got)) == (want if pool is None else sorted(want))


@pytest.mark.long
def test_ten_thousand_ops_vectorise_without_a_quadratic_step() -> None:
    # Counts the ops of the pieces instead of seconds: each op must land in one piece, once.
    with tf.Graph().as_default():
        line = record()
        x = tf.strings.to_number(line)
        for _ in range(5000):
            x = x + 1.0
        fragment = Fragment.between([line], [x])
        pieces = vectorise(fragment)
        before, after = cheapest_cut(fragment)
    assert sum(len(p.fragment.ops) for p in pieces) == len(fragment.ops) == 10_001
    assert len(before.ops) + len(after.ops) >= 10_001


WITH_ARRAYS = """
import tensorflow as tf
import queueio

v1 = tf.compat.v1
v1.disable_v2_behavior()

def stacked(number):
    rows = tf.stack([number, number + 1, number + 2])
    return tf.TensorArray(tf.int32, 3).unstack(rows).stack()

def written(number):
    return tf.TensorArray(tf.int32, 2).write(0, number).write(1, number * 2).stack()

def measured(number):
    return tf.TensorArray(tf.int32, 3, dynamic_size=True).size() + number

def chosen(number):
    return v1.cond(number > 2, lambda: written(number), lambda: stacked(number)[:2])

for work in (stacked, written, measured, chosen):
    def build():
        number = v1.train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()
        return v1.train.batch([work(number)], 2)

    def of_queues():
        with tf.Graph().as_default(), v1.Session() as session:
            batch = build()
            session.run(v1.local_variables_initializer())
            with queueio.running(session):
                return [session.run(batch).tolist() for _ in range(3)]

    plan = queueio.lift(build)
    with tf.Graph().as_default(), v1.Session() as session:
        made = v1.data.make_one_shot_iterator(plan.to_dataset()).get_next()
        print([session.run(made).tolist() for _ in range(3)] == of_queues(), flush=True)
"""


@pytest.mark.long
def test_what_lives_as_long_as_a_run_is_there_in_a_dataset(
    run_python: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    """An array without a loop around it ended the process."""
    done = run_python(WITH_ARRAYS)
    assert done.stdout.split() == ["True"] * 4, done.stderr[-2000:]
