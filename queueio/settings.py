"""The few switches of a run, from the environment or from a `with` block.

`queueio run` sets the environment for its script, so that child processes inherit the choice.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, NoReturn, TypeVar

from queueio.errors import message
from queueio.folders import cache_folder


class WrongSetting(ValueError):
    """A setting has a value that it cannot have."""


@dataclass(frozen=True)
class Settings:
    """How queueio behaves in this process.

    Attributes:
      engine: "queue" runs TF1's queues; "data" lets tf.data do the work (QUEUEIO_ENGINE).
      strict: silent data loss and fallbacks are errors, not warnings (QUEUEIO_STRICT=1; 0, false,
        no and off for the default).
      on_stall: "warn" once and keep waiting, or "raise" QueueStalled (QUEUEIO_ON_STALL).
      stall_seconds: seconds that a session call may wait for a queue before it is examined
        (QUEUEIO_STALL_SECONDS; inf for never).
      small_job: up to how many examples of a whole run the data engine leaves to the queues, which
        are through with them before a dataset is built (QUEUEIO_SMALL_JOB; 0 for none, and for
        tf.data also where else the queues are known to be the faster way).
      cache: folder where the data engine keeps what it makes of a graph, for the next run
        (QUEUEIO_CACHE; 0 for none; by default in the user's folder for caches,
        if there is one).
      report: file that gets a JSON report at the end of the run (QUEUEIO_REPORT).
    """

    engine: str = "queue"
    strict: bool = False
    on_stall: str = "warn"
    stall_seconds: float = 5.0
    small_job: int = 4000
    cache: str | None = None
    report: str | None = None


_Number = TypeVar("_Number", int, float)
_CHOICES = {"engine": ("queue", "data"), "on_stall": ("warn", "raise")}
# What must hold of a number, in words, and what to write. Nothing of the kind holds of NaN.
_RANGES: dict[str, tuple[Callable[[Any], bool], str, str]] = {
    "stall_seconds": (lambda value: value > 0, "more than 0", "a time, or inf for never"),
    "small_job": (lambda value: value >= 0, "0 or more", "0 for none"),
}
_ON = ("1", "true", "yes", "on")
_OFF = ("", "0", "false", "no", "off")
_overrides: list[dict[str, Any]] = []


def _folder_of_the_start() -> str:
    try:
        return os.getcwd()
    except OSError:  # it was removed
        return ""


# A program may change its folder; a file that the environment names is meant from where it began.
_BEGAN = _folder_of_the_start()


def _checked(settings: Settings) -> Settings:
    for field, choices in _CHOICES.items():
        if getattr(settings, field) not in choices:
            _refuse(settings, field, "is not known", f"Use one of {', '.join(choices)}.")
    for field, (holds, wanted, use) in _RANGES.items():
        if not holds(getattr(settings, field)):
            _refuse(settings, field, f"is not {wanted}", f"Use {use}.")
    return settings


def _refuse(settings: Settings, field: str, why: str, do: str) -> NoReturn:
    value, variable = repr(getattr(settings, field)), f"QUEUEIO_{field.upper()}"
    if variable in os.environ and value == repr(getattr(_of_environment(), field)):
        field, value = variable, repr(os.environ[variable])
    raise WrongSetting(message(f"{field}={value} {why}", do=do))


def current() -> Settings:
    """The settings in force: the environment's, under the innermost `override`."""
    settings = _of_environment()
    for values in _overrides:
        settings = replace(settings, **values)
    return _checked(settings)


def _of_environment() -> Settings:
    env = os.environ.get
    return Settings(
        engine=env("QUEUEIO_ENGINE") or "queue",
        strict=_truth("QUEUEIO_STRICT"),
        on_stall=env("QUEUEIO_ON_STALL") or "warn",
        stall_seconds=_number("QUEUEIO_STALL_SECONDS", float, 5.0),
        small_job=_number("QUEUEIO_SMALL_JOB", int, 4000),
        cache=_cache(env("QUEUEIO_CACHE")),
        report=_whole(env("QUEUEIO_REPORT")),
    )


def _truth(name: str) -> bool:
    text = os.environ.get(name, "")
    if is_off(text):
        return False
    if text.strip().lower() in _ON:
        return True
    raise WrongSetting(message(f"{name}={text!r} is neither 1 nor 0", do=f"Use {name}=1 or 0."))


def is_off(text: str) -> bool:
    """Whether the value of a switch in the environment says no, or nothing."""
    return text.strip().lower() in _OFF


def _whole(path: str | None) -> str | None:
    """A path that stays the same where the program changes its folder."""
    return os.path.join(_BEGAN, path) if path else None


def _number(name: str, kind: type[_Number], default: _Number) -> _Number:
    text = os.environ.get(name)
    if not text:
        return default
    try:
        return kind(text)
    except ValueError:
        wanted = "a whole number" if kind is int else "a number"
        raise WrongSetting(
            message(f"{name}={text!r} is not {wanted}", do=f"Use {name}={default}.")
        ) from None


def _cache(place: str | None) -> str | None:
    if place:
        return None if is_off(place) else _whole(place)
    folder = cache_folder()
    return None if folder is None else str(folder / "datasets")


def check(**values: Any) -> None:
    """Refuses fields of `Settings` that have no such value.

    Args:
      values: the fields.

    Raises:
      WrongSetting: one has none.
    """
    _checked(replace(current(), **values))


@contextlib.contextmanager
def override(**values: Any) -> Iterator[Settings]:
    """Sets fields of `Settings` for the whole process (all threads) within a `with` block."""
    check(**values)
    _overrides.append(values)
    try:
        yield current()
    finally:
        _overrides.remove(values)
