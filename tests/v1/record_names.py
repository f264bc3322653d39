"""Print the public names of an installed TensorFlow 1.x, the names of one module a line.

Run it with the interpreter that has TensorFlow 1.15.5, and keep what it prints:

    python3.7 tests/v1/record_names.py > tests/v1/tf_1_15_5_names.txt

A name is public when it is found by walking from ``tensorflow`` through the modules of its
documented API, and no part of it starts with an underscore.  ``tf.compat.v1`` and
``tf.compat.v2`` repeat the whole API and are recorded as single names; of ``tf.contrib``,
which left as a whole, only the first level is recorded.  The top level is written ``tf``.
"""

from __future__ import annotations

import logging
import sys
import types

# Not followed: the first two hold everything again, and contrib is recorded by itself.
LEAVES = {"compat.v1", "compat.v2", "contrib"}
# The one module of the API that is the implementation itself.
IMPLEMENTED_IN_PLACE = {"flags", "app.flags"}


def public(module: object) -> list:
    """Names without a leading underscore."""
    return sorted(name for name in set(dir(module)) if not name.startswith("_"))


def is_api(module: types.ModuleType) -> bool:
    """Whether `module` belongs to the documented API rather than being an implementation."""
    name = module.__name__
    return "._api." in name or ".api." in name or name.startswith("tensorflow_estimator.")


def walk(module: object, prefix: str, seen: frozenset, found: dict) -> None:
    """Record the names of `module` under `prefix`, then those of its sub-modules."""
    names = found.setdefault(prefix, [])
    for name in public(module):
        dotted = prefix + "." + name if prefix else name
        value = getattr(module, name)
        is_module = isinstance(value, types.ModuleType)
        if is_module and dotted not in LEAVES | IMPLEMENTED_IN_PLACE and not is_api(value):
            continue
        names.append(name)
        if is_module and dotted not in LEAVES and is_api(value) and value.__name__ not in seen:
            walk(value, dotted, seen | {value.__name__}, found)


def main() -> int:
    """Walk TensorFlow's API and print it."""
    logging.disable(logging.WARNING)
    import tensorflow as tf

    found: dict = {}
    walk(tf, "", frozenset(), found)
    found["contrib"] = public(tf.contrib)
    print(f"# Public names of TensorFlow {tf.__version__}, recorded by record_names.py")
    for prefix in sorted(found):
        print("{}: {}".format(prefix or "tf", " ".join(found[prefix])))
    return 0


if __name__ == "__main__":
    sys.exit(main())
