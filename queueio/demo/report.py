"""What the demo says at the end: how full the queues were, and what the run proves."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from queueio.demo.evidence import KeysRead, check_keys, tf_record_keys
from queueio.demo.screen import by_pipeline, sparkline
from queueio.demo.witness import kind_of, pipeline_of
from queueio.words import times

if TYPE_CHECKING:
    from queueio.demo.witness import Look, Witness

ACCURACY = re.compile(r"test accuracy: ([\d.]+) \((\d+) of (\d+)\)")
ENOUGH = 0.9
TRAINING, TESTING = "input_train", "input_test"  # The script's own scopes.


def proof(console: Console, observer: Witness, said: list[str], epochs: int, data: Path) -> bool:
    """Print what the run proved; returns whether all of it is as it should be."""
    training = reading(observer, TRAINING, data.glob("digits-train-*.tfrecord"), epochs)
    testing = reading(observer, TESTING, data.glob("digits-test-*.tfrecord"), 1)
    found = ACCURACY.search("\n".join(said))
    accuracy = float(found[1]) if found else 0.0
    seconds = training_seconds(observer.looks)
    console.print("\n[bold]How full each queue was[/bold], from the first look to the last\n")
    console.print(history(observer.looks, max(10, console.width - 56)))
    console.print("\n[bold]What the run shows[/bold]\n")
    rows = Table.grid(padding=(0, 3))
    images = f"{found[2]} of {found[3]} images" if found else "the script printed none"
    rows.add_row("test accuracy", f"{accuracy:.1%}", images + too_low(accuracy))
    per_epoch = f"{training.per_epoch:,.0f}"
    total = f"{training.read:,} in {times(epochs, 'epoch')}"
    rows.add_row("examples read per epoch", per_epoch, total)
    rows.add_row("  each exactly once", *once(training))
    rows.add_row("test examples read", f"{testing.read:,}", "in one epoch")
    rows.add_row("  each exactly once", *once(testing))
    rate = training.read / seconds if seconds else 0.0
    rows.add_row("examples per second", f"{rate:,.0f}", f"{seconds:.1f} s of training")
    console.print(rows)
    return accuracy > ENOUGH and training.each_exactly_once and testing.each_exactly_once


def too_low(accuracy: float) -> str:
    """Why the demo ends as failed although each example came: few epochs teach little."""
    if accuracy > ENOUGH:
        return ""
    return f": not over {ENOUGH:.0%}, so the exit code is 1; train for more --epochs"


def reading(observer: Witness, pipeline: str, files: Iterable[Path], epochs: int) -> KeysRead:
    """The keys that were read in a pipeline, held against those in the files."""
    in_files = [key for path in files for key in tf_record_keys(path)]
    return check_keys(observer.keys.get(pipeline, []), in_files, epochs)


def once(reading: KeysRead) -> tuple[str, str]:
    """The verdict on 'each exactly once', and its grounds."""
    if reading.each_exactly_once:
        often = "once" if reading.num_epochs == 1 else times(reading.num_epochs, "time")
        return "yes", f"each of the {reading.in_files:,} keys in the files was read {often}"
    wrong = [*reading.too_seldom, *reading.too_often]
    return "no", (
        f"{times(len(reading.too_seldom), 'key')} too seldom, "
        f"{len(reading.too_often):,} too often, such as {wrong[0]}"
    )


def training_seconds(looks: list[Look]) -> float:
    """From the first look until the example queue was closed and empty."""
    for look in looks:
        for queue in look.levels:
            training = (pipeline_of(queue.name), queue.files) == (TRAINING, False)
            if training and queue.closed and queue.size == 0:
                return look.seconds - looks[0].seconds
    return looks[-1].seconds - looks[0].seconds if looks else 0.0


def history(looks: list[Look], width: int) -> Table:
    """A row for each queue: how full it was over time, and the most that it held."""
    table = Table.grid(padding=(0, 3))
    table.add_column(no_wrap=True)
    if not looks:
        return table
    for pipeline, queues in by_pipeline(looks[-1]).items():
        for queue in queues:
            sizes = [q.size for look in looks for q in look.levels if q.name == queue.name]
            most = f"at most {max(sizes):,} of {queue.capacity:,}"
            line = sparkline([size / queue.capacity for size in sizes], min(width, 60))
            table.add_row(f"{pipeline} {kind_of(queue)}", line, most)
    return table
