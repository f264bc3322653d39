"""From a plan to Python: the tf.data module that a person would have written.

    module.py     the verb, and the finished module with its sidecar of large constants
    writer.py     what a stage may ask for: steps of its stream; held.py, what else a module holds
    rows.py       where a stream begins; sliced.py, lists that TF1 handed out by their numbers
    transform.py  a fragment as a function, and the map that calls it; part.py, what of it is needed
    body.py       a fragment, op by op, as the body of a function
    scope.py      what stands for a tensor there
    rounding.py   how far last bits are from a session's: measured; floats.py, on what numbers
    draws.py      which random draws belong together; pace.py, how many examples at once
    units.py      in which order, and which ops belong to a cond; branches.py writes those
    ops/          one op type, one public expression
    calls/        one public function that leaves many ops: tf.image.random_contrast
    shapes.py     static shapes without the promises of set_shape
    effects.py    what is there for its effect
    code.py       expressions, laid out as ruff lays them out; literal.py, constants;
                  stored.py, large ones
    lists.py      lists: repetition and slices
    names.py      the user's own variable names; rebind.py, names that are used again

This package knows the contract of a stage (`Node.to_source`) and no stage by name.
"""

from __future__ import annotations
