"""Programs of TensorFlow 2: functions that mean something else, or fail, without its behaviour.

Each returns a dataset of int64 scalars. As a program, it writes down what all of them give:
`python tf2_programs.py results.json`.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import tensorflow as tf

AT_IMPORT = tf.constant(5)
LARGE = bool(AT_IMPORT == 5)


def numbers(count: Any = 20) -> Any:
    return tf.data.Dataset.range(int(count))


def at_import() -> Any:
    return numbers(20 if LARGE else 10)


def the_value() -> Any:
    return numbers(tf.constant(13).numpy())


def the_length() -> Any:
    return numbers(len(numbers(17)))


def iterated() -> Any:
    return numbers(sum(int(number) for number in numbers(6)))


def an_if() -> Any:
    return numbers(8 if tf.constant(3) > 2 else 9)


def a_membership() -> Any:
    return numbers(8 if tf.constant(3) in [tf.constant(1), tf.constant(3)] else 9)


def a_missing_value() -> Any:
    return numbers(8 if tf.constant([3]) != None else 9)  # noqa: E711


def a_variable_compared() -> Any:
    return numbers(8 if tf.Variable(3) == 3 else 9)


def a_string_compared() -> Any:
    words = tf.data.Dataset.from_tensor_slices(["a", "b", "a", "c"])
    return words.map(lambda word: tf.where(word == "a", tf.constant(1, tf.int64), 2))


def a_row_compared() -> Any:
    return numbers().batch(4).filter(lambda x: tf.reduce_any(x == [4, 9, 9, 9])).unbatch()


def half_a_shape() -> Any:
    def half(number: Any) -> Any:
        row = tf.range(6, dtype=tf.int64) + number
        return tf.reshape(row, [2, int(row.shape[0] / 2)])[1]

    return numbers().map(half).unbatch()


def a_shape_times() -> Any:
    return numbers(3).map(lambda n: n + int(tf.zeros([4]).shape[0] * 1.5))


def all_of_a_shape() -> Any:
    return numbers(3).map(lambda n: n + sum(size for size in tf.zeros([4, 5]).shape))


def no_size() -> Any:
    return numbers(9).batch(2).map(lambda x: x + (x.shape[0] is None)).unbatch()


def a_loop_over_a_tensor() -> Any:
    def total(number: Any) -> Any:
        found = tf.constant(0, tf.int64)
        for each in tf.range(number):
            if each % 3 == 0:
                continue
            found += each
        return found

    return numbers().map(total)


def a_while() -> Any:
    def halved(number: Any) -> Any:
        while number != 0 and number % 2 == 0:
            number //= 2
        return number

    return numbers().map(halved)


def a_cond() -> Any:
    return numbers().map(lambda x: tf.cond(x % 3 == 1, lambda: -x, lambda: x))


def a_list_of_tensors() -> Any:
    def kept(number: Any) -> Any:
        found = tf.TensorArray(tf.int64, 0, dynamic_size=True)
        for each in tf.range(number):
            found = found.write(found.size(), each * number)
        return tf.reduce_sum(found.stack())

    return numbers().map(kept)


def a_graph_function() -> Any:
    @tf.function
    def odd(number: Any) -> Any:
        if number % 2 != 1:
            return number - 100
        return number

    return numbers(int(odd(tf.constant(11)))).map(odd)


def a_counter() -> Any:
    counter = tf.Variable(0, dtype=tf.int64)

    def counted(number: Any) -> Any:
        return number + counter.assign_add(2)

    return numbers().map(counted)


def a_variable_read() -> Any:
    weight = tf.Variable(3, dtype=tf.int64)
    weight.assign_add(4)
    return numbers().map(lambda x: x * weight)


def a_generator() -> Any:
    def made() -> Any:
        for number in numbers(12):
            if number != 7:
                yield number.numpy()

    return tf.data.Dataset.from_generator(made, output_signature=tf.TensorSpec([], tf.int64))


def in_python() -> Any:
    def seven(number: Any) -> Any:
        return -1 if number == 7 else number.numpy() * 2

    called = numbers().map(lambda x: tf.py_function(seven, [x], tf.int64))
    return called.map(lambda x: tf.ensure_shape(x, []))


def a_ragged_row() -> Any:
    rows = numbers(6).map(lambda x: tf.RaggedTensor.from_row_lengths(tf.range(x), [x]))
    return rows.map(lambda row: tf.reduce_sum(row) + (row.shape[0] == 1))


def where_broadcast() -> Any:
    return numbers(3).map(lambda x: tf.where(x == [0, 1, 2], x, [7, 8, 9])).unbatch()


def the_behaviour() -> Any:
    eager, inside = tf.executing_eagerly(), []
    made = numbers(3).map(lambda x: inside.append(tf.executing_eagerly()) or x)
    return made.map(lambda x: x + 10 * eager + 100 * inside[0])


def a_seeded_shuffle() -> Any:
    return numbers().shuffle(20, seed=5)


def a_seed() -> Any:  # the last that draws: it is in force for what follows in a program
    tf.random.set_seed(3)
    drawn = tf.random.uniform([], 0, 1000, tf.int64)
    return numbers().map(lambda x: x + drawn + tf.random.uniform([], 0, 1000, tf.int64, seed=1))


def results(names: list[str], script: dict[str, Any]) -> dict[str, list[int]]:
    """What a program that calls the functions would see."""
    return {name: [int(n) for n in script[name]().as_numpy_iterator()] for name in names}


if __name__ == "__main__":
    script = dict(globals())
    functions = [n for n, v in script.items() if getattr(v, "__module__", "") == "__main__"]
    named = [n for n in functions if n not in ("numbers", "results")]
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        json.dump(results(named, script), file)
