"""The changed script beside the old one: what each session call of theirs got of each pipeline."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from queueio.convert.file_text import encoded
from queueio.convert.observers import Observers
from queueio.words import times

_PATIENCE = 300
_CLOSE = 1e-5
_ITSELF = (
    ". The old script, run once more, is not like its first run either: it may go on from what a"
    " run leaves behind, such as a checkpoint or a folder, and then the two cannot be compared"
)


@dataclass(frozen=True)
class ScriptRun:
    """What one run of a script showed; see `observed.Observer`."""

    calls: list[dict[str, Any]]
    known: dict[str, list[Any]]
    ended: dict[str, str]
    status: str
    said: str
    made: dict[str, str] = field(default_factory=dict)
    missed: list[str] = field(default_factory=list)
    summaries: list[list[Any]] = field(default_factory=list)
    asking: list[list[Any]] = field(default_factory=list)

    def batches(self, place: str) -> list[Any]:
        """What one pipeline delivered, call by call."""
        return [call[place] for call in self.calls if place in call]

    @property
    def failed(self) -> bool:
        """Whether the script came to its end by an error."""
        return self.status.startswith("failed")

    @property
    def places(self) -> list[str]:
        """The pipelines, in the order in which the calls reached them."""
        return sorted({place for call in self.calls for place in call} | set(self.ended), key=int)


class Beside:
    """Runs both scripts in processes of their own; a context, at whose end none of them is left.

    Args:
      script: the old script; the changed one lies beside it, or beside what it is a link to, while
        it runs.
      text: the changed script.
      modules: the new modules, written already.
      steps: session calls that take from a pipeline, at most.
      most: examples of a pipeline that are read to know what it can deliver.
      random: where pipelines are made whose examples come out differently in each run; as
        `observed.place_of` has it.
      gone: where those are made that the changed script does without.
      arguments: the script's own, with which it must deliver something.
      package: that which the script is in, or "", where it runs as a module; None as a file.

    Attributes:
      summaries: the names of those that told how full a queue of the old script was, and what
        became of that.
    """

    def __init__(
        self, script: Path, text: str, modules: Sequence[Path], steps: int, most: int,
        random: Sequence[str] = (), gone: Sequence[str] = (), arguments: Sequence[str] = (),
        package: str | None = None,
    ) -> None:  # fmt: skip
        self._package = package
        # Where what it imports lies: of a link to a file, beside that.
        real = os.path.realpath(script) if package is None else script
        self._home = Path(real).parent
        self._script, self._text, self._modules = script, text, modules
        self._steps, self._most, self._random = steps, most, set(random)
        self._gone, self._arguments = list(gone), list(arguments)
        self._observers = Observers(_PATIENCE)
        self.summaries: dict[str, str] = {}

    def __enter__(self) -> Beside:
        self._observers.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._observers.__exit__(*error)

    def difference(self, arguments: Sequence[str]) -> tuple[str, str]:
        """(what is different, what was the same) with these arguments of the script; one is "".

        Where neither script takes anything from a pipeline, they must fail alike.
        """
        old = self._seen(self._script, arguments)
        if old.missed:
            return _within(old.missed), ""
        changed = encoded(self._text, self._script.read_bytes())
        with _written(self._home, f"_{self._script.stem}_changed", changed) as beside:
            new = self._seen(beside, arguments)
        wrong = self._unlike(old, new)
        if wrong and self._unlike(old, self._seen(self._script, arguments)):
            wrong += _ITSELF
        if not wrong and list(arguments) == self._arguments:
            wrong = _shows_nothing(old)
        self.summaries |= _fates(old, new)
        return wrong, "" if wrong else _told(old)

    def _seen(self, script: Path, arguments: Sequence[str]) -> ScriptRun:
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder, "seen.json")
            path = [*{str(module.parent): None for module in self._modules}]
            status, said = self._observers.run(
                {**self._named(script), "arguments": list(arguments), "steps": self._steps,
                 "most": self._most, "out": str(out), "path": path, "gone": self._gone}
            )  # fmt: skip
            if status is None:
                few = f"it made fewer than {self._steps} session calls in {_PATIENCE} seconds"
                return ScriptRun([], {}, {}, f"failed: {few}", few)
            if not out.exists():
                return ScriptRun([], {}, {}, f"failed: exit status {status}", said)
            return ScriptRun(**json.loads(out.read_text(encoding="utf-8")), said=said)

    def _named(self, script: Path) -> dict[str, Any]:
        """What an order says of which program is run, and how."""
        if self._package is None:
            return {"script": str(script), "as_module": False}
        return {"script": f"{self._package}.{script.stem}".lstrip("."), "as_module": True}

    def _unlike(self, old: ScriptRun, new: ScriptRun) -> str:
        if new.failed and not old.failed:
            return f"the changed script fails: {_ending(new)}"
        if old.failed and not new.failed:
            return f"the old script fails ({_ending(old)}), and the changed one does not"
        if old.status != new.status:
            counts = (
                f"{times(len(old.calls), 'session call')}, {len(new.calls)} in the changed script"
            )
            return f"the old script made {counts}"
        for place in sorted({*old.places, *new.places}, key=int):
            wrong = _unlike(old, new, place, old.made.get(place) in self._random)
            if wrong:
                return f"pipeline {int(place) + 1}: {wrong}"
        return ""


@contextlib.contextmanager
def _written(folder: Path, name: str, contents: bytes) -> Iterator[Path]:
    """A file of its own within a `with` block: none of the user's, or of another command's."""
    number = itertools.count(2)
    path = folder / f"{name}.py"
    while path.exists():
        path = folder / f"{name}_{next(number)}.py"
    file = path.open("xb")
    try:
        with file:
            file.write(contents)
        yield path
    finally:
        path.unlink(missing_ok=True)


def _within(missed: list[str]) -> str:
    """Why a script whose session calls take from within a pipeline has to stay as it is."""
    more = f" ({len(missed) - 1} more like it)" if len(missed) > 1 else ""
    told = f"a session call of the old script {missed[0]}{more}"
    return f"{told}. Fetch only what comes out of the batch"


def _fates(old: ScriptRun, new: ScriptRun) -> dict[str, str]:
    """What became of the queues whose fill the summaries of the old script told."""
    there = {(name, line): through for name, line, through in new.asking}
    found = {}
    for name, line in old.summaries:
        if (name, line) not in there:
            found[name] = "the queue whose fill it told is not there any more"
        elif not there[name, line]:
            found[name] = "its queue is still made, but no batch comes through it any more"
    return found


def _shows_nothing(old: ScriptRun) -> str:
    """Why a run of the script as it is proves nothing of the changed one; "" where it does."""
    if not old.calls:
        return f"no session call took anything from a pipeline: {old.said or old.status}"
    if old.failed:
        made = times(len(old.calls), "session call")
        return f"both scripts fail after {made}: {_ending(old)}. Get the old one to work"
    return ""


def _unlike(old: ScriptRun, new: ScriptRun, place: str, random: bool) -> str:
    """How what a pipeline delivered differs between the two runs; "" if it does not."""
    if old.failed and new.ended.get(place) not in (None, "OutOfRangeError"):
        # Its threads fail beside the old script: whether a call came before them is chance.
        return ""
    mine, other = old.batches(place), new.batches(place)
    if old.failed and new.failed and not (mine or other or place in new.ended):
        # Files that are not there: a queue ends before its first example, and the error waits in a
        # thread; the new module says so where it is called.
        return ""
    if len(mine) != len(other):
        return (
            f"{times(len(mine), 'session call')} took from it, {len(other)} in the changed script"
        )
    sizes = [len(b["rows"]) for b in mine], [len(b["rows"]) for b in other]
    if sorted(sizes[0]) != sorted(sizes[1]):
        return (
            f"it delivered {times(sum(sizes[0]), 'example')}, {sum(sizes[1])} in the changed script"
        )
    forms = [[b["form"] for b in batches] for batches in (mine, other)]
    if mine and forms[0][0] != forms[1][0]:
        return f"its components were {forms[0][0]}, {forms[1][0]} in the changed script"
    if (place in old.ended) != (place in new.ended) or _whole(old, place) != _whole(new, place):
        return f"it {_total(old, place)}, and {_total(new, place)} in the changed script"
    if random:
        return ""
    delivered = [row for batch in mine for row in batch["rows"]]
    got = [row for batch in other for row in batch["rows"]]
    known = delivered + old.known.get(place, [])
    strangers = _not_among(got, known)
    # Which examples are left over at the end for want of a whole batch is chance.
    left_over = max(sizes[0], default=1) - 1 if place in old.ended else 0
    if strangers > left_over and (place in old.ended or place in old.known):
        return f"{strangers} of its {len(got)} examples are none that the old script delivers"
    return ""


def _whole(seen: ScriptRun, place: str) -> int | None:
    """How many examples a pipeline has until its end; None where nobody came to it."""
    read = sum(len(batch["rows"]) for batch in seen.batches(place))
    return read + len(seen.known.get(place, [])) if place in seen.ended else None


def _total(seen: ScriptRun, place: str) -> str:
    whole = _whole(seen, place)
    return "goes on" if whole is None else f"ends after {times(whole, 'example')}"


def _not_among(rows: list[Any], known: list[Any]) -> int:
    """How many of `rows` are not like one of `known`."""
    by_digest: dict[str, list[Any]] = defaultdict(list)
    for digest, sums in known:
        by_digest[digest].append(sums)
    arrays = {digest: np.asarray(sums) for digest, sums in by_digest.items()}
    missing = 0
    for (digest, sums), often in Counter((d, tuple(s)) for d, s in rows).items():
        there = arrays.get(digest)
        if there is None or not _close(there, np.asarray(sums)):
            missing += often
    return missing


def _close(known: np.ndarray, sums: np.ndarray) -> bool:
    if not sums.size:
        return True
    scale = np.maximum(np.abs(known).max(axis=0), 1e-12)
    return bool((np.abs(known - sums) <= _CLOSE * scale).all(axis=1).any())


def _told(old: ScriptRun) -> str:
    parts = []
    for place in (each for each in old.places if old.batches(each)):
        batches = old.batches(place)
        examples = sum(len(batch["rows"]) for batch in batches)
        parts.append(
            f"pipeline {int(place) + 1}: {times(examples, 'example')} in "
            f"{times(len(batches), 'call')}"
        )
    if old.failed:
        parts.append(f"both fail: {_ending(old)}")
    return "; ".join(parts)


def _ending(run: ScriptRun) -> str:
    """How a run came to its end: its last words; those that a `sys.exit(3)` leaves are none."""
    return run.said.rstrip(".") or run.status.removeprefix("failed: ")
