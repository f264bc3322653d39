"""Puts it together: every name of a code base, with its verdict."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from queueio.check.files import CannotReadError, finder, parsed, python_files
from queueio.check.meaning import Meanings, Meant
from queueio.check.names import Name, NameUse
from queueio.check.verdicts import KINDS, MISSING, REFUSED, RUNS, NameVerdict
from queueio.check.walk import FileWalk


class Judging(Protocol):
    """What says of a name whether it runs."""

    def exists(self, name: Name) -> bool:
        """Whether a script finds the name."""

    def verdict(self, name: Name) -> NameVerdict:
        """The verdict on a name."""


@dataclass(frozen=True)
class FoundName:
    """A name, where it stands, and what becomes of it.

    Attributes:
      guarded: why the program does without it; "" where it does not.
    """

    file: Path
    line: int
    name: Name
    verdict: NameVerdict
    guarded: str = ""

    @property
    def fails(self) -> bool:
        """Whether a program that comes here dies of it, whatever is installed."""
        return not self.guarded and self.verdict.kind in (REFUSED, MISSING)


@dataclass
class CodeBase:
    """All that was found in a code base.

    Attributes:
      files: that were read.
      names: by file and line.
      stars: lines of `from x import *`, of which nobody knows what they give.
      unread: files whose names cannot be told, and why.
    """

    files: int = 0
    names: list[FoundName] = field(default_factory=list)
    stars: list[tuple[Path, int, Name]] = field(default_factory=list)
    unread: list[tuple[Path, CannotReadError]] = field(default_factory=list)

    @property
    def fails(self) -> bool:
        """Whether a name is refused or missing, or a file could not be read."""
        return bool(self.unread) or any(each.fails for each in self.names)

    def number(self, kind: str, guarded: bool = False) -> int:
        """How many places have a verdict."""
        return sum(n.verdict.kind == kind and bool(n.guarded) is guarded for n in self.names)


def check(files: Iterable[Path], root: Path, judge: Judging) -> CodeBase:
    """Tells the names that files use.

    Args:
      files: of Python.
      root: the folder of the code base; imports are followed within it.
      judge: says of each name whether it runs.
    """
    walks, checked = dict[Path, FileWalk](), CodeBase()
    for path in files:
        try:
            tree = parsed(path)
            walks[path] = FileWalk(finder(path, root))
            walks[path].visit(tree)
        except CannotReadError as error:
            walks.pop(path, None)
            checked.unread.append((path, error))
    meanings = Meanings({path: walk.scope for path, walk in walks.items()}, judge.exists)
    own = _set_by_the_program(walks.values(), meanings)
    for path, walk in walks.items():
        checked.files += 1
        checked.stars += [(path, line, name) for line, name in walk.stars]
        checked.names += _found(path, walk, meanings, own, judge)
    return checked


def check_folder(root: Path, judge: Judging) -> CodeBase:
    """The same for all files of a folder."""
    return check(python_files(root), root, judge)


def _found(
    path: Path, walk: FileWalk, meanings: Meanings, own: set[Name], judge: Judging
) -> list[FoundName]:
    """One for each name of a line; where the line asks for it twice, the worst."""
    found: dict[tuple[int, Name], FoundName] = {}
    for use in walk.uses:
        meant = [each for each in meanings.of(use.spelled, use.scope) if each.name.is_told]
        if not meant:
            continue
        worst = max(meant, key=lambda each: KINDS.index(judge.verdict(each.name).kind))
        verdict = judge.verdict(worst.name)
        why = "" if verdict.kind == RUNS else _guarded(use, worst, verdict, meanings, own)
        name = worst.name
        if verdict.exists:  # what is behind an object, such as tf.app.flags.FLAGS, is none
            name = Name(name.root, name.parts[: verdict.reached])
        if (use.line, name) not in found or not why:
            found[use.line, name] = FoundName(path, use.line, name, verdict, why)
    return sorted(found.values(), key=lambda each: (each.line, each.name))


def _guarded(
    use: NameUse, meant: Meant, verdict: NameVerdict, meanings: Meanings, own: set[Name]
) -> str:
    if meanings.is_dead(use.guards):
        return "this branch does not run"
    if verdict.exists:
        return ""
    if meant.is_lost or use.spelled.is_asked or _raised(use, verdict) in use.guards.caught:
        return "the program catches it"
    if Name(meant.name.root, meant.name.parts[: verdict.reached + 1]) in own:
        return "the program sets it"
    return ""


def _raised(use: NameUse, verdict: NameVerdict) -> str:
    """The error that Python raises for a missing name at such a place."""
    if use.modules is None:
        return "AttributeError"
    return "ModuleNotFoundError" if verdict.reached < use.modules else "ImportError"


def _set_by_the_program(walks: Iterable[FileWalk], meanings: Meanings) -> set[Name]:
    uses = (use for walk in walks for use in walk.sets)
    return {meant.name for use in uses for meant in meanings.of(use.spelled, use.scope)}
