"""What watching costs: `python -m benchmarks.watching` prints the ratio of watched to unwatched.

The CSV pipeline of `benchmarks.contenders`, on queues, alone and with an observer as
`queueio watch` has it. The two take turns, each in a process of its own;
the ratio is of the medians. The bar is 0.95.
"""

from __future__ import annotations

import statistics
import sys
from pathlib import Path

import click

from benchmarks.data import RECORDS, generate

ROOT = Path(__file__).resolve().parent.parent
BAR = 0.95


def measured(name: str, files: list[str], seconds: float, threads: int) -> dict[str, float]:
    """Rate and processor time in a process of its own."""
    from benchmarks.__main__ import measure

    found: dict[str, float] = measure((name, "csv", threads), files, 128, seconds, None)
    return found


@click.command()
@click.option("--rounds", default=5, show_default=True)
@click.option("--seconds", default=4.0, show_default=True, help="Of each measurement.")
@click.option("--threads", default=4, show_default=True)
@click.option("--traced", is_flag=True, help="Each call noted, as under --trace and --html.")
def main(rounds: int, seconds: float, threads: int, traced: bool) -> None:
    """Prints both rates and their ratio; status 1 below the bar."""
    files = generate(ROOT / "bench-results" / "data", "csv", RECORDS["csv"])
    names = ("queue", "traced" if traced else "watched")
    found: dict[str, list[dict[str, float]]] = {name: [] for name in names}
    for number in range(rounds):
        for name in names if number % 2 else names[::-1]:
            found[name].append(measured(name, files, seconds, threads))
    alone, seen = (median(found[name], "rate") for name in names)
    cost = median(found["queue"], "cpu") / median(found[names[1]], "cpu")
    print(
        f"csv, {threads} threads, medians of {rounds} rounds: unwatched {alone:,.0f}/s, watched"
        f" {seen:,.0f}/s, ratio {seen / alone:.3f}; of processor time {cost:.3f}"
    )
    sys.exit(seen / alone < BAR)


def median(figures: list[dict[str, float]], field: str) -> float:
    """Of a field, over the rounds."""
    return statistics.median(figure[field] for figure in figures)


if __name__ == "__main__":
    main()
