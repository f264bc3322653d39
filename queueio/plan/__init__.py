"""The plan: what a queue pipeline does, as a small tree of frozen dataclasses.

    node.py      the base of all nodes, and the one fold over them
    contract.py  how a stage says what it lifts
    tree.py      the whole of a pipeline; its verbs are in queueio/lifted.py
    show.py      print(plan)

The nodes live in queueio/stages/, each beside the builder whose graph it is lifted from.
"""

from __future__ import annotations

from queueio.plan.contract import Role, Walk, lifts
from queueio.plan.node import Node, fold
from queueio.plan.tree import PlanTree

__all__ = ["Node", "PlanTree", "Role", "Walk", "fold", "lifts"]
