"""What the data engine's tests share with the golden recordings."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

GOLDEN = Path(__file__).resolve().parent.parent / "golden"
sys.path[:0] = [str(GOLDEN), str(Path(__file__).resolve().parent)]

import datafiles  # noqa: E402


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with the data files of the golden pipelines."""
    datafiles.write(str(tmp_path))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(params=["v1", "v2"])
def behaviour(request: pytest.FixtureRequest) -> str:
    """TF1's behaviour (ref variables, Switch and Merge) or TF2's (resources, If)."""
    if request.param == "v1":
        request.getfixturevalue("v1_behaviour")
    return str(request.param)


@pytest.fixture(autouse=True)
def watched() -> None:
    """The runtime's watch over sessions, which stays, as it does after `import queueio.train`."""
    from queueio.runtime import watch

    watch.install()
