"""From a graph to a plan: `queueio.lift(...)`, or a refusal that names the op in the way.

    fetches.py    from fetches, a queue or a file to a plan's tree
    lifter.py     the walk from the fetches back to the sources
    feeders.py    the producers of a queue; likeness.py compares those of a join
    enqueue.py    what one enqueue op puts in, and under which condition
    reach.py      what lies between two stream points; state.py, whether its state holds still
    sharing.py    what two runs of ops both change
    ends.py       where producers would not end alike
    sparse.py     sparse tensors behind their handles; product.py, what a producer gives
    pipelines.py  which pipelines a graph holds; behind.py, what the program makes of them

This package knows the contract of a stage (queueio/plan/contract.py) and no stage by name.
The package itself is callable, as `queueio.lift` is both the verb (queueio/lifted.py) and the
place of its parts.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Iterable
from typing import Any

from queueio.lifted import Plan


class _LiftModule(types.ModuleType):
    """A module that can be called: `queueio.lift(fetches)`."""

    def __call__(self, fetches: Any, *, graph: Any = None, allow: Iterable[str] = ()) -> Plan:
        from queueio.lifted import lift

        return lift(fetches, graph=graph, allow=allow)


sys.modules[__name__].__class__ = _LiftModule
