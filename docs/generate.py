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
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from queueio.lesson import Lesson, lesson

GUIDE = Path(__file__).resolve().parent.parent / "MIGRATION.md"
PART = re.compile(r"(<!-- generated: ([\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)
FENCED = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
HEADING = re.compile(r"^(#{2,4}) (.+)$", re.MULTILINE)

# The flow of data, as the packages of the stages, each with its heading.
GROUPS = {
    "filenames": "Names, numbers and rows",
    "readers": "Readers",
    "decoders": "Decoding and your own ops",
    "queues": "Queues",
    "batching": "Batches",
}
# What is below tf.contrib.
CONTRIB = {
    "contrib.slim": "tf.contrib.slim's data",
    "contrib.training": "tf.contrib.training",
    "contrib.learn": "tf.contrib.learn's input",
    "contrib.input_pipeline": "tf.contrib.input_pipeline",
    "contrib.timeseries": "tf.contrib.timeseries' input",
}
# Nearly every script is this chain, so it comes first.
USUAL = (
    "filenames.string", "readers.text_line", "readers.tf_record", "decoders.csv",
    "decoders.example", "batching.shuffle_batch", "batching.batch",
)  # fmt: skip


def lessons() -> dict[str, Lesson]:
    """The lessons of all stages by `package.module`, in the order of the flow."""
    found = {}
    for package in {**GROUPS, **CONTRIB}:
        folder = importlib.import_module(_room(package))
        for module in pkgutil.iter_modules(folder.__path__):
            loaded = importlib.import_module(f"{folder.__name__}.{module.name}")
            if re.search(r"^Legacy:$", loaded.__doc__ or "", re.MULTILINE):
                found[f"{package}.{module.name}"] = lesson(loaded)
    return found


def _room(package: str) -> str:
    return f"queueio.{package}" if package in CONTRIB else f"queueio.stages.{package}"


def stages() -> str:
    """Old code and new code of each stage, and how they differ."""
    told = lessons()
    groups = {"The usual chain": list(USUAL)}
    for package, heading in {**GROUPS, **CONTRIB}.items():
        groups[heading] = [k for k in told if k.startswith(f"{package}.") and k not in USUAL]
    groups = {heading: keys for heading, keys in groups.items() if keys}
    return "\n".join(
        f"### {heading}\n\n" + "\n".join(_stage(told[key]) for key in keys)
        for heading, keys in groups.items()
    )


def headings(text: str) -> list[tuple[int, str, str]]:
    """Level, title and anchor of the headings below the first, the anchors as GitHub makes them."""
    seen: Counter[str] = Counter()
    found = []
    for marks, title in HEADING.findall(FENCED.sub("", text)):
        anchor = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
        again = f"-{seen[anchor]}" if seen[anchor] else ""
        seen[anchor] += 1
        found.append((len(marks), title, anchor + again))
    return found


def contents(text: str) -> str:
    """The headings of the guide's text, down to the third level, as links."""
    return "\n".join(
        f"{'  ' * (level - 2)}- [{title}](#{anchor})"
        for level, title, anchor in headings(text)
        if level < 4 and title != "Contents"
    )


def title(told: Lesson) -> str:
    """What the guide calls a stage: the names in its last section."""
    return " ".join(told.source.split(" of TensorFlow")[0].split())


def _stage(told: Lesson) -> str:
    def prose(text: str) -> str:
        return textwrap.fill(" ".join(text.split()), 100, break_on_hyphens=False)

    modern = f"```python\n{told.modern}\n```"
    if told.modern.startswith("none:"):
        modern = prose(told.modern.removeprefix("none: ")) + "."
    old = f"```python\n{told.legacy}\n```"
    parts = [f"#### {title(told)}", told.summary, "Old:", old, "New:", modern]
    told_in_prose = filter(None, [prose(told.differs), prose(told.prose)])
    return "\n\n".join([*parts, *told_in_prose]) + "\n"


def missing() -> str:
    """The names of TF 1.15 that queueio.v1 does not have, each with what to use instead."""
    from queueio.compat.missing import markdown

    return markdown()


def present() -> str:
    """The names that TensorFlow, NumPy and Python removed, and queueio gives what it runs."""
    from queueio.compat.moved import markdown

    return markdown()


def contrib() -> str:
    """The parts of tf.contrib that are back, and what each needs."""
    from queueio.compat.contrib_names import markdown

    return markdown()


def findings() -> str:
    """What `queueio compare` can find, by its codes."""
    from queueio.compare.findings.codes import markdown

    return markdown()


PARTS: dict[str, Callable[[], str]] = {
    "stages": stages,
    "missing": missing,
    "present": present,
    "contrib": contrib,
    "findings": findings,
}


def filled(text: str) -> str:
    """The guide's text with every generated part made anew."""

    def with_part(name: str, made: str) -> str:
        def fill(match: re.Match[str]) -> str:
            return f"{match[1]}\n{made.strip()}\n\n{match[3]}" if match[2] == name else match[0]

        return PART.sub(fill, text)

    for name, make in PARTS.items():
        text = with_part(name, make())
    return with_part("contents", contents(text))


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
