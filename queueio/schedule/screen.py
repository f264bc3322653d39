"""The screen of `queueio watch`: queues, threads, the line that runs, what the script prints."""

from __future__ import annotations

import os
import re
from collections import deque
from typing import Any, ClassVar

from rich.text import Text
from textual import events
from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Footer, Input, Static

from queueio.schedule.driver import SPEEDS, Driver
from queueio.schedule.plain import told_event
from queueio.schedule.scene import Scene, queue_line, thread_line
from queueio.schedule.ways import Ways

LINES = 200
"""Of what the script printed."""
REFRESH = 0.1
LOOKED_AT = 200
"""Elements of a queue that are listed."""
Pieces = list[tuple[str, str]]
_CODES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\].*?(?:\x07|\x1b\\)|\x1b.|[\x00-\x08\x0b-\x1f\x7f-\x9f]"
)
"""Colours, moves and other orders to a terminal: within the screen they would draw over it."""
LINE_END = Text("\n", no_wrap=True, overflow="ellipsis")


def shown(pieces: Pieces) -> Text:
    """Pieces of text in their styles, which may hold whatever a script's names do."""
    clean = [(without_codes(text), style) for text, style in pieces]
    return Text.assemble(*clean, no_wrap=True, overflow="ellipsis")


def without_codes(text: str) -> str:
    """A text without what a terminal would do instead of showing it."""
    return _CODES.sub("", text)


class ElementsScreen(ModalScreen[None]):
    """What a queue holds: keys, shapes, first values."""

    BINDINGS: ClassVar = [("escape,e,q", "dismiss", "Close")]

    def __init__(self, title: str, lines: list[str]) -> None:
        super().__init__()
        self._lines = [title, *lines, "", "Esc closes"]

    def compose(self) -> ComposeResult:
        """The lines, in a box that scrolls."""
        with VerticalScroll():
            yield Static(Text("\n".join(self._lines)))


class JumpScreen(ModalScreen[int | None]):
    """Asks for the number of a step."""

    BINDINGS: ClassVar = [("escape", "dismiss", "Leave")]

    def compose(self) -> ComposeResult:
        """A line to type in."""
        yield Input(placeholder="to which step?", type="integer")

    def on_input_submitted(self, typed: Input.Submitted) -> None:
        """Gives the number."""
        self.dismiss(int(typed.value) if typed.value.isdigit() else None)


class WatchScreen(App[None]):
    """Shows a run, and has a driver go on, stop, step or go back.

    Args:
      order, fork, chosen: as for `Driver`.
      title: the script.
      output: a file descriptor from which what the script prints can be read.
    """

    CSS = """
    #state { height: 1; text-style: reverse; }
    #queues { height: auto; max-height: 40%; padding: 0 1; border-bottom: solid $primary; }
    #threads { height: auto; max-height: 40%; padding: 0 1; border-bottom: solid $primary; }
    #now { height: 2; padding: 0 1; }
    #said { height: 1fr; padding: 0 1; color: $text-muted; }
    ElementsScreen, JumpScreen { align: center middle; }
    ElementsScreen VerticalScroll { width: 90%; height: 80%; border: round $primary; background: $surface; padding: 0 1; }
    JumpScreen Input { width: 40; }
    """  # noqa: E501
    BINDINGS: ClassVar = [
        Binding("space", "play", "Play/pause"),
        Binding("n,right", "step", "Step"),
        Binding("u,left", "undo", "Undo"),
        Binding("j", "ask", "Jump"),
        Binding("plus,equals_sign", "faster(1)", "Faster", show=False),
        Binding("minus", "faster(-1)", "Slower", show=False),
        Binding("up", "choose(-1)", show=False),
        Binding("down", "choose(1)", show=False),
        Binding("e,enter", "look", "Elements"),
        Binding("q", "quit", "Quit"),
        Binding("ctrl+c", "quit", show=False, priority=True),  # Textual's own only says how to
    ]
    ENABLE_COMMAND_PALETTE = False

    def __init__(self, order: Any, fork: Any, chosen: str, title: str, output: int = -1) -> None:
        super().__init__()
        self._made = (order, fork, chosen)
        self._script, self._output = title, output
        self._said: deque[str] = deque(maxlen=LINES)
        self._queue, self._note = 0, ""
        self.driver: Driver

    def compose(self) -> ComposeResult:
        """The parts of the screen, from above."""
        yield Static(id="state")
        with VerticalScroll(id="queues", can_focus=False):
            yield Static(id="queue-lines")
        with VerticalScroll(id="threads", can_focus=False):
            yield Static(id="thread-lines")
        yield Static(id="now")
        yield Static(id="said")
        yield Footer(compact=True)

    def on_mount(self) -> None:
        """Begins the run."""
        if self._output >= 0:
            os.set_blocking(self._output, False)
        self.driver = Driver(*self._made, changed=lambda: None)
        self.set_interval(REFRESH, self.refresh_all)
        self.set_interval(0.02, self._tick)

    def _tick(self) -> None:
        self.driver.tick()

    def said(self) -> list[str]:
        """The last lines that the script printed."""
        self._read()
        return list(self._said)

    # Keys.

    def on_key(self, key: events.Key) -> None:
        """A capital letter is an actor: the next step is its."""
        if key.character and key.character.isupper() and len(self.screen_stack) == 1:
            wanted = key.character
            if not self.driver.step(wanted):
                self._note = f"{wanted} cannot go on now"

    def action_play(self) -> None:
        """Plays, or pauses."""
        self._note = ""
        self.driver.play()

    def action_step(self) -> None:
        """One step."""
        nobody = "the run has ended" if self.driver.ended else "nobody can take a step now"
        self._note = "" if self.driver.step() else nobody

    def action_undo(self) -> None:
        """The state before the last step."""
        self._jump(self.driver.scene.step - 1)

    def action_ask(self) -> None:
        """Asks for a step, and goes there."""
        self.push_screen(JumpScreen(), lambda to: None if to is None else self._jump(to))

    def _jump(self, to: int) -> None:
        done = self.driver.jump(to)
        self._note = "" if done else "a free run does not go back: queueio watch --controlled"

    def action_faster(self, by: int) -> None:
        """Another speed."""
        self.driver.faster(by)

    def action_choose(self, by: int) -> None:
        """Another queue."""
        self._queue = (self._queue + by) % max(1, len(self.driver.scene.levels))

    def action_look(self) -> None:
        """What the chosen queue holds."""
        levels = list(self.driver.scene.levels.values())
        if levels:
            level = levels[self._queue % len(levels)]
            self.push_screen(ElementsScreen(str(level), elements_of(self.driver, level.name)))

    async def action_quit(self) -> None:
        """Leaves; the run is ended."""
        self.driver.close()
        self.exit()

    # What is shown.

    def refresh_all(self) -> None:
        """Shows the present."""
        if len(self.screen_stack) > 1:
            return
        self._read()
        scene, width = self.driver.scene, self.size.width - 4
        self._show("state", self._state(scene))
        levels = list(scene.levels.values())
        lines = [
            shown([("▸" if n == self._queue else " ", "cyan"), *queue_line(level, scene, width)])
            for n, level in enumerate(levels)
        ]
        self._show("queue-lines", LINE_END.join(lines) if lines else Text("no queue yet"))
        threads = [shown(thread_line(each, scene)) for each in scene.actors()]
        self._show("thread-lines", LINE_END.join(threads))
        self._show("now", self._now(scene))
        room = max(1, self.query_one("#said").size.height)
        self._show("said", Text("\n".join(list(self._said)[-room:]), overflow="ellipsis"))

    def _show(self, part: str, text: Text) -> None:
        self.query_one(f"#{part}", Static).update(text)

    def _state(self, scene: Scene) -> Text:
        driver = self.driver
        pace = SPEEDS[driver.speed]
        how = driver.tape.end if driver.ended else "playing" if driver.playing else "paused"
        told = [
            f" {os.path.basename(self._script)}", how,
            f"{'calls' if driver.free else 'step'} {scene.step:,}", f"{scene.seconds:.1f} s",
            f"{pace}/s" if pace else "full speed", f"main waits {scene.wait_share():.0%}",
        ]  # fmt: skip
        return shown([(" │ ".join(told), "")])

    def _now(self, scene: Scene) -> Text:
        if self._note:
            return Text(self._note, style="yellow")
        if scene.last is None:
            return Text("")
        line = scene.last.line or next((s.line for s in scene.actors() if s.line), "")
        return shown([(f"{told_event(scene.last)}\n{line}", "")])

    def _read(self) -> None:
        while self._output >= 0:
            try:
                more = os.read(self._output, 1 << 16)
            except BlockingIOError:
                return
            if not more:
                return
            text = without_codes(more.decode("utf-8", "replace").replace("\r", "\n"))
            self._said.extend(line for line in text.splitlines() if line.strip())


def elements_of(driver: Driver, queue: str) -> list[str]:
    """A line for each element of a queue that was looked at and has not been seen leaving it.

    Args:
      driver: of the run.
      queue: the queue's name, as it is shown.
    """
    stays = [s for s in Ways(driver.tape).stays if s.queue == queue and s.put >= 0 > s.taken]
    size = driver.scene.levels[queue].size
    held = stays if driver.tape.complete else stays[-size:] if size else []
    lines = [
        f"{f'epoch {s.epoch} ' if s.epoch else ''}{s.element.key} {s.element.shown}".strip()
        for s in held[:LOOKED_AT]
    ]
    return lines or ["(none was looked at)" if size else "(empty)"]
