"""A page per notebook: its text, and its code as a reader types it."""

from __future__ import annotations

from pathlib import Path

import nbformat


def page(file: Path) -> str:
    """The cells of a notebook as Markdown."""
    notebook = nbformat.read(str(file), as_version=4)
    return "\n\n".join(_shown(cell) for cell in notebook.cells) + "\n"


def _shown(cell: nbformat.NotebookNode) -> str:
    return f"```python\n{cell.source}\n```" if cell.cell_type == "code" else str(cell.source)
