"""The site's pages: every link of the guide finds its page, and every stage has one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from docs.generate import headings, lessons, title
from docs.generate import stages as in_guide
from docs.site import api, build, guide
from docs.site.text import linked, relative, sections, written

ROOT = Path(__file__).resolve().parents[2]
GUIDE = (ROOT / "MIGRATION.md").read_text()


def test_a_section_ends_at_the_next_heading_and_code_holds_none() -> None:
    found = sections("# A\none\n```\n# no heading\n```\n## B\n<!-- end -->\ntwo\n## B\n")
    assert [(part.level, part.title, part.anchor) for part in found[1:]] == [
        (1, "A", "a"), (2, "B", "b"), (2, "B", "b-1"),
    ]  # fmt: skip
    assert found[1].lines == ["one", "```", "# no heading", "```"]
    assert (
        written(sections("# A\n```python old\n```\n")[1:])
        == '# A { #a }\n```python title="old"\n```\n'
    )
    assert written(found[2:3]) == "# B { #b }\ntwo\n"


def test_anchors_are_those_of_the_guides_own_contents() -> None:
    own = {part.anchor for part in sections(GUIDE) if part.level > 1}
    assert own == {anchor for _, _, anchor in headings(GUIDE)}


def test_a_link_leads_from_its_page_to_the_page_of_its_target() -> None:
    targets = {"#seeds": "guide/differences.md#seeds", "README.md": "overview.md"}
    told = "[a](#seeds), [b](README.md), [c](https://example.org)"
    assert linked(told, "recipes/csv.md", targets) == (
        "[a](../guide/differences.md#seeds), [b](../overview.md), [c](https://example.org)"
    )
    assert relative("guide/differences.md#seeds", "guide/differences.md") == "#seeds"


def test_every_link_within_the_guide_and_the_first_pages_has_a_target() -> None:
    _, targets = guide.pages(GUIDE)
    stages = {f"#{anchor}" for _, _, anchor in headings("## Stage by stage\n" + in_guide())}
    first = [path.read_text() for path in (build.HERE / "pages").glob("*.md")]
    asked = {
        f"#{name}" for text in [GUIDE, *first] for name in re.findall(r"\]\(#([\w-]+)\)", text)
    }
    assert len(asked) > 60
    assert asked - set(targets) - stages == {"#contents"} & asked


def test_nothing_of_the_guide_is_lost_but_its_contents_and_stages() -> None:
    pages, _ = guide.pages(GUIDE)
    told = {line for page in pages for line in page.text.splitlines()}
    chapter, lost = "", []
    for part in sections(GUIDE):
        chapter = part.title if part.level == 2 else chapter
        if chapter not in ("Contents", "Stage by stage"):
            lost += [line for line in part.lines if line not in told and line[:3] != "```"]
    assert lost == []


def test_titles_of_stages_are_headings_of_the_guide() -> None:
    titles = {name for _, name, _ in headings(GUIDE)}
    assert {title(told) for told in lessons().values()} <= titles


def test_what_is_published_is_on_a_page_of_the_api() -> None:
    pages = {page.title: page.text for page in api.pages()}
    assert "::: queueio.lifted.lift\n" in pages["queueio"]
    assert "::: queueio.stages.filenames.string.string_input_producer\n" in pages["queueio.train"]
    assert "heading: FIFOQueue\n" in pages["queueio.io"]
    told = api.commands().text
    assert "## queueio explore" in told and "--schedules" in told


def test_sentences_that_send_to_another_docstring_are_not_lost() -> None:
    pytest.importorskip("griffe")
    from docs.site.as_for import in_prose

    text = "One.\n\nArgs:\n  x: this.\n  Everything else as for `batch`.\n\nRaises:\n  As `batch`."
    assert in_prose(text) == (
        "One.\n\nArgs:\n  x: this.\n\nEverything else as for `batch`.\n\nRaises as `batch`."
    )


def test_every_link_to_a_file_of_the_repository_leads_to_a_page() -> None:
    files = {name: guide.Page(path, title, "") for name, (path, title) in build.FILES.items()}
    targets = build.file_targets(files, build.examples())
    for name in build.FILES:
        asked = set(re.findall(r"\]\(([^)\s:#]+)\)", (ROOT / name).read_text()))
        beside = {str(file.relative_to((ROOT / name).parent)) for file in copied(name)}
        assert asked - set(targets) - beside == set(), name


def copied(name: str) -> list[Path]:
    """What the site has as it is, in the folder of a page."""
    return [
        ROOT / file for file in build.AS_THEY_ARE if (ROOT / file).parent == (ROOT / name).parent
    ]
