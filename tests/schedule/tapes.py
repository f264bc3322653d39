"""Tapes of runs that nobody made, for the views: small, large, and with names that break out."""

from __future__ import annotations

import random

from queueio.schedule.events import Element, Event, Level, Move, Standing
from queueio.schedule.tape import Tape

EVIL = "</script><img src=x onerror=alert(1)>\"'&\u2028\u2029é{{data}}"


def long_tape(steps: int, seed: int = 0) -> Tape:
    """Threads that move elements from a list into a pool, and a trainer that takes them."""
    chance, tape = random.Random(seed), Tape("long.py", end="finished")
    pool: list[int] = []
    for step in range(1, steps + 1):
        before, fill = len(pool), len(pool) < 20 or (chance.random() < 0.75 and len(pool) < 64)
        if fill:
            pool.append(step)
            moved = [step]
        else:
            moved = [pool.pop(chance.randrange(len(pool))) for _ in range(4)]
        elements = tuple(Element(str(n), f"data.csv:{n}", f"d{n}") for n in moved)
        letter, name = ("A", "main") if not fill else ("BCD"[step % 3], f"thread {step % 3}")
        full = len(pool) >= 64
        why = "pool is low" if len(pool) < 20 else ""
        others = Standing("A", "main", "blocked" if why else "ready", "dequeue", "a.py:1", why)
        why, state = ("pool is full", "blocked") if full else ("", "ready")
        threads = [Standing(x, f"thread {n}", state, "enqueue", "a.py:2", why)
                   for n, x in enumerate("BCD")]  # fmt: skip
        tape.add(Event(
            step, letter, name, "run", "enqueue into pool" if fill else "dequeue from pool",
            "a.py:2: sess.run(enqueue)", (Level("pool", before, 64, 16),),
            (Level("pool", len(pool), 64, 16),), seconds=step / 1000,
            standings=(others, *threads), took=0.001,
            moves=(Move("pool", not fill, ordered=False, count=len(moved), elements=elements),),
        ))  # fmt: skip
    return tape


def evil_tape() -> Tape:
    """A run in which everything that has a name is called `EVIL`."""
    tape = Tape(EVIL, end=EVIL)
    level = Level(EVIL, 1, 3)
    tape.add(Event(
        1, "A", EVIL, "run", EVIL, EVIL, (Level(EVIL, 0, 3),), (level,), EVIL, 0.001,
        (Standing("A", EVIL, "blocked", EVIL, EVIL, EVIL, EVIL),), took=0.001,
        moves=(Move(EVIL, False, elements=(Element(EVIL, EVIL, "x"),)),),
    ))  # fmt: skip
    return tape
