"""The simulation of what-if, against cases whose result can be counted."""

from __future__ import annotations

import pytest

from queueio.schedule.whatif.measure import figures
from queueio.schedule.whatif.model import Log, Model, QueueCall, QueueRoom, Work, Worker
from queueio.schedule.whatif.simulate import simulate

NOTHING = Work((0.0,), 0.0)


def producer(seconds: float, cores: float = 0.0, python: bool = False, **more: int) -> Worker:
    work = Work((seconds,), cores, python)
    return Worker((QueueCall("put", (), (("q", 1),), NOTHING, work),), **more)


def consumer(seconds: float, batch: int = 1) -> Worker:
    return Worker((QueueCall("take", (("q", batch),), (), NOTHING, Work((seconds,), 0.0)),))


def run(
    *workers: Worker, room: QueueRoom, cores: float = 1.0, seconds: float = 100.0
) -> Log:  # fmt: skip
    return simulate(Model({"q": room}, workers, cores), seconds)


@pytest.mark.parametrize(("put", "take"), [(0.01, 0.05), (0.05, 0.01), (0.02, 0.02)])
def test_one_producer_and_one_consumer_go_as_fast_as_the_slower_one(
    put: float, take: float
) -> None:
    log = run(producer(put), consumer(take), room=QueueRoom(10))

    assert figures(log).examples == pytest.approx(1 / max(put, take), rel=0.01)


def test_four_threads_that_sleep_are_four_times_as_fast_and_four_that_compute_only_twice() -> None:
    rates = [
        figures(
            run(*[producer(0.1, cores)] * 4, consumer(0.001), room=QueueRoom(9), cores=2)
        ).examples
        for cores in (0.0, 1.0)
    ]

    assert rates == pytest.approx([40, 20], rel=0.01)


def test_threads_that_hold_the_interpreters_lock_are_no_faster_together() -> None:
    threads = [producer(0.1, 1.0, python=True)] * 4

    assert figures(
        run(*threads, consumer(0.001), room=QueueRoom(9), cores=2)
    ).examples == pytest.approx(10, rel=0.01)


def test_a_queue_is_full_at_its_capacity_and_its_fillers_wait() -> None:
    seen = figures(run(producer(0.001), consumer(1.0), room=QueueRoom(7), seconds=20))

    assert (seen.levels["q"].most, seen.levels["q"].least) == (7, 7)  # who waits puts at once
    assert seen.waits["put"] == pytest.approx(0.999, abs=0.01)
    assert seen.waits["take"] == 0


def test_min_after_dequeue_stays_in_the_queue_until_the_end() -> None:
    log = run(producer(0.01, ends_after=100), consumer(0.001), room=QueueRoom(50, 20))

    taken = [done for done in log.calls if done.name == "take"]
    assert len(taken) == 100  # a closed queue gives all of them
    assert sum(done.ended < 0.999 for done in taken) == 79
    assert max(size for _, size in log.levels["q"]) <= 21


def test_the_end_of_the_data_leaves_out_the_batch_that_is_not_full() -> None:
    log = run(producer(0.01, ends_after=57), consumer(0.001, batch=10), room=QueueRoom(32))

    assert sum(done.examples for done in log.calls) == 50
    assert log.seconds < 1


def test_a_batch_larger_than_its_queue_comes_bit_by_bit() -> None:
    log = run(producer(0.01), consumer(0.0, batch=40), room=QueueRoom(4), seconds=4.1)

    assert [done.examples for done in log.calls if done.name == "take"] == [40] * 10


@pytest.mark.long
def test_a_larger_queue_lets_its_fillers_work_through_a_pause_of_the_program() -> None:
    steps = tuple([0.001] * 99 + [1.0])
    bursts = Worker((QueueCall("take", (("q", 1),), (), Work(steps, 0.0), Work((0.0,))),))
    small, large = (
        figures(run(producer(0.01), bursts, room=QueueRoom(size), seconds=200)).examples
        for size in (10, 1000)
    )

    # 100 steps: 1.0 s away, in which 10 come, or all 100, and 0.9 s more for the other 90.
    assert large == pytest.approx(100 / 1.099, rel=0.05)
    assert small == pytest.approx(100 / 1.9, rel=0.05)


def test_the_same_seed_gives_the_same_run() -> None:
    work = Worker((QueueCall("put", (), (("q", 1),), NOTHING, Work((0.1, 0.2, 0.4))),))
    model = Model({"q": QueueRoom(3)}, (work, consumer(0.05)))

    assert simulate(model, 10, seed=3) == simulate(model, 10, seed=3)


def test_no_more_calls_work_at_once_than_tensorflows_pool_has_threads() -> None:
    model = Model({"q": QueueRoom(9)}, (*[producer(0.1)] * 6, consumer(0.0)), cores=8.0, pool=2)

    assert figures(simulate(model, 100)).examples == pytest.approx(20, rel=0.01)
