"""HParams: the hyperparameters of a model by name, each with a type that it keeps."""

from __future__ import annotations

import json
from typing import Any

from tensorflow.python.framework import ops  # no public spelling of register_proto_function

from queueio.contrib.training.hparam_def import HParamDef
from queueio.contrib.training.hparam_values import cast, parse_values

__all__ = ["HParamDef", "HParams", "parse_values"]


class HParams:
    """Hyperparameters as attributes; a text, a dict or JSON may give them other values.

    The type of each is that of its first value: int, float, bool, str, or a list of one of these.
    """

    _HAS_DYNAMIC_ATTRIBUTES = True

    def __init__(self, hparam_def: Any = None, model_structure: Any = None, **kwargs: Any) -> None:
        """Takes the names and values.

        Args:
          hparam_def: an `HParamDef` with them, in place of keywords.
          model_structure: what `get_model_structure` gives.
          **kwargs: the value of each hyperparameter.

        Raises:
          ValueError: both a message and keywords are given; a name is that of a method; a list is
            empty.
          AssertionError: `hparam_def` is no `HParamDef`.
        """
        self._hparam_types: dict[str, tuple[type, bool]] = {}
        self._model_structure = model_structure
        if hparam_def:
            if not isinstance(hparam_def, HParamDef):
                raise AssertionError(f"hparam_def must be an HParamDef: {hparam_def!r}")
            for name, value in hparam_def.hparam.items():
                self.add_hparam(name, _value_of(value))
            if kwargs:
                raise ValueError("hparam_def and initialization values are mutually exclusive")
        for name, value in kwargs.items():
            self.add_hparam(name, value)

    def add_hparam(self, name: str, value: Any) -> None:
        """Adds a hyperparameter.

        Args:
          name: its name.
          value: its first value, which says its type.

        Raises:
          ValueError: it exists, a method has this name, or the value is an empty list.
        """
        if getattr(self, name, None) is not None:
            raise ValueError(f"Hyperparameter name is reserved: {name}")
        is_list = isinstance(value, (list, tuple))
        if is_list and not value:
            raise ValueError(f"Multi-valued hyperparameters cannot be empty: {name}")
        self._hparam_types[name] = (type(value[0] if is_list else value), is_list)
        setattr(self, name, value)

    def set_hparam(self, name: str, value: Any) -> None:
        """Gives a hyperparameter another value.

        Args:
          name: its name.
          value: of its type, or an integer for a float.

        Raises:
          KeyError: there is none of this name.
          ValueError: the value is of another type.
        """
        of_type, is_list = self._hparam_types[name]
        if isinstance(value, list) and not is_list:
            raise ValueError(f"Must not pass a list for single-valued parameter: {name}")
        if is_list and not isinstance(value, list):
            raise ValueError(f"Must pass a list for multi-valued parameter: {name}.")
        if is_list:
            setattr(self, name, [cast(name, of_type, one) for one in value])
        else:
            setattr(self, name, cast(name, of_type, value))

    def del_hparam(self, name: str) -> None:
        """Removes a hyperparameter; nothing happens where there is none.

        Args:
          name: its name.
        """
        if hasattr(self, name):
            delattr(self, name)
            del self._hparam_types[name]

    def parse(self, values: str) -> HParams:
        """Gives hyperparameters the values that a text says.

        Args:
          values: see `parse_values`, as "rate=0.1,layers=[64,32]".

        Returns:
          This object.

        Raises:
          ValueError: as for `parse_values` and `set_hparam`.
        """
        types = {name: of_type for name, (of_type, _) in self._hparam_types.items()}
        return self.override_from_dict(parse_values(values, types))

    def override_from_dict(self, values_dict: dict[str, Any]) -> HParams:
        """Gives hyperparameters the values of a dict.

        Args:
          values_dict: values by name.

        Returns:
          This object.

        Raises:
          KeyError, ValueError: as for `set_hparam`.
        """
        for name, value in values_dict.items():
            self.set_hparam(name, value)
        return self

    def set_from_map(self, values_map: dict[str, Any]) -> HParams:
        """The older name of `override_from_dict`."""
        return self.override_from_dict(values_map)

    def parse_json(self, values_json: str) -> HParams:
        """Gives hyperparameters the values of a JSON object.

        Args:
          values_json: its text.

        Returns:
          This object.

        Raises:
          KeyError, ValueError: as for `set_hparam`; or the text is no JSON.
        """
        return self.override_from_dict(json.loads(values_json))

    def to_json(
        self, indent: int | None = None, separators: Any = None, sort_keys: bool = False
    ) -> str:
        """All of them as a JSON object, with the options of `json.dumps`."""
        return json.dumps(self.values(), indent=indent, separators=separators, sort_keys=sort_keys)

    def values(self) -> dict[str, Any]:
        """The value of each hyperparameter."""
        return {name: getattr(self, name) for name in self._hparam_types}

    def get(self, key: str, default: Any = None) -> Any:
        """The value of a hyperparameter.

        Args:
          key: its name.
          default: what to give where there is none.

        Raises:
          ValueError: there is one, and `default` is not of its type.
        """
        if key not in self._hparam_types:
            return default
        if default is not None:
            self._check_default(key, default)
        return getattr(self, key)

    def set_model_structure(self, model_structure: Any) -> None:
        """Keeps an object for `get_model_structure`."""
        self._model_structure = model_structure

    def get_model_structure(self) -> Any:
        """What was given as the structure of the model."""
        return self._model_structure

    def to_proto(self, export_scope: str | None = None) -> Any:
        """All of them as an `HParamDef`.

        Args:
          export_scope: is not used.

        Raises:
          ValueError: one is of a type that the message does not have.
        """
        made = HParamDef()
        for name, (of_type, is_list) in self._hparam_types.items():
            kind = _kind(of_type)
            value = getattr(self, name)
            if is_list:
                held = getattr(made.hparam[name], f"{kind}_list").value
                held.extend([_as_kept(kind, one) for one in value])
            else:
                setattr(made.hparam[name], f"{kind}_value", _as_kept(kind, value))
        return made

    @staticmethod
    def from_proto(hparam_def: Any, import_scope: str | None = None) -> HParams:
        """Those of an `HParamDef`.

        Args:
          hparam_def: the message.
          import_scope: is not used.
        """
        return HParams(hparam_def=hparam_def)

    def __contains__(self, key: str) -> bool:
        return key in self._hparam_types

    def __str__(self) -> str:
        return ",".join(f"{name}={value}" for name, value in self.values().items())

    def __repr__(self) -> str:
        return f"{type(self).__name__}({sorted(self.values().items())})"

    def _check_default(self, key: str, default: Any) -> None:
        of_type, is_list = self._hparam_types[key]
        shown = f"list<{of_type}>" if is_list else str(of_type)
        said = f"Hparam '{key}' of type '{shown}' is incompatible with default={default}"
        if is_list != isinstance(default, list):
            raise ValueError(said)
        try:
            for one in default if is_list else [default]:
                cast(key, of_type, one)
        except ValueError as error:
            raise ValueError(f"{said}. {error}") from error


def _kind(of_type: type) -> str:
    """What the message's fields call a type."""
    kinds = {bool: "bool", int: "int64", str: "bytes", bytes: "bytes", float: "float"}
    for known, kind in kinds.items():  # bool first, which is an int, too
        if issubclass(of_type, known):
            return kind
    raise ValueError(f"Unsupported parameter type: {of_type}")


def _as_kept(kind: str, value: Any) -> Any:
    return value.encode() if kind == "bytes" and isinstance(value, str) else value


def _value_of(value: Any) -> Any:
    """What a message holds, text for bytes."""
    field = value.WhichOneof("kind")
    held = getattr(value, field)
    if field.endswith("_list"):
        return [_as_read(one) for one in held.value]
    return _as_read(held)


def _as_read(value: Any) -> Any:
    return value.decode() if isinstance(value, bytes) else value


ops.register_proto_function(
    "hparams", proto_type=HParamDef, to_proto=HParams.to_proto, from_proto=HParams.from_proto
)
