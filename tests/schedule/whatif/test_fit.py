"""What is read out of a tape: work without waits, and the pipeline that it is a run of."""

from __future__ import annotations

from dataclasses import replace

import pytest

from queueio.schedule.events import Event, Level, Move
from queueio.schedule.tape import Tape
from queueio.schedule.whatif.changes import KnobChange, WhatIfError
from queueio.schedule.whatif.fit import fitted
from queueio.schedule.whatif.measure import figures, log_of
from queueio.schedule.whatif.model import Model, QueueCall, QueueRoom, Work, Worker
from queueio.schedule.whatif.predict import with_changes
from queueio.schedule.whatif.reworked import kinds
from queueio.schedule.whatif.seen import as_seen, check
from queueio.schedule.whatif.simulate import simulate
from queueio.schedule.whatif.waits import parted

NOTHING = Work((0.0,), 0.0)


def told(model: Model, seconds: float, cores: float = 0.0) -> Tape:
    """The tape of a run whose every call is known: it tells when each began and ended, no more.

    Looks say how many cores were busy.
    """
    tape = Tape(complete=False, end="finished")
    rooms = tuple(Level(name, 0, room.capacity, room.kept) for name, room in model.queues.items())
    tape.add(Event(0, "", "", "look", "", before=rooms, after=rooms))
    moves = {
        call.name: tuple(
            [Move(q, True, count=n) for q, n in call.takes]
            + [Move(q, False, count=n) for q, n in call.puts]
        )
        for worker in model.workers for call in worker.calls
    }  # fmt: skip
    for number, done in enumerate(simulate(model, seconds).calls):
        letter = "ABCDEFGH"[done.worker]
        tape.add(Event(
            number, letter, letter, "run", done.name, "train.py:1", seconds=done.ended,
            took=done.waited + done.worked, moves=moves[done.name],
        ))  # fmt: skip
    for second in range(1, int(seconds * 10)):
        tape.add(Event(0, "", "", "look", "", seconds=second / 10, cpu=1 + cores * second / 10))
    tape.events.sort(key=lambda event: event.seconds)
    return tape


def pipeline(put: float, take: float, room: QueueRoom, threads: int = 1, batch: int = 4) -> Model:
    fill = Worker((QueueCall("put", (), (("q", 1),), NOTHING, Work((put,), 0.0)),))
    program = Worker((QueueCall("take", (("q", batch),), (), NOTHING, Work((take,), 0.0)),))
    return Model({"q": room}, (program, *[fill] * threads), 2.0)


@pytest.mark.parametrize("room", [QueueRoom(8), QueueRoom(40), QueueRoom(40, 20)])
@pytest.mark.parametrize(("put", "take"), [(0.01, 0.002), (0.001, 0.03)])
def test_a_calls_work_is_told_without_its_waits(put: float, take: float, room: QueueRoom) -> None:
    tape = told(pipeline(put, take, room), 10)

    worked = {each.event.what: [] for each in parted(tape)}
    for each in parted(tape):
        if not each.blocked:
            worked[each.event.what].append(each.worked)

    assert worked["put"] == pytest.approx([put] * len(worked["put"]), abs=1e-9)
    assert worked["take"] == pytest.approx([take] * len(worked["take"]), abs=1e-9)
    assert len(worked["put"]) > 10


def test_a_run_is_measured_as_its_log_has_it() -> None:
    model = pipeline(0.01, 0.002, QueueRoom(40))
    seen, known = figures(log_of(told(model, 10))), figures(simulate(model, 10))

    assert seen.examples == pytest.approx(known.examples, rel=0.02)
    assert seen.waits == pytest.approx(known.waits, abs=0.02)


@pytest.mark.long
def test_the_model_of_a_tape_gives_the_rate_of_another_pipeline_with_more_threads() -> None:
    model = fitted(told(pipeline(0.01, 0.002, QueueRoom(40)), 10), 2)
    found = simulate(with_changes(model, [KnobChange("q", "threads", 3)]), 10)
    known = simulate(pipeline(0.01, 0.002, QueueRoom(40), threads=3), 10)

    assert figures(found).examples == pytest.approx(figures(known).examples, rel=0.05)


@pytest.mark.long
def test_a_work_that_others_delayed_is_shorter_where_it_is_alone() -> None:
    fill = Worker((QueueCall("put", (), (("q", 1),), NOTHING, Work((0.01,), 1.0)),))
    program = Worker((QueueCall("take", (("q", 4),), (), NOTHING, Work((0.0001,), 0.0)),))
    tape = told(Model({"q": QueueRoom(40)}, (program, *[fill] * 4), 2.0), 10, cores=2.0)

    crowded = [c.work.seconds[0] for c in kinds(as_seen(tape)) if c.name == "put"]
    alone = [c.work.seconds[0] for c in kinds(fitted(tape, 2)) if c.name == "put"]

    assert crowded == pytest.approx([0.02], rel=0.05)  # four on two cores
    assert alone == pytest.approx([0.01], rel=0.1)


def test_a_run_that_took_nothing_from_queues_is_refused() -> None:
    with pytest.raises(WhatIfError, match=r"took 0 batches from queues"):
        check(Tape(complete=False, end="finished", levels={"q": Level("q", 40)}))


def test_a_run_whose_input_ends_early_is_not_told_to_be_recorded_for_longer() -> None:
    tape = told(pipeline(0.01, 0.002, QueueRoom(40)), 5)
    closed = Level("q", 2, 40, closed=True)
    tape.add(Event(0, "", "", "look", "", before=(closed,), after=(closed,), seconds=0.05))

    with pytest.raises(
        WhatIfError, match=r"before the first of these was closed.* files"
    ) as caught:
        check(tape)
    assert "--seconds" not in str(caught.value)


def test_a_run_on_the_data_engine_is_refused_as_such() -> None:
    tape = told(pipeline(0.01, 0.002, QueueRoom(40)), 1)
    tape.levels["shuffle_batch/queueio/data"] = Level("shuffle_batch/queueio/data", 1)

    with pytest.raises(WhatIfError, match=r"the data engine feeds .* Run it on the queue engine"):
        check(tape)


def test_a_list_that_is_put_whole_into_a_small_queue_is_always_there() -> None:
    tape = told(pipeline(0.01, 0.002, QueueRoom(40)), 5)
    moves = (Move("list", True), Move("q", False))
    tape.events = [
        replace(event, moves=moves) if event.what == "put" else event for event in tape.events
    ]
    tape.levels["list"] = Level("list", 32, 32)

    assert list(fitted(tape, 2).queues) == ["q"]


def test_a_queue_of_names_that_is_closed_at_once_ends_no_measure() -> None:
    tape = told(pipeline(0.01, 0.002, QueueRoom(40)), 5)
    calls = len(parted(tape))
    names = Level("names", 20, 32, closed=True, files=True)
    tape.add(Event(0, "H", "H", "run", "enqueue_many into names", seconds=0.001,
                   error="OutOfRangeError: Reached limit of 10"))  # fmt: skip
    tape.add(Event(0, "", "", "look", "", before=(names,), after=(names,), seconds=0.002))

    assert len(parted(tape)) == calls > 100
    tape.add(
        Event(0, "B", "B", "run", "put", seconds=2.0, error="OutOfRangeError: names is closed")
    )
    assert 0 < len(parted(tape)) < calls


def test_a_script_that_fails_is_told_with_its_error() -> None:
    with pytest.raises(WhatIfError, match=r"ended before .* ValueError: no file"):
        check(Tape(complete=False, end="ValueError: no file"))


def test_a_call_that_moves_what_only_the_run_knows_is_refused() -> None:
    tape = told(pipeline(0.01, 0.002, QueueRoom(40)), 2)
    event = Event(1, "B", "B", "run", "put", "train.py:7", seconds=1.0, took=0.1,
                  moves=(Move("q", False, count=-1),))  # fmt: skip
    tape.events.insert(3, event)

    with pytest.raises(WhatIfError, match=r"puts into q only the run knows: train.py:7"):
        check(tape)
