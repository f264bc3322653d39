"""Under the data engine, whatever is told speaks of the user's own stages, and is true."""

from __future__ import annotations

import re

import pytest

from queueio.runtime.diagnosis import at_work
from tests.runtime.conftest import outcomes

BUILDERS = ("batch", "shuffle_batch", "padded", "mine/final")
OURS = re.compile(rf"\b({'|'.join(BUILDERS)})/queueio\b")
ENDS = {
    "runners_never_started": ("QueueStalled", "was never started in this session"),
    "runners_started_in_another_session": ("QueueStalled", "it was in another one"),
    "threads_made_but_not_started": ("QueueStalled", "made but not started"),
    "died_without_coordinator": ("QueueStalled", "has died: UnknownError: KeyError: 'mine'"),
    "died_with_coordinator": ("OutOfRangeError", "stage: PyFunc 'mine'"),
    "never_initialised": ("OutOfRangeError", "sess.run(tf.local_variables_initializer())"),
    "files_without_a_record": ("QueueStalled", "looked through 2 files again and again"),
    "natural_end": ("OutOfRangeError", "the natural end of the input"),
    "joined_without_a_stop": ("QueueStalled", "nobody asked the coordinator to stop"),
    "stopped_coordinator": ("OutOfRangeError", "the coordinator was asked to stop"),
    "error_reported_to_the_coordinator": ("OutOfRangeError", "ValueError: of the program's own"),
    "queue_cancelled_by_the_program": ("OutOfRangeError", "is closed"),
    "fallen_back_and_ended": ("OutOfRangeError", "enqueued 30"),
    "fallen_back_and_starved": ("QueueStalled", "Nobody runs the enqueue op 'feed'"),
    "fallen_back_and_died": ("OutOfRangeError", "stage: PyFunc 'mine'"),
}
HEALTHY = {
    "a_slow_function": 4,
    "a_function_that_never_returns": 4,
    "a_function_that_computes": 4,
    "joined_before_a_slow_end": 1,
    "two_pipelines_one_starved": [4, 4],
}


@pytest.fixture(scope="module")
def ended(tmp_path_factory):
    """Every case by its scenario, run with on_stall="raise" and a short patience."""
    directory = tmp_path_factory.mktemp("data_engine")
    found = outcomes(
        "data_engine", directory, 240, QUEUEIO_ON_STALL="raise", QUEUEIO_STALL_SECONDS="0.4"
    )
    found.pop("stderr")
    by_scenario: dict[str, list[dict]] = {}
    for name, case in found.items():
        by_scenario.setdefault(name.split()[0], []).append(case)
    return by_scenario


def said(case):
    """All that a program was told, without the source files of tracebacks."""
    lines = [line for text in case["told"] for line in text.splitlines()]
    return "\n".join(line for line in lines if 'File "' not in line)


@pytest.mark.parametrize("scenario", [*ENDS, *HEALTHY, "closed_session"])
def test_nothing_names_an_op_or_a_queue_that_the_user_never_made(ended, scenario):
    for case in ended[scenario]:
        assert not OURS.search(said(case)), said(case)


@pytest.mark.parametrize("scenario", ENDS)
def test_a_batch_that_cannot_come_tells_why(ended, scenario):
    kind, words = ENDS[scenario]
    for case in ended[scenario]:
        assert case["type"] == kind, case
        assert words in case["message"]


@pytest.mark.parametrize("scenario", HEALTHY)
def test_a_run_that_works_is_never_ended(ended, scenario):
    for case in ended[scenario]:
        assert (case["type"], case["value"]) == (None, HEALTHY[scenario]), case


@pytest.mark.parametrize("scenario", ["a_slow_function", "a_function_that_computes"])
def test_a_run_that_works_is_no_stall(ended, scenario):
    assert "StallWarning" not in said(ended[scenario][0])


def test_work_without_a_batch_is_told_after_a_while_with_what_it_goes_through(ended):
    words = said(ended["a_function_that_computes"][0])
    assert "No stall: tf.data is at work on a batch for 'batch'" in words
    assert "come through PyFunc 'mine' (data_engine.py:" in words


def test_a_function_that_does_not_return_is_told_with_the_line_it_waits_at(ended):
    words = said(ended["a_function_that_never_returns"][0])
    assert "StallWarning" in words
    assert "it is inside PyFunc 'mine'" in words
    assert "released.wait(0.1)" in words


@pytest.mark.parametrize("scenario", [*ENDS, *HEALTHY, "closed_session"])
def test_no_thread_is_left(ended, scenario):
    assert [case["threads"] for case in ended[scenario]] == [[]] * len(ended[scenario])


def test_an_error_speaks_of_the_queue_and_the_number_that_tf1_spoke_of(ended):
    (case,) = (c for c in ended["natural_end"] if c["case"].endswith("shuffle_batch"))
    words = r"RandomShuffleQueue '_\d+_shuffle_batch/random_shuffle_queue' is closed and has "
    assert re.search(words + r"insufficient elements \(requested 4, current size 0\)",
                     case["message"])  # fmt: skip


def test_a_join_without_a_stop_speaks_of_batches_and_of_the_line_that_made_the_queue(ended):
    (case,) = ended["joined_without_a_stop"]
    told = re.search(
        r"for room in '\S+' \(data_engine.py:\d+: (.*?)\), where (.*?) lie", said(case)
    )
    assert told and "train." in told[1] and told[2].endswith("batches"), said(case)


def test_bytes_read_count_a_file_and_not_the_question(tmp_path):
    (tmp_path / "file").write_bytes(bytes(1000))
    before = at_work.bytes_read()
    if not before:
        pytest.skip("this system does not tell")
    assert at_work.bytes_read() == before
    (tmp_path / "file").read_bytes()
    assert at_work.bytes_read() >= before + 1000
