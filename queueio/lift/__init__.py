"""From a graph to a plan: `queueio.lift(...)`, or a refusal that names the op in the way.

    fetches.py    the public verbs
    lifter.py     the walk from the fetches back to the sources
    index.py      the queues of a graph, who fills, empties and runs them
    feeders.py    the producers of a queue; likeness.py compares those of a join
    enqueue.py    what one enqueue op puts in, and under which condition
    reach.py      what lies between two stream points; state.py, whether its state holds still
    sharing.py    what two runs of ops both change; effects.py, what may run of a MetaGraph
    sparse.py     sparse tensors behind their handles; bodies.py, TF2's branch functions
    pipelines.py  which pipelines a graph holds

This package knows the contract of a stage (queueio/plan/contract.py) and no stage by name.
The package itself is callable, as `queueio.lift` is both the verb and the place of its parts.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Iterable
from typing import Any

from queueio.lift.fetches import lift_meta_graph
from queueio.plan.tree import Plan

__all__ = ["lift_meta_graph"]


class _Verb(types.ModuleType):
    """A module that can be called: `queueio.lift(fetches)`."""

    def __call__(self, fetches: Any, *, graph: Any = None, allow: Iterable[str] = ()) -> Plan:
        from queueio.lift.fetches import lift

        return lift(fetches, graph=graph, allow=allow)


sys.modules[__name__].__class__ = _Verb
