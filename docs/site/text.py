"""Markdown as a tree of sections, and links that find them on the pages of the site."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

_HEADING = re.compile(r"^(#{1,6}) (.+)$")
_LINK = re.compile(r"\]\(([^)\s:]+)\)")
_FENCE = re.compile(r"^```(\w+) ([\w ]+)$", re.MULTILINE)
_COMMENT = re.compile(r"^<!-- .* -->$")


@dataclass
class Section:
    """A heading and the lines under it, up to the next heading of any level."""

    level: int
    title: str
    anchor: str
    lines: list[str] = field(default_factory=list)


def sections(text: str) -> list[Section]:
    """The sections of a document, with the anchors that GitHub gives to their headings."""
    found, seen = [Section(0, "", "")], Counter[str]()
    for heading, line in _told(text):
        if heading is None:
            found[-1].lines.append(line)
            continue
        level, title = heading
        anchor = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
        again = f"-{seen[anchor]}" if seen[anchor] else ""
        seen[anchor] += level > 1  # the title of the document is no target
        found.append(Section(level, title, anchor + again))
    return found


def _told(text: str) -> Iterator[tuple[tuple[int, str] | None, str]]:
    fenced = False
    for line in text.splitlines():
        fenced ^= line.startswith("```")
        match = None if fenced else _HEADING.match(line)
        if fenced or not _COMMENT.match(line):
            yield (len(match[1]), match[2]) if match else None, line


def written(parts: list[Section]) -> str:
    """The text of a page: its first section's heading is the page's, the others are below it."""
    top = max(parts[0].level, 1) - 1
    told = []
    for part in parts:
        if part.title:
            told.append(f"{'#' * (part.level - top)} {part.title} {{ #{part.anchor} }}")
        told += part.lines
    # What the guide says of a block beside its language is the block's title here.
    return _FENCE.sub(r'```\1 title="\2"', "\n".join(told).strip()) + "\n"


def linked(text: str, page: str, targets: Mapping[str, str]) -> str:
    """The text of `page` with its links leading to the pages in `targets`.

    Args:
      text: Markdown.
      page: its path in the site.
      targets: by what a link says (`#anchor`, `MIGRATION.md`, …), a path in the site. A link that
        is not among them stays, and the build of the site fails by it if it leads nowhere.
    """

    def lead(match: re.Match[str]) -> str:
        target = targets.get(match[1])
        return match[0] if target is None else f"]({relative(target, page)})"

    return _LINK.sub(lead, text)


def relative(target: str, page: str) -> str:
    """How a page links to a target; an anchor of its own stays one."""
    path, mark, anchor = target.partition("#")
    if path == page and mark:
        return f"#{anchor}"
    return os.path.relpath(path, os.path.dirname(page) or ".") + mark + anchor
