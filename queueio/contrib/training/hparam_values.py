"""Values of hyperparameters out of a text: "rate=0.1,layers=[64,32],layers[1]=16"."""

from __future__ import annotations

import re
from numbers import Integral, Number
from typing import Any

_NAME = r"(?P<name>[a-zA-Z][\w.]*)"
_INDEX = r"(?:\[\s*(?P<index>\d+)\s*\])?"
_RIGHT = r"(?:\[(?P<several>[^\]]*)\]|(?P<one>[^,\[]*))"
_ASSIGNMENT = re.compile(rf"{_NAME}{_INDEX}\s*=\s*{_RIGHT}(?:,\s*|$)")
_BOOLS = {"true": True, "True": True, "false": False, "False": False}


def parse_values(values: str, type_map: dict[str, type], ignore_unknown: bool = False) -> Any:
    """Reads assignments with commas between them.

    Args:
      values: `name=value`, `name=[value,value]` or `name[index]=value`.
      type_map: the type of each name's value, or of the values in its list.
      ignore_unknown: whether to pass over names that are not in `type_map`.

    Returns:
      A dict: for each name its value, its list of values, or a dict of values by index.

    Raises:
      ValueError: the text has another form, a name has no type or two values, a value is not of
        the name's type, or a list is assigned to an index.
    """
    found: dict[str, Any] = {}
    position = 0
    while position < len(values):
        match = _ASSIGNMENT.match(values, position)
        if match is None:
            raise ValueError(f"Malformed hyperparameter value: {values[position:]}")
        position = match.end()
        if match["name"] in type_map:
            _assign(found, match, type_map[match["name"]], values)
        elif not ignore_unknown:
            raise ValueError(f"Unknown hyperparameter type for {match['name']}")
    return found


def cast(name: str, wanted: type, value: Any) -> Any:
    """`value` as the type of a hyperparameter, where nothing is lost by that.

    Args:
      name: the hyperparameter's.
      wanted: its type; a hyperparameter that was None takes anything.
      value: an integer may become a float, and a number another kind of number; text remains text.

    Raises:
      ValueError: it is of another kind.
    """
    # type(), as True is an instance of int.
    if type(value) is wanted or wanted is type(None):
        return value
    texts = (str, bytes)
    unlike = (
        (issubclass(wanted, texts) and not isinstance(value, texts))
        or issubclass(wanted, bool) != isinstance(value, bool)
        or (issubclass(wanted, Integral) and not isinstance(value, Integral))
        or (issubclass(wanted, Number) and not isinstance(value, Number))
    )
    if unlike:
        raise ValueError(f"Could not cast hparam '{name}' of type '{wanted}' from value {value!r}")
    return wanted(value)


def _assign(found: dict[str, Any], match: re.Match[str], of_type: type, values: str) -> None:
    name, index = match["name"], match["index"]
    if match["several"] is not None:
        if index is not None:
            raise ValueError("Assignment of a list to a list index.")
        _check_new(found, name, name, values)
        texts = [text for text in re.split("[ ,]", match["several"]) if text]
        found[name] = [_parsed(name, of_type, text, match["several"], values) for text in texts]
        return
    value = _parsed(name, of_type, match["one"], match["one"], values)
    if index is None:
        _check_new(found, name, name, values)
        found[name] = value
        return
    if not isinstance(found.setdefault(name, {}), dict):
        _check_new(found, name, name, values)
    _check_new(found[name], int(index), f"{name}[{int(index)}]", values)
    found[name][int(index)] = value


def _check_new(found: dict[Any, Any], key: Any, name: str, values: str) -> None:
    if key in found:
        raise ValueError(f"Multiple assignments to variable '{name}' in {values}")


def _parsed(name: str, of_type: type, text: str, shown: str, values: str) -> Any:
    try:
        if of_type is bool:
            return _BOOLS[text] if text in _BOOLS else bool(int(text))
        return of_type(text)
    except ValueError:
        raise ValueError(
            f"Could not parse hparam '{name}' of type '{of_type.__name__}' with value '{shown}'"
            f" in {values}"
        ) from None
