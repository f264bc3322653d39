"""The building phase of a script ends before anything is trained or written."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

PIPELINE = "import tensorflow as tf, threading\nx = tf.train.batch([tf.constant(1)], 2, name='x')\n"
SCRIPTS = {
    "run": "print('hello')\nwith tf.Session() as s:\n    s.run(x)\n",
    "session_first": "with tf.Session() as s:\n    y = tf.train.batch([x], 3, name='y')\n"
    "    s.run(y)\n    tf.train.batch([y], 3, name='z')\n",
    "runners": "s = tf.InteractiveSession()\ntf.train.start_queue_runners()\n",
    "monitored": "tf.train.create_global_step()\n"
    "with tf.train.MonitoredTrainingSession(checkpoint_dir='logs') as s:\n    s.run(x)\n",
    "supervisor": "sv = tf.train.Supervisor(logdir='logs')\n"
    "with sv.managed_session() as s:\n    s.run(x)\n",
    "callable": "tf.Session().make_callable(x)()\n",
    "handler": "try:\n    tf.Session().run(x)\nexcept Exception:\n    open('logs', 'w')\n",
    "cleanup": "try:\n    tf.Session().run(x)\nfinally:\n    undefined.join()\n",
    "graphs": "with tf.Graph().as_default():\n"
    "    tf.train.batch([tf.constant(1)], 2, name='other')\ntf.Session().run(x)\n",
    "thread": "s = tf.Session()\nt = threading.Thread(target=lambda: s.run(x))\n"
    "t.start()\nt.join()\n"
    "tf.train.batch([x], 2, name='later')\ns.run(x)\n",
    "prepares": "with tf.Graph().as_default(), tf.Session() as s:\n    n = s.run(tf.constant(7))\n"
    "tf.train.batch([tf.constant(n)], n, name='later')\ntf.Session().run(x)\n",
    "no_session": "",
    "exits": "import sys\nsys.exit(0)\n",
    "exits_3": "import sys\nsys.exit(3)\n",
    "says_why": "import sys\nsys.exit('no --data_dir')\n",
    "fails": "undefined.join()\n",
    "app": "def main(_):\n    tf.Session().run(x)\ntf.app.run(main)\n",
}

PROGRAM = """
import json, sys
from queueio.script.building import ScriptFailed, building_phase

told = {}
for name in sys.argv[1:]:
    import tensorflow as tf
    tf.compat.v1.reset_default_graph()
    try:
        phase = building_phase(name + ".py")
        told[name] = [phase.ended, [p.name for p in phase.pipelines]]
    except ScriptFailed as error:
        told[name] = str(error)
run = tf.compat.v1.Session.run
told["restored"] = "queueio.script" not in run.__module__
print(json.dumps(told))
"""


@pytest.mark.long
def test_the_phase_ends_where_the_first_session_would_work(
    run_python: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    for name, text in SCRIPTS.items():
        (tmp_path / f"{name}.py").write_text(PIPELINE + text)
    done = run_python(PROGRAM, *SCRIPTS, timeout=120)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)  # and nothing of the scripts' own
    expected = {
        "run": ["sess.run at run.py:5: s.run(x)", ["x"]],
        "session_first": ["sess.run at session_first.py:5: s.run(y)", ["y"]],
        "runners": [
            "queue runners start at runners.py:4: tf.train.start_queue_runners()", ["x"]
        ],
        "monitored": [
            "a monitored session is made at monitored.py:4: "
            "with tf.train.MonitoredTrainingSession(checkpoint_dir='logs') as s:", ["x"]
        ],
        "supervisor": [
            "a Supervisor is made at supervisor.py:3: "
            "sv = tf.train.Supervisor(logdir='logs')", ["x"]
        ],
        "callable": ["sess.make_callable at callable.py:3: tf.Session().make_callable(x)()", ["x"]],
        "handler": ["sess.run at handler.py:4: tf.Session().run(x)", ["x"]],
        "cleanup": ["sess.run at cleanup.py:4: tf.Session().run(x)", ["x"]],
        "graphs": ["sess.run at graphs.py:5: tf.Session().run(x)", ["x", "other"]],
        "thread": ["sess.run at thread.py:8: s.run(x)", ["later"]],
        "prepares": ["sess.run at prepares.py:6: tf.Session().run(x)", ["x", "later"]],
        "no_session": ["", ["x"]],
        "exits": ["", ["x"]],
        "exits_3": "exits_3.py ended with exit status 3 while it built its graph",
        "says_why": "says_why.py ended with the message 'no --data_dir' while it built its graph",
        "fails": "fails.py ended with exit status 1 while it built its graph",
        "app": ["sess.run at app.py:4: tf.Session().run(x)", ["x"]],
        "restored": True,
    }  # fmt: skip
    assert told == expected
    assert "hello" in done.stderr
    assert done.stderr.count("NameError") == 1  # of `fails`; what `cleanup` misses is our doing
    assert not (tmp_path / "logs").exists()


def test_a_script_that_catches_everything_in_a_loop_is_given_up(
    run_python: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    text = "s = tf.Session()\nwhile True:\n    try:\n        s.run(x)\n    except:\n        pass\n"
    (tmp_path / "stubborn.py").write_text(PIPELINE + text)
    done = run_python(PROGRAM, "stubborn", timeout=60)
    assert done.returncode == 2
    assert "giving up" in done.stderr


UNUSED = """
import tensorflow as tf
x = tf.train.batch([tf.constant(1)], 2, name='x')
missing = tf.report_uninitialized_variables()
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    print(session.run([x, missing]))
"""


def test_what_the_script_would_have_used_later_is_not_said_to_be_never_used(
    run_python: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    (tmp_path / "script.py").write_text(UNUSED)
    code = "from queueio.script.building import building_phase\n"
    code += "print([p.name for p in building_phase('script.py').pipelines])"
    done = run_python(code, cwd=tmp_path)
    assert done.stdout == "['x']\n", done.stderr[-2000:]
    assert "never used" not in done.stderr
