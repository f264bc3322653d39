"""A call that waits for ever is told what for, who should fill it and what to do."""

from __future__ import annotations

import pytest

from tests.runtime.conftest import check_stalled, stalled

HANGS = {
    "runners_never_started": [
        "'batch/fifo_queue'", "takes 4 elements", "holds 0 of at most 32",
        "was never started in this session", "tf.train.start_queue_runners(sess=sess",
    ],
    "runners_started_in_another_session": ["each session has its own queues"],
    "started_before_the_graph_was_complete": [
        "start_queue_runners was called before it existed", "started only input_producer",
    ],
    "threads_made_but_not_started": ["made but not started", "start=False", "start()"],
    "upstream_queue_that_nothing_fills": [
        "'batch' waits for 'files'", "No op of this graph enqueues into 'files'",
    ],
    "all_threads_died_without_coordinator": [
        "has died", "NotFoundError", "/nowhere/data.csv", "a Coordinator",
    ],
    "a_batch_made_in_a_branch_of_a_cond": [
        "has died", "marked as not fetchable", "Build the pipeline outside of the cond",
    ],
    "a_batch_made_in_a_branch_of_a_cond_that_is_fed": [
        "has died", "marked as not fetchable", "Build the pipeline outside of the cond",
    ],
    "placeholder_that_nobody_feeds": ["Nobody runs", "placeholder 'example'", "feed_dict="],
    "a_monitored_session_that_writes_summaries": ["Nobody runs", "placeholder 'example'"],
    "no_enqueue_at_all": [
        "No op of this graph enqueues into 'bare'", "takes 1 element ",
        "fed behind its queue: {'bare_Dequeue:0': …}",
    ],
    "enqueue_op_without_runner": ["Nobody runs", "'forgotten_enqueue'", "add a queue runner"],
    "enqueue_past_capacity": ["which is full", "2 of at most 2", "larger capacity"],
    "a_reader_read_directly_from_an_unfilled_queue": ["'input_producer", "never started"],
    "a_finalized_graph_with_a_hand_made_queue": ["No op of this graph enqueues into 'bare'"],
    "files_that_are_all_empty": [
        "Nothing comes out of ReaderReadV2", "the 2 files of its list", "Look at the files",
    ],
    "a_feeder_that_died": ["was run 1 time by a thread of the program, and no more"],
    "all_threads_of_a_conditional_enqueue_died": ["has died", "/nowhere/data.csv"],
    "a_callable_made_by_the_session": ["was never started"],
    "two_queues_that_wait_for_each_other": [
        "wait for one another", "'right' is filled from 'left'", "'left' is filled from 'right'",
        "from outside",
    ],
    "a_queue_filled_from_itself": ["'ring'", "is filled from itself"],
    "a_queue_beside_a_full_one_that_nobody_empties": [
        "fills 'labels'", "fills queue 'images'", "is full: it holds 2", "Take from both",
    ],
    "a_priority_queue_that_holds_too_few": [
        "takes 4 elements", "holds 3 of at most 10", "was run 1 time by a thread of the program",
    ],
    "a_priority_queue_with_too_little_room": ["room for 3", "capacity=5"],
    "a_queue_that_is_chosen_by_what_is_fed": ["No op of this graph enqueues into 'evaluation'"],
}  # fmt: skip
SLOW = {
    "batch_and_min_after_dequeue_above_capacity_deliver": 8,
    "a_slow_producer_is_not_accused": [1, 1, 1, 1],
    "a_slow_step_beside_a_full_queue_is_not_accused": 0,
    "a_slow_feeder_of_ones_own_is_not_accused": [0, 1, 2, 3],
    "a_pool_of_threads_that_all_compute": 1,
    "a_queue_that_another_task_of_the_cluster_fills": 7,
    "a_slow_op_that_fills_two_queues_is_not_accused": [5, 5],
    "an_element_that_goes_round_slowly_is_not_accused": 7,
    "a_join_beside_a_thread_that_trains": [4, 4],
    "a_join_with_threads_whose_input_is_slow": 2,
}


@pytest.fixture(scope="module")
def ended(tmp_path_factory):
    """Every hang, run with on_stall="raise" and a short patience."""
    return stalled("hangs", tmp_path_factory.mktemp("hangs"))


@pytest.mark.parametrize("name", HANGS)
def test_a_hang_ends_in_queue_stalled_which_says_what_is_missing(ended, name):
    check_stalled(ended[name], HANGS[name])


@pytest.mark.parametrize("name", HANGS)
def test_the_message_names_the_line_that_waits(ended, name):
    assert "sess.run at hangs.py:" in ended[name]["message"]


@pytest.mark.parametrize("name", HANGS)
def test_an_ended_hang_leaves_no_queue_threads(ended, name):
    assert ended[name]["threads"] == []


@pytest.mark.parametrize("name", SLOW)
def test_a_slow_pipeline_is_never_ended(ended, name):
    assert (ended[name]["type"], ended[name]["value"]) == (None, SLOW[name]), ended[name]


def test_a_join_that_nobody_asked_to_stop_is_told_so_with_the_full_queues(ended):
    case = ended["a_join_that_nobody_asked_to_stop"]
    assert case["type"] == "QueueStalled" and case["threads"] == []
    for words in (
        "join at hangs.py:", "nobody asked the coordinator to stop", "'batch' (hangs.py:",
        "32 elements lie ready", "right: coord.request_stop(); coord.join(threads)",
    ):  # fmt: skip
        assert words in case["message"]


def test_slow_pipelines_are_not_even_warned_about(ended):
    warned = ended["stderr"].count("StallWarning")
    assert warned == 4  # the pipe, the pool, the condition and the cluster


def test_a_condition_that_keeps_nothing_is_warned_about_and_not_ended(ended):
    assert "Look at the condition given as keep_input" in ended["stderr"]
    assert ended["a_condition_that_keeps_nothing_for_long"]["value"] == [30_000]


def test_a_pipe_that_nobody_writes_is_warned_about_and_not_ended(ended):
    assert "A file that never ends" in ended["stderr"]
    assert "ReaderReadV2" in ended["stderr"]
    assert ended["a_pipe_that_nobody_writes"]["type"] != "QueueStalled"


def test_a_session_whose_threads_are_all_blocked_is_warned_about_and_not_ended(ended):
    assert "The session does not even answer" in ended["stderr"]
    assert "inter_op_parallelism_threads" in ended["stderr"]
    assert ended["a_pool_of_threads_that_are_all_blocked"]["value"] == [1]


WAITER = """
import threading
import queueio.train
import tensorflow as tf
v1 = tf.compat.v1
def start(sess):
    with sess.graph.as_default():
        queueio.train.start_queue_runners(sess)
with tf.Graph().as_default():
    queue = v1.FIFOQueue(4, [tf.int32], shapes=[[]])
    enqueue, batch = queue.enqueue(7), queue.dequeue()
    queueio.train.add_queue_runner(queueio.train.QueueRunner(queue, [enqueue]))
    with v1.Session() as sess:
        threading.Timer(2.0, start, [sess]).start()
        print("got", sess.run(batch))
        print("again", sess.run(batch))
"""


@pytest.mark.long
def test_by_default_a_hang_is_warned_about_once_and_goes_on_waiting(run_python):
    done = run_python(WAITER, env={"QUEUEIO_STALL_SECONDS": "0.5"}, timeout=40)
    assert done.stderr.count("StallWarning: sess.run at program.py:15") == 1
    assert "never started" in done.stderr
    assert done.stdout.splitlines() == ["got 7", "again 7"]


ASKED = """
import threading
import queueio.train
import tensorflow as tf
v1 = tf.compat.v1
with tf.Graph().as_default():
    other, queue = (v1.FIFOQueue(4, [tf.int32], shapes=[[]]) for _ in range(2))
    fill, taken = other.enqueue_many([[1, 2, 3]]), other.dequeue()
    with tf.control_dependencies([taken]):
        queue.size(), queue.close(cancel_pending_enqueues=True)
    enqueue, batch = queue.enqueue(7), queue.dequeue()
    with v1.Session() as sess:
        sess.run(fill)
        threading.Timer(2.0, sess.run, [enqueue]).start()
        print("got", sess.run(batch), "and", sess.run(taken))
"""


@pytest.mark.long
def test_who_asks_how_full_a_queue_is_takes_nothing_that_the_program_s_own_size_op_waits_for(
    run_python,
):
    done = run_python(ASKED, env={"QUEUEIO_STALL_SECONDS": "0.5"}, timeout=40)
    assert "it holds 0 of at most 4" in done.stderr
    assert done.stdout == "got 7 and 1\n"
