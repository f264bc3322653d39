"""The demo's last act: the script's training input on both engines, side by side.

Runs in a process of its own (`python -m queueio.demo.comparison SCRIPT REPORT`), because the
script has had its run in the demo's.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from rich.console import Console

EPOCHS = 3
BATCH = 50


def compare_engines(console: Console, script: Path, report: Path) -> bool:
    """Compares the queue engine with the data engine and writes the report.

    Args:
      console: where to print.
      script: the TF1 script, which defines `inputs(split, num_epochs, batch_size)`.
      report: the HTML file to write.

    Returns:
      Whether both engines delivered the same examples.
    """
    console.print(f"\n[bold]The same input on both engines[/bold], {EPOCHS} epochs of it\n")
    done = subprocess.run(
        [sys.executable, "-m", __name__, str(script), str(report)],
        capture_output=True,
        text=True,
        check=False,
    )
    console.print(done.stdout.rstrip(), markup=False)
    if done.returncode and (not done.stdout or "Traceback" in done.stderr):
        console.print(done.stderr[-2000:], markup=False)  # it has failed, whatever it had said
    return done.returncode == 0


def main(script: str, report: str) -> int:
    """Compares, prints the verdict, writes the report; 0 if the examples are the same."""
    import queueio
    from queueio.compare.sides.script import load

    inputs = load(f"{script}:inputs")

    def queues() -> Any:
        return inputs("train", EPOCHS, BATCH)

    result = queueio.compare(queues, queueio.lift(queues))
    print(result)
    try:
        result.to_html(report)
        print(f"\nReport: {report}")
    except ImportError as absent:
        print(f"\nNo report: {absent}")
    return 0 if result.ok else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
