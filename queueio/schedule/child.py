"""Each run is a process of its own, forked from one that has imported TensorFlow and no more.

What it tells comes back as lines of JSON; when it asks whose turn it is, a line goes there.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import select
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from queueio.schedule.events import OWN_THREADS, Event, Standing
from queueio.schedule.strategies import AsWritten, ByHand, strategy
from queueio.script.program import NotFoundError

SILENT = 120.0
"""Seconds without a word after which a run is given up."""


@dataclass(frozen=True)
class Order:
    """What a child shall run.

    Attributes:
      script, arguments, as_module: as for `queueio run`.
      strategy: as `strategies.strategy` reads it.
      budget: the steps after which it is cut off.
      by_hand: whether it asks, when `strategy`, a line, is used up.
      quiet_until: the step before which neither it nor the script prints anything; -1: never, and
        the script has no input.
      shows: whether it prints its steps.
      watches: whether it tells the facts that runs differ in.
      events: whether it sends its events; `tells`: the first step that it sends.
      known: the steps at its beginning that a run along the same line has told before;
        `entered`: those of them whose calls waited inside.
      free: whether it is not controlled, but observed; `in_full`: whether it then tells of each
        call at its end.
      calm: whether TensorFlow's threads sleep at once where they have nothing to do, else they turn
        round some time: then the processor time that a free run uses is that of its work.
      changes: what its queues are built with instead, as `whatif.changes` has it.
    """

    script: str
    arguments: tuple[str, ...] = ()
    as_module: bool = False
    strategy: str = "round-robin"
    budget: int = 100_000
    by_hand: bool = False
    quiet_until: int = 0
    shows: bool = False
    watches: bool = False
    events: bool = False
    tells: int = 0
    known: int = 0
    entered: tuple[int, ...] = ()
    free: bool = False
    in_full: bool = False
    calm: bool = False
    changes: tuple[tuple[str, str, int], ...] = ()


class Lost(Exception):
    """A child that ended without a word, or did not end.

    Attributes:
      status: what a command exits with then.
    """

    status = 3


class Missing(Lost):
    """There is no such script or module; `status` is what Python exits with then."""

    def __init__(self, text: str, status: int) -> None:
        super().__init__(text)
        self.status = status


def fork_here(order: Order, read: int, write: int, others: tuple[int, ...]) -> int:
    """Forks this process, which must have no other threads; the child makes the run.

    Args:
      order: what it shall run.
      read, write: the file descriptors by which it is told, and tells.
      others: those that are not the child's.

    Returns:
      The child's process id.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    process = os.fork()
    if process == 0:
        for each in others:
            os.close(each)
        become(order, read, write)
    return process


class Child:
    """A run that goes on in a process of its own.

    Args:
      order: what to run.
      fork: makes the process; as `fork_here`.
    """

    def __init__(self, order: Order, fork: Callable[..., int] = fork_here) -> None:
        theirs, self._to = os.pipe()
        self._from, ours = os.pipe()
        self._status = 0
        self.process = fork(order, theirs, ours, (self._to, self._from))
        os.close(theirs)
        os.close(ours)
        self._rest = b""

    def messages(self, silent: float = SILENT) -> Iterator[dict[str, Any]]:
        """What it tells, to its end.

        Raises:
          Lost: it died, or was silent for so many seconds.
          Missing: there was nothing to run.
        """
        while True:
            while b"\n" in self._rest:
                line, self._rest = self._rest.split(b"\n", 1)
                told = json.loads(line)
                if "missing" in told:
                    self.wait()
                    raise Missing(told["missing"], told["status"])
                yield told
                if "end" in told:
                    self.wait()
                    return
            if not select.select([self._from], [], [], silent)[0]:
                self.kill()
                raise Lost(f"the run gave no sign of life for {silent:g} seconds, and was ended")
            more = os.read(self._from, 1 << 16)
            if not more:
                status = self.wait()
                raise Lost(f"the process of the run ended by itself, with exit status {status}")
            self._rest += more

    def answer(self, text: str) -> None:
        """What it asked for."""
        os.write(self._to, text.encode() + b"\n")

    def kill(self) -> None:
        """Ends it."""
        if self.process:  # 0 would be all of ours
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.process, signal.SIGKILL)
        self.wait()

    def wait(self) -> int:
        """Its exit status, once it has ended."""
        if self.process:
            with contextlib.suppress(ChildProcessError):  # it is another process's child
                self._status = os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])
            self.process = 0
            os.close(self._to)
            os.close(self._from)
        return self._status


def become(order: Order, read: int, write: int) -> None:
    """In the new process: makes the run, and never returns."""
    status = 70
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the first process ends us
        if order.free:
            from queueio.schedule.free import Freely

            status = Freely(order, read, write).to_its_end()
        else:
            status = _Run(order, read, write).to_its_end()
    except NotFoundError as missing:
        status = missing.status
        with contextlib.suppress(OSError):
            os.write(write, _told_missing(missing).encode())
    except BaseException as failure:  # of queueio: there is nobody above to show it
        import traceback

        traceback.print_exception(failure)
    finally:
        _leave(status)


def _end_with(parent: int) -> None:
    """Ends this process soon after the one that forked it: nobody else would end a run that hangs.

    Ctrl-C is not for us, and a run only notices a closed pipe when it tells something.
    """
    while os.getppid() == parent:
        select.select([], [], [], 0.5)  # time.sleep is the script's, and virtual
    os._exit(0)


def _told_missing(missing: NotFoundError) -> str:
    return json.dumps({"missing": str(missing), "status": missing.status}) + "\n"


def _leave(status: int) -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()
    os._exit(status)


class _Run:
    """The run of an order, in its process."""

    def __init__(self, order: Order, read: int, write: int) -> None:
        from queueio.schedule.program import ControlledRun

        self.order = order
        self._read, self._write = os.fdopen(read, "r"), os.fdopen(write, "w")
        chosen = strategy(order.strategy)
        if order.by_hand:
            chosen = AsWritten(order.strategy, ByHand(self._ask))
        self.run = ControlledRun(chosen, self._tell, self._over, order.budget)
        self.run.controller.in_full = order.events
        self.run.controller.known = order.known
        self.run.controller.entered = frozenset(order.entered)
        if order.events:
            from queueio.schedule.elements import Looker

            self.run.controller.looker = Looker(self.run.controller.needs_of)
        self._kept: list[int] = []
        self._ended = threading.Lock()
        self._ended.acquire()
        self.facts: Any = None
        if order.quiet_until:
            self._be_quiet()
        parent = f"{OWN_THREADS}parent"
        threading.Thread(target=_end_with, args=(os.getppid(),), name=parent, daemon=True).start()

    def to_its_end(self) -> int:
        """Runs the script; the exit status for this process."""
        if self.order.watches:
            from queueio.schedule.facts import RunFacts

            self.facts = RunFacts(self.run.controller)
        self.run.run(self.order.script, self.order.arguments, self.order.as_module)
        self._ended.acquire()
        atexit._run_exitfuncs()
        status = self.run.status
        return status if isinstance(status, int) else int(status is not None)

    def _over(self) -> None:
        sys.stdout.flush()
        self._speak()
        if self.run.missing is None:
            self._send(end=self._ending())
        else:
            self._write.write(_told_missing(self.run.missing))
            self._write.flush()
        if self.run.controller.actors[0].done:
            self._ended.release()
        else:  # the main thread waits at a gate, for good
            _leave(0)

    def _ending(self) -> dict[str, Any]:
        from queueio.schedule.controller import told

        controller = self.run.controller
        return {
            "end": controller.end,
            "why": controller.why,
            "status": self.run.status,
            "error": told(self.run.error),
            "error_types": [kind.__name__ for kind in type(self.run.error).__mro__]
            if self.run.error
            else [],
            "line": controller.line(),
            "names": [actor.name for actor in controller.actors],
            "steps": len(controller.turns),
            "seconds": controller.seconds,
            "uncontrolled": list(controller.uncontrolled),
            "standings": [asdict(controller.standing(a)) for a in controller.actors],
            "levels": [asdict(level) for level in controller.levels.now.values()],
            "choices": controller.choices if self.order.watches else [],
            **({} if self.facts is None else self.facts.told(self.run.error)),
        }

    def _tell(self, event: Event) -> None:
        if event.step >= self.order.quiet_until >= 0:
            self._speak()
        if self.facts is not None:
            self.facts.note(event)
        if event.step % 100 == 0:
            self._send(step=event.step)  # a sign of life
        if self.order.events and event.step >= self.order.tells:
            self._send(event=event.to_json())
        if self.order.shows and not self._kept:
            from queueio.schedule.plain import told_event

            sys.stdout.flush()
            print(told_event(event), flush=True)

    def _ask(self, ready: Sequence[str]) -> str:
        controller = self.run.controller
        self._speak()
        sys.stdout.flush()
        standings = [asdict(controller.standing(actor)) for actor in controller.actors]
        levels = [asdict(level) for level in controller.levels.now.values()]
        self._send(
            ask=list(ready), standings=standings, levels=levels, step=len(controller.turns),
            line=controller.line(), seconds=controller.seconds,
        )  # fmt: skip
        answer = self._read.readline().strip()
        if not answer:  # the first process is gone
            _leave(0)
        return answer

    def _send(self, **message: Any) -> None:
        self._write.write(json.dumps(message) + "\n")
        self._write.flush()

    def _be_quiet(self) -> None:
        sys.stdout.flush()
        sys.stderr.flush()
        self._kept = [os.dup(1), os.dup(2)]
        nothing = os.open(os.devnull, os.O_RDWR)
        os.dup2(nothing, 1)
        os.dup2(nothing, 2)
        if self.order.quiet_until < 0:  # the first of many runs would read what all should
            os.dup2(nothing, 0)

    def _speak(self) -> None:
        if self._kept and self.order.quiet_until >= 0:
            sys.stdout.flush()
            sys.stderr.flush()
            for number, kept in zip((1, 2), self._kept, strict=True):
                os.dup2(kept, number)
            self._kept = []


def standings(message: dict[str, Any]) -> list[Standing]:
    """Those in a message of a child's."""
    return [Standing(**each) for each in message["standings"]]


def warm() -> None:
    """Imports what every run needs, so that its process need not: before the first `Child`."""
    import queueio.v1  # noqa: F401
    from queueio.schedule import facts, program  # noqa: F401
