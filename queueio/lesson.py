"""The lesson of a stage, read out of its module's docstring.

A lesson is one line of what the stage does; then the sections Legacy, Modern, Emits, Differs and
Raises; then prose; then Source. `queueio explain` prints it, MIGRATION.md is made from it, and a
test runs its two code blocks against each other.
"""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass
from types import ModuleType

SECTIONS = ("Legacy", "Modern", "Emits", "Differs", "Raises")


@dataclass(frozen=True)
class Lesson:
    """What a stage teaches.

    Attributes:
      stage: the stage's name, its module's last part.
      summary: one line of what it does.
      legacy: TF1 code, a block of statements.
      modern: tf.data code that delivers the same; begins with "none:" where there is none.
      emits: dtype and shape of what comes out.
      differs: where the two forms behave differently.
      raises: the errors to expect.
      prose: what else is worth knowing; may be empty.
      source: where the behaviour is defined.
    """

    stage: str
    summary: str
    legacy: str
    modern: str
    emits: str
    differs: str
    raises: str
    prose: str
    source: str

    @property
    def difference(self) -> str:
        """The first sentence of `differs`, on one line: what to know before all else."""
        return re.split(r"(?<=\.)\s+(?=[A-Z`])", " ".join(self.differs.split()))[0]


def lesson(module: ModuleType) -> Lesson:
    """Parses the docstring of a stage's module.

    Raises:
      ValueError: a section is missing, or out of order.
    """
    text = module.__doc__ or ""
    heads = [*SECTIONS, "Source"]
    found = re.findall(rf"^({'|'.join(heads)}):$", text, re.MULTILINE)
    if found != heads:
        raise ValueError(f"{module.__name__}: sections are {found}, not {heads}")
    parts = re.split(rf"^(?:{'|'.join(heads)}):$", text, flags=re.MULTILINE)
    blocks = [textwrap.dedent(part.strip("\n")).strip() for part in parts[1:]]
    raises, prose = _split_prose(parts[5])
    return Lesson(
        stage=module.__name__.rpartition(".")[2],
        summary=parts[0].strip(),
        legacy=blocks[0],
        modern=blocks[1],
        emits=blocks[2],
        differs=blocks[3],
        raises=raises,
        prose=prose,
        source=blocks[5],
    )


def _split_prose(part: str) -> tuple[str, str]:
    """Splits a section from the unindented prose that follows it."""
    lines = part.strip("\n").splitlines()
    end = next((i for i, line in enumerate(lines) if line and not line.startswith(" ")), len(lines))
    return textwrap.dedent("\n".join(lines[:end])).strip(), "\n".join(lines[end:]).strip()
