"""What `queueio check` prints: a line for each name, or JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from queueio.check.checking import CodeBase, FoundName
from queueio.check.verdicts import KINDS, RUNS
from queueio.words import times


def text(checked: CodeBase, quiet: bool = False) -> str:
    """`file:line: name: verdict: advice`, by file, and a summary.

    Args:
      quiet: whether to leave the names out that run.
    """
    lines = [(path, error.line or 0, str(error)) for path, error in checked.unread]
    lines += [(path, line, _star(str(name))) for path, line, name in checked.stars]
    shown = (each for each in checked.names if not quiet or each.verdict.kind != RUNS)
    lines += [(each.file, each.line, _said(each)) for each in shown]
    told = [f"{path}:{f'{line}:' if line else ''} {said}" for path, line, said in sorted(lines)]
    return "\n".join([*told, *([""] if told else []), *_summary(checked)])


def _said(found: FoundName) -> str:
    verdict = found.verdict
    kind = f"guarded ({found.guarded}), else {verdict.kind}" if found.guarded else verdict.kind
    return ": ".join(filter(None, [str(found.name), kind, verdict.advice]))


def _star(name: str) -> str:
    return f"from {name} import *: which names the file takes cannot be told. Import them by name."


def _summary(checked: CodeBase) -> Iterator[str]:
    names = len({each.name for each in checked.names})
    yield f"{times(checked.files, 'file')}, {times(names, 'name')} of TF1."
    numbers = [f"{checked.number(kind)} {kind}" for kind in KINDS]
    guarded = sum(checked.number(kind, guarded=True) for kind in KINDS)
    yield f"Places: {', '.join(numbers)}, {guarded} guarded."
    if checked.stars:
        yield f"{times(len(checked.stars), 'star import')}: their names are in no number here."
    if checked.unread:
        yield f"{times(len(checked.unread), 'more file')} could not be read."


def as_json(checked: CodeBase) -> str:
    """The same for programs."""
    return json.dumps(
        {
            "files": checked.files,
            "places": {kind: checked.number(kind) for kind in KINDS}
            | {"guarded": sum(checked.number(kind, guarded=True) for kind in KINDS)},
            "names": [_record(each) for each in checked.names],
            "star_imports": [
                {"file": str(path), "line": line, "module": str(name)}
                for path, line, name in checked.stars
            ],
            "unread": [
                {"file": str(path), "line": e.line, "python2": e.is_python2, "why": str(e)}
                for path, e in checked.unread
            ],
        },
        indent=1,
    )


def _record(found: FoundName) -> dict[str, Any]:
    kind = found.verdict.kind
    record: dict[str, Any] = {"file": str(found.file), "line": found.line, "name": str(found.name)}
    record["verdict"] = "guarded" if found.guarded else kind
    if found.guarded:
        record |= {"guard": found.guarded, "otherwise": kind}
    return record | ({"advice": found.verdict.advice} if found.verdict.advice else {})
