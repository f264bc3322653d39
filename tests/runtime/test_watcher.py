"""The watch over blocked calls goes on whatever files the program opens and closes."""

from __future__ import annotations

import pytest

MANY_FILES = """
import os, resource
limits = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (max(1500, limits[0]), limits[1]))
held = [os.open(os.devnull, os.O_RDONLY) for _ in range(1100)]
"""
ALL_CLOSED = """
import os
import queueio.v1
os.closerange(3, 64)
"""
OTHERS_IN_THEIR_PLACES = """
import os
import queueio.v1
os.closerange(3, 64)
held = [os.open(f"file{i}", os.O_RDWR | os.O_CREAT) for i in range(60)]
"""
BLOCKED = """
import signal, sys, threading, time
import queueio.v1 as tf

queue = tf.FIFOQueue(4, tf.int32, shapes=[[]])
number = queue.dequeue()
with tf.Session() as session:
    session.run(queue.enqueue(1))
    print(session.run(number), flush=True)
    if sys.argv[1] == "stall":
        try:
            session.run(number)
        except Exception as error:
            print(type(error).__name__)
    else:
        threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
        try:
            session.run(number)
        except KeyboardInterrupt:
            print("KeyboardInterrupt")
for name in os.listdir("."):
    if name.startswith("file") and os.path.getsize(name):
        print("written to", name)
"""


FILES = {
    "many": MANY_FILES,
    "all closed": ALL_CLOSED,
    "others in their places": OTHERS_IN_THEIR_PLACES,
}


@pytest.mark.long
@pytest.mark.parametrize("files", FILES)
@pytest.mark.parametrize(
    ("case", "ends"), [("stall", "QueueStalled"), ("signal", "KeyboardInterrupt")]
)
def test_a_blocked_call_is_ended_whatever_files_the_program_opened_and_closed(
    case: str, ends: str, files: str, run_python
) -> None:
    """More than a thousand; or all closed, as a daemon does; and nothing is written into theirs."""
    env = {"QUEUEIO_STALL_SECONDS": "1", "QUEUEIO_ON_STALL": "raise" if case == "stall" else "warn"}
    done = run_python(FILES[files] + BLOCKED, case, env=env, timeout=30)
    assert done.stdout.split() == ["1", ends], done.stderr[-2000:]
