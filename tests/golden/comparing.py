"""Which parts of two recordings must agree, by aspect."""

from __future__ import annotations

from typing import Any

ASPECTS = ("data", "shapes", "names", "end")


def reduce(error: Any) -> Any:
    """Of an error, its type. Messages are queueio's own, and better ones."""
    return error["type"] if error else None


def steps(recording: dict[str, Any]) -> Any:
    """The data of every step, in a defined order; for a failed step, that it failed."""
    found = recording.get("steps", recording.get("examples"))
    if found is None:
        return None
    return ["failed" if isinstance(step, dict) and "raises" in step else step for step in found]


def failures(recording: dict[str, Any]) -> list[Any]:
    found = [step for step in recording.get("steps", []) if isinstance(step, dict)]
    return [step["raises"] for step in found if "raises" in step]


def ops(recording: dict[str, Any]) -> list[Any]:
    """The ops that failed in the session call of the main thread."""
    errors = [recording.get("end"), *failures(recording)]
    return [error["op"] for error in errors if error]


def aspect(recording: dict[str, Any], name: str) -> dict[str, Any]:
    """The part of a recording that must be the same on every TensorFlow."""
    if name == "data":
        return {"steps": steps(recording), "count": recording.get("count")}
    if name == "shapes":
        return {key: recording.get(key) for key in ("returns", "static", "shapes")}
    if name == "names":
        return {key: recording.get(key) for key in ("nodes", "collections")}
    return {
        "refused": reduce(recording.get("refused")),
        "end": reduce(recording.get("end")),
        "join": reduce(recording.get("join")),
        "failures": [reduce(error) for error in failures(recording)],
        "ops": ops(recording),
    }
