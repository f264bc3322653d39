"""What commands are told: their own options, and what they hand to the script.

A command that hands on what it does not know takes no slip of the pen of its own for the script's.
"""

from __future__ import annotations

import difflib
import math
import os
import re
from typing import Any

import click

from queueio.errors import message

_SOURCES = (".py", ".pyw", ".ipynb", ".meta")
"""What scripts, notebooks and saved graphs end in."""


class RealRange(click.FloatRange):
    """A range of real numbers: `nan` is no number, and click's own range lets it through."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """As click does it, which refuses what the range does not hold."""
        number = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{value!r} is not a number.", param, ctx)
        return number


class OutputFile(click.Path):
    """A file that a command writes: never over a script, which an option without its FILE takes."""

    def __init__(self, **how: Any) -> None:
        super().__init__(dir_okay=False, **how)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """As click does it; a script is refused, and no name."""
        if not str(value):
            self.fail("the name of the file is empty", param, ctx)
        path: Any = super().convert(value, param, ctx)
        if str(path).endswith(_SOURCES) and os.path.exists(path):
            option = param.opts[0] if param else "the option"
            why = f"{str(path)!r} is there, and would be overwritten"
            self.fail(f"{why}. Give the file to write first: {option} FILE {path}", param, ctx)
        return path


class ScriptCommand(click.Command):
    """A command whose unknown options are the script's, unless they are nearly its own.

    They follow the script's name. What stands behind `--` is the script's, whatever it looks like.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """As click does it, once each word has been given to queueio or to the script as a whole.

        Click would take `-model` for `-m` and some more, and an unknown option for SCRIPT.
        """
        if ctx.resilient_parsing:  # of a shell that completes
            return super().parse_args(ctx, args)
        known = {name: each for each in self.get_params(ctx) for name in _names(each)}
        own, theirs, behind, late = _parted(ctx, args, known)
        for word in theirs:
            self._refuse_slips(ctx, word.partition("=")[0], list(known))
        if theirs and theirs[0].startswith("-") and theirs[0] != "-":
            raise click.UsageError(
                f"{theirs[0]} is no option of {ctx.command_path}, and no script. Put options of the"
                f" script's own behind its name: … SCRIPT {theirs[0]}",
                ctx,
            )
        rest = super().parse_args(ctx, [*own, "--", *theirs, *behind])
        for option in _named_in(str(ctx.params.get("script", "")), late):
            said = f"{option} is taken as {ctx.command_path}'s own, and {theirs[0]} names one, too"
            do = f"If it is the script's, put it behind `--`: … {theirs[0]} -- {option}"
            click.echo(f"{ctx.command_path}: {message(said, do=do)}", err=True)
        return rest

    def _refuse_slips(self, ctx: click.Context, option: str, known: list[str]) -> None:
        if not option.startswith("--"):
            return
        near: list[Any] = difflib.get_close_matches(option, known, n=1, cutoff=0.75)
        if near:
            raise click.UsageError(
                f"{option} is no option of {ctx.command_path}. Did you mean {near[0]}?"
                f" If it is the script's own, put it behind `--`: … SCRIPT -- {option}",
                ctx,
            )


def _names(parameter: click.Parameter) -> list[str]:
    options = [*parameter.opts, *parameter.secondary_opts]
    return options if isinstance(parameter, click.Option) else []


def _parted(
    ctx: click.Context, args: list[str], known: dict[str, Any]
) -> tuple[list[str], list[str], list[str], list[str]]:
    """What of a command line is queueio's, what the script's, and what stands behind `--`.

    Last the names of queueio's options that stand behind the script.
    """
    own, theirs, late, waiting = list[str](), list[str](), list[str](), list(args)
    while waiting:
        word = waiting.pop(0)
        if word == "--":
            break
        option = known.get(word.partition("=")[0] if word.startswith("--") else word)
        (own if option else theirs).append(word)
        if option and theirs:
            late.append(word.partition("=")[0])
        if option and "=" not in word and not (option.is_flag or option.count):
            if not waiting:
                raise click.BadOptionUsage(word, f"Option {word!r} requires an argument.", ctx)
            own.append(waiting.pop(0))
    return own, theirs, waiting, late


def _named_in(script: str, options: list[str]) -> list[str]:
    """Those options that a script's text has as a string: as argparse and flags are told them."""
    if not options or not os.path.isfile(script):  # a pipe would be waited for
        return []
    try:
        with open(script, encoding="utf-8", errors="replace") as file:
            text = file.read()
    except OSError:
        return []
    return [o for o in options if re.search(rf"""['"]-*{re.escape(o.lstrip("-"))}['"]""", text)]
