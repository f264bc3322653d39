"""In a notebook: `%load_ext queueio`, and cells run as scripts do under `queueio run`.

`import tensorflow as tf` in a cell gives TF1's module, lines are told as `cell 3, line 2`, and
errors come with their advice and without queueio's own frames.
"""

from __future__ import annotations

import html
import os
from typing import Any

from queueio import outputs
from queueio.errors import message
from queueio.graph import origin
from queueio.schedule.events import Level
from queueio.words import times

_STATE: dict[str, Any] = {}


def begin(shell: Any) -> None:
    """Takes the notebook's imports, cells and errors over; the second time does nothing.

    Args:
      shell: the `InteractiveShell`.
    """
    from queueio.compat import importing

    if _STATE:
        return
    known = shell.user_ns.get("tf") or shell.user_ns.get("tensorflow")
    if known is not None:
        print("queueio: TensorFlow 2 was imported by a cell before: run that import again.")
    cache = _STATE["cache"] = shell.compile.cache

    def named(transformed_code: str, number: int = 0, raw_code: Any = None) -> str:
        name: str = cache(transformed_code, number, raw_code)
        origin.CELLS[name] = f"cell {number}"
        origin.is_user_code.cache_clear()
        return name

    shell.compile.cache = named
    importing.install()
    shell.set_custom_exc((Exception,), _show)


def end(shell: Any) -> None:
    """Gives back what `begin` took."""
    from queueio.compat import importing

    if _STATE:
        shell.compile.cache = _STATE.pop("cache")
        importing.uninstall()
        shell.set_custom_exc((), None)


def _show(shell: Any, kind: Any, error: Any, trace: Any, tb_offset: Any = None) -> None:
    from queueio.script.tracebacks import prepare

    prepare(error)
    shell.showtraceback((kind, error, error.__traceback__), tb_offset=tb_offset)


class QueueStates:
    """What the queues of a session hold at one moment; a notebook shows it as bars.

    Attributes:
      levels: of each queue, in the order of their making.
    """

    def __init__(self, levels: list[Level]) -> None:
        self.levels = levels

    def __repr__(self) -> str:
        return "\n".join(map(str, self.levels)) or "no queue"

    def _repr_html_(self) -> str:
        return f"<table>{''.join(map(_row, self.levels))}</table>" if self.levels else "no queue"


def watch(sess: Any) -> QueueStates:
    """What the queues of a session hold now.

    Args:
      sess: a `tf.Session`, or a session around one.

    Returns:
      `QueueStates`: as text a line for each queue, in a notebook bars.

    Raises:
      TypeError: `sess` is no session.
    """
    from queueio.schedule.levels import SessionLevels

    session = _innermost(sess)
    if not (callable(getattr(session, "run", None)) and hasattr(session, "graph")):
        what = f"cannot watch {sess!r} ({type(sess).__name__})"
        do = "Pass the tf.Session in which the queue runners were started"
        raise TypeError(message(what, "it is no session, so that it holds no queues", do))
    return QueueStates(list(SessionLevels(session).look().values()))


class Recorded:
    """What the threads and queues of a `with` block did; a notebook plays it again.

    Attributes:
      tape: all that was seen; None before the end of the block.
    """

    def __init__(self, title: str) -> None:
        self._title = title
        self.tape: Any = None

    def __enter__(self) -> Recorded:
        from queueio.schedule.observe import FreeRun

        self._run = FreeRun()
        return self

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        self._run.stop()
        self._run.error = error
        self.tape = self._run.tape(self._title)

    def __repr__(self) -> str:
        if self.tape is None:
            return "<Replay: not ended>"
        calls = [event for event in self.tape.events if event.kind == "run"]
        threads = len({event.actor for event in calls})
        return (
            f"<Replay: {times(len(calls), 'call')} of {times(threads, 'thread')}; {self.tape.end}>"
        )

    def _repr_html_(self) -> str:
        """The page that plays it, within the notebook; before the end of the block its text."""
        if self.tape is None:
            return html.escape(repr(self))
        from queueio.schedule.replay.page import to_html

        page = html.escape(to_html(self.tape))
        style = "width:100%;height:48em;border:0"
        return f'<iframe sandbox="allow-scripts" srcdoc="{page}" style="{style}"></iframe>'

    def to_html(self, path: str | os.PathLike[str]) -> None:
        """Writes the page: one file that needs no network.

        Args:
          path: the file.

        Raises:
          ValueError: the block has not ended.
        """
        if self.tape is None:
            raise ValueError("the run has not ended. Call to_html behind the `with` block")
        from queueio.schedule.replay.page import to_html

        outputs.write(path, to_html(self.tape))


def replay(title: str = "") -> Recorded:
    """Watches the sessions of a `with` block, to play it again: `with replay() as seen: …`.

    Args:
      title: what the page is called.

    Returns:
      `Recorded`: as text a line, in a notebook the page, to play forth and back; see `to_html`.
    """
    return Recorded(title)


def _innermost(sess: Any) -> Any:
    from queueio.runtime import ledger

    return ledger.innermost(sess)


def _row(level: Level) -> str:
    """A queue as a row: its name, a bar with the line of min_after_dequeue, its level in words."""
    room = max(level.capacity, level.size, 1)
    full, kept = (round(200 * part / room) for part in (level.size, level.kept))
    line = f'<path d="M{kept} 0V16" stroke="#b45309" stroke-width="2"/>' if level.kept else ""
    bar = (
        f'<svg width="202" height="16" role="img"><rect width="200" height="16" fill="#8883"/>'
        f'<rect width="{full}" height="16" fill="#2a6fdb"/>{line}</svg>'
    )
    words = html.escape(str(level).removeprefix(level.name).strip())
    keeps = f", keeps {level.kept}" if level.kept else ""
    return f"<tr><td>{html.escape(level.name)}</td><td>{bar}</td><td>{words}{keeps}</td></tr>"
