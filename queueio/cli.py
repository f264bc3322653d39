"""The command `queueio`. Each sub-command is imported when it is used, TensorFlow with it."""

from __future__ import annotations

import codecs
import difflib
import errno
import importlib
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from queueio import __version__
from queueio.settings import WrongSetting

# Command: where it is, as module:attribute, and its line in `queueio --help`.
COMMANDS: dict[str, tuple[str, str]] = {
    "demo": ("queueio.demo:demo", "Train a TF1 script on real data, and watch its queues fill."),
    "check": (
        "queueio.check.command:check",
        "Tell which names of TF1 a code base uses, and which run.",
    ),
    "run": ("queueio.script.command:run", "Run a TF1 script, untouched, on today's TensorFlow."),
    "watch": ("queueio.schedule.watch:watch", "Run a script, and watch its queues and threads."),
    "step": ("queueio.schedule.step:step", "Run a script step by step, its threads in any order."),
    "explore": (
        "queueio.schedule.explore:explore",
        "Run a script's threads in many orders, until one goes wrong.",
    ),
    "whatif": (
        "queueio.schedule.whatif.command:whatif",
        "Predict a script's rate with other capacities, threads, batch sizes.",
    ),
    "explain": ("queueio.explain.command:explain", "Show a script's queue pipelines, and teach."),
    "learn": ("queueio.learn.command:learn", "Learn the queue model by levels to play."),
    "compare": ("queueio.compare.command:compare", "Compare an old pipeline with a new one."),
    "convert": ("queueio.convert.command:convert", "Write a script's queue pipelines as tf.data."),
    "upgrade": ("queueio.convert.command:upgrade", "Change a script's import line and old names."),
}


_NO_ROOM = (errno.ENOSPC, errno.EDQUOT)
_INTERRUPTED = 130
"""As a shell says it; each of the commands' own codes is an answer."""


@contextmanager
def _files_in_a_line() -> Iterator[None]:
    """Says of a file that cannot be written or read what to do."""
    try:
        yield
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        if error.filename is None and error.errno in _NO_ROOM:
            raise click.ClickException(
                f"what is printed, or a temporary file, cannot be written: {why}. Make room"
                " there, or print elsewhere."
            ) from None
        if error.filename is None:
            raise
        raise click.ClickException(
            f"{os.path.abspath(error.filename)}: {why}. Give a path that can be used, or run"
            " the command in a folder that you may write to."
        ) from None


def _open_streams() -> None:
    """A stream that was closed before (`2>&-`, some daemons) takes everything, and holds nothing.

    The lowest number that is free is opened, so that no other file becomes the closed one.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115


def _print_everything() -> None:
    """What standard output's encoding has no character for is escaped, as on standard error."""
    if not isinstance(sys.stdout, io.TextIOWrapper):
        return
    # In the locale C only what comes of a file's name is let through, which UTF-8 always needs.
    kept = codecs.lookup(sys.stdout.encoding).name == "utf-8"
    if sys.stdout.errors == "strict" or (sys.stdout.errors == "surrogateescape" and not kept):
        sys.stdout.reconfigure(errors="backslashreplace")


class LazyGroup(click.Group):
    """A group that knows its commands' names and help lines without importing them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in the order of the table: the way a user meets them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Imports the command's module."""
        if cmd_name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[cmd_name][0].partition(":")
        command: click.Command = getattr(importlib.import_module(module), attribute)
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """As click does it; a slip of the pen, or a script in the place of a command, is told."""
        name = args[0]
        if name in COMMANDS or name.startswith("-"):
            return super().resolve_command(ctx, args)
        near = difflib.get_close_matches(name, COMMANDS, n=1)
        hint = f" Did you mean {near[0]}?" if near else ""
        if os.path.isfile(name):
            hint = f" To run a script: queueio run {name}"
        raise click.UsageError(f"No such command {name!r}.{hint}", ctx)

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        """Reads the command line, which prints `--help` and `--version`."""
        with _files_in_a_line():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> Any:
        """Runs a command; Ctrl-C, a wrong setting or a file out of reach ends it in a line."""
        try:
            with _files_in_a_line():
                return super().invoke(ctx)
        except WrongSetting as error:
            raise click.UsageError(str(error)) from None
        except (KeyboardInterrupt, click.Abort):  # click's own 1 says "different", "not solved"
            click.echo("\nInterrupted.", err=True)
            raise click.exceptions.Exit(_INTERRUPTED) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the table; click's own way would import every command for its help line."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])


@click.group(cls=LazyGroup)
@click.version_option(__version__, prog_name="queueio", message="%(prog)s %(version)s")
@click.pass_context
def main(ctx: click.Context) -> None:
    """TF1's queue input pipelines on today's TensorFlow: run, explain, compare, convert."""
    if ctx.invoked_subcommand != "run":  # there the script's prints fail as under python
        _open_streams()
        _print_everything()
    # TensorFlow's own log says nothing of a pipeline; who wants it sets the level.
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
