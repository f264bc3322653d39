"""What a script's queue pipelines do, told and drawn: `queueio explain train.py`.

command ─▶ account    a pipeline: its stages, or why it was refused
             ▼
           stage      as it is told: parameters, line, lesson; forms has its tf.data form
           outline    the same of what was refused, by the graph's own edges
             ▼
           flow       prints; drawing draws, with the places and words of layout
"""

from __future__ import annotations

import base64
import sys
import types
from typing import Any

from queueio.plan.tree import PlanTree


def explain(plan: PlanTree) -> str:
    """The stages of a plan, from file to batch, each with its lesson and its tf.data form."""
    from queueio.explain.flow import text
    from queueio.explain.stage import stages

    return text(stages(plan))


def drawn(plan: PlanTree) -> str:
    """The drawing of a plan for a notebook: an image, whose styles stay its own."""
    from queueio.explain.account import Account
    from queueio.explain.drawing import draw
    from queueio.explain.stage import stages

    svg = draw([Account("", stages(plan))])
    data = base64.b64encode(svg.encode()).decode()
    return f'<img alt="the pipeline, from file to batch" src="data:image/svg+xml;base64,{data}">'


class Explained(str):
    """An explanation, which a notebook shows as it is printed."""

    def __repr__(self) -> str:
        return str(self)


class _ExplainModule(types.ModuleType):
    """A package that can be called: `queueio.explain(batch)`."""

    def __call__(self, x: Any) -> Explained:
        """The stages of a pipeline, each with its lesson and its tf.data form.

        Args:
          x: a plan, or what `queueio.lift` takes.
        """
        import queueio  # its `lift` comes when it is asked for: plans know this package

        return Explained(explain(x if isinstance(x, PlanTree) else queueio.lift(x)))


sys.modules[__name__].__class__ = _ExplainModule
