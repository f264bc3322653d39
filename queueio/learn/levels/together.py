"""Pairs, workers, threads; and the way out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence

from queueio.learn.level import LearnLevel, Missed
from queueio.learn.playing import PlayedRun
from queueio.words import times


def _tear(seen: PlayedRun, given: Callable[[], PlayedRun]) -> Missed | None:
    pairs = [
        (picture, label)
        for event in seen.events
        for picture in seen.took(event, "pictures")
        for label in seen.took(event, "labels")
    ]
    if any(picture != label for picture, label in pairs):
        return None
    told = " and ".join(f"picture {p} with label {n}" for p, n in pairs)
    return Missed(
        f"{told or 'no pair'} came. {seen.how()}",
        "both loaders put their labels in the order of their pictures",
        "Let loader 1 be first with its picture, and loader 2 with its label.",
    )


def _share(seen: PlayedRun, given: Callable[[], PlayedRun]) -> Missed | None:
    got = {worker: seen.came(worker) for worker in ("worker-1", "worker-2")}
    came = Counter(number for numbers in got.values() for number in numbers)
    told = "; ".join(
        f"{worker} got {_some(numbers) or 'nothing'}" for worker, numbers in got.items()
    )
    if came == Counter(map(str, range(8))) and all(got.values()) and seen.finished:
        return None
    if max(came.values(), default=0) > 1:
        if any(len(numbers) > len(set(numbers)) for numbers in got.values()):
            why = "a number that comes to one worker twice is of another epoch"
            return Missed(told, why, "Leave num_epochs=1 as it was.")
        why = "each call of pipeline() has queues of its own, and delivers its whole epoch"
        return Missed(told, why, "Let both workers take from one batch tensor.")
    return Missed(
        f"{told}. {seen.how()}",
        "each number has to come to one of the workers, and each worker has to get some",
        "Keep both workers, and one pipeline with one epoch of 8 for them.",
    )


def _some(numbers: Sequence[str], most: int = 16) -> str:
    more = f" and {len(numbers) - most} more" if len(numbers) > most else ""
    return " ".join(numbers[:most]) + more


def _threads(seen: PlayedRun, given: Callable[[], PlayedRun]) -> Missed | None:
    loaders = {e.name for e in seen.events if any(not m.takes for m in e.moves)}
    trained = sum("sleep(0.25)" in e.what for e in seen.events if e.name == "main")
    loaded = sum("sleep(1)" in e.what for e in seen.events if e.name in loaders)
    seconds, came = seen.end["seconds"], len(seen.drawn("main"))
    if (came, loaded, trained) != (16, 16, 16):
        return Missed(
            f"{times(came, 'example')} came, of 16; {loaded} were loaded in a second each, and"
            f" {trained} trained on in a quarter of one. {seen.how()}",
            "the times are the level's rules" if loaders else "nobody loads",
            "Change LOADERS alone, to a whole number of 1 or more.",
        )
    told = f"{times(len(loaders), 'loader')} took {seconds:.2f} virtual seconds"
    if len(loaders) == 4:
        return None
    if len(loaders) < 4:
        why = "the trainer still waits for them: it could be done in 1 + 16 * 0.25 = 5 seconds"
        return Missed(told, why, "Try more.")
    why = "the trainer is busy all the time already with fewer: more loaders only fill the queue"
    return Missed(told, why, "Find the smallest number that takes as long.")


def _tf_data(seen: PlayedRun, given: Callable[[], PlayedRun]) -> Missed | None:
    wanted = ["[0, 1, 4]", "[9, 16, 25]", "[36, 49]"]
    printed = re.findall(r"\[\d+(?:, \d+)*\]", seen.shown) if seen.finished else []
    if printed != wanted:
        got = ", ".join(printed) or "no batch"
        told = f"it printed {got}, where {', '.join(wanted)} were wanted. " if seen.finished else ""
        if not seen.finished:
            do = "Run the iterator's initializer, if it has one, and catch the end of the input."
        elif not printed:
            do = "Print each batch with .tolist(), as before."
        elif printed == wanted[:-1]:
            do = "Let the last batch be smaller: no drop_remainder."
        else:
            do = "Square the numbers, and make batches of three."
        return Missed(
            f"{told}{seen.how()}",
            "the new pipeline has to give the same batches, the smaller last one included",
            do,
        )
    queues = sorted({level.name for event in seen.events for level in event.after})
    if queues or len(seen.end["names"]) > 1:
        return Missed(
            f"the batches are right, but {', '.join(queues) or 'a thread'} took part",
            "what is still built as queues still needs runners",
            "Leave the producer's runners unstarted, and take from the dataset's iterator.",
        )
    calls = sum(event.kind == "run" for event in seen.events)
    if calls >= 3:
        return None
    return Missed(
        f"the session was called {times(calls, 'time')}, for three batches",
        "batches that are not computed are no pipeline",
        "Take each batch by a call of sess.run.",
    )


TOGETHER = (
    LearnLevel(
        "tear_a_pair",
        goal="You are the scheduler. Let picture 1 come with label 2.",
        hint="ABCBC begins the run, and puts both pictures into their queue: 1, then 2.",
        lesson="What belongs together has to travel together: one queue whose elements hold both,"
        " filled by one enqueue and emptied by one dequeue. Two queues keep step only while one"
        " thread fills each.",
        stage="queueio/stages/queues/zip.py",
        check=_tear,
        line="q1::ABCBC2",
    ),
    LearnLevel(
        "share_a_queue",
        goal="Let each number come to one of the two workers, and both workers get some.",
        hint="How many producers are there? How many should there be?",
        lesson="A queue is the place where workers share: a dequeue gives an element to one of"
        " them. Two pipelines share nothing, so each delivers its whole epoch.",
        stage="queueio/stages/queues/example_queue.py",
        check=_share,
        edits=(("batches = [pipeline(), pipeline()]", "batches = [pipeline()] * 2"),),
    ),
    LearnLevel(
        "how_many_threads",
        goal="Loading is too slow for the trainer. Set LOADERS to the smallest number with which"
        " more would not help.",
        hint="How many examples a second does the trainer use, and a loader load?",
        lesson="Threads help while the trainer waits, and as long as their waits overlap. Once it"
        " is busy all the time, more threads only fill the queue. Threads that compute share the"
        " processor's cores, and stop sooner.",
        stage="queueio/stages/queues/producers.py",
        check=_threads,
        edits=(("LOADERS = 1", "LOADERS = 4"),),
    ),
    LearnLevel(
        "into_tf_data",
        goal="Let the same three batches come out of tf.data: no runner, no queue in use.",
        hint="queueio.lift(batch) reads the graph; its to_dataset() is the tf.data form. Or write a"
        " dataset yourself: range, map, batch. tf.data.make_initializable_iterator gives its"
        " batches; run the iterator's initializer first.",
        lesson="The graph of a queue pipeline says all that a dataset needs. tf.data has no threads"
        " to start and no coordinator; epochs, tails and seeds are part of the dataset.",
        stage="queueio/stages/batching/batch.py",
        check=_tf_data,
        edits=(
            ("import tensorflow as tf\n", "import tensorflow as tf\n\nimport queueio\n"),
            ("with tf.Session() as sess:\n",
             "dataset = queueio.lift(batch).to_dataset()\n"
             "iterator = tf.data.make_initializable_iterator(dataset)\n"
             "batch = iterator.get_next()\n\n"
             "with tf.Session() as sess:\n"),
            ("    coord = tf", "    sess.run(iterator.initializer)\n    coord = tf"),
            ("    threads = tf.train.start_queue_runners(sess, coord)\n", ""),
            ("    coord.join(threads)\n", ""),
        ),
    ),
)  # fmt: skip
