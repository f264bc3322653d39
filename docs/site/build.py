"""Builds the site: `make site`, or `python -m docs.site.build`. It ends in build/site/html.

The pages are written from README.md, MIGRATION.md, BENCHMARKS.md, the lessons, the docstrings and
the examples, with what is in `pages/`; mkdocs makes HTML of them, and fails where a link leads
nowhere. The course and a replay are pages of their own, from runs made for them (played.py).
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from docs.site import api, guide, notebooks, played, stages
from docs.site.guide import Page
from docs.site.text import linked

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BUILT = ROOT / "build" / "site"
# Files as they are: the page that each becomes, and its name in the list.
FILES = {
    "README.md": ("overview.md", "Overview"),
    "BENCHMARKS.md": ("benchmarks.md", "Benchmarks"),
    "CHANGELOG.md": ("project/changelog.md", "Changes"),
    "CONTRIBUTING.md": ("project/contributing.md", "Contributing"),
    "examples/README.md": ("examples/index.md", "Examples"),
    "examples/data/README.md": ("examples/data/README.md", "The digits"),
}
AS_THEY_ARE = {"docs/site/pages/extra.css": ".", "examples/data/LICENSE": "examples/data"}
STARTS = {
    "index.md": "Start here",
    "maintainer.md": "You keep TF1 code alive",
    "migrator.md": "You move it to tf.data",
    "teacher.md": "You teach it",
}


def main() -> None:
    """Writes the pages and has mkdocs make the site of them."""
    shutil.rmtree(BUILT, ignore_errors=True)
    pages, drawn, nav, targets = contents()
    for path, text in {**{p.path: linked(p.text, p.path, targets) for p in pages}, **drawn}.items():
        file = BUILT / "pages" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    for file, folder in AS_THEY_ARE.items():
        shutil.copy(ROOT / file, BUILT / "pages" / folder)
    played.write(BUILT / "pages")
    settings = (HERE / "mkdocs.yml").read_text().replace("ROOT", json.dumps(str(ROOT)))
    (BUILT / "mkdocs.yml").write_text(f"{settings}nav: {json.dumps(nav)}\n")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict"]
    quiet = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run([*command, "-f", BUILT / "mkdocs.yml"], env=quiet, cwd=ROOT, check=False)
    if done.returncode:
        sys.exit(done.returncode)
    print(f"{len(pages)} pages, {len(drawn)} pictures: {BUILT / 'html' / 'index.html'}")


def contents() -> tuple[list[Page], dict[str, str], list[Any], dict[str, str]]:
    """All pages, the pictures by path, the list of pages, and where links lead."""
    starts = [Page(path, title, (HERE / "pages" / path).read_text())
              for path, title in STARTS.items()]  # fmt: skip
    files = {name: Page(path, title, (ROOT / name).read_text())
             for name, (path, title) in FILES.items()}  # fmt: skip
    told, in_guide = guide.pages((ROOT / "MIGRATION.md").read_text())
    groups, drawn, in_stages = stages.pages()
    scripts, public = examples(), [api.commands(), *api.pages()]
    pages = [*starts, *files.values(), *told, *scripts, *public]
    pages += [page for _, own in groups for page in own]
    targets = {**in_guide, **in_stages, **file_targets(files, scripts)}
    nav = listed(starts, files, told, groups, scripts, public)
    return pages, drawn, nav, targets


def examples() -> list[Page]:
    """A page per script in examples/, with its code, and one per notebook."""
    folder = ROOT / "examples"
    return [
        Page(f"examples/{name}.md", name, f"# {name}\n\n```python\n{file.read_text()}```\n")
        for file in sorted(folder.rglob("*.py"))
        if "__pycache__" not in (name := str(file.relative_to(folder)))
    ] + [
        Page(f"examples/{file.stem}_notebook.md", file.name, notebooks.page(file))
        for file in sorted(folder.glob("*.ipynb"))
    ]


def file_targets(files: dict[str, Page], scripts: list[Page]) -> dict[str, str]:
    """Where links to files lead, as the files write them."""
    found = {name: page.path for name, page in files.items()}
    for page in scripts:  # as examples/README.md writes them, and README.md
        found |= {page.title: page.path, f"examples/{page.title}": page.path}
    found |= {"data": files["examples/data/README.md"].path, "data/README.md": found.pop(
        "examples/data/README.md")}  # fmt: skip
    folders = {"examples/": "examples/index.md", "queueio/stages/": "stages/index.md"}
    return {**found, **folders, "MIGRATION.md": "guide/find-your-call.md"}


def listed(
    starts: list[Page],
    files: dict[str, Page],
    told: list[Page],
    groups: list[tuple[str, list[Page]]],
    scripts: list[Page],
    public: list[Page],
) -> list[Any]:
    """The list of pages as mkdocs wants it."""

    def entries(pages: list[Page]) -> list[Any]:
        return [page.path if page.path.endswith("index.md") else {page.title: page.path}
                for page in pages]  # fmt: skip

    def within(folder: str) -> list[Any]:
        return entries([page for page in told if page.path.startswith(folder)])

    rest = [page for page in told if "/" not in page.path]
    project = [files["BENCHMARKS.md"], files["CHANGELOG.md"], files["CONTRIBUTING.md"]]
    return [
        {"Start": [*entries(starts), *entries([files["README.md"]])]},
        {"Recipes": within("recipes/")},
        {"Stages": [*entries(groups[0][1]), *({head: entries(own)} for head, own in groups[1:])]},
        {"Guide": [*within("guide/"), *entries(rest)]},
        {"Examples": [*entries([files["examples/README.md"]]), *entries(scripts),
                      *entries([files["examples/data/README.md"]])]},
        {"API": entries(public)},
        {"Project": entries(project)},
    ]  # fmt: skip


if __name__ == "__main__":
    main()
