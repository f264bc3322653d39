"""A batch, the runners, the epochs, the pool, the tail."""

from __future__ import annotations

import re
from collections.abc import Callable

from queueio.learn.level import LearnLevel, Missed, told_batches
from queueio.learn.playing import PlayedRun
from queueio.words import times


def _first_batch(seen: PlayedRun, given: Callable[[], PlayedRun]) -> Missed | None:
    if ["0", "1", "2"] in seen.drawn("main"):
        if not re.search(r"0\D+1\D+2", seen.shown):  # an array, a list, or one by one
            return Missed(
                "the main thread took the batch 0 1 2, and its numbers were not printed",
                "what is taken is gone from the queue, whether anybody looks at it or not",
                "Print what the call gives: print(sess.run(batch)).",
            )
        if seen.finished:
            return None
        return Missed(
            f"the batch was printed, but the run did not end well. {seen.how()}",
            "one batch is enough, and what follows it stops the threads",
            "Call sess.run(batch) once, and keep the other lines as they were.",
        )
    if seen.end["end"] == "deadlock":
        return Missed(
            f"the main thread asked for a batch, and waits for ever. {seen.how()}",
            "nobody fills the queue that it takes from",
            "Keep the line with start_queue_runners, before the batch.",
        )
    names = [line.strip() for line in seen.printed.splitlines() if "Tensor(" in line]
    if names:
        return Missed(
            f"the script printed {names[-1]}",
            "a tensor is the name of a result, not the result",
            "Let the session compute it: sess.run(batch).",
        )
    return Missed(
        f"the main thread took no batch. {seen.how()}",
        "what nobody takes stays in the queue",
        "Take one before request_stop: the call is sess.run(batch).",
    )


def _runners(seen: PlayedRun, given: Callable[[], PlayedRun]) -> Missed | None:
    if ["0", "1", "2"] in seen.drawn("main") and seen.finished:
        return None
    if seen.end["end"] == "deadlock":
        if any(event.kind == "begin" and event.name != "main" for event in seen.events):
            why = "threads run, but not all that this session's queues need"
            do = "Start all runners of the graph, in this session: start_queue_runners(sess, coord)"
        else:
            why = "no thread fills the queue, so it stays empty for ever"
            do = "Start the queue runners before the first sess.run(batch)"
        return Missed(f"nobody could go on, and the batch did not come. {seen.how()}", why, do)
    return Missed(
        f"the batch [0 1 2] did not come, or the run did not end well. {seen.how()}",
        "the runners have to run before, and to be joined after",
        "Keep the other lines as they were.",
    )


def _epochs(seen: PlayedRun, given: Callable[[], PlayedRun]) -> Missed | None:
    batches = seen.drawn("main")
    if batches == [["0", "1", "2"], ["3", "4", "5"]] and seen.finished:
        if not seen.began_before_variables:
            return None
        return Missed(
            "the runners were started first, and the counter got its value after that",
            "that no runner was there before the counter was, was luck: in another run it fails",
            "Run tf.local_variables_initializer() before start_queue_runners.",
        )
    if seen.end["unset"]:
        return Missed(
            f"a runner used a variable that had no value. {seen.how()}",
            "num_epochs counts epochs in a local variable, which global_variables_initializer"
            " leaves out",
            "Run tf.local_variables_initializer() before the runners start, and make it behind the"
            " pipeline: made before, it does not know the counter.",
        )
    came = seen.came("main")
    if len(came) > len(set(came)):
        why = "without num_epochs=1 each number comes more than once"
    else:
        why = "0 to 5 once each, three to a batch, were asked for"
    return Missed(
        f"{told_batches(batches)}. {seen.how()}",
        why,
        "Leave the six numbers, num_epochs=1 and batch_size=3 as they are, and give the counter a"
        " value.",
    )


def _pool(seen: PlayedRun, given: Callable[[], PlayedRun]) -> Missed | None:
    first = next((e for e in seen.events if seen.took(e, "shuffle_batch")), None)
    held = 0 if first is None else next(
        level.size for level in first.before if level.name == "shuffle_batch"
    )  # fmt: skip
    if held == 8:
        return None
    return Missed(
        f"the pool held {held} of 8 when the first batch was drawn" if first else seen.how(),
        "a batch of 2 may be drawn as soon as min_after_dequeue + 2 = 6 are there",
        f"Give the thread that enqueues into shuffle_batch {times(8 - held, 'more step')} before"
        " A's."
        if 0 < held < 8
        else "Let A draw once the pool has 8.",
    )


def _tail(seen: PlayedRun, given: Callable[[], PlayedRun]) -> Missed | None:
    batches = seen.drawn("main")
    if [len(batch) for batch in batches] == [4, 4, 2] and seen.finished:
        return None
    got = sum(map(len, batches))
    return Missed(
        f"{times(got, 'number')} came, of ten: {told_batches(batches)}. {seen.how()}",
        "dequeue_many(4) never gives less than 4: what is left at the end is dropped"
        if got < 10 else "4, 4 and 2 of the ten numbers were asked for",
        "Let the last batch be smaller: tf.train.batch has an argument for it."
        if got < 10 else "Leave the ten numbers and batch_size=4 as they were.",
    )  # fmt: skip


FIRST = (
    LearnLevel(
        "first_batch",
        goal="Take one batch in the main thread, and print it.",
        hint="A tensor only names what will be computed. sess.run computes it.",
        lesson="Building the graph moves nothing. The runners fill the queue ahead of need, and"
        " sess.run(batch) takes three elements out of it in one step.",
        stage="queueio/stages/batching/batch.py",
        check=_first_batch,
        edits=(("# Take a batch, and print it.", "print(sess.run(batch))"),),
    ),
    LearnLevel(
        "start_the_runners",
        goal="The script asks for a batch, and waits for ever. Let the batch come.",
        hint="Who fills the queue? Look at `threads`.",
        lesson="A queue is filled by threads of queue runners. tf.train.batch puts a runner into a"
        " collection of the graph; start_queue_runners starts what is in it. Without, the first"
        " sess.run waits for ever.",
        stage="queueio/stages/batching/batch.py",
        check=_runners,
        edits=(("threads = []", "threads = tf.train.start_queue_runners(sess, coord)"),),
    ),
    LearnLevel(
        "initialise_the_epochs",
        goal="Let the numbers 0 to 5 come once, in two batches of three.",
        hint="num_epochs needs a counter. Of which collection is its variable?",
        lesson="num_epochs counts in a local variable. Checkpoints leave local variables out,"
        " and global_variables_initializer leaves them out: they have an initializer of their own,"
        " to be run before the threads start.",
        stage="queueio/stages/filenames/epochs.py",
        check=_epochs,
        edits=(
            ("    coord = tf", "    sess.run(tf.local_variables_initializer())\n    coord = tf"),
        ),
    ),
    LearnLevel(
        "fill_the_pool",
        goal="You are the scheduler. Let the pool be full, 8 of 8, when A draws the first batch.",
        hint="First all threads begin, and the filename queue is filled: ABCDEB. Then it is D who"
        " enqueues.",
        lesson="A shuffle queue gives a batch as soon as min_after_dequeue stay behind. How full it"
        " is then, depends on who was faster: the larger the pool, the better a draw mixes.",
        stage="queueio/stages/batching/shuffle_batch.py",
        check=_pool,
        line="q1::ABCDEBD8A",
    ),
    LearnLevel(
        "keep_the_tail",
        goal="Ten numbers, batches of four: two numbers are lost. Let them come as a batch of two.",
        hint="A batch of another size than asked for has to be allowed.",
        lesson="At the end of the input, tf.train.batch drops what does not fill a batch: right for"
        " training with a fixed shape, wrong for evaluation, which has to see each example.",
        stage="queueio/stages/batching/dequeue.py",
        check=_tail,
        edits=(("batch_size=4)", "batch_size=4, allow_smaller_final_batch=True)"),),
    ),
)  # fmt: skip
