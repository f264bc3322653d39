"""The public names, each with its docstring: what `import queueio` and its modules show."""

from __future__ import annotations

import importlib
import inspect
from typing import Any

from docs.site.guide import Page

MODULES = {
    "queueio": "Lift, compare, run, and the errors.",
    "queueio.train": "What `tf.train` had for queues.",
    "queueio.io": "Readers, decoders and queues of TF1's `tf`, `tf.io` and `tf.queue`.",
    "queueio.testing": "For your own tests.",
}
# Modules that are called, as functions are.
CALLED = {
    "queueio.compare": "queueio.compare.run.compare",
    "queueio.engine": "queueio.engine._EngineModule.__call__",
    "queueio.lift": "queueio.lifted.lift",
}


def pages() -> list[Page]:
    """A page per module."""
    return [
        Page(f"api/{name.rpartition('.')[2]}.md", name, f"# {name}\n\n{told}\n\n{_names(name)}")
        for name, told in MODULES.items()
    ]


def commands() -> Page:
    """What each command of `queueio` says of itself."""
    from click.testing import CliRunner

    from queueio.cli import main

    def told(*words: str) -> str:
        said = CliRunner().invoke(main, [*words, "--help"], prog_name="queueio", terminal_width=90)
        return f"```text\n{said.output.strip()}\n```"

    parts = [f"## queueio {name}\n\n{told(name)}" for name in main.list_commands(None)]
    return Page("api/commands.md", "Commands", "\n\n".join(["# Commands", told(), *parts]))


def _names(module: str) -> str:
    loaded = importlib.import_module(module)
    own = [n for n, value in vars(loaded).items() if getattr(value, "__module__", "") == module]
    names = getattr(loaded, "__all__", own)
    return "\n\n".join(filter(None, (_name(module, n, getattr(loaded, n)) for n in names)))


def _name(module: str, name: str, value: Any) -> str:
    if made := CALLED.get(f"{module}.{name}"):
        return _asked(name, made)
    if not (inspect.isclass(value) or inspect.isfunction(value)):
        return ""
    function = inspect.unwrap(value)
    if not function.__module__.startswith("queueio"):
        return f"## {name}\n\nTensorFlow's own: `{function.__module__}.{function.__qualname__}`."
    return _asked(name, f"{function.__module__}.{function.__qualname__}")


def _asked(name: str, made: str) -> str:
    """Asks for the docstring of what is made elsewhere, under the name that is imported."""
    return f"::: {made}\n    options:\n      heading: {name}\n      toc_label: {name}"
