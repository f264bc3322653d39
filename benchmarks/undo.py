"""What undo costs: `python -m benchmarks.undo [SCRIPT…]` prints a row for each way back.

A script is stepped as `queueio watch --controlled` does it, by so many steps, and goes back by as
many as each row says: how long until that step is shown, and until the run itself stands there and
could take another turn.
"""

from __future__ import annotations

import os
import tempfile
import textwrap
import time
from collections.abc import Callable
from pathlib import Path

import click

from queueio.schedule.child import Order, warm
from queueio.schedule.driver import Driver
from queueio.schedule.nursery import Nursery

BACK = (1, 10, 100, 250, 500, 900, 1000)
LIMIT = 120.0
CSV = """
    import tensorflow.compat.v1 as tf

    files = tf.train.string_input_producer([{path!r}], shuffle=False)
    _, line = tf.TextLineReader().read(files)
    number, label = tf.decode_csv(line, [[0], [""]])
    batch, _ = tf.train.shuffle_batch([number, label], 8, 200, 50, num_threads=2)
    with tf.Session() as sess:
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coord)
        for _ in range(1000):
            sess.run(batch)
        coord.request_stop()
        coord.join(threads)
"""


def script(folder: Path) -> str:
    """A CSV pipeline into `shuffle_batch`, written to a folder."""
    data, file = folder / "numbers.csv", folder / "shuffled.py"
    data.write_text("".join(f"{n},label {n}\n" for n in range(100)))
    file.write_text(textwrap.dedent(CSV.format(path=str(data))).lstrip())
    return str(file)


def seconds_until(so: Callable[[], object]) -> float:
    """How long until something is so.

    Raises:
      TimeoutError: it is not so within `LIMIT`.
    """
    began = time.perf_counter()
    while not so():
        if time.perf_counter() - began > LIMIT:
            raise TimeoutError("the run does not come to where it should be")
        time.sleep(0.001)
    return time.perf_counter() - began


def stands_at(driver: Driver, step: int) -> Callable[[], bool]:
    """Whether a run is there, and asks whose turn it is."""
    return lambda: bool(driver.ended) or (driver.scene.step == step and bool(driver.ready))


def back(driver: Driver, step: int) -> tuple[float, float]:
    """Goes there; the seconds until it is shown, and until the run stands there."""
    began = time.perf_counter()
    driver.jump(step)
    shown = time.perf_counter() - began
    return shown, shown + seconds_until(stands_at(driver, step))


def measured(name: str, steps: int, fork: Callable[..., int], idle: float) -> None:
    """Prints a script's rows."""
    order = Order(name, (), strategy="q1::", budget=1 << 30, by_hand=True, events=True)
    driver = Driver(order, fork, "round-robin", lambda: None)
    driver.play()
    driver.jump(steps)
    there = seconds_until(stands_at(driver, steps))
    if driver.ended:
        steps = driver.scene.step - 1
        print(f"{Path(name).name}: ends after {steps:,} steps")
    print(f"{Path(name).name}: {steps:,} steps in {there:.2f} s\n  back  shown  stands there")
    for by in (by for by in BACK if by <= steps):
        driver.jump(steps)
        seconds_until(stands_at(driver, steps))
        time.sleep(idle)
        shown, stands = back(driver, steps - by)
        print(f"{by:6,}  {shown:5.2f}  {stands:12.2f}", flush=True)
    driver.close()


@click.command()
@click.option("--steps", default=1000, show_default=True, help="From where it goes back.")
@click.option("--idle", default=1.0, show_default=True, help="Seconds that a hand rests before.")
@click.argument("scripts", nargs=-1)
def main(steps: int, idle: float, scripts: tuple[str, ...]) -> None:
    """Prints how long the way back takes, in SCRIPTS; without any, in a CSV pipeline."""
    warm()
    nursery = Nursery(os.open(os.devnull, os.O_WRONLY))
    with tempfile.TemporaryDirectory() as folder:
        for name in scripts or (script(Path(folder)),):
            measured(name, steps, nursery.fork, idle)
    nursery.close()


if __name__ == "__main__":
    main()
