"""Print the names in each part of `tf.contrib` of an installed TensorFlow 1.x, a part a line.

Run it with the interpreter that has TensorFlow 1.15.5, and keep what it prints:

    python3.7 tests/compat/record_contrib.py > tests/compat/contrib_1_15_5_names.txt

Modules are left out, and what every old file imports from the future.
"""

from __future__ import annotations

import logging
import types

FUTURE = {"absolute_import", "division", "print_function"}


def names(part: object) -> list:
    """The public names of a part that are no modules."""
    return [
        name for name in sorted(set(dir(part)))
        if not name.startswith("_") and name not in FUTURE
        and not isinstance(getattr(part, name), types.ModuleType)
    ]  # fmt: skip


def main() -> None:
    """Walk the parts of tf.contrib and print them."""
    logging.disable(logging.WARNING)
    import tensorflow as tf

    print(
        f"# Names in the parts of tf.contrib of TensorFlow {tf.__version__}, by record_contrib.py"
    )
    for room in sorted(set(dir(tf.contrib))):
        part = None if room.startswith("_") else getattr(tf.contrib, room)
        if isinstance(part, types.ModuleType):
            print(f"{room}: {' '.join(names(part))}")


if __name__ == "__main__":
    main()
