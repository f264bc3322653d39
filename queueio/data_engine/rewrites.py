"""Sessions that are told to rewrite their graph otherwise than a session does by itself.

    tf.Session(config=config), with config.graph_options.rewrite_options.constant_folding = OFF

A plan's ops are rewritten as a session does (compile/in_session.py), before there is one to ask.
Where this one rewrites them in another way, its queues hold floats with other last bits.
"""

from __future__ import annotations

from typing import Any

from tensorflow.core.protobuf import rewriter_config_pb2

from queueio.compile.in_session import rewritten_alike
from queueio.graph.refusal import refuse
from queueio.plan.tree import PlanTree


def check_rewrites(session: Any, plan: PlanTree, queue_op: Any) -> None:
    """Refuses a pipeline of which a session would make other numbers, by what it was told.

    Args:
      session: a `tf.Session`.
      plan: the pipeline.
      queue_op: the op of its queue.

    Raises:
      NotLifted: names the queue, and what to leave out.
    """
    options = session._config.graph_options.rewrite_options  # no public spelling
    if options == rewriter_config_pb2.RewriterConfig():
        return
    parts = (fragment for stage in plan.stages for fragment in stage.fragments)
    if not all(rewritten_alike(fragment, options) for fragment in parts):
        told = ", ".join(field.name for field, _ in options.ListFields())
        raise refuse(
            queue_op,
            f"its session is told by rewrite_options ({told}) to rewrite the graph otherwise than"
            " usual, and tf.data would make floats that differ in their last bits",
            "Leave these out of the session's ConfigProto",
        )
