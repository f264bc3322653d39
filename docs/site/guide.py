"""The guide, MIGRATION.md, cut into pages: one per section, per recipe and per finding's table."""

from __future__ import annotations

import re
from dataclasses import dataclass

from docs.site.text import Section, sections, written

_LEFT_OUT = ("Contents", "Stage by stage")  # the site has a list of its own, and a page per stage
_OWN_PAGES = {
    "Troubleshooting": "troubleshooting.md",
    "What `queueio compare` can find": "findings.md",
    "Find your call": "guide/find-your-call.md",
    "Five recipes": "recipes/index.md",
}


@dataclass
class Page:
    """A page of the site: where it lies, how the list of pages calls it, and its text."""

    path: str
    title: str
    text: str


def pages(text: str) -> tuple[list[Page], dict[str, str]]:
    """The pages of the guide, but for the stages, and where each `#anchor` of it is found."""
    made: list[tuple[str, list[Section]]] = []
    chapter = ""
    for part in sections(text):
        chapter = part.title if part.level == 2 else chapter
        if chapter in _LEFT_OUT:
            continue
        path = _path(part, chapter)
        if path or not made:
            made.append((path or "guide/index.md", []))
        made[-1][1].append(part)
    targets = {f"#{part.anchor}": f"{path}#{part.anchor}" for path, own in made for part in own}
    return [Page(path, _title(own), written(own)) for path, own in made], targets


def _path(part: Section, chapter: str) -> str:
    """The page that a section begins; empty where it goes on with the one before."""
    for title, path in _OWN_PAGES.items():
        if part.title.startswith(title):
            return path
    if part.level == 3 and chapter.startswith("Five recipes"):
        return f"recipes/{part.anchor}.md"
    return f"guide/{part.anchor}.md" if part.level == 2 else ""


def _title(own: list[Section]) -> str:
    titles = [part.title for part in own if part.title]
    return re.sub(r"`|: from .*", "", titles[0])
