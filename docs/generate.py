"""Fills the generated parts of MIGRATION.md: `make docs`.

A part stands between `<!-- generated: NAME -->` and `<!-- end -->`; everything else is written by
hand. `tests/test_migration.py` fails when a part is stale.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

from queueio.lesson import Lesson, lesson

GUIDE = Path(__file__).resolve().parent.parent / "MIGRATION.md"
PART = re.compile(r"(<!-- generated: ([\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def lessons() -> list[Lesson]:
    """The lessons of all stages, in the order of the flow."""

    found = []
    for package in ("filenames", "readers", "decoders", "queues", "batching"):
        folder = importlib.import_module(f"queueio.stages.{package}")
        for module in pkgutil.iter_modules(folder.__path__):
            loaded = importlib.import_module(f"{folder.__name__}.{module.name}")
            if re.search(r"^Legacy:$", loaded.__doc__ or "", re.MULTILINE):
                found.append(lesson(loaded))
    return found


def stages() -> str:
    """Old code and new code of each stage, and how they differ."""
    return "\n".join(_stage(told) for told in lessons())


def _stage(told: Lesson) -> str:
    def prose(text: str) -> str:
        return textwrap.fill(" ".join(text.split()), 100, break_on_hyphens=False)

    title = told.source.split(" of TensorFlow")[0]
    modern = f"```python\n{told.modern}\n```"
    if told.modern.startswith("none:"):
        modern = prose(told.modern.removeprefix("none: ")) + "."
    old = f"```python\n{told.legacy}\n```"
    parts = [f"### {title}", told.summary, "Old:", old, "New:", modern]
    return "\n\n".join([*parts, prose(told.differs), prose(told.prose)]) + "\n"


def missing() -> str:
    """The names of TF 1.15 that queueio.v1 does not have, each with what to use instead."""
    from queueio.compat.missing import markdown

    return markdown()


PARTS: dict[str, Callable[[], str]] = {"stages": stages, "missing": missing}


def filled(text: str) -> str:
    """The guide's text with every generated part made anew."""

    def fill(match: re.Match[str]) -> str:
        return f"{match[1]}\n{PARTS[match[2]]().strip()}\n\n{match[3]}"

    return PART.sub(fill, text)


EMITTED = GUIDE.parent / "docs" / "emitted"
SHOWN = {
    "csv": "program_csv_to_shuffle_batch",
    "sparse_tf_record": "program_filtered_examples_with_tags",
    "two_queues": "shuffle_then_prefetch",
}


def emitted() -> dict[Path, str]:
    """Modules as `queueio convert` writes them: of golden pipelines, and of a benchmark's."""
    import queueio
    from benchmarks.contenders import Legacy
    from benchmarks.tutorial_pipelines import PIPELINES as TUTORIALS

    sys.path.insert(0, str(GUIDE.parent / "tests" / "golden"))
    pipelines = importlib.import_module("pipelines").PIPELINES
    tf = importlib.import_module("modules").module("queueio.train")
    files = [f"data_batch_{number}.bin" for number in range(1, 6)]
    cifar = TUTORIALS["cifar"]
    builds: dict[str, Callable[[], Any]] = {
        name: lambda n=golden: pipelines[n].build(tf)  # type: ignore[misc]
        for name, golden in SHOWN.items()
    }
    builds["cifar10"] = lambda: cifar.queue_input(Legacy(), files, cifar)
    return {
        EMITTED / f"{name}.py": str(queueio.lift(build).to_source())
        for name, build in builds.items()
    }


if __name__ == "__main__":
    GUIDE.write_text(filled(GUIDE.read_text()))
    EMITTED.mkdir(exist_ok=True)
    for file, source in emitted().items():
        file.write_text(source)
