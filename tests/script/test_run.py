"""`queueio run` behaves as `python` does, except for what `import tensorflow` gives."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.processes import python

ROOT = Path(__file__).resolve().parents[2]
Runner = Callable[..., "subprocess.CompletedProcess[str]"]


def environment() -> dict[str, str]:
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    return {**os.environ, "PYTHONPATH": path, "TF_CPP_MIN_LOG_LEVEL": "3"}


def write(folder: Path, **files: str) -> None:
    for name, text in files.items():
        path = folder / (name.replace("__in__", "/") + ".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text).lstrip("\n"))


@pytest.fixture
def both(tmp_path: Path) -> Runner:
    """Runs the same command line under `queueio run` and under `python`; gives the first."""

    def run(*arguments: str, compare: bool = True, **more: str) -> subprocess.CompletedProcess[str]:
        done = [
            subprocess.run(
                [sys.executable, *launcher, *arguments],
                capture_output=True,
                text=True,
                timeout=90,
                cwd=tmp_path,
                stdin=subprocess.DEVNULL,
                env={**environment(), **more},
            )
            for launcher in (["-m", "queueio", "run"], [])[: 2 if compare else 1]
        ]
        if compare:
            ours, pythons = done
            assert ours.returncode == pythons.returncode
            assert ours.stdout == pythons.stdout
            assert ours.stderr == pythons.stderr
        return done[0]

    return run


# Without TensorFlow: all that `python` does, compared with `python` itself, byte for byte.


def test_a_failing_script_has_pythons_traceback_and_status(both: Runner, tmp_path: Path) -> None:
    write(tmp_path, helper="""
        def fail(depth):
            if depth:
                return fail(depth - 1)
            raise ValueError("no such thing") from KeyError("cause")
        """, script="""
        import helper
        try:
            helper.fail(2)
        except ValueError as error:
            raise RuntimeError("while handling")
        """)  # fmt: skip
    done = both("script.py")
    assert done.returncode == 1
    assert "queueio" not in done.stderr and "runpy" not in done.stderr


@pytest.mark.parametrize(
    ("ending", "status"),
    [
        ("sys.exit(7)", 7),
        ("sys.exit('a reason')", 1),
        ("sys.exit()", 0),
        ("raise SystemExit((1, 2))", 1),
        ("import os; os._exit(5)", 5),
        ("this is not Python", 1),
        ("import a_module_that_is_missing", 1),
        ("1/0", 1),
        ("raise OSError(32, 'Broken pipe')", 1),
        ("raise EOFError", 1),
        ("raise ExceptionGroup('g', [ValueError(1)])" if sys.version_info >= (3, 11) else "1/0", 1),
        ("import threading; threading.Thread(target=int, args='x', name='T').start()", 0),
        ("import atexit; atexit.register(print, 'late', sys.argv, __name__)", 0),
    ],
)  # fmt: skip
def test_every_ending_is_pythons(both: Runner, tmp_path: Path, ending: str, status: int) -> None:
    write(tmp_path, script=f"import sys\nprint('before')\n{ending}\n")
    assert both("script.py").returncode == status


def test_main_knows_itself_and_its_arguments_as_under_python(both: Runner, tmp_path: Path) -> None:
    write(tmp_path, below__in__script="""
        '''The docstring.'''
        import pickle, sys, os
        from dataclasses import dataclass

        import sibling

        @dataclass
        class Point:
            x: int

        copy = pickle.loads(pickle.dumps(Point(3)))
        print(type(copy) is Point, Point.__module__, sys.modules["__main__"].Point is Point)
        print(__name__, __file__, __doc__, __spec__, __package__, __cached__, __builtins__)
        print(sys.argv, os.getcwd(), sys.path[0], sibling.WHO)
        """, below__in__sibling="WHO = __name__")  # fmt: skip
    rest = ["--engine", "data", "--help", "-m", "--", "x", "-x=1", ""]
    assert "['below/script.py', '--engine', 'data'" in both("below/script.py", *rest).stdout


def test_a_linked_script_finds_the_siblings_of_the_real_one(both: Runner, tmp_path: Path) -> None:
    write(tmp_path, real__in__script="import sibling; print(__file__, sibling.__file__)",
          real__in__sibling="")  # fmt: skip
    (tmp_path / "link.py").symlink_to(tmp_path / "real" / "script.py")
    both("link.py")


def test_a_module_runs_as_under_python_m(both: Runner, tmp_path: Path) -> None:
    write(tmp_path, package__in____init__="print('init', __name__)",
          package__in____main__="""
          import sys
          from . import part
          print(__name__, __spec__.name, __package__, sys.argv, sys.path[0], part.NAME)
          raise ValueError("from a package")
          """, package__in__part="NAME = __name__; print(__name__)")  # fmt: skip
    done = both("-m", "package", "--help", "1", compare=False)
    pythons = subprocess.run(
        [sys.executable, "-m", "package", "--help", "1"],
        capture_output=True, text=True, cwd=tmp_path, env=environment(), timeout=60,
    )  # fmt: skip
    assert done.stdout == pythons.stdout
    assert done.returncode == pythons.returncode == 1
    # Python itself shows the frames of runpy here; there is nothing of the user's in them.
    assert done.stderr.endswith("ValueError: from a package\n")
    assert "runpy" not in done.stderr and "queueio" not in done.stderr


@pytest.mark.long
def test_a_missing_script_or_module_is_said_in_one_line(both: Runner, tmp_path: Path) -> None:
    done = both("nowhere.py", compare=False)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].endswith("nowhere.py': no such file")
    done = both(os.devnull, compare=False)
    assert done.stderr.splitlines()[-1].endswith("null': it is no regular file")
    done = both("", compare=False)
    assert done.stderr.splitlines()[-1].endswith("can't open file '': its name is empty")
    done = both("-m", "no_such.module", compare=False)
    assert done.returncode == 1
    assert done.stderr == "queueio run: No module named no_such.module\n"


def test_the_scripts_own_except_hook_is_used(both: Runner, tmp_path: Path) -> None:
    write(tmp_path, script="""
        import sys
        sys.excepthook = lambda kind, value, traceback: print(
            "mine:", kind.__name__, value, traceback.tb_frame.f_code.co_name, traceback.tb_next)
        raise ValueError("x")
        """)  # fmt: skip
    assert "mine: ValueError x <module> None" in both("script.py").stdout


def test_ctrl_c_ends_the_process_by_the_signal_after_exit_handlers(tmp_path: Path) -> None:
    write(tmp_path, script="""
        import atexit, time
        atexit.register(print, "handler ran", flush=True)
        print("ready", flush=True)
        time.sleep(30)
        """)  # fmt: skip
    process = subprocess.Popen(
        [sys.executable, "-m", "queueio", "run", "script.py"], cwd=tmp_path, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(),
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.2)  # into the sleep, so that the traceback is the script's
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert out == "handler ran\n"
    assert process.returncode == -signal.SIGINT
    assert err.splitlines()[-1] == "KeyboardInterrupt"
    assert "script.py" in err and "queueio" not in err.replace(str(tmp_path), "")


def test_ctrl_c_ends_it_so_where_the_output_is_closed_or_takes_nothing(tmp_path: Path) -> None:
    write(tmp_path, script="""
        import os, signal, sys
        sys.stdout = None
        sys.stderr = type("Log", (), {"write": lambda self, text: None})()
        os.kill(os.getpid(), signal.SIGINT)
        """)  # fmt: skip
    done = python("-m", "queueio", "run", "script.py", cwd=tmp_path, env=environment(), fresh=True)
    assert (done.returncode, done.stderr) == (-signal.SIGINT, "")


def test_full_tracebacks_can_be_had_for_reporting_an_error_in_queueio(
    both: Runner, tmp_path: Path
) -> None:
    write(tmp_path, script="1/0")
    done = both("script.py", compare=False, QUEUEIO_FULL_TRACEBACK="1")
    assert "queueio" in done.stderr and done.returncode == 1


def test_options_before_the_script_become_settings_its_children_inherit(
    both: Runner, tmp_path: Path
) -> None:
    write(tmp_path, script="""
        import os, sys
        for name in sorted(os.environ):
            if name.startswith("QUEUEIO_") and not name.endswith(("_JOB", "_CACHE")):  # the suite's
                print(name, os.environ[name])
        print(sys.argv)
        """)  # fmt: skip
    options = ["--engine", "data", "--strict", "--on-stall", "raise", "--report", "r.json"]
    done = both(*options, "script.py", "--strict", compare=False)
    assert done.stdout.splitlines() == [
        "QUEUEIO_ENGINE data",
        "QUEUEIO_ON_STALL raise",
        f"QUEUEIO_REPORT {tmp_path / 'r.json'}",
        "QUEUEIO_STRICT 1",
        "['script.py', '--strict']",
    ]
    assert "Invalid value for '--engine'" in both("--engine", "x", "s.py", compare=False).stderr


# With TensorFlow.


@pytest.mark.long
def test_imports_of_tensorflow_are_the_drop_in_in_the_users_files_only(
    both: Runner, tmp_path: Path
) -> None:
    write(tmp_path, models__in____init__="", models__in__net="""
        import tensorflow as tf
        from tensorflow import flags
        def imported_late():
            import tensorflow.compat.v1 as tf1
            return tf1
        """, site__in__installed="import tensorflow as tf", script="""
        import sys
        import tensorflow as tf
        import tensorflow.compat.v1 as tf1
        from tensorflow import gfile, flags, app, logging
        import tensorflow.python.platform.gfile as gfile_module
        import tensorflow.python.training.queue_runner
        from tensorflow.python.training import queue_runner, coordinator, input as tf_input
        from tensorflow.python.training.queue_runner_impl import QueueRunner, start_queue_runners
        from tensorflow.python.platform import flags as platform_flags, app as platform_app
        from tensorflow.python.platform import gfile as platform_gfile, tf_logging
        from tensorflow.python.framework import ops, dtypes
        from tensorflow.python.ops import data_flow_ops, io_ops
        from tensorflow.core.example import example_pb2
        from tensorflow.train import Example
        from models import net
        import queueio.v1, queueio.train as train

        print("same", tf is queueio.v1, tf1 is tf, net.tf is tf, net.imported_late() is tf,
              tensorflow is tf, net.flags is flags)
        print("queueio's", queue_runner.QueueRunner is train.QueueRunner is QueueRunner,
              coordinator.Coordinator is train.Coordinator, tf_input.batch is train.batch,
              start_queue_runners is train.start_queue_runners,
              data_flow_ops.FIFOQueue is tf.FIFOQueue, io_ops.ReaderBase is tf.ReaderBase)
        print("TensorFlow's", platform_flags is flags, platform_app.run is app.run,
              gfile_module is platform_gfile, example_pb2.Example is Example is tf.train.Example,
              ops.Graph is tf.Graph, dtypes.float32 is tf.float32)
        namespace = {}
        exec("import tensorflow as tf", namespace)
        print("exec", namespace["tf"] is tf)

        sys.path.insert(0, "site/lib/site-packages")
        import installed, keras, absl
        print("installed", installed.tf is tf, installed.tf is sys.modules["tensorflow"],
              installed.tf.__version__ == tf.__version__, hasattr(installed.tf, "placeholder"))
        print("eager", tf.executing_eagerly())
        """)  # fmt: skip
    library = tmp_path / "site" / "lib" / "site-packages"
    library.mkdir(parents=True)
    (tmp_path / "site" / "installed.py").rename(library / "installed.py")
    done = both("script.py", compare=False)
    assert done.stdout.splitlines() == [
        "same" + " True" * 6,
        "queueio's" + " True" * 6,
        "TensorFlow's" + " True" * 6,
        "exec True",
        "installed False True True False",
        "eager False",
    ], done.stderr


@pytest.mark.long
def test_import_module_and_spawned_processes_get_the_drop_in_too(
    both: Runner, tmp_path: Path
) -> None:
    write(
        tmp_path,
        script="""
        import importlib, multiprocessing, sys
        from importlib import import_module
        import tensorflow as tf

        def count(limit):
            with tf.Session() as sess:
                return int(sess.run(tf.train.range_input_producer(limit).size())), __name__

        if __name__ == "__main__":
            gfile = import_module("tensorflow.gfile")
            print(importlib.import_module("tensorflow") is tf, gfile.Glob)
            print(import_module("json").__name__)
            try:
                import_module("tensorflow.contrib.rnn")
            except ImportError as error:
                print(error)
            for way in ("spawn", "forkserver"):
                with multiprocessing.get_context(way).Pool(1) as pool:
                    print(pool.map(count, [5]))
        """,
    )
    done = both("script.py", compare=False)
    told, json, gone, *counted = done.stdout.splitlines()
    assert told.startswith("True <function"), done.stderr
    assert json == "json" and "tf.nn.static_rnn" in gone
    assert counted == ["[(0, '__mp_main__')]"] * 2


def test_spawned_processes_are_pythons_where_tensorflow_is_not_used(
    both: Runner, tmp_path: Path
) -> None:
    write(
        tmp_path,
        script="""
        import multiprocessing, sys

        def told(_):
            return sys.argv, __name__, "tensorflow" in sys.modules

        if __name__ == "__main__":
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                print(pool.map(told, [1]))
        """,
    )
    both("script.py", "--its", "own")


@pytest.mark.long
def test_what_is_gone_is_an_import_error_with_name_line_and_way_out(
    both: Runner, tmp_path: Path
) -> None:
    write(tmp_path, script="""
        try:
            import tensorflow.contrib.rnn as rnn
        except ImportError as error:
            print(type(error).__name__, error)
        try:
            from tensorflow.contrib.layers import real_valued_column
        except ImportError as error:
            print(type(error).__name__, error)
        try:
            from tensorflow.examples.tutorials.mnist import input_data
        except ImportError as error:
            print(type(error).__name__, error)
        try:
            from tensorflow.python.ops import no_such_module
        except ImportError as error:
            print(type(error).__name__, error)
        import tensorflow.contrib.crf
        """)  # fmt: skip
    done = both("script.py", compare=False)
    rnn, layers, mnist, internal = done.stdout.splitlines()
    assert rnn.startswith("ModuleNotFoundError tf.contrib.rnn does not exist")
    assert "script.py:2: import tensorflow.contrib.rnn as rnn" in rnn
    assert "tf.nn.static_rnn" in rnn
    assert "tf.contrib.layers.real_valued_column does not exist" in layers
    assert "tf.feature_column.numeric_column" in layers
    assert "tf.FixedLengthRecordReader(784, header_bytes=16)" in mnist
    assert internal.startswith("ImportError tf.python.ops.no_such_module does not exist")
    assert done.returncode == 1
    assert [line for line in done.stderr.splitlines() if line.startswith("  File")] == [
        f'  File "{tmp_path / "script.py"}", line 17, in <module>'
    ]
    assert done.stderr.splitlines()[-1].startswith("ModuleNotFoundError: tf.contrib.crf")


@pytest.mark.long
def test_no_frame_of_queueios_is_in_any_text_of_a_failing_step(
    both: Runner, tmp_path: Path
) -> None:
    write(tmp_path, script="""
        import tensorflow as tf
        queue = tf.FIFOQueue(3, tf.float32, shapes=[[]])
        value = tf.check_numerics(tf.log(queue.dequeue()), "not a number")
        with tf.Session() as sess:
            sess.run(queue.enqueue([-1.0]))
            sess.run(value)
        """, building="""
        import tensorflow as tf
        tf.train.shuffle_batch([tf.placeholder(tf.float32, [])], 2, 3, 3)
        """)  # fmt: skip
    step, building = both("script.py", compare=False), both("building.py", compare=False)
    assert step.returncode == building.returncode == 1
    assert "not a number" in step.stderr and 'script.py", line 3' in step.stderr
    assert 'building.py", line 2' in building.stderr
    for line in (step.stderr + building.stderr).splitlines():
        if line.strip().startswith("File"):
            assert not any(word in line for word in ("queueio/", "click", "runpy")), line


@pytest.mark.long
@pytest.mark.skipif(
    np.lib.NumpyVersion(np.__version__) < "2.0.0", reason="NumPy 1 still has what NumPy 2 removed"
)
def test_what_numpy_removed_names_the_line_and_the_replacement(
    both: Runner, tmp_path: Path
) -> None:
    write(tmp_path, script="""
        import sys, threading
        import numpy as np
        from queueio.script.removals import add_advice

        def attempts():
            yield lambda: np.float32(2).tostring()
            yield lambda: np.cast[np.int32](2.5)
            yield lambda: np.fromstring(b"abcd", dtype=np.uint8)
            yield lambda: np.source(attempts)

        for attempt in attempts():
            thread = threading.Thread(target=attempt)
            thread.start()
            thread.join()

        import tensorflow as tf
        text = tf.py_func(lambda x: x[0].tostring(), [tf.zeros([2])], tf.string)
        with tf.Session() as sess:
            sess.run(text)
        """)  # fmt: skip
    done = both("script.py", compare=False)
    assert done.returncode == 1
    for old, new in [
        ("x.tostring", "x.tobytes()"),
        ("np.cast", "np.asarray(x).astype(dtype)"),
        ("np.fromstring(data, dtype)", "np.frombuffer(data, dtype).copy()"),
        ("np.source", "print(inspect.getsource(x))"),
    ]:
        assert f"This NumPy has no {old}; write {new} instead." in done.stderr
    assert "script.py:6: yield lambda: np.float32(2).tostring()" in done.stderr
    # In a py_func TensorFlow wraps the error; the advice is found in its text.
    assert done.stderr.count("This NumPy has no x.tostring") == 2


@pytest.mark.long
def test_modules_that_the_script_puts_into_sys_modules_are_what_it_gets(
    both: Runner, tmp_path: Path
) -> None:
    write(tmp_path, script="""
        import sys, types
        import tensorflow as tf
        for name in ("tensorflow.examples", "tensorflow.examples.tutorials",
                     "tensorflow.examples.tutorials.mnist",
                     "tensorflow.examples.tutorials.mnist.input_data"):
            sys.modules[name] = types.ModuleType(name)
        sys.modules[name].read = lambda: "mine"
        from tensorflow.examples.tutorials.mnist import input_data
        import tensorflow.examples.tutorials.mnist.input_data as again
        print(input_data.read(), again.read())
        """)  # fmt: skip
    done = both("script.py", compare=False)
    assert done.stdout == "mine mine\n", done.stderr


PYTHON_2 = {
    "print": 'print "hello"',
    "except": "try:\n    pass\nexcept ValueError, e:\n    pass",
    "raise": 'raise ValueError, "no"',
    "unequal": "if 1 <> 2: pass",
    "octal": "x = 0777",
    "long": "x = 10L",
    "exec": 'exec "x = 1"',
}


@pytest.mark.parametrize("case", PYTHON_2)
def test_a_script_of_python_2_is_said_to_be_one_before_the_syntax_error(
    case: str, tmp_path: Path
) -> None:
    from queueio.script.python2 import is_python2

    with pytest.raises(SyntaxError) as told:
        compile(PYTHON_2[case] + "\n", "old.py", "exec")
    assert is_python2(told.value), told.value.text


def test_a_slip_in_python_3_is_not_taken_for_python_2() -> None:
    from queueio.script.python2 import is_python2

    for code in ("x = (1\n", "def f(:\n", "print('a'\n", "for x in 3 print(x)\n", "a b\n"):
        with pytest.raises(SyntaxError) as told:
            compile(code, "new.py", "exec")
        assert not is_python2(told.value), code


PYTHON_2_NAMES = {
    "for i in xrange(3): pass": ("xrange", "range"),
    "isinstance('a', unicode)": ("unicode", "str"),
    "raw_input('go on? ')": ("raw_input", "input"),
    "reduce(max, [1, 2])": ("reduce", "functools.reduce"),
    "{1: 2}.iteritems()": ("iteritems", "items()"),
    "import collections\ncollections.OrderedDict().has_key(1)": ("has_key", "key in d"),
    "import cPickle": ("cPickle", "pickle"),
    "from Queue import Queue": ("Queue", "queue"),
    "import itertools\nitertools.izip([1], [2])": ("itertools.izip", "zip"),
    "import sys\nsys.maxint": ("sys.maxint", "sys.maxsize"),
    "(x for x in 'ab').next()": ("iterator.next()", "next(iterator)"),
    "import csv\ncsv.reader(['a']).next()": ("iterator.next()", "next(iterator)"),
    "'a'.decode('utf-8')": ("decode of a text", "the text itself, or open the file in 'rb'"),
    "{1: 2}.keys()[0]": ("list that d.keys() gives", "list(d.keys())"),
    "len(map(str, [1]))": ("list that map(…) gives", "list(map(…))"),
    "range(3) + [4]": ("list that range(…) gives", "list(range(…))"),
}


@pytest.mark.parametrize("code", PYTHON_2_NAMES)
def test_what_only_python_2_has_is_told_with_what_is_written_today(code: str) -> None:
    from queueio.script.python2_names import replacement

    with pytest.raises(Exception) as told:
        exec(compile(code, "old.py", "exec"), {})
    assert replacement(str(told.value)) == PYTHON_2_NAMES[code]


@pytest.mark.parametrize(
    "code", ["rang(3)", "import nosuch", "{}.item()", "object().next", "import sys\nsys.maxin"]
)
def test_a_name_that_python_2_has_not_either_gets_no_such_advice(code: str) -> None:
    from queueio.script.python2_names import replacement

    with pytest.raises((NameError, ImportError, AttributeError)) as told:
        exec(compile(code, "new.py", "exec"), {})
    assert replacement(str(told.value)) is None


def test_the_line_with_python_2s_name_is_told_and_how_to_translate_the_file(tmp_path: Path) -> None:
    from queueio.script.removals import add_advice

    script = tmp_path / "old.py"
    script.write_text("x = 1\nfor i in xrange(x): pass\n")
    with pytest.raises(NameError) as told:
        exec(compile(script.read_text(), str(script), "exec"), {})
    add_advice(told.value)
    said = "\n".join([str(told.value), *getattr(told.value, "__notes__", ())])
    assert "Python 3 has no xrange; write range instead." in said
    assert f"2to3 -w {script} " in said and "pip install modernize" in said
    assert said.endswith("old.py:2: for i in xrange(x): pass")


def test_the_advice_on_python_2_comes_first_and_no_frame_of_pythons_own(
    both: Runner, tmp_path: Path
) -> None:
    write(tmp_path, script="import helper\n", helper='print "x"\n')
    done = both("script.py", compare=False)
    first, *rest = done.stderr.splitlines()
    assert first.startswith("queueio: helper.py is written for Python 2 (helper.py:1: print")
    assert "2to3 -w" in first and "frozen" not in done.stderr and done.returncode == 1
    assert rest[-1].startswith("SyntaxError")


@pytest.mark.long
def test_a_run_whose_files_are_all_empty_says_so_and_fails_under_strict(tmp_path: Path) -> None:
    (tmp_path / "empty.txt").touch()
    write(tmp_path, script="""
        import tensorflow as tf
        names = tf.train.string_input_producer(["empty.txt"], num_epochs=1)
        batch = tf.train.batch([tf.TextLineReader().read(names)[1]], 2)
        with tf.Session() as sess:
            sess.run(tf.local_variables_initializer())
            coord = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(sess, coord)
            try:
                sess.run(batch)
            except tf.errors.OutOfRangeError:
                print("done")
            coord.join(threads)
        """)  # fmt: skip
    for engine in ("queue", "data"):
        run = ("-m", "queueio", "run", "--engine", engine)
        lenient = python(*run, "script.py", cwd=tmp_path)
        assert lenient.returncode == 0 and "empty.txt holds 0 bytes" in lenient.stderr
        strict = python(*run, "--strict", "script.py", cwd=tmp_path)
        assert strict.returncode == 1 and "DataLossError: there is no input" in strict.stderr
