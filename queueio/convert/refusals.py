"""What the commands refuse before they run anything: scripts and files that will not do."""

from __future__ import annotations

import ast
import keyword
import sys
from collections.abc import Iterable
from importlib.machinery import PathFinder
from pathlib import Path
from typing import NoReturn

import click

from queueio import outputs
from queueio.compat.caller import is_written_by_queueio, script_of
from queueio.convert.file_text import decoded, encoded
from queueio.script.python2 import advice, is_python2
from queueio.script.saved_graphs import why_no_script

_WRITTEN = {"tensorflow", "numpy", "queueio"}
"""What the written code imports."""


def end_command(command: str, text: str, status: int = 2) -> NoReturn:
    """Ends the command with one line on standard error."""
    click.echo(f"queueio {command}: {text}", err=True)
    sys.exit(status)


def text_of(command: str, path: Path) -> str:
    """The text of a script, its line ends as they are; or the end of the command."""
    try:
        if path.name == "-" and not path.exists():
            end_command(command, "no script is read from standard input. Save it in a file.")
        if path.is_dir():
            end_command(command, f"{path} is a folder. Give the path of the script in it.")
        if path.exists() and not path.is_file():
            end_command(
                command, f"{path} is no regular file. Give the path of a TF1 training script."
            )
        if why := why_no_script(str(path)):
            end_command(command, f"{why}.")
        return decoded(path.read_bytes())
    except FileNotFoundError:
        end_command(command, f"{path}: no such file. Give the path of a TF1 training script.")
    except UnicodeDecodeError as error:
        declared = error.encoding.upper() if error.encoding == "utf-8" else error.encoding
        why = f"byte {error.start} is not {declared}"
        what = "Save it as UTF-8, or declare its encoding in its first line, if it is one"
        end_command(command, f"{path} is no Python script: {why}. {what}.")
    except SyntaxError as error:  # of its first two lines, which declare an encoding
        end_command(command, f"{path} is no Python script: {error.msg}. Save it as UTF-8.")
    except OSError as error:
        end_command(command, f"{path} cannot be read: {error.strerror}.")


def check_parses(command: str, path: Path, text: str) -> None:
    """Ends the command for a script that Python cannot parse, before anything of it runs."""
    try:
        ast.parse(text, str(path))
    except SyntaxError:
        end_unparsed(command, path, text)
    except (ValueError, RecursionError, MemoryError):
        pass  # which its run, or its change, tells


def end_unparsed(command: str, path: Path, text: str, error: Exception | None = None) -> NoReturn:
    """The end of the command for a script that cannot be parsed; says where, as Python does.

    Args:
      command: its name.
      path: the script, and `text` what is in it.
      error: of the parser that changes scripts, for what Python itself would take.
    """
    why = f"line {getattr(error, 'raw_line', '?')} does not parse"
    try:
        ast.parse(text, str(path))
    except SyntaxError as wrong:
        if is_python2(wrong):
            why = advice(str(path), wrong.lineno, wrong.text or "")
        else:
            why = f"line {wrong.lineno} does not parse: {wrong.msg}"
    except (ValueError, RecursionError, MemoryError) as wrong:
        why = f"Python cannot parse it: {wrong}"
    end_command(command, f"{path.name} is left as it is: {why}.", 1)


def write_text(path: Path, text: str) -> None:
    """Writes a script's new text, in the encoding of the old one, with the mark that it had."""
    outputs.replace(path, encoded(text, path.read_bytes()))


def check_targets(
    targets: Iterable[Path], script: Path, *, imported: bool, package: str = "", asked: bool = True
) -> None:
    """Refuses to write where there is no folder, over what `queueio convert` did not write, or over
    what a script that was converted before imports.

    Args:
      targets: the modules that shall be written.
      script: the script that is converted.
      imported: whether the script shall import them, which takes a name that Python can import.
      package: the dotted name of the package that the script is in, if it is.
      asked: whether the name is the user's own; else the refusal says how to give one.
    """
    for target in targets:
        if target.is_file() and target.stem in _imported_by(script) and _is_ours(target, script):
            _end_converted(target, script, package, asked)
        if why := _why_not(target, script, imported):
            end_command("convert", f"{'--out ' * asked}{target}{_with_option(why, asked)}")


def _is_ours(target: Path, script: Path) -> bool:
    """Whether a module was written of this very script, and hides no other one."""
    written = is_written_by_queueio(str(target)) and not _hides(target, script)
    return written and script_of(str(target)) in ("", script.name)


def _with_option(why: str, asked: bool) -> str:
    """A refusal that names the option where nobody gave it."""
    return why if asked else why.replace("Give another name", "Give another name, by --out")


def _why_not(target: Path, script: Path, imported: bool) -> str:
    """Why a module cannot be written there, and what to do, as said of its path; or ""."""
    if not target.parent.is_dir():
        return f": there is no folder {target.parent}. Make it first."
    if target.resolve() == script.resolve():
        return " is the script itself. Give the module another name."
    if target.is_file() and not is_written_by_queueio(str(target)):
        why = "exists, and was not written by queueio convert"
        return f" {why}. Give another name, or remove it."
    if _hides(target, script):
        return f" would be imported in place of the module {target.stem!r}. Give another name."
    other = script_of(str(target))
    if other not in ("", script.name):
        return f" is the pipeline of {other}, which may import it. Give another name."
    if imported and target.parent != script.parent:
        why = f"the changed {script.name} imports it from its own folder"
        return f": {why}. Give a file in {script.parent}."
    if imported and (better := _importable(target)) != target.name:
        return f": {target.name!r} cannot be imported by the changed script. Use {better}."
    return ""


def _end_converted(module: Path, script: Path, package: str, asked: bool) -> NoReturn:
    """The end of the command where a script reads the very module that would be written."""
    from queueio.convert.other_queues import more_queues

    since = f"{module.name} is what {script.name} reads since it was converted"
    folder = script.parents[len(package.split(".")) if package else 0]
    more = more_queues(decoded(script.read_bytes()), folder, package)
    if not more:
        nothing = "no call in it makes batches by queues any more, so there is nothing to do"
        end_command("convert", f"{since}; {nothing}.", 1)
    left = f"For what is left of its queues ({more}) give another name, by --out"
    end_command("convert", f"{'--out ' * asked}{module}: {since}. {left}.")


def check_constants(targets: Iterable[Path], asked: bool = True) -> None:
    """Refuses modules whose constants would be written over a file that is not theirs.

    Args:
      targets: the modules that shall be written and have a file of constants.
      asked: as for `check_targets`.
    """
    for target in targets:
        beside = target.with_suffix(".npz")
        mine = is_written_by_queueio(str(target)) and '.npz")' in target.read_text("utf-8")
        if beside == target or (beside.exists() and not mine):
            why = f": {beside.name}, where its large constants go, is another file"
            told = _with_option(f"{why}. Give another name.", asked)
            end_command("convert", f"{'--out ' * asked}{target}{told}")


def _importable(target: Path) -> str:
    """The name of a file that Python can import, its own where that will do."""
    name = "".join(c if f"_{c}".isidentifier() else "_" for c in target.stem)
    fits = name.isidentifier() and not keyword.iskeyword(name)
    return f"{name if fits else f'_{name}'}.py"


def _hides(target: Path, script: Path) -> bool:
    """Whether a file of that name hides a module: one of Python's, an installed one, or one that
    the script imports, from wherever it may come."""
    name, near = target.stem, (target.parent.resolve(), Path.cwd())
    if name in _WRITTEN or name in sys.stdlib_module_names:
        return True
    elsewhere = [path for path in sys.path if Path(path).resolve() not in near]
    spec = PathFinder.find_spec(name, elsewhere)
    if spec is not None and spec.origin is not None:  # a mere folder has none
        return True
    return name in _imported_by(script) and not target.is_file()


def _imported_by(script: Path) -> set[str]:
    try:
        tree = ast.parse(script.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return set()  # which its parsing tells
    found = set[str]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level < 2:  # of two, from another folder
            names = [node.module] if node.module else [alias.name for alias in node.names]
            found |= {name.split(".")[0] for name in names}
    return found
