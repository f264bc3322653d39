"""`batch` against `shuffle_batch`, with and without the final partial batch.

23 examples, the numbers 0 to 22, in batches of 5. Without `allow_smaller_final_batch` the last
three are dropped, and every batch has 5 rows, which the graph knows. With it none is dropped, and
the graph knows the number of rows no more.
"""

from __future__ import annotations

from dataclasses import dataclass

import tensorflow as tf

import queueio
from queueio import train

EXAMPLES = 23
BATCH_SIZE = 5


@dataclass(frozen=True)
class Outcome:
    """What came out of one pipeline."""

    name: str
    smaller_final_batch: bool
    static_shape: str
    batches: list[list[int]]

    @property
    def numbers(self) -> list[int]:
        return [number for batch in self.batches for number in batch]


def build(name: str, smaller_final_batch: bool) -> tf.Tensor:
    number = train.range_input_producer(EXAMPLES, num_epochs=1, shuffle=False).dequeue()
    if name == "batch":
        return train.batch([number], BATCH_SIZE, allow_smaller_final_batch=smaller_final_batch)
    # Each batch is drawn from at least 10 + 5 examples, and never from more than 30.
    return train.shuffle_batch(
        [number],
        BATCH_SIZE,
        capacity=30,
        min_after_dequeue=10,
        allow_smaller_final_batch=smaller_final_batch,
    )


def run(name: str, smaller_final_batch: bool) -> Outcome:
    batches = []
    with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
        batch = build(name, smaller_final_batch)
        sess.run(tf.compat.v1.local_variables_initializer())
        with queueio.running(sess):
            try:
                while True:
                    batches.append(sess.run(batch).tolist())
            except tf.errors.OutOfRangeError:
                pass  # The end of the epoch.
    return Outcome(name, smaller_final_batch, str(batch.shape), batches)


def show(outcome: Outcome) -> None:
    numbers = outcome.numbers
    missing = sorted(set(range(EXAMPLES)) - set(numbers))
    print(f"{outcome.name}, allow_smaller_final_batch={outcome.smaller_final_batch}")
    for batch in outcome.batches:
        print(f"    {batch}")
    print(f"    static shape: {outcome.static_shape}")
    print(f"    batch sizes: {[len(batch) for batch in outcome.batches]}")
    print(f"    delivered: {len(numbers)}, each once: {len(set(numbers)) == len(numbers)}")
    print(f"    dropped: {len(missing)} {missing}")
    print(f"    in order: {numbers == sorted(numbers)}")


def main() -> None:
    for name in ("batch", "shuffle_batch"):
        for smaller_final_batch in (False, True):
            show(run(name, smaller_final_batch))


if __name__ == "__main__":
    main()
