"""How the new call stands in the script: in lines that its readers and linters take."""

from __future__ import annotations

import ast
from types import SimpleNamespace
from typing import Any

import pytest

from queueio.convert.patch import Replacement, patched

PASSED = {
    "files": "[FLAGS.train_dir + '/train.csv']", "batch_size": "batch_size",
    "num_epochs": "num_epochs", "shuffle_buffer": "min_after_dequeue + 3 * batch_size",
}  # fmt: skip


def changed(text: str, passed: dict[str, str], given: Any, tables: bool) -> str:
    found: Any = SimpleNamespace(
        name="batch", module=SimpleNamespace(uses_tables=tables), given=given
    )
    line = 1 + text[: text.index("tf.train.batch")].count("\n")
    replaced = [Replacement(line, "input_fn", found, passed)]
    return patched(text, replaced, all_found=True).text


TAKEN = [("a, b = ", [1]), ("return ", [1]), ("some.thing = ", None)]


@pytest.mark.parametrize("indent", ["  ", "    ", "\t"])
@pytest.mark.parametrize("depth", range(1, 4))
def test_the_new_call_keeps_to_88_columns_and_to_the_script_s_own_indent_and_line_ends(
    depth: int, indent: str
) -> None:
    for count in range(len(PASSED) + 1):
        tables, end = count % 2 == 0, ["\n", "\r\n"][(count + depth) % 2]
        target, given = TAKEN[(count + depth) % 3]
        passed = dict(list(PASSED.items())[:count])
        head = "".join(f"{indent * i}def f_{i}():{end}" for i in range(depth))
        call = f"{indent * depth}{target}tf.train.batch([x], 2){end}"
        new = changed(f"import tensorflow as tf{end}{head}{call}", passed, given, tables)
        assert max(len(line.expandtabs(4)) for line in new.splitlines()) <= 88, new
        assert new.count("\n") == new.count(end)
        every = ", ".join(f"{name}={code}" for name, code in passed.items())
        flat = f"input_fn.input_fn({every})"
        flat = (f"input_fn.next_batch({flat})" if tables
                else f"tf.data.make_one_shot_iterator({flat}).get_next()")  # fmt: skip
        flat = f"[*{flat}]" if given and "," not in target else flat
        tail = f"{indent * depth}{target}{flat}{end}"
        imports = f"import queueio.v1 as tf{end}import input_fn{end}"
        assert ast.dump(ast.parse(new)) == ast.dump(ast.parse(imports + head + tail))
