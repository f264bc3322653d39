"""The example that measures: its conclusion follows from its figures, whatever they are."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from tests.loading import loaded

SCRIPT = Path(__file__).resolve().parents[2] / "examples" / "parallel_enqueue.py"


@pytest.fixture(scope="module")
def example() -> ModuleType:
    return loaded(SCRIPT)


def measurements(example: ModuleType, rates: Callable[[str, str, int], tuple[float, ...]]) -> list:
    return [
        example.Measurement(kind.name, builder, n, rates(kind.name, builder, n))
        for kind in example.KINDS
        for builder in example.BUILDERS
        for n in example.THREADS
    ]


def test_nothing_is_claimed_where_the_figures_overlap(
    example: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    example.conclude(measurements(example, lambda *cell: (90.0, 110.0, 100.0)))
    said = capsys.readouterr().out
    assert "faster" not in said.partition("conclusion")[0]
    assert said.count(": none") == 2


def test_a_loss_is_called_slower(example: ModuleType) -> None:
    one = example.Measurement("cheap", "batch", 1, (100.0, 101.0))
    four = example.Measurement("cheap", "batch", 4, (50.0, 51.0))
    assert example.verdict(four, one).startswith("slower, 0.50 times")


def test_what_helped_is_named_by_kind(
    example: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    def rates(kind: str, builder: str, threads: int) -> tuple[float, ...]:
        if kind == "waiting":
            return (100.0 * threads,)
        if kind == "packed" and builder == "batch_join":
            return (100.0 * threads,)
        return (100.0,)

    example.conclude(measurements(example, rates))
    said = capsys.readouterr().out.partition("conclusion")[2]
    threads, readers = said.strip().splitlines()[1:]
    assert threads.endswith("made these faster: waiting;")
    assert readers.endswith("further: packed.")


@pytest.mark.long
def test_all_cells_are_measured(
    run_python: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    done = run_python(SCRIPT, "--quick", "--repeats", "1", timeout=120)
    assert done.returncode == 0, done.stderr
    table, _, rest = done.stdout.partition("\n\n")
    rows = [line.split()[:3] for line in table.splitlines()[1:]]
    kinds = ("cheap", "heavy", "waiting", "packed")
    builders = ("batch", "batch_join")
    assert rows == [[kind, b, n] for kind in kinds for b in builders for n in ("1", "2", "4")]
    assert "conclusion:" in rest


@pytest.mark.long
def test_the_plot_is_drawn(example: ModuleType, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="the plot needs matplotlib, an optional extra")
    path = tmp_path / "plot.png"
    example.draw(measurements(example, lambda kind, builder, n: (9.0 * n, 10.0 * n)), path)
    assert path.read_bytes().startswith(b"\x89PNG")
