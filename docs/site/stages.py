"""A page per stage: its lesson with its picture, in the order in which data flows."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from docs.generate import CONTRIB, GROUPS, headings, lessons, stages, title
from docs.site.guide import Page
from docs.site.pictures import picture
from queueio.lesson import Lesson

_FLOW = """# The stages, as data flows

A queue pipeline is a chain of stages. Each has a page: the old code, the new code, a picture of the
graph that the old code builds, as `queueio explain` draws it, and how the two differ.
"""


def pages() -> tuple[list[tuple[str, list[Page]]], dict[str, str], dict[str, str]]:
    """The pages by group, the pictures by path, and where each `#anchor` of the guide is found."""
    told, drawn, groups = lessons(), {}, []
    for room, heading in {**GROUPS, **CONTRIB}.items():
        own = []
        for key in (key for key in told if key.startswith(f"{room}.")):
            path = f"stages/{key.replace('.', '/')}"
            if svg := picture(told[key]):
                drawn[f"{path}.svg"] = svg
            own.append(Page(f"{path}.md", title(told[key]), _page(told[key], key, bool(svg))))
        groups.append((heading, own))
    return [("", [_index(groups)]), *groups], drawn, _targets(groups)


def _index(groups: list[tuple[str, list[Page]]]) -> Page:
    lines = [_FLOW]
    for heading, own in groups:
        links = (f"- [{page.title}]({page.path.removeprefix('stages/')})" for page in own)
        lines += [f"## {heading}\n", *links, ""]
    return Page("stages/index.md", "The stages, as data flows", "\n".join(lines))


def _targets(groups: list[tuple[str, list[Page]]]) -> dict[str, str]:
    """The guide has the same stages in another order, as sections with anchors."""
    paths = {page.title: page.path for _, own in groups for page in own}
    paths |= {heading: own[0].path for heading, own in groups if own}
    paths |= {"The usual chain": "stages/index.md", "Stage by stage": "stages/index.md"}
    found = headings("## Stage by stage\n" + stages())
    return {f"#{anchor}": paths[name] for _, name, anchor in found}


def _page(told: Lesson, key: str, has_picture: bool) -> str:
    return "\n\n".join(_parts(told, key, has_picture)) + "\n"


def _parts(told: Lesson, key: str, has_picture: bool) -> Iterator[str]:
    yield f"# {title(told)}"
    yield told.summary
    yield f'=== "Old: TF1"\n\n{_code(told.legacy)}\n\n=== "New: tf.data"\n\n{_modern(told.modern)}'
    if has_picture:
        name = key.rpartition(".")[2]
        yield f"![What the old code builds, stage by stage]({name}.svg){{ .pipeline }}"
    yield f"## Emits\n\n{told.emits}"
    yield f"## Differs\n\n{told.differs}"
    yield f"## Raises\n\n{told.raises}"
    if told.prose:
        yield f"## To know\n\n{told.prose}"
    yield f"Where the behaviour is defined: {' '.join(told.source.split())}"


def _code(code: str) -> str:
    return textwrap.indent(f"```python\n{code}\n```", "    ")


def _modern(modern: str) -> str:
    if modern.startswith("none:"):
        return textwrap.indent("None: " + modern.removeprefix("none:").strip() + ".", "    ")
    return _code(modern)
