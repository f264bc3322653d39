"""The page of a free run shows what happened between two looks, where its calls say it."""

from __future__ import annotations

from dataclasses import replace

import tensorflow as tf

from queueio.schedule.events import Event, Level, Move, Standing
from queueio.schedule.observe import FreeRun
from queueio.schedule.replay.page import payload
from queueio.schedule.replay.reckoned import reckoned
from queueio.schedule.tape import Tape


def call(step: int, count: int, takes: bool = False, name: str = "pool") -> Event:
    """A call of the main thread that moves elements."""
    moves = (Move(name, takes, count=count),)
    return Event(step, "A", "main", "run", "a call", seconds=step / 100, moves=moves)


def look(step: int, *levels: Level, standings: tuple[Standing, ...] = ()) -> Event:
    before = tuple(replace(level, size=0) for level in levels)
    return Event(step, "", "", "look", "", "", before, levels, "", step / 100, standings)


def free(*events: Event) -> Tape:
    tape = Tape("train.py", complete=False, end="finished")
    for event in events:
        tape.add(event)
    return reckoned(tape)


def sizes(tape: Tape) -> list[int | None]:
    """What each event left in the queue; None where it says nothing of it."""
    return [next((level.size for level in e.after), None) for e in tape.events]


def test_a_run_that_is_over_before_the_second_look_shows_its_queue_fill_and_empty() -> None:
    with tf.Graph().as_default():
        queue = tf.queue.FIFOQueue(5, [tf.int32], shapes=[[]], name="numbers")
        put, take = queue.enqueue(7), queue.dequeue_many(2)
        with FreeRun(every=99.0).watching() as run, tf.compat.v1.Session() as sess:
            for _ in range(4):
                sess.run(put)
            sess.run(take)
            sess.run(take)
            run.look()
    page = payload(run.tape("hand.py"))
    (places, levels, _), (queue_told,) = page["levels"][0], page["queues"]
    assert levels[:6] == [1, 2, 3, 4, 2, 0]
    assert places[:6] == [0, 1, 2, 3, 4, 5]
    assert queue_told["capacity"] == 5


def test_calls_lead_from_one_look_to_the_next() -> None:
    tape = free(
        call(1, 3), look(2, Level("pool", 3, 8)), call(3, 4), call(4, 2, takes=True),
        look(5, Level("pool", 5, 8)),
    )  # fmt: skip
    assert sizes(tape) == [3, 3, 7, 5, 5]
    assert [level.size for level in tape.events[2].before] == [3]


def test_where_calls_and_looks_do_not_agree_only_the_looks_are_shown() -> None:
    full = Level("pool", 4, 8)
    tape = free(call(1, 3), look(2, full), call(3, 1), look(4, full))
    assert sizes(tape) == [None, 4, None, 4]


def test_where_only_the_run_knew_a_number_only_the_looks_are_shown() -> None:
    ended = look(3, Level("pool", 0, 8))
    assert sizes(free(call(1, 3), call(2, -1, takes=True), ended)) == [None, None, 0]


def test_a_level_stays_within_its_queue_though_the_taker_came_back_first() -> None:
    tape = free(call(1, 2, takes=True), call(2, 2), look(3, Level("pool", 0, 8)))
    assert sizes(tape) == [0, 0, 0]


def test_who_has_come_back_from_a_call_is_not_shown_waiting_for_it() -> None:
    waits = Standing("A", "main", "blocked", "a call", "a.py:1: run", "pool is empty", "pool")
    tape = free(
        look(1, Level("pool", 0, 8), standings=(waits,)), call(2, 1), call(3, 1, takes=True)
    )
    assert [[each.waits for each in event.standings] for event in tape.events] == [
        [True], [False], []
    ]  # fmt: skip
    again = free(look(1, Level("pool", 0, 8), standings=(waits,)), look(2, standings=(waits,)))
    assert again.standings["A"].waits
