"""Whoever finds a queue closed is told why: the first real error, or the natural end."""

from __future__ import annotations

import threading

import pytest
import tensorflow as tf

from queueio.runtime import ledger
from queueio.runtime.threads.coordinator import Coordinator
from queueio.runtime.threads.queue_runner import QueueRunner
from queueio.runtime.threads.start import add_queue_runner, running, start_queue_runners

v1 = tf.compat.v1
pytestmark = pytest.mark.usefixtures("watched")


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def lines(path, text, **options):
    path.write_text(text)
    files = v1.train.string_input_producer([str(path)], shuffle=False, **options)
    return v1.TextLineReader().read(files)[1]


def session(initialise=True):
    sess = v1.Session()
    if initialise:
        sess.run(v1.local_variables_initializer())
    return sess


def end_of(sess, fetches, coord):
    """Run until an error; returns it, and leaves the threads stopped."""
    threads = start_queue_runners(sess, coord)
    try:
        while True:
            sess.run(fetches)
    except tf.errors.OpError as error:
        return error
    finally:
        coord.request_stop()
        for thread in threads:
            thread.join(10)


def end(fetches, initialise=True):
    with session(initialise) as sess:
        return end_of(sess, fetches, Coordinator())


def test_a_failed_stage_is_named_with_its_line_file_and_record(tmp_path):
    line = lines(tmp_path / "data.csv", "1,2\n3,x\n5,6\n")
    first, _ = v1.decode_csv(line, [[0], [0]])
    error = end(v1.train.batch([first], 2))
    assert type(error) is tf.errors.OutOfRangeError
    assert "is closed and has insufficient elements" in error.message  # TensorFlow's words stay
    assert "not the end of the input" in error.message
    assert "DecodeCSV 'DecodeCSV' (test_root_cause.py:" in error.message
    assert "first, _ = v1.decode_csv(line, [[0], [0]])" in error.message
    assert "on its way into 'batch'" in error.message
    assert "Field 1 in record 0 is not a valid int32: x" in error.message
    assert f"{tmp_path / 'data.csv'}, line 2" in error.message


def test_what_is_printed_ends_with_the_cause_and_keeps_tensorflows_words(tmp_path):
    line = lines(tmp_path / "data.csv", "x\n")
    error = end(v1.train.batch(v1.decode_csv(line, [[0]]), 2))
    printed = str(error)
    assert printed.index("Original stack trace") < printed.index("queueio: not the end")
    assert printed.count("not the end of the input") == 1
    assert "data.csv, line 1" in printed.splitlines()[-1]


LATIN = "1,2\n3,caf\u00e9\n"


def test_a_row_that_is_no_utf8_is_named_like_any_other(tmp_path):
    """TensorFlow cannot hand such a message on, and says only that it is no UTF-8."""
    line = lines(tmp_path / "data.csv", "")
    (tmp_path / "data.csv").write_bytes(LATIN.encode("latin-1"))
    first, _ = v1.decode_csv(line, [[0], [0]])
    error = end(v1.train.batch([first], 2))
    assert type(error.__cause__) is tf.errors.InvalidArgumentError
    assert "Field 1 in record 0 is not a valid int32: caf\\xe9" in error.message
    assert f"{tmp_path / 'data.csv'}, line 2: column 1" in error.message


def test_a_call_that_meets_bytes_that_are_no_utf8_raises_tensorflows_own_type():
    given = v1.placeholder(tf.string)
    numbers, content = v1.decode_csv(given, [[0.0]]), v1.read_file(given)
    with session() as sess:
        with pytest.raises(tf.errors.InvalidArgumentError, match="not a valid float"):
            sess.run(numbers, {given: b"caf\xe9"})
        with pytest.raises(tf.errors.NotFoundError, match="No such file"):
            sess.run(content, {given: b"/nowhere/caf\xe9"})


def test_an_error_of_a_py_func_is_one_line_and_names_the_users(tmp_path):
    def load(number):
        raise ValueError(f"cannot load {number}")

    number = v1.train.range_input_producer(5, shuffle=False).dequeue()
    loaded = v1.py_func(load, [number], tf.int32)
    loaded.set_shape([])
    error = end(v1.train.batch([loaded], 2))
    said = error.message.partition("queueio: ")[2]
    assert "InvalidArgumentError: ValueError: cannot load 0\n" in said
    assert "raised at test_root_cause.py:" in said and 'raise ValueError(f"cannot load' in said
    assert "Traceback" not in said


def test_what_a_runner_with_a_run_of_its_own_delivered_is_counted():
    class Fed(QueueRunner):
        def _run(self, sess, enqueue_op, coord=None):
            for number in range(5):
                sess.run(enqueue_op, {example: number})
            sess.run(self._close_op)

    example = v1.placeholder(tf.int32, [])
    queue = v1.FIFOQueue(10, [tf.int32], [[]], name="fed")
    add_queue_runner(Fed(queue, [queue.enqueue(example)]))
    error = end(queue.dequeue_many(2))
    assert "fed (test_root_cause.py:" in error.message
    assert "enqueued 5, delivered 4, dropped 1" in error.message


@pytest.mark.parametrize("use_resource", [False, True])
def test_a_variable_made_of_another_is_told_to_take_its_initial_value(use_resource):
    single = v1.get_variable("single", initializer=3.0, use_resource=use_resource)
    read = single.read_value()
    v1.get_variable("double", initializer=read * 2, use_resource=use_resource)
    single.initializer._add_control_input(read.op)  # TensorFlow takes one order or the other
    with session() as sess, pytest.raises(tf.errors.OpError) as caught:
        sess.run(v1.global_variables_initializer())
    assert "global variable 'single' is read by the call that initialises it" in str(caught.value)
    assert "initialized_value()" in str(caught.value)


@pytest.mark.parametrize("use_resource", [False, True])
def test_an_uninitialised_variable_is_not_taken_for_one_with_a_shorter_name(use_resource):
    variables = [v1.get_variable(n, [], use_resource=use_resource) for n in ("w", "ab", "w_b")]
    with session() as sess:
        sess.run(variables[0].initializer)
        with pytest.raises(tf.errors.OpError) as caught:
            sess.run(variables[2].read_value() if use_resource else variables[2] + 1)
    assert "global variable 'w_b' is not initialised" in caught.value.message


def test_a_failure_behind_a_conditional_enqueue_is_found(v1_behaviour, tmp_path):
    number = v1.decode_csv(lines(tmp_path / "data.csv", "1\nx\n"), [[0]])[0]
    error = end(v1.train.maybe_batch([number], number > 0, 2))
    assert "data.csv, line 2" in error.message


def test_a_stream_that_is_longer_than_its_partner_is_said_to_go_on():
    long = v1.train.range_input_producer(100, num_epochs=1).dequeue()
    short = v1.train.range_input_producer(5, num_epochs=1).dequeue()
    error = end(v1.train.batch([long, short], 2))
    assert "a stage before it has ended" in error.message
    assert "planned 1 epoch of 100 = 100, has not ended" in error.message
    assert "planned 1 epoch of 5 = 5, enqueued 5" in error.message


def test_a_queue_that_the_program_filled_and_closed_by_hand_is_called_that():
    queue = v1.FIFOQueue(10, [tf.int32], [[]], name="fed")
    enqueue, batch, close = queue.enqueue(1), queue.dequeue_many(2), queue.close()
    with session() as sess:
        for _ in range(5):
            sess.run(enqueue)
        sess.run(close)
        sess.run(batch)
        sess.run(batch)
        with pytest.raises(tf.errors.OutOfRangeError) as caught:
            sess.run(batch)
    said = str(caught.value).partition("queueio: ")[2]
    assert said.startswith("the end of what the program itself put into 'fed': it ran the enqueue")
    assert "5 times and then closed the queue" in said and "The last element is lost" in said


def test_the_failure_is_the_cause_of_the_exception(tmp_path):
    line = lines(tmp_path / "data.csv", "x\n")
    error = end(v1.train.batch(v1.decode_csv(line, [[0]]), 2))
    assert type(error.__cause__) is tf.errors.InvalidArgumentError


def test_a_failure_two_queues_upstream_is_found():
    files = v1.train.string_input_producer(["/nowhere/a"], shuffle=False)
    first = v1.train.batch([v1.TextLineReader().read(files)[1]], 1)
    error = end(v1.train.shuffle_batch([first], 2, 10, 1))
    assert type(error) is tf.errors.OutOfRangeError
    assert type(error.__cause__) is tf.errors.NotFoundError
    assert "/nowhere/a" in error.message and "ReaderReadV2" in error.message


def test_join_raises_the_failure_itself(tmp_path):
    line = lines(tmp_path / "data.csv", "x\n")
    batch = v1.train.batch(v1.decode_csv(line, [[0]]), 2)
    coord = Coordinator()
    with session() as sess:
        end_of(sess, batch, coord)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"made at test_root_cause\.py"):
        coord.join()


def test_an_error_reported_by_a_thread_of_the_users_own_is_named():
    number = v1.train.range_input_producer(10).dequeue()
    batch = v1.train.batch([number], 2)
    coord = Coordinator()
    with session() as sess:
        start_queue_runners(sess, coord)
        sess.run(batch)
        coord.request_stop(ValueError("the evaluation diverged"))
        with pytest.raises(tf.errors.OutOfRangeError) as caught:
            while True:
                sess.run(batch)
    assert "ValueError: the evaluation diverged" in caught.value.message
    assert type(caught.value.__cause__) is ValueError


def test_a_stop_that_somebody_asked_for_is_called_that():
    batch = v1.train.batch([v1.train.range_input_producer(10).dequeue()], 2)
    coord = Coordinator()
    with session() as sess:
        start_queue_runners(sess, coord)
        sess.run(batch)
        coord.request_stop()
        with pytest.raises(tf.errors.OutOfRangeError) as caught:
            while True:
                sess.run(batch)
        coord.join()
    assert "the coordinator was asked to stop" in caught.value.message
    assert "test_root_cause.py" in caught.value.message.rpartition("queueio: ")[2]


def test_an_enqueue_by_hand_into_a_queue_that_failed_is_told_too(tmp_path):
    line = lines(tmp_path / "data.csv", "x\n")
    queue = v1.FIFOQueue(10, [tf.int32], shapes=[[]])
    add_queue_runner(QueueRunner(queue, [queue.enqueue(v1.decode_csv(line, [[0]]))]))
    by_hand = queue.enqueue(3)
    coord = Coordinator()
    with session() as sess:
        coord_threads = start_queue_runners(sess, coord)
        for thread in coord_threads:
            thread.join(10)
        with pytest.raises(tf.errors.CancelledError) as caught:
            sess.run(by_hand)
    assert "Field 0 in record 0 is not a valid int32" in caught.value.message


def test_a_natural_end_says_so_and_counts_what_was_planned_and_delivered():
    number = v1.train.range_input_producer(5, num_epochs=2).dequeue()
    error = end(v1.train.batch([number], 5))
    ours = error.message.partition("queueio: ")[2]
    assert ours.startswith("the natural end of the input, not an error")
    assert "planned 2 epochs of 5 = 10, enqueued 10" in ours
    assert error.__cause__ is None
    assert "lost" not in ours


def test_a_second_start_that_finds_no_more_input_counts_what_the_first_one_delivered():
    batch = v1.train.batch([v1.train.range_input_producer(5, num_epochs=2).dequeue()], 5)
    with session() as sess:
        for _ in range(2):
            for thread in start_queue_runners(sess):
                thread.join(10)
        error = end_of(sess, batch, Coordinator())
    assert "planned 2 epochs of 5 = 10, enqueued 10" in error.message


def test_a_pass_in_a_session_whose_input_has_ended_is_told_that_queues_stay_closed():
    batch = v1.train.batch([v1.train.range_input_producer(5, num_epochs=1).dequeue()], 5)
    with session() as sess:
        first = end_of(sess, batch, Coordinator())
        sess.run(v1.local_variables_initializer())
        second = end_of(sess, batch, Coordinator())
    assert "started again" not in first.message
    assert "planned 1 epoch of 5 = 5, enqueued 5" in second.message
    assert "started again after that: a closed queue stays closed" in second.message


def test_a_pass_after_a_stop_is_told_that_queues_stay_closed():
    batch = v1.train.batch([v1.train.range_input_producer(5).dequeue()], 5)
    coord = Coordinator()
    with session() as sess:
        threads = start_queue_runners(sess, coord)
        sess.run(batch)
        coord.request_stop()
        coord.join(threads)
        coord.clear_stop()
        error = end_of(sess, batch, coord)
    assert type(error) is tf.errors.OutOfRangeError
    assert "a stage before it failed" not in error.message
    assert "started again after that: a closed queue stays closed" in error.message


@pytest.mark.parametrize("records, batch_size, dropped", [(10, 4, 2), (7, 8, 7), (9, 8, 1)])
def test_a_natural_end_counts_the_dropped_tail(tmp_path, records, batch_size, dropped):
    line = lines(tmp_path / "data.txt", "record\n" * records, num_epochs=1)
    error = end(v1.train.batch([line], batch_size))
    assert f"delivered {records - dropped}, dropped {dropped}" in error.message
    assert "allow_smaller_final_batch=True" in error.message


def test_with_a_smaller_final_batch_nothing_is_dropped(tmp_path):
    line = lines(tmp_path / "data.txt", "record\n" * 5, num_epochs=1)
    error = end(v1.train.batch([line], 4, allow_smaller_final_batch=True))
    ours = error.message.partition("queueio: ")[2]
    assert "natural end" in ours and "enqueued 5" in ours
    assert ", dropped" not in ours and "lost" not in ours


def test_an_op_that_ends_the_stream_by_its_error_type_only_is_pointed_out():
    def exhausted():
        raise StopIteration

    number = v1.py_func(exhausted, [], tf.int32)
    number.set_shape([])
    error = end(v1.train.batch([number], 2))
    assert "but look at PyFunc" in error.message


def test_the_same_error_is_explained_once(tmp_path):
    line = lines(tmp_path / "data.txt", "record\n", num_epochs=1)
    with session() as sess:
        callable_ = sess.make_callable(v1.train.batch([line], 4))
        start_queue_runners(sess, Coordinator())
        with pytest.raises(tf.errors.OutOfRangeError) as caught:
            callable_()
    assert caught.value.message.count("queueio: ") == 1


@pytest.mark.parametrize("v1_variables", [False, True])
def test_a_forgotten_epoch_counter_gets_the_line_to_add(v1_variables, request):
    if v1_variables:
        request.getfixturevalue("v1_behaviour")
    number = v1.train.range_input_producer(5, num_epochs=2).dequeue()
    error = end(v1.train.batch([number], 5), initialise=False)
    kind = tf.errors.FailedPreconditionError if v1_variables else tf.errors.NotFoundError
    assert type(error) is tf.errors.OutOfRangeError and isinstance(error.__cause__, kind)
    for message in (error.message, error.__cause__.message):
        assert "'input_producer/limit_epochs/epochs' is not initialised" in message
        assert "sess.run(tf.local_variables_initializer())" in message


def test_a_forgotten_global_variable_read_by_the_step_gets_its_line_too():
    weight = v1.get_variable("weight", [])
    with session() as sess, pytest.raises(tf.errors.OpError) as caught:
        sess.run(weight)
    assert "sess.run(tf.global_variables_initializer())" in caught.value.message


@pytest.mark.parametrize("early", ["v1.global_variables_initializer", "v1.group"])
def test_an_initializer_made_before_the_variable_is_named(early):
    if early == "v1.group":
        init = v1.group(v1.global_variables_initializer(), v1.local_variables_initializer())
    else:
        init = v1.global_variables_initializer()
    weight = v1.get_variable("weight", [])
    with session() as sess:
        sess.run(init)
        with pytest.raises(tf.errors.OpError) as caught:
            sess.run(weight)
        assert f"'{init.name}'" in caught.value.message
        assert "knows only the global variables before it" in caught.value.message
        late = v1.global_variables_initializer()
        with pytest.raises(tf.errors.OpError) as caught:
            sess.run(weight)
    assert f"'{late.name}'" in caught.value.message
    assert "which initialises it, had not been run" in caught.value.message
    assert "Run it before the first step" in caught.value.message


def test_an_epoch_counter_initialised_behind_the_start_is_told_what_comes_first():
    batch = v1.train.batch([v1.train.range_input_producer(5, num_epochs=2).dequeue()], 5)
    coord, init = Coordinator(), v1.local_variables_initializer()
    with session(initialise=False) as sess:
        threads = start_queue_runners(sess, coord)
        coord.wait_for_stop()
        sess.run(init)
        with pytest.raises(tf.errors.OutOfRangeError) as caught:
            sess.run(batch)
        for thread in threads:
            thread.join(10)
    assert "which initialises it, had not been run in this session" in caught.value.message
    assert "Run it before start_queue_runners" in caught.value.message
    assert "leaves local variables out" not in caught.value.message


def test_errors_that_have_nothing_to_do_with_queues_are_left_alone():
    with session() as sess, pytest.raises(tf.errors.InvalidArgumentError) as caught:
        sess.run(v1.div(1, v1.placeholder_with_default(0, [])))
    assert "queueio" not in caught.value.message


def test_a_queue_closed_by_the_user_is_left_alone():
    queue = v1.FIFOQueue(3, [tf.int32], shapes=[[]])
    with session() as sess:
        sess.run(queue.close())
        with pytest.raises(tf.errors.OutOfRangeError) as caught:
            sess.run(queue.dequeue())
    assert "queueio" not in caught.value.message


def test_running_raises_the_real_error_in_place_of_its_consequence(tmp_path):
    line = lines(tmp_path / "data.csv", "x\n")
    batch = v1.train.batch(v1.decode_csv(line, [[0]]), 2)
    failed = pytest.raises(tf.errors.InvalidArgumentError, match="not a valid int32")
    with session() as sess, failed, running(sess):
        sess.run(batch)


def test_a_thread_that_is_about_to_close_its_queue_is_not_taken_for_gone():
    done = threading.Event()
    thread = ledger.RunnerThread(target=done.wait)
    thread.record, thread.run_record = ledger.ThreadRecord("", None), ledger.RunRecord(0, 0, 0)
    thread.record.end("natural")
    thread.start()
    assert thread.run_record.is_ending
    done.set()
    thread.join()
    assert not thread.run_record.is_ending
