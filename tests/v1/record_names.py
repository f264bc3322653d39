"""Print the public names of an installed TensorFlow 1.x, one dotted name a line.

Run it with the interpreter that has TensorFlow 1.15.5, and keep what it prints:

    python3.7 tests/v1/record_names.py > tests/v1/tf_1_15_5_names.txt

A name is public when it is found by walking from ``tensorflow`` through modules of its
documented API, and no part of it starts with an underscore.  ``tf.compat.v1`` and
``tf.compat.v2`` repeat the whole API and are recorded as single names, as is
``tf.contrib``, which left as a whole.  The output is sorted and compact: the names of one
module share a line, ``module: name name …``, with the top level written as ``tf``.
"""

from __future__ import annotations

import logging
import sys
import types

API = (
    "tensorflow._api.",
    "tensorflow_core._api.",
    "tensorflow_estimator.",
    "tensorflow.python.keras.api.",
)
LEAVES = {"compat.v1", "compat.v2", "contrib"}


def is_api(module: object) -> bool:
    """Whether `module` belongs to the documented API rather than being an implementation."""
    if not isinstance(module, types.ModuleType):
        return False
    name = module.__name__
    return name.startswith(API) or "._api." in name or ".api." in name


def walk(module: object, prefix: str, seen: set, found: dict) -> None:
    """Record the names of `module` under `prefix`, then those of its sub-modules."""
    names = found.setdefault(prefix, [])
    for name in sorted(set(dir(module))):
        if name.startswith("_"):
            continue
        dotted = prefix + "." + name if prefix else name
        value = getattr(module, name)
        if (
            isinstance(value, types.ModuleType)
            and not is_api(value)
            and dotted not in LEAVES | {"flags"}
        ):
            implementation = ".python." in value.__name__ and "platform" not in value.__name__
            if implementation or not value.__name__.startswith("tensorflow"):
                continue
        names.append(name)
        if is_api(value) and dotted not in LEAVES and value.__name__ not in seen:
            walk(value, dotted, seen | {value.__name__}, found)


def main() -> int:
    """Walk TensorFlow's API and print it."""
    logging.disable(logging.WARNING)
    import tensorflow as tf

    found: dict = {}
    walk(tf, "", set(), found)
    print(f"# Public names of TensorFlow {tf.__version__}, recorded by record_names.py")
    for prefix in sorted(found):
        print("{}: {}".format(prefix or "tf", " ".join(found[prefix])))
    return 0


if __name__ == "__main__":
    sys.exit(main())
