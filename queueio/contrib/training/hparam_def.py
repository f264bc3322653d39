"""HParamDef, the message that contrib's HParams are saved as: TensorFlow 2 lost its definition.

It is made here of the names and numbers of its fields, in a pool of its own, so that a package that
brings the same message does not get into its way.
"""

from __future__ import annotations

from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

_Field = descriptor_pb2.FieldDescriptorProto
_OF_ONE = {
    "int64": (1, _Field.TYPE_INT64),
    "float": (2, _Field.TYPE_FLOAT),
    "bytes": (3, _Field.TYPE_BYTES),
    "bool": (7, _Field.TYPE_BOOL),
}
_OF_LISTS = {"int64": 4, "float": 5, "bytes": 6, "bool": 8}
_PACKAGE = "tensorflow"


def _made() -> Any:
    file = descriptor_pb2.FileDescriptorProto(
        name="queueio/hparam.proto", package=_PACKAGE, syntax="proto3"
    )
    whole = file.message_type.add(name="HParamDef")
    one = whole.nested_type.add(name="HParamType")
    one.oneof_decl.add(name="kind")
    for kind, (number, of_type) in _OF_ONE.items():
        one.field.add(
            name=f"{kind}_value", number=number, type=of_type, label=_Field.LABEL_OPTIONAL,
            oneof_index=0,
        )  # fmt: skip
        name = f"{kind.title()}List"
        values = whole.nested_type.add(name=name)
        values.field.add(name="value", number=1, type=of_type, label=_Field.LABEL_REPEATED)
        one.field.add(
            name=f"{kind}_list", number=_OF_LISTS[kind], type=_Field.TYPE_MESSAGE,
            label=_Field.LABEL_OPTIONAL, type_name=f".{_PACKAGE}.HParamDef.{name}", oneof_index=0,
        )  # fmt: skip
    _add_map(whole)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{_PACKAGE}.HParamDef"))


def _add_map(whole: Any) -> None:
    """The field `hparam`, a map from names to values."""
    entry = whole.nested_type.add(name="HparamEntry")
    entry.options.map_entry = True
    entry.field.add(name="key", number=1, type=_Field.TYPE_STRING, label=_Field.LABEL_OPTIONAL)
    entry.field.add(
        name="value", number=2, type=_Field.TYPE_MESSAGE, label=_Field.LABEL_OPTIONAL,
        type_name=f".{_PACKAGE}.HParamDef.HParamType",
    )  # fmt: skip
    whole.field.add(
        name="hparam", number=1, type=_Field.TYPE_MESSAGE, label=_Field.LABEL_REPEATED,
        type_name=f".{_PACKAGE}.HParamDef.HparamEntry",
    )  # fmt: skip


HParamDef = _made()
"""The message's class."""
