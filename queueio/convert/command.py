"""`queueio convert` and `queueio upgrade`: the commands."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from queueio.convert.file_text import difference, difference_of_file
from queueio.convert.refusals import (
    check_constants,
    check_parses,
    check_targets,
    end_command,
    end_unparsed,
    text_of,
    write_text,
)
from queueio.script.options import ScriptCommand
from queueio.script.saved_graphs import is_meta_graph

if TYPE_CHECKING:
    from queueio.convert.batch_calls import Replacement
    from queueio.convert.upgrade import Rewrite
    from queueio.convert.written import Written
    from queueio.emit.module import Module

_OUT = "input_fn.py"
CODES = "Exit code: 0 all written, 1 a pipeline or none was, 2 the script failed before."


@click.command(cls=ScriptCommand, epilog=CODES)
@click.option("--out", metavar="FILE", type=click.Path(dir_okay=False),
              help="Write the pipeline to FILE; input_fn.py unless given, beside a SCRIPT that is"
              " changed.")  # fmt: skip
@click.option("--style", type=click.Choice(["plain", "fast"]), default="plain", show_default=True,
              help="One example at a time, or whole batches where that is exact.")  # fmt: skip
@click.option(
    "--diff",
    is_flag=True,
    help="Show every change: the modules, and how SCRIPT itself would change. Without --out and"
    " --write nothing is written, and `patch` makes the changes.",
)
@click.option("--write", is_flag=True,
              help="Change SCRIPT, once its first session calls get what they got before, and no"
              " epoch that is compared differs; of random draws, number and form.")  # fmt: skip
@click.option("--allow", metavar="OP", multiple=True,
              help="Take such ops of an imported MetaGraph as well, e.g. WriteFile.")  # fmt: skip
@click.option("--steps", default=20, show_default=True, type=click.IntRange(1),
              help="Session calls that --write tries.")  # fmt: skip
@click.option("--examples", default=20_000, show_default=True, type=click.IntRange(1),
              help="The largest epoch that --write compares as a whole. A larger one is said not to"
              " be compared; then the session calls alone decide.")  # fmt: skip
@click.option("-m", "as_module", is_flag=True, help="SCRIPT is a module's name, as in python -m.")
@click.argument("script")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def convert(
    out: str | None, style: str, diff: bool, write: bool, allow: tuple[str, ...], steps: int,
    examples: int, as_module: bool, script: str, arguments: tuple[str, ...],
) -> None:  # fmt: skip
    """Write the queue pipelines of a TF1 SCRIPT as tf.data code.

    The script, or a MetaGraph (`train.meta`), is built as by `queueio explain`. Each pipeline
    becomes a module of its own, with a function input_fn that needs TensorFlow only.
    """
    path, package = _module(script) if as_module else (Path(os.path.abspath(script)), None)
    # Python looks for what a script imports beside the real file, for a module's beside the link.
    real = path if as_module else Path(os.path.realpath(path))
    target = real.with_name(_OUT) if out is None and (diff or write) else Path(out or _OUT)
    target = Path(os.path.abspath(target))
    if diff or write:
        _needs_libcst()
    is_graph = not as_module and is_meta_graph(script)
    if is_graph and (diff or write):
        what = f"{script} is a graph, no script that could be changed"
        end_command("convert", f"{what}. Leave --diff and --write out.")
    text = "" if is_graph else text_of("convert", path)
    check_parses("convert", path, text)
    check = partial(
        check_targets, script=real, imported=diff or write, package=package or "",
        asked=out is not None,
    )  # fmt: skip
    check([target])
    found = _found(script, arguments, style, allow, as_module, graph=diff or write)
    from queueio.convert.written import paths, summary

    done = [each for each in found if each.module is not None]
    files = dict(zip(map(id, done), paths(target, len(done)), strict=True))
    check(files.values())
    large = [files[id(each)] for each in done if each.module and each.module.constants]
    check_constants(large, out is not None)
    only_shown = diff and not write and out is None
    here: list[Replacement] = []
    spare: list[Written] = []
    if diff or write:
        from queueio.convert.in_place import replacements

        here = replacements(path, text, found, files)
        rewrite = _patch(real, text, found, here, package or "")
        spare = [one for each in here if each.module in rewrite.modules for one in each.also]
    for each in found:
        if each.module is not None and diff and each not in spare:
            _show(files[id(each)], each.module)
        if each.module is not None and not only_shown:
            each.module.write(files[id(each)])
        click.echo("\n".join(summary(each, files.get(id(each)))))
    changed = True
    if diff or write:
        changed = rewrite.text != text
        tell = partial(_tell, real, text, rewrite, diff)
        if diff or not changed:
            tell()
        if write and changed:
            _compare([each for each in found if id(each) in files], files, path, examples)
            _try(path, rewrite.text, here, files, arguments, steps, examples, package)
            if text_of("convert", path) != text:
                _unchanged(path, ["it was edited since the command began. Run it again"])
                sys.exit(1)
            write_text(path, rewrite.text)
            if not diff:  # not before: what is not written is not changed
                tell()
            _take_away(here, rewrite.modules, files)
            click.echo(f"{path.name} is changed; it went well beside the old one, call by call.")
        elif write:
            refused = [f"{e.name} ({e.origin}) {e.refusal}" for e in found if e.refusal]
            _unchanged(path, [*(e.stays for e in here if e.stays), *refused, *rewrite.left])
    sys.exit(0 if done and len(done) == len(found) and changed else 1)


@click.command()
@click.option("--diff", is_flag=True, help="Show the changes; nothing is written.")
@click.argument("script")
def upgrade(diff: bool, script: str) -> None:
    """Change the import line and renamed names of a TF1 SCRIPT; it stays on its queues."""
    _needs_libcst()
    from queueio.convert.upgrade import upgraded

    path = Path(script)
    text = text_of("upgrade", path)
    rewrite = _parsed("upgrade", path, text, lambda: upgraded(text))
    if not diff and rewrite.text != text:  # first, as what could not be written was not changed
        write_text(path, rewrite.text)
    _tell(path, text, rewrite, diff)
    if rewrite.text == text:
        click.echo(f"{path.name} is as it was: no line of it had to be changed.", err=True)


def _module(name: str) -> tuple[Path, str]:
    """The file of a module, and its package."""
    from queueio.script.program import NotFoundError, file_of_module

    try:
        file, package = file_of_module(name)
    except NotFoundError as error:
        end_command("convert", f"{error}. Give its name as for `python -m`, from that folder.")
    return Path(file), package


def _needs_libcst() -> None:
    try:
        import libcst  # noqa: F401
    except ImportError:
        raise click.ClickException(
            "changing a script needs libcst, which is not installed. "
            "pip install 'tf-queueio[convert]'"
        ) from None


_ARGUMENTS = "If arguments decide whether the script makes its batches, give them."


def _found(
    script: str, arguments: tuple[str, ...], style: str, allow: tuple[str, ...], as_module: bool,
    graph: bool,
) -> list[Written]:  # fmt: skip
    from queueio.compat.quiet import tensorflow_import

    with tensorflow_import():
        import queueio.v1  # noqa: F401 - TensorFlow's greeting
        from queueio.script.building import ScriptFailed, building_phase
        from queueio.script.program import NotFoundError
    try:
        phase = building_phase(script, arguments, as_module)
    except (ScriptFailed, NotFoundError) as error:
        how = f"{'-m ' * as_module}{script}"
        ran = f" What it said is above; get `queueio run {how}` to work first."
        is_graph = not as_module and is_meta_graph(script)
        end_command("convert", f"{error}.{'' if is_graph else ran}")
    from queueio.convert.written import written

    title = _module(script)[0].name if as_module else os.path.basename(os.path.realpath(script))
    found = written(phase.pipelines, style=style, title=title, allow=allow, graph=graph)
    if not found:
        from queueio.script.nothing_found import why_none

        what = f"no queue pipeline was found in {script}, so nothing was written"
        end_command("convert", f"{what}. {why_none(phase)} {_ARGUMENTS}", 1)
    return found


def _patch(
    path: Path, text: str, found: list[Written], here: list[Replacement], package: str
) -> Rewrite:
    from queueio.convert.patch import patched

    every = sum(1 + len(each.also) for each in here) == len(found)
    folder = path.parents[len(package.split(".")) if package else 0]
    return _parsed(
        "convert",
        path,
        text,
        lambda: patched(text, here, all_found=every, folder=folder, package=package),
    )


def _take_away(here: list[Replacement], modules: list[str], files: dict[int, Path]) -> None:
    """Removes modules that the changed script does without: another one does the same."""
    for replaced in (each for each in here if each.module in modules):
        for spare in replaced.also:
            path = files[id(spare)]
            path.unlink()
            if spare.module and spare.module.constants:
                path.with_suffix(".npz").unlink()
            click.echo(f"{path.name} is not needed: {replaced.module}.py makes {spare.name} too.")


def _unchanged(path: Path, why: list[str]) -> None:
    reason = why[0] if why else "no batch call of it could be replaced"
    click.echo(f"{path.name} was NOT changed: {reason}", err=True)


def _compare(found: list[Written], files: dict[int, Path], path: Path, most: int) -> None:
    """Ends the command where a module delivers other examples than the script's pipeline."""
    from queueio.convert.compared import compared

    outcomes = [compared(each, files[id(each)], most) for each in found]
    for outcome in outcomes:
        click.echo(outcome.text, err=not outcome.same)
    if not all(outcome.same for outcome in outcomes):
        ran = all(outcome.ran for outcome in outcomes)
        why = "its examples would not be the same" if ran else "what it reads could not be compared"
        click.echo(f"{path.name} was NOT changed: {why}.", err=True)
        sys.exit(1)


def _try(
    path: Path, text: str, here: list[Replacement], files: dict[int, Path],
    arguments: tuple[str, ...], steps: int, most: int, package: str | None,
) -> None:  # fmt: skip
    """Ends the command where a session call of the changed script gets other than the old one's."""
    from queueio.convert.beside import Beside
    from queueio.convert.compared import chance
    from queueio.convert.observed import place_of
    from queueio.convert.patch import tries

    made = [(place_of(each.found.origin), each) for each in here]
    random = [at for at, each in made if each.found.plan and chance(each.found.plan)]
    gone = [at for at, each in made if not each.stays]
    new = list(files.values())
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))  # tidies up
    with Beside(path, text, new, steps, most, random, gone, arguments, package) as beside:
        for given in [arguments, *tries(path, here, arguments)]:
            with_ = f" with {' '.join(given)}" if given else ""
            wrong, same = beside.difference(given)
            if wrong:
                click.echo(f"{path.name} was NOT changed: run beside it{with_}, {wrong}", err=True)
                sys.exit(1)
            click.echo(f"Both scripts run{with_}: {same}.")
        for name, fate in beside.summaries.items():
            click.echo(f"left summary {name!r}: {fate}")


def _parsed(command: str, path: Path, text: str, rewrite: Callable[[], Rewrite]) -> Rewrite:
    try:
        return rewrite()
    except Exception as error:
        if type(error).__name__ != "ParserSyntaxError":
            raise
        end_unparsed(command, path, text, error)


def _tell(path: Path, text: str, rewrite: Rewrite, diff: bool) -> None:
    if diff:
        told = difference_of_file(path.read_bytes(), path.name, text, rewrite.text)
        click.echo(told.decode(errors="replace") if sys.stdout.isatty() else told, nl=False)
    else:
        for change in rewrite.changes:
            click.echo(f"changed {change}")
    for left in dict.fromkeys(rewrite.left):  # one call may make several
        click.echo(f"left {left}")


def _show(path: Path, module: Module) -> None:
    """How a module's files change; one that is not there yet comes from nowhere, as in git."""
    there = path.exists()
    before = path.read_text(encoding="utf-8", errors="replace") if there else ""
    old = path.name if there else "/dev/null"
    click.echo(difference(old, before, path.name, module.text), nl=False)
    if module.constants:
        click.echo(f"Binary file {path.with_suffix('.npz').name}: the values of its constants")
