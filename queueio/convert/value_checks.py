"""Lines before a call of input_fn() that check what it was written for.

A module holds the values that the script gave a function with a batch call. Where all calls of
that function give the same ones the batch call may go; but somebody may edit a call, or call the
function from elsewhere, and must not be given the examples of the old values then.
"""

from __future__ import annotations

from collections.abc import Mapping

import libcst as cst

_LONGEST = 60


def value_check(
    relied_on: Mapping[str, str], config: cst.PartialParserConfig
) -> cst.SimpleStatementLine | cst.BaseCompoundStatement:
    """The statement that raises ValueError unless each name has its value.

    They are compared by `repr`: 4, 4.0 and True are equal, and make other tensors.

    Args:
      relied_on: the names, and the `repr` of each one's value.
      config: of the module that it is for: its indent and its line ends.
    """
    names, indent = list(relied_on), str(config.default_indent)
    one = len(names) == 1
    now = names[0] if one else f"({', '.join(names)})"
    then = ", ".join(relied_on.values())
    asked = ", ".join(f"{name}={{{name}!r}}" for name in names)
    end = " run `queueio convert --write` on the script as it was before, to have it for these"
    lines = [
        f"if repr({now}) != {_quoted(then if one else f'({then})')}:",
        f"{indent}raise ValueError(",
        f"{indent * 2}{_quoted(f'input_fn() was written for {told(relied_on)}, not for ')}",
        f'{indent * 2}f"{asked};"',
        f"{indent * 2}{_quoted(end)}",
        f"{indent})",
    ]
    return cst.parse_statement(str(config.default_newline).join([*lines, ""]), config)


def told(relied_on: Mapping[str, str]) -> str:
    """`height=4, width=4`; of a long value only how it begins."""
    return ", ".join(
        f"{name}={code if len(code) <= _LONGEST else code[:_LONGEST] + '...'}"
        for name, code in relied_on.items()
    )


def _quoted(text: str) -> str:
    """A text as code, in letters that files of each encoding have."""
    code = ascii(text)
    return code if '"' in code else f'"{code[1:-1]}"'
