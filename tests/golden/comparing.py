"""Which parts of two recordings must agree, by aspect."""

from __future__ import annotations

import re
from typing import Any

# Which aspects are compared, by what is imported as `tf`.
ASPECTS = {
    "queueio.v1": ("data", "shapes", "names", "end"),
    "queueio.train": ("data", "shapes", "names outside of conds", "end"),
}
COND = re.compile(r"(^|/)(cond(_\w+)?|AssertGuard)(_\d+)?[/ ].*")


def reduce(error: Any) -> Any:
    """Of an error, its type. Messages are queueio's own, and better ones."""
    return error["type"] if error else None


def steps(recording: dict[str, Any]) -> Any:
    """The data of every step, in a defined order; for a failed step, that it failed."""
    found = recording.get("steps", recording.get("examples"))
    if found is None:
        return None
    return ["failed" if isinstance(step, dict) and "raises" in step else step for step in found]


def shapes(recording: dict[str, Any]) -> Any:
    """The shapes of every step, in a defined order where that of the steps is not."""
    found = recording.get("shapes")
    return sorted(found, key=str) if found and recording.get("order") == "steps" else found


def failures(recording: dict[str, Any]) -> list[Any]:
    found = [step for step in recording.get("steps", []) if isinstance(step, dict)]
    return [step["raises"] for step in found if "raises" in step]


def ops(recording: dict[str, Any]) -> list[Any]:
    """The ops that failed in the session call of the main thread."""
    errors = [recording.get("end"), *failures(recording)]
    names = [error["op"] for error in errors if error]
    return [name and name.replace("/ResourceCountUpTo", "/CountUpTo") for name in names]


def names_outside_of_conds(recording: dict[str, Any]) -> dict[str, Any]:
    """The names that do not depend on which control flow is switched on.

    A cond is one If op in one version and Switches and Merges in the other, and resource variables
    know their shape where the shapes of references are left open.
    """
    nodes, collections = recording.get("nodes", []), recording.get("collections", {})
    runners = [
        {**runner, "enqueue": [COND.sub("/cond", op) for op in runner["enqueue"]]}
        for runner in collections.get("queue_runners", [])
    ]
    return {
        "nodes": [node for node in nodes if not COND.search(node)],
        "queue_runners": runners,
        "summaries": collections.get("summaries"),
        "local_variables": [v[:2] for v in collections.get("local_variables", [])],
    }


def aspect(recording: dict[str, Any], name: str) -> dict[str, Any]:
    """The part of a recording that must be the same on every TensorFlow."""
    if name == "data":
        return {"steps": steps(recording), "count": recording.get("count")}
    if name == "shapes":
        return {
            **{key: recording.get(key) for key in ("returns", "static")},
            "shapes": shapes(recording),
        }
    if name == "names":
        return {key: recording.get(key) for key in ("nodes", "collections")}
    if name == "names outside of conds":
        return names_outside_of_conds(recording)
    return {
        "initialisation": reduce(recording.get("initialisation")),
        "refused": reduce(recording.get("refused")),
        "end": reduce(recording.get("end")),
        "join": reduce(recording.get("join")),
        "failures": [reduce(error) for error in failures(recording)],
        "ops": ops(recording),
    }
