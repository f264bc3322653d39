"""What the tests of emitted source share: writing modules, running them, checking their form."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import tensorflow as tf

from tests.processes import ROOT, environment, python

GOLDEN = Path(__file__).resolve().parent.parent / "golden"
sys.path.insert(0, str(GOLDEN))
sys.path.insert(0, str(GOLDEN.parent.parent))
sys.path.insert(0, str(Path(__file__).resolve().parent))

import datafiles  # noqa: E402
import values  # noqa: E402

v1 = tf.compat.v1
MYPY = [
    f"--cache-dir={ROOT}/.mypy_cache/written",
    "--ignore-missing-imports",
    "--follow-imports=skip",
    "--disallow-untyped-defs",
]


class Sources:
    """Modules in one folder, run together in one fresh process without queueio.

    What was run already, with the golden pipelines' data, would deliver the same once more.
    """

    _ran: ClassVar[dict[tuple[str, int], Any]] = {}

    def __init__(self, folder: Path, data: Path | None = None) -> None:
        self.folder, self.data = folder, data or folder
        self.results: dict[str, Any] = {}
        self._jobs: dict[str, int] = {}
        self._known = self._ran if data is None else {}
        folder.mkdir(exist_ok=True)
        if data is None:
            datafiles.write(str(folder))

    @classmethod
    def shared(cls, factory: Any, name: str, data: Path | None = None) -> Sources:
        """Modules that the workers of one test run have in common."""
        base = factory.getbasetemp()
        together = "PYTEST_XDIST_WORKER" in os.environ
        return cls((base.parent if together else base) / f"sources-{name}", data)

    @contextlib.contextmanager
    def once(self) -> Iterator[bool]:
        """Whether this worker is the first: it makes the results, and the others wait for them."""
        done, failed = self.folder / "done", self.folder / "failed"
        try:
            os.mkdir(self.folder / "begun")
        except FileExistsError:
            patience = time.monotonic() + 200
            while not done.exists() and not failed.exists() and time.monotonic() < patience:
                time.sleep(0.2)
            assert done.exists(), f"another worker failed to make {self.folder.name}"
            self.results = json.loads((self.folder / "RESULTS.json").read_text())
            self._jobs = json.loads((self.folder / "JOBS.json").read_text())
            yield False
            return
        try:
            yield True
            done.touch()
        finally:
            if not done.exists():
                failed.touch()

    @contextlib.contextmanager
    def behaviour(self, name: str) -> Iterator[None]:
        """TF1's behaviour or TF2's, in the folder of the data."""
        before, switches = os.getcwd(), v1.resource_variables_enabled()
        control = v1.control_flow_v2_enabled()
        os.chdir(self.data)
        if name == "v1":
            v1.disable_resource_variables()
            v1.disable_control_flow_v2()
            v1.disable_v2_tensorshape()
        try:
            yield
        finally:
            os.chdir(before)
            v1.enable_v2_tensorshape()
            if switches:
                v1.enable_resource_variables()
            if control:
                v1.enable_control_flow_v2()

    def write(self, name: str, module: Any, limit: int = 200) -> None:
        """One module, of which at most `limit` steps will be taken."""
        module.write(self.folder / f"{name}.py")
        self._jobs[name] = limit

    def text(self, name: str) -> str:
        """The source of a module."""
        return (self.folder / f"{name}.py").read_text()

    @staticmethod
    def rows(steps: Any) -> list[str]:
        """The rows of all batches; or the steps themselves, where they are no batches."""
        try:
            return sorted(row for step in steps or () for row in values.rows(step))
        except TypeError:
            return sorted(json.dumps(step, sort_keys=True) for step in steps)

    def run(self) -> Sources:
        """Runs all modules; `results` has what they delivered."""
        jobs, found = self.folder / "JOBS.json", self.folder / "RESULTS.json"
        asked = {name: (self.text(name), limit) for name, limit in self._jobs.items()}
        jobs.write_text(json.dumps({n: asked[n][1] for n in asked if asked[n] not in self._known}))
        script, env = Path(__file__).with_name("execute.py"), environment(PYTHONPATH=None)
        done = python(script, self.folder, jobs, cwd=self.data, env=env, timeout=240)
        assert done.returncode == 0, done.stderr[-3000:]
        for name, result in json.loads(found.read_text()).items():
            self._known[asked[name]] = result
        self.results = {name: self._known[each] for name, each in asked.items()}
        jobs.write_text(json.dumps(self._jobs))
        found.write_text(json.dumps(self.results))
        return self

    def ruff(self, *arguments: str) -> str:
        """What ruff complains of, with its own defaults."""
        return self._checked(["ruff", *arguments, "--isolated", "-q", "--no-cache"])

    def mypy(self) -> str:
        """What mypy complains of; TensorFlow itself has no types."""
        return self._checked(["mypy", "--config-file=", "--no-error-summary", *MYPY])

    def _checked(self, command: list[str]) -> str:
        tool = shutil.which(command[0], path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
        assert tool, f"{command[0]} is needed by this test: pip install 'tf-queueio[dev]'"
        files = [str(self.folder / f"{name}.py") for name in self._jobs]
        done = subprocess.run(
            [tool, *command[1:], *files], capture_output=True, text=True, cwd=self.folder,
            timeout=240,
        )  # fmt: skip
        return done.stdout + done.stderr
