"""Steps as plain lines."""

from __future__ import annotations

from collections.abc import Sequence

from queueio.schedule.events import Event, Level, Standing
from queueio.words import stage

_RUNNER = "QueueRunnerThread-"
_VERBS = {
    "enter": "waits inside: ",
    "return": "comes back: ",
    "wake": "goes on after ",
    "run": "",
}


def short_name(name: str) -> str:
    """The name of a thread without what it says twice: a queue runner's is its queue's."""
    queue, op = runner_names(name)
    if not queue:
        return name
    return f"{'closer' if op == 'close_on_stop' else 'runner'} {stage(queue)}"


def runner_names(name: str) -> tuple[str, str]:
    """The queue and the op in the name of a queue runner's thread; both "" in another name.

    Either may have a hyphen: as a rule the op's name begins with its queue's.
    """
    if not name.startswith(_RUNNER):
        return "", ""
    parts = name.removeprefix(_RUNNER).split("-")
    pairs = [("-".join(parts[:n]), "-".join(parts[n:])) for n in range(1, len(parts))]
    own = [pair for pair in pairs if pair[1].startswith(pair[0]) or pair[1] == "close_on_stop"]
    return next(iter(own + pairs), ("", ""))


def told_event(event: Event, bare: bool = False) -> str:
    """A step in a line: its number, who, what, the queues that changed, and the user's line.

    Args:
      event: the step.
      bare: whether to tell only what was done.
    """
    if event.kind in ("begin", "end"):
        what = f"{short_name(event.name) if bare else event.name} {event.kind}s"
    else:
        what = _VERBS[event.kind] + (event.what or "a wait")
    if bare:
        return what
    number = "" if event.kind == "end" else str(event.step)
    parts = [f"{number:>5} {event.actor:2} {what}"]
    changes = zip(event.before, event.after, strict=True)
    parts += [f"[{_change(before, after)}]" for before, after in changes]
    if event.error:
        parts.append(f"! {event.error}")
    if event.line:
        parts.append(f"  {event.line}")
    return " ".join(parts)


def _change(before: Level, after: Level) -> str:
    closed = " closes" if after.closed and not before.closed else ""
    size = f"{before.size}→{after.size}" if before.size != after.size else str(after.size)
    room = "" if after.capacity < 0 else f"/{after.capacity}"
    return f"{after.name} {size}{room}{closed}"


def told_standing(standing: Standing) -> str:
    """How an actor stands, in a line."""
    head = f"{standing.actor:2} {standing.name}: {standing.state}"
    if standing.state == "done":
        return head + (f" ({standing.why})" if standing.why else "")
    what = f", {standing.what}" if standing.what else ""
    why = f": {standing.why}" if standing.why else ""
    return head + why + what + (f"  {standing.line}" if standing.line else "")


def told_levels(levels: Sequence[Level]) -> str:
    """All queues, a line each."""
    lines = [
        f"   {level}" + (f", keeps {level.kept} (min_after_dequeue)" if level.kept else "")
        for level in levels
    ]
    return "\n".join(lines) or "   no queue yet"
