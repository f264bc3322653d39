"""Shared by all tests: subprocesses with a limit, and TF1's behaviour inside TF2."""

from __future__ import annotations

import compileall
import gc
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import hypothesis
import pytest

from tests import turns
from tests.processes import ONEDNN, ROOT, environment, python

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ["QUEUEIO_SMALL_JOB"] = "0"  # what the tests read is small, and the data engine is meant
os.environ.setdefault("QUEUEIO_CACHE", "0")  # what one test makes of a graph is no other's
os.environ.setdefault(ONEDNN, "0")  # to look for its kernels takes up to a sixth of the time
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # more wait for one another, and burn two cores
LONGEST = (
    "forms/test_every_form.py", "emit/test_every_op.py", "emit/test_float_chains.py",
    "data_engine/test_kept_datasets.py", "compare/test_real.py", "compare/test_planted.py",
    "compare/test_sayings.py", "compare/test_behaviour.py",
    "data_engine/test_memory.py", "runtime/test_soak.py", "conformance/test_properties.py",
    "examples/test_migrate.py", "convert/test_write.py", "convert/test_convert.py",
    "examples/test_train_image_classifier.py", "upstream/test_runner.py",
)  # fmt: skip
"""Files of few tests that take minutes, begun first: no worker waits for them at the end."""
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # So a shell starts what runs in the background, and so would every program of the tests run.
    signal.signal(signal.SIGINT, signal.default_int_handler)
_WRITES_NOTHING, sys.dont_write_bytecode = sys.dont_write_bytecode, False
# How long an example takes is the machine's matter, and no fault.
hypothesis.settings.register_profile(
    "suite", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("suite")
turns.settle()  # for all workers alike, also about midnight
gc.disable()  # while the tests are imported, TensorFlow with them


def pytest_configure(config: pytest.Config) -> None:
    """Compiles once what each program of the tests would compile for itself.

    So it is where PYTHONDONTWRITEBYTECODE is set, as in many a container. It stays set: modules
    that a test writes may change within the second by which Python tells their versions apart.
    """
    if not hasattr(config, "workerinput"):
        named = config.args_source is pytest.Config.ArgsSource.ARGS
        os.environ.setdefault(turns.LONG, turns.ALL if named else turns.SOME)
        compileall.compile_dir(ROOT / "queueio", quiet=2)
        compileall.compile_dir(ROOT / "tests", quiet=2, rx=re.compile(r"test_\w+\.py$"))


def pytest_report_header() -> str:
    """Which of the tests that take turns this run tries."""
    return f"tests that take turns: {turns.TESTS}={turns.settle()} (tests/turns.py)"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves out the long tests whose turn it is not, and puts the longest files first."""
    marks = {item: mark for item in items if (mark := item.get_closest_marker("long"))}
    groups = {item: mark.args or item.nodeid for item, mark in marks.items()}
    numbers = {group: number for number, group in enumerate(dict.fromkeys(groups.values()))}
    later = {item for item, group in groups.items() if not turns.takes_its_turn(numbers[group])}
    config.hook.pytest_deselected(items=[*later])
    items[:] = [item for item in items if item not in later]
    rank = {ROOT / "tests" / name: at for at, name in enumerate(LONGEST)}
    items.sort(key=lambda item: rank.get(item.path, len(rank)))


def pytest_collection_finish() -> None:
    """Leaves out of the collector's rounds what stays: a seventh of the time went into them.

    There are fewer rounds, too: a graph has more objects than the 700 after which one begins.
    """
    gc.freeze()
    gc.set_threshold(5_000, 10, 10)
    gc.enable()
    sys.dont_write_bytecode = _WRITES_NOTHING


@pytest.fixture
def run_python(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs Python code (a string with a newline) or a file in a process: `processes.python`."""

    def run(
        code_or_path: str | Path,
        *args: str,
        timeout: float = 60,
        env: dict[str, str] | None = None,
        cwd: Path | None = None,
        fresh: bool = False,
        starts: bool = False,
    ) -> subprocess.CompletedProcess[str]:
        path = Path(code_or_path) if "\n" not in str(code_or_path) else None
        if path is None or not path.exists():
            path = tmp_path / "program.py"
            path.write_text(str(code_or_path))
        more = environment(PYTHONUNBUFFERED="1", **(env or {}))
        return python(
            path, *args, cwd=cwd or tmp_path, env=more, timeout=timeout, fresh=fresh, starts=starts
        )

    return run


@pytest.fixture
def v1_behaviour() -> Iterator[None]:
    """Ref variables, control flow v1 and TF1's TensorShape, as under disable_v2_behavior().

    Eager execution stays on outside of graphs (it cannot be switched back on), so tests build
    inside `with tf.Graph().as_default():`.
    """
    import tensorflow as tf

    v1 = tf.compat.v1
    resource, control = v1.resource_variables_enabled(), v1.control_flow_v2_enabled()
    v1.disable_resource_variables()
    v1.disable_control_flow_v2()
    v1.disable_v2_tensorshape()
    try:
        yield
    finally:
        v1.enable_v2_tensorshape()
        if resource:
            v1.enable_resource_variables()
        if control:
            v1.enable_control_flow_v2()


@pytest.fixture
def conds_of_tf1() -> Iterator[None]:
    """Control flow of TensorFlow 1: a cond is ops of the graph around it."""
    import tensorflow as tf

    tf.compat.v1.disable_control_flow_v2()
    try:
        yield
    finally:
        tf.compat.v1.enable_control_flow_v2()


@pytest.fixture(params=["conds of TF1", "conds of TF2"])
def control_flow(request: pytest.FixtureRequest) -> None:
    """Either form of control flow."""
    if request.param == "conds of TF1":
        request.getfixturevalue("conds_of_tf1")


@pytest.fixture(autouse=True)
def eager_execution_stays_on() -> Iterator[None]:
    """Names the test that switches it off, which would break others of the same process."""
    yield
    tensorflow = sys.modules.get("tensorflow")
    executing = getattr(tensorflow, "executing_eagerly", None)
    assert executing is None or executing(), "after this test no other one runs eagerly"
