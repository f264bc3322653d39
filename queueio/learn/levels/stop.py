"""A deadlock, an end, an error."""

from __future__ import annotations

from collections.abc import Callable

from queueio.learn.level import LearnLevel, Missed, told_batches
from queueio.learn.playing import PlayedRun
from queueio.words import times


def _deadlock(seen: PlayedRun, given: Callable[[], PlayedRun]) -> Missed | None:
    if seen.end["end"] == "deadlock":
        return None
    return Missed(
        seen.how(),
        "one worker had both tokens before the other had any",
        "Let each worker take one token first: all of C's greeting, C's first token, then B's.",
    )


def _end(seen: PlayedRun, given: Callable[[], PlayedRun]) -> Missed | None:
    batches = seen.drawn("main")
    if batches[:2] != [["0", "1", "2"], ["3", "4", "5"]]:
        return Missed(
            f"{told_batches(batches)}. {seen.how()}",
            "a run that is stopped too early has nothing to give",
            "Leave both batches as they were.",
        )
    if not seen.finished:
        return Missed(
            seen.how(),
            "coord.join waits for threads that never end by themselves; nobody told them to stop",
            "Ask all threads to stop, before you wait for them: the coordinator does that.",
        )
    if seen.left:
        return Missed(
            f"the script ended without having waited for its {times(len(seen.left), 'thread')}",
            "a thread that still runs when the session goes dies in the middle of a call",
            "Keep coord.join(threads), and let it come to an end.",
        )
    waits = [e.what for e in seen.events if e.name == "main" and e.kind == "wake"]
    if not any(what.startswith("join ") for what in waits):
        return Missed(
            "all threads had ended before the main thread waited for one of them",
            "that they were done in time was luck: nothing waited until they were",
            "Join them right after they are asked to stop: coord.join(threads).",
        )
    return None


def _error(seen: PlayedRun, given: Callable[[], PlayedRun]) -> Missed | None:
    died = next(
        (e.error for e in seen.events if "InvalidArgumentError" in e.error and e.name != "main"), ""
    )
    if not died and seen.end["unset"]:
        return Missed(
            f"a runner used a variable that had no value, before it came to a row. {seen.how()}",
            "num_epochs counts in a local variable",
            "Keep tf.local_variables_initializer() as it was.",
        )
    if not died:
        return Missed(
            f"no runner had an error. {seen.how()}",
            "the broken row is to be found, not to be taken away",
            "Leave the four rows as they are.",
        )
    # Another error of the same type, of the script's own, is not the one that was hidden.
    if "InvalidArgumentError" in seen.end["error_types"] and _said(died) in seen.end["error"]:
        return None
    return Missed(
        f"a runner died of {died}, but {_lower(seen.how())}",
        "a runner that dies closes its queue, and that looks like the end of the input",
        "The coordinator knows the error: coord.join(threads) raises it.",
    )


def _said(error: str) -> str:
    return error.partition(": ")[2]


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]


STOP = (
    LearnLevel(
        "cause_the_deadlock",
        goal="You are the scheduler. Each worker takes two tokens and puts them back. Choose an"
        " order in which neither can go on.",
        hint="A2BC begins the run: B takes left first, C takes right first. C greets in two steps.",
        lesson="Each holds what the other waits for. Whether it happens is a matter of turns, so it"
        " may take years to be seen. The cure is one order for all threads, or one call that takes"
        " both.",
        stage="queueio/stages/queues/fifo.py",
        check=_deadlock,
        line="q1::A2BC3BCB",
    ),
    LearnLevel(
        "end_it",
        goal="Both batches are printed, but the script does not end. End it, with all threads"
        " joined.",
        hint="coord.join only waits. Which method asks?",
        lesson="The coordinator is an agreement: request_stop asks, should_stop is the answer, join"
        " waits. Runners are woken from a full queue by a thread of their own that closes it.",
        stage="queueio/runtime/threads/coordinator.py",
        check=_end,
        edits=(("coord.join(threads)", "coord.request_stop()\ncoord.join(threads)"),),
    ),
    LearnLevel(
        "find_the_error",
        goal="Two of four rows come, and the script is content. Let it end with the error that a"
        " runner had, instead of hiding it.",
        hint="What did coord.request_stop leave undone?",
        lesson="The runner's error goes to the coordinator, and the trainer only sees a closed"
        " queue: OutOfRangeError, like the end of the input. coord.join raises the first real"
        " error; a script without it trains on half the data in silence.",
        stage="queueio/runtime/threads/coordinator.py",
        check=_error,
        edits=(("    coord.request_stop()\n",
                "    coord.request_stop()\n    coord.join(threads)\n"),),
    ),
)  # fmt: skip
