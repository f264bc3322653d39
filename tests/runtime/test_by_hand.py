"""Who waits for a queue that the program's own threads fill is told what became of them."""

from __future__ import annotations

import pytest

from tests.runtime.conftest import check_stalled, stalled

HANGS = {
    "a_close_behind_enqueues_that_wait_for_room": [
        "closes queue 'small'", "2 of at most 2", "closed after the enqueues before it",
        "cancel_pending_enqueues=True",
    ],
    "feeders_that_are_awaited_before_anything_is_taken": [
        "puts into queue 'fed'", "the main thread waits for this one to end, at by_hand.py:",
    ],
    "all_is_put_in_before_a_batch_is_taken": [
        "puts into queue 'fed'", "waits for room itself", "nothing empties 'batches' (by_hand.py:",
    ],
    "a_queue_that_was_filled_in_another_session": [
        "in this session", "run 3 times in another one", "each session has its own queues",
    ],
    "a_feeder_that_failed": ["thread 'loader' failed: OSError: gone.jpg", "was run 5 times"],
    "a_feeder_that_told_its_own_coordinator": ["thread 'loader' failed: OSError: lost.jpg"],
    "a_runner_that_closes_another_queue": ["'open'", "nothing closed the queue", "close_op"],
    "gradients_that_nobody_applies": ["2 gradients from", "'gathered'", "has 1", "apply_grad"],
    "a_barrier_whose_element_lacks_a_component": ["1 element from", "'pairs'", "has 0"],
}  # fmt: skip
SLOW = [
    "a_slow_feeder_that_runs_a_group",
    "a_slow_feeder_that_runs_its_op_by_name",
    "a_slow_feeder_with_a_callable",
]


@pytest.fixture(scope="module")
def ended(tmp_path_factory):
    """Every case, run with on_stall="raise" and a short patience."""
    return stalled("by_hand", tmp_path_factory.mktemp("by_hand"))


@pytest.mark.parametrize("name", HANGS)
def test_a_hang_is_told_with_what_the_threads_did(ended, name):
    check_stalled(ended[name], HANGS[name])


def test_threads_that_wait_for_one_queue_are_not_taken_for_those_that_fill_it(ended):
    assert "QueueStalled" in ended["two_that_wait_for_one_queue"]["value"]


@pytest.mark.parametrize("name", SLOW)
def test_a_slow_feeder_is_not_accused_however_it_runs_its_op(ended, name):
    assert len(ended[name]["value"]) == 5
    assert "'fed'" not in ended["stderr"]


def test_threads_that_a_coordinator_waits_for_are_warned_about(ended):
    assert "it puts into queue 'awaited'" in ended["stderr"]
    assert ended["feeders_that_a_coordinator_awaits"]["type"] is None


@pytest.mark.parametrize("behind", ["its_queue", "the_queue_before_a_batch"])
def test_the_end_of_what_a_failed_thread_fed_is_not_called_natural(ended, behind):
    case = ended[f"a_feeder_that_failed_and_closed_{behind}"]
    assert case["type"] == "OutOfRangeError"
    assert "lack" in case["message"] and "natural" not in case["message"]
    assert "thread 'loader' failed: OSError: gone.jpg" in case["message"]


def test_the_end_of_what_a_thread_fed_without_error_is_told_without_one(ended):
    message = ended["a_feeder_that_came_to_its_end"]["message"]
    assert "ran the enqueue op 6 times and then closed the queue" in message
    assert "failed" not in message
