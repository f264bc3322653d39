"""What a script's queue pipelines do, told and drawn: `queueio explain train.py`.

command ─▶ account    a pipeline: its stages, or why it was refused
             ▼
           stage      as it is told: parameters, line, lesson; forms has its tf.data form
           outline    the same of what was refused, by the graph's own edges
             ▼
           flow       prints; drawing draws, with the places and words of layout
"""

from __future__ import annotations

from queueio.plan.tree import PlanTree


def explain(plan: PlanTree) -> str:
    """The stages of a plan, from file to batch, each with its lesson and its tf.data form."""
    from queueio.explain.flow import text
    from queueio.explain.stage import stages

    return text(stages(plan))
