"""Whatever breaks, the program ends soon, with the right exception and without its threads."""

from __future__ import annotations

import pytest

from tests.runtime.conftest import outcomes

# case: (exception type, words of its message)
FAULTS = {
    "thread_killed_by_an_exception": ("Killed", []),
    "thread_killed_by_system_exit": ("RuntimeError", ["was killed by SystemExit"]),
    "missing_file": ("NotFoundError", ["missing.txt", "name 1 of 1", "made at faults.py"]),
    "directory_in_place_of_a_file": ("FailedPreconditionError", ["directory.txt: is a directory"]),
    "file_that_may_not_be_read": (
        "PermissionDeniedError",
        ["locked.txt: permission denied; it is name 1 of 1", "(mode 0)", "made at faults.py"],
    ),
    "read_that_the_system_refuses": ("UnknownError", ["/proc/self/mem; Input/output error"]),
    "file_deleted_before_its_turn": ("NotFoundError", ["part2.txt", "name 3 of 3"]),
    "record_file_cut_short": ("DataLossError", ["cut.tfrecord, byte 66"]),
    "record_with_a_flipped_bit": ("DataLossError", ["flipped.tfrecord, byte 66", "checksum"]),
    "record_file_of_the_wrong_compression": ("DataLossError", ["plain.tfrecord: it is zlib data"]),
    "bad_row": ("InvalidArgumentError", ["rows.csv, line 4", "'four'"]),
    "garbage_for_an_image": ("InvalidArgumentError", ["made at faults.py", "decode_jpeg"]),
    "record_of_the_wrong_length": ("InvalidArgumentError", ["Expected [4], got [3]"]),
    "example_without_its_feature": ("InvalidArgumentError", ["label", "examples.tfrecord"]),
    "python_function_that_raises": ("InvalidArgumentError", ["the seventh is broken"]),
    "empty_list_of_files": ("InvalidArgumentError", ["requires a non-null input tensor"]),
    "uninitialised_counter": ("NotFoundError", ["tf.local_variables_initializer()"]),
    "uninitialised_table": ("FailedPreconditionError", ["Table not initialized"]),
    "session_closed_under_running_threads": (
        "CancelledError",
        ["the session was closed while its queue runners were at work"],
    ),
    "session_closed_under_running_threads_without_coordinator": (None, []),
    "session_closed_under_a_blocked_call": (
        "CancelledError",
        ["the session was closed while this call was waiting"],
    ),
    "queue_cancelled_by_somebody": ("CancelledError", []),
    "error_in_a_thread_of_the_users_own": ("ArithmeticError", ["evaluation diverged"]),
    "feeder_that_dies": ("OSError", ["No space left on device"]),
    "feeder_that_is_blocked_when_the_runner_has_come_to_its_end": ("CancelledError", []),
    "two_stages_that_fail_at_once": ("InvalidArgumentError", ["Integer division by zero"]),
    "thread_that_does_not_end": (
        "RuntimeError",
        ["Coordinator stopped with threads still running: QueueRunnerThread-batch/fifo_queue"],
    ),
}


@pytest.fixture(scope="module")
def ended(tmp_path_factory):
    return outcomes("faults", tmp_path_factory.mktemp("faults"), 120)


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_ends_in_the_right_exception(ended, name):
    kind, words = FAULTS[name]
    assert ended[name]["type"] == kind, ended[name]
    for word in words:
        assert word in ended[name]["message"]


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_leaves_no_thread(ended, name):
    assert ended[name]["threads"] == []


def test_of_two_failures_the_second_is_a_note_on_the_first(ended):
    (note,) = ended["two_stages_that_fail_at_once"]["notes"]
    assert note.startswith("also in QueueRunnerThread-batch") and "division by zero" in note


def test_every_fault_in_the_program_is_expected_here(ended):
    assert set(ended) - {"stderr"} == set(FAULTS)
