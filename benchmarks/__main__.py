"""One table, measured in one run, side by side, as ratios of medians: `make bench`.

Every contender runs in a process of its own; the rounds go through all contenders in turn, so
that a slow moment of the machine hits all of them.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from benchmarks.data import RECORDS, generate

ROOT = Path(__file__).resolve().parent.parent
QUEUES = ("tf1", "stock", "queue", "data")
THREADS = (1, 2, 4)
SINGLE = ("plan", "mapped", "expert", "raw", "no_tensorflow")
WORDS = {
    "tf1": "TF 1.15.5 queues",
    "stock": "stock compat.v1 queues",
    "queue": "queueio, queue engine",
    "data": "queueio, data engine",
    "plan": "queueio, plan.to_dataset()",
    "mapped": "tf.data, one map per example",
    "expert": "tf.data by an expert",
    "raw": "limit: raw records, no decoding",
    "no_tensorflow": "limit: no TensorFlow",
}
Run = tuple[str, str, int]
Figures = dict[Run, list[dict[str, float]]]


def measure(run: Run, files: list[str], batch: int, seconds: float, tf1: str | None) -> Any:
    """One measurement in its own process; None, and its error shown, if it failed."""
    name, kind, threads = run
    python = tf1 if name == "tf1" and tf1 else sys.executable
    command = [python, "-m", "benchmarks.contenders", name, kind, str(threads), str(batch)]
    done = subprocess.run(
        [*command, str(seconds), *files],
        capture_output=True,
        text=True,
        timeout=seconds * 10 + 120,
        cwd=ROOT,
        env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "PYTHONPATH": str(ROOT)},
        check=False,
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if not lines:
        print(f"{run} failed:\n{done.stderr[-2000:]}", file=sys.stderr)
        return None
    return json.loads(lines[-1])


def plan_runs(kinds: list[str], contenders: list[str], threads: list[int]) -> list[Run]:
    """All runs of one round."""
    runs = []
    for kind in kinds:
        for name in contenders:
            for count in threads if name in QUEUES else [max(threads)]:
                runs.append((name, kind, count))
    return runs


def median(figures: Figures, run: Run, field: str) -> float | None:
    """The median over the rounds; None where nothing was measured."""
    values = [figure[field] for figure in figures[run]]
    return statistics.median(values) if values else None


HEADS = ("pipeline", "threads", "examples/s", "spread", "cpu µs", "÷ stock", "÷ mapped",
         "÷ expert", "first batch s", "peak MB")  # fmt: skip


def rows(figures: Figures, kind: str) -> list[list[str]]:
    """Rates, ratios to stock, to per-example tf.data and to the expert, first batch, memory."""
    found = []
    for run in [run for run in figures if run[1] == kind]:
        rate = median(figures, run, "rate")
        if rate is None:
            continue
        rates = [figure["rate"] for figure in figures[run]]
        threads = run[2] if run[0] in QUEUES else max(r[2] for r in figures)
        against = [("stock", threads), ("mapped", run[2]), ("expert", run[2])]
        found.append([
            WORDS[run[0]],
            str(run[2]) if run[0] in QUEUES else "",
            f"{rate:,.0f}",
            f"±{(max(rates) - min(rates)) / 2 / rate:.0%}",
            f"{median(figures, run, 'cpu'):.2f}",
            *[_ratio(rate, _other(figures, name, kind, count)) for name, count in against],
            f"{median(figures, run, 'first'):.1f}",
            f"{(median(figures, run, 'peak') or 0) / 1e6:,.0f}",
        ])  # fmt: skip
    return found


def title(figures: Figures, kind: str, batch: int) -> str:
    """What a table is of."""
    return f"{kind}, batch {batch}: medians of {rounds(figures)} rounds"


def table(figures: Figures, kind: str, batch: int) -> Table:
    """The table of one format, for a terminal."""
    shown = Table(title=title(figures, kind, batch))
    for head in HEADS:
        shown.add_column(head, justify="left" if head == "pipeline" else "right")
    for row in rows(figures, kind):
        shown.add_row(*row)
    return shown


def markdown(figures: Figures, kind: str, batch: int) -> str:
    """The same for a Markdown file."""
    lines = [list(HEADS), ["---", *["--:"] * (len(HEADS) - 1)], *rows(figures, kind)]
    told = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return f"### {title(figures, kind, batch)}\n\n{told}\n"


def _other(figures: Figures, name: str, kind: str, threads: int) -> float | None:
    found = [run for run in figures if run[:2] == (name, kind)]
    exact = [run for run in found if run[2] == threads] or found
    return median(figures, exact[-1], "rate") if exact else None


def _ratio(rate: float, other: float | None) -> str:
    return f"{rate / other:.2f}" if other else ""


def rounds(figures: Figures) -> int:
    """How many rounds were measured."""
    return max(len(values) for values in figures.values())


@click.command()
@click.option("--kind", "kinds", multiple=True, type=click.Choice(list(RECORDS)))
@click.option("--contender", "contenders", multiple=True, type=click.Choice(list(WORDS)))
@click.option("--threads", "threads", multiple=True, type=int, help="Threads of queue pipelines.")
@click.option("--batch", "batches", multiple=True, type=int, default=(128,), show_default=True)
@click.option("--rounds", "count", default=3, show_default=True)
@click.option("--seconds", default=4.0, show_default=True, help="Of each measurement.")
@click.option("--tf1", help="The Python of an environment with TF 1.15.5 (make bench-tf1).")
@click.option("--out", type=click.Path(path_type=Path), default=ROOT / "bench-results")
def main(
    kinds: tuple[str, ...],
    contenders: tuple[str, ...],
    threads: tuple[int, ...],
    batches: tuple[int, ...],
    count: int,
    seconds: float,
    tf1: str | None,
    out: Path,
) -> None:
    """Measures all contenders over all formats and prints the tables."""
    chosen = list(contenders) or [n for n in (*QUEUES, *SINGLE) if n != "tf1" or tf1]
    runs = plan_runs(list(kinds) or list(RECORDS), chosen, list(threads) or list(THREADS))
    console = Console(width=120)
    results: dict[str, Any] = {}
    told: list[str] = []
    for batch in batches:
        figures: Figures = defaultdict(list)
        with Progress(console=console, transient=True) as progress:
            task = progress.add_task(f"batch {batch}", total=count * len(runs))
            for _ in range(count):
                for run in runs:
                    files = generate(out / "data", run[1], RECORDS[run[1]])
                    figure = measure(run, files, batch, seconds, tf1)
                    figures[run] += [figure] if figure else []
                    progress.advance(task)
        for kind in dict.fromkeys(run[1] for run in runs):
            console.print(table(figures, kind, batch))
            told.append(markdown(figures, kind, batch))
        results[str(batch)] = {"/".join(map(str, run)): v for run, v in figures.items()}
    out.mkdir(parents=True, exist_ok=True)
    (out / "results.json").write_text(json.dumps(results, indent=1))
    (out / "results.md").write_text("\n".join(told))


if __name__ == "__main__":
    main()
