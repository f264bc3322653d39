"""Commands that hand what they do not know to the script: but no slip of the pen of their own."""

from __future__ import annotations

import difflib
from typing import Any

import click


class ScriptCommand(click.Command):
    """A command whose unknown options are the script's, unless they are nearly its own.

    What stands behind `--` is the script's, whatever it looks like.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """As click does it, after a look at the options that nobody here knows."""
        known = [name for each in self.get_params(ctx) for name in each.opts if name[:2] == "--"]
        known += [name for each in self.get_params(ctx) for name in each.secondary_opts]
        mine = args[: args.index("--")] if "--" in args else args
        for argument in mine:
            option = argument.partition("=")[0]
            if option.startswith("--") and option not in known:
                self._refuse_slips(ctx, option, known)
        return super().parse_args(ctx, args)

    def _refuse_slips(self, ctx: click.Context, option: str, known: list[str]) -> None:
        near: list[Any] = difflib.get_close_matches(option, known, n=1, cutoff=0.75)
        if near:
            raise click.UsageError(
                f"{option} is no option of {ctx.command_path}. Did you mean {near[0]}?"
                f" If it is the script's own, put it behind `--`: … SCRIPT -- {option}",
                ctx,
            )
