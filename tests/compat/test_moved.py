"""Names that were moved or removed since TF1 are there for the code that queueio runs, alone."""

from __future__ import annotations

import importlib
import importlib.util
import json
import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from queueio.compat import moved, serving
from tests.processes import environment, python
from tests.v1.test_advice import RECORDED, alike

HERE = Path(__file__).parent
ADVICE = HERE.parent / "v1"
LIBRARY = """
def sees(module, name):
    try:
        getattr(module, name)
    except (AttributeError, ImportError):  # TensorFlow's own loader of tf_keras raises the latter
        return False
    return True


def tostring():
    import numpy as np

    return hasattr(np.zeros(1), "tostring")
"""
IMPORTS = """
from collections import Iterable
from inspect import getargspec

import numpy as np
import tensorflow.python.distribute.estimator_training
from numpy import float as number
from tensorflow.python.distribute.estimator_training import should_run_distribute_coordinator
from tensorflow.python.framework import ops
from tensorflow.python.ops import control_flow_ops
from tensorflow.python.ops.array_ops import stack
from tensorflow.python.ops.control_flow_ops import cond
from tensorflow.python.tpu import tpu_embedding

spec = getargspec(lambda a, b=1, *c, **d: None)
try:
    tpu_embedding.TPUEmbedding()
except NotImplementedError as error:
    refused = str(error)
IMPORTED = [
    list(spec), issubclass(list, Iterable), number(1), ops.Tensor.__name__, stack.__name__,
    cond is control_flow_ops.cond, np.array([1]).tostring() == np.array([1]).tobytes(),
    should_run_distribute_coordinator(None), refused,
]
"""


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What each file saw, in one run of a program under `queueio run`."""
    folder = tmp_path_factory.mktemp("moved")
    installed = folder / "site-packages"
    installed.mkdir()
    shutil.copy(HERE / "moved_program.py", folder)
    (installed / "used_then.py").write_text(LIBRARY + IMPORTS)
    (folder / "today_lib_written.py").write_text(f'"""Written by queueio."""\n{LIBRARY}')
    (installed / "sklearn").mkdir()
    (installed / "sklearn" / "today_lib.py").write_text(LIBRARY)
    path = [str(installed), str(installed / "sklearn"), str(HERE.parents[1])]
    env = environment(PYTHONPATH=":".join(path))
    program = ("-m", "queueio", "run", "moved_program.py", str(ADVICE))
    done = python(*program, cwd=folder, env=env, timeout=120)
    assert done.returncode == 0, done.stderr[-3000:]
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return told


def absent_today() -> set[str]:
    """The rows that Python, NumPy and TensorFlow themselves do not answer here."""
    gone = set()
    for address in moved.ROWS:
        module, _, name = address.partition(":")
        try:
            getattr(importlib.import_module(module), name)
        except (AttributeError, ImportError):
            gone.add(address)
    return gone


def needs_keras_2() -> set[str]:
    if importlib.util.find_spec("tf_keras") is not None:
        return set()
    return {address for address in moved.ROWS if "atch" in address.partition("layers.norm")[2]}


def test_today_most_of_them_are_gone() -> None:
    # Else the tests below would see nothing but what was there without queueio.
    assert len(absent_today()) > len(moved.ROWS) / 2
    assert {"numpy:float", "inspect:getargspec", "collections:Iterable"} <= absent_today()


def test_the_script_sees_every_row(seen: dict[str, Any]) -> None:
    assert set(seen["script"]) == needs_keras_2()


def test_a_library_that_the_script_imports_sees_every_row(seen: dict[str, Any]) -> None:
    assert set(seen["library"]) == needs_keras_2()


def test_libraries_of_today_and_converted_modules_see_what_is_there_without_queueio(
    seen: dict[str, Any],
) -> None:
    assert set(seen["today"]) == absent_today()
    assert set(seen["written"]) == absent_today()


def test_arrays_have_their_old_methods_for_the_same_files(seen: dict[str, Any]) -> None:
    today = hasattr(np.zeros(1), "tostring")
    assert seen["methods"] == [True, True, today, today]


def test_import_statements_of_a_library_find_them(seen: dict[str, Any]) -> None:
    spec, iterable, number, tensor, stack, same_cond, same_bytes, no, refused = seen["imports"]
    assert spec == [["a", "b"], "c", "d", [1]] and iterable and number == 1.0
    assert tensor == seen["same"] and stack == "stack"
    assert same_cond and same_bytes and no is False
    assert "TPUEmbedding" in refused and "Use tf.estimator.Estimator" in refused


def test_numpys_give_what_they_gave_beside_1_15_5(seen: dict[str, Any]) -> None:
    assert len(seen["numpy"]) > 40
    unlike = {
        row: (RECORDED["NUMPY"][row], new)
        for row, new in seen["numpy"].items()
        if not alike(RECORDED["NUMPY"][row], new)
    }
    assert not unlike


def test_without_queueio_running_it_nothing_is_different() -> None:
    serving.serve("numpy", "collections", "inspect")
    try:
        assert "numpy:float" in absent_today() and "collections:Iterable" in absent_today()
        with pytest.raises(AttributeError, match=r"`np\.float` was a deprecated alias"):
            _ = np.float  # type: ignore[attr-defined]
        with pytest.raises(AttributeError, match="'inspect' has no attribute 'getargspec'"):
            _ = importlib.import_module("inspect").getargspec
    finally:
        serving.forget()
    assert not hasattr(importlib.import_module("collections"), "__getattr__")


def test_tf_slim_gets_them_wherever_it_is_imported() -> None:
    serving.serve("collections")
    try:
        for package, gets in (("tf_slim", True), ("tf_slim_2", False)):
            name = f"{sys.prefix}/lib/site-packages/{package}/data.py"
            scope: dict[str, Any] = {}
            text = "import collections\nseen = hasattr(collections, 'Iterable')"
            exec(compile(text, name, "exec"), scope)
            assert scope["seen"] is gets
    finally:
        serving.forget()


def test_every_row_stands_in_the_guide() -> None:
    guide = (HERE.parents[1] / "MIGRATION.md").read_text()
    told = [address for address in moved.ROWS if f"`{address.replace(':', '.')}`" in guide]
    assert told == list(moved.ROWS)
