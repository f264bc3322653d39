"""Epochs that mix, a trainer that starves, a seed that does not help."""

from __future__ import annotations

from collections.abc import Callable

from queueio.learn.level import LearnLevel, Missed, told_batches
from queueio.learn.playing import PlayedRun
from queueio.words import times


def _blur(seen: PlayedRun, given: Callable[[], PlayedRun]) -> Missed | None:
    came = seen.came("main")
    wanted = sorted(map(str, range(8)))
    if sorted(came) != sorted(wanted * 2):
        return Missed(
            f"{times(len(came), 'number')} came: {told_batches(seen.drawn('main'))}. {seen.how()}",
            "each of 0 to 7 has to come twice",
            "Change the batching alone, and leave 2 epochs of 8.",
        )
    if sorted(came[:8]) != wanted:
        return None
    pools = any("shuffle" in level.name for event in seen.events for level in event.after)
    return Missed(
        f"the first epoch was {' '.join(came[:8])}: all eight, before any came again",
        "a pool that holds few when a batch is drawn has let go of an epoch before the next comes"
        if pools
        else "what shuffles within an epoch, and queues that keep the order, leave epochs apart",
        "Let more stay behind in the pool: min_after_dequeue, and a capacity above it."
        if pools
        else "Draw the batches from a pool: tf.train.shuffle_batch.",
    )


def _starve(seen: PlayedRun, given: Callable[[], PlayedRun]) -> Missed | None:
    got = {name: len(seen.came(name)) for name in ("main", "logger")}
    if got == {"main": 0, "logger": 8}:
        return None
    return Missed(
        f"the trainer got {got['main']} of the 8 numbers, the logger {got['logger']}. {seen.how()}",
        "a batch belongs to whoever is first to take it",
        "Fill the queue before anybody takes, with C's and E's steps; then all turns of the"
        " logger's, B. Its letter has to come four times.",
    )


def _seed(seen: PlayedRun, given: Callable[[], PlayedRun]) -> Missed | None:
    came, before = seen.came("main"), given().came("main")
    if sorted(came) != sorted(before):
        return Missed(
            f"{len(came)} numbers came. {seen.how()}",
            "to compare two orders, all twelve numbers are needed",
            "Let the run come to its end.",
        )
    if came != before:
        return None
    return Missed(
        f"the order was {' '.join(came)}, as without your schedule",
        "the pool held as many at each draw as it did then, so the same seed drew the same",
        "Let the pool hold more at the first draw: steps of D's before the first A that takes.",
    )


POOL = (
    LearnLevel(
        "blur_two_epochs",
        goal="Let a number of the second epoch come before the first epoch is over. All numbers"
        " still come twice.",
        hint="shuffle=True in the producer shuffles within an epoch. What reaches over its end?",
        lesson="The producer shuffles each epoch by itself. The pool of shuffle_batch knows no"
        " epochs: near a border it holds numbers of both. Who wants clean epochs has to do without"
        " a pool, or to let it run empty.",
        stage="queueio/stages/batching/shuffle_batch.py",
        check=_blur,
        edits=(("tf.train.batch([number], batch_size=4)",
                "tf.train.shuffle_batch([number], 4, capacity=12, min_after_dequeue=6, seed=1)"),),
    ),
    LearnLevel(
        "starve_the_trainer",
        goal="You are the scheduler. Let the logger take all four batches, so that the trainer gets"
        " none.",
        hint="A waits as long as others can go on and you choose them. Let C fill and close the"
        " first queue, E move its numbers into the second, B take them.",
        lesson="Two calls that read one queue share what is in it, and chance says who gets what."
        " A summary that prints a batch takes it from the trainer. Whoever wants to look needs the"
        " same sess.run, or a pipeline of its own.",
        stage="queueio/stages/queues/fifo.py",
        check=_starve,
        line="q1::A2BCDEFC3E10B5",
    ),
    LearnLevel(
        "the_seeds_limits",
        goal="You are the scheduler. All seeds are fixed; let the numbers come in another order.",
        hint="A draw depends on what the pool holds. A2BCDEB3 begins the run as before.",
        lesson="A seed fixes which place of the pool is drawn, not what lies there: that depends on"
        " how far the enqueuing thread has come. So a seeded shuffle_batch does not repeat itself,"
        " in TensorFlow 1 either. The plan's tf.data form does.",
        stage="queueio/stages/queues/random_shuffle.py",
        check=_seed,
        line="q1::A2BCDEB3D8",
    ),
)  # fmt: skip
