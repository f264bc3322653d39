"""What a script's queue pipelines do, told and drawn: `queueio explain train.py`.

command.py   the command
account.py   a pipeline: its stages, or why it was refused
stage.py     a stage as it is told: parameters, shapes, line, lesson, tf.data form
forms.py     those tf.data forms; outline.py, the stages of what was refused
flow.py      prints; drawing.py draws, with the places and words of layout.py
"""

from __future__ import annotations

from queueio.plan.tree import PlanTree


def explain(plan: PlanTree) -> str:
    """The stages of a plan, from file to batch, each with its lesson and its tf.data form."""
    from queueio.explain.flow import text
    from queueio.explain.stage import stages

    return text(stages(plan))
