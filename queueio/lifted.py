"""The public face of a plan: lift a graph, then run, write or explain what was found.

    plan = queueio.lift(fetches)      # queueio/lift/
    plan.to_dataset()                 # queueio/compile/
    print(plan.to_source())           # queueio/emit/
    print(plan.explain())             # queueio/explain/

A plan itself is data (queueio/plan/tree.py); only this file knows all that can be done with one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, replace
from typing import Any

from queueio.plan.tree import PlanTree


class Plan(PlanTree):
    """What a queue pipeline delivers, and how; made by `queueio.lift`.

    `print(plan)` shows its stages. It raises nothing by itself: whatever could not be translated
    was refused by the lifter.
    """

    def __repr__(self) -> str:
        names = " → ".join(type(stage).__name__ for stage in reversed(list(self.stages)))
        return f"<Plan: {names}>"

    def _repr_html_(self) -> str:
        from queueio.explain import drawn

        return drawn(self)

    def to_dataset(
        self, *, vectorise: bool = True, checkpoint: str | None = None, session: Any = None
    ) -> Any:
        """This pipeline in tf.data.

        Args:
          vectorise: whether to work on chunks of examples where that is exact; False gives the
            plain form, one example at a time.
          checkpoint: a checkpoint (its path without `.index`) with the values of the variables
            that the pipeline reads; for a dataset made outside of the pipeline's graph.
          session: the same from a session that holds them.

        Returns:
          A `tf.data.Dataset` that ends where the queues ended. Its elements have the fetches'
          structure (lists as tuples: tf.data has no lists), their dtypes and static shapes.
          Made inside a `tf.Graph` it belongs to that graph, whose initialisers fill its variables
          and tables; else it is an eager one. tf.data's autotuner and its own rewrites are off in
          it, since chunks leave them nothing to do; `with_options` of yours can turn them on.

        Raises:
          NotLifted, NoEquivalent: a part has no tf.data form here; or it reads a variable whose
            value is neither told nor known from the graph.
          ValueError: both a checkpoint and a session are given.
          tf.errors.DataLossError: under `strict`, its files hold bytes that no reader delivers;
            else that is a DataLossWarning.
        """
        from queueio.compile.dataset import to_dataset
        from queueio.forensics.plan_audit import audit_plan

        if checkpoint is not None and session is not None:
            raise ValueError(
                "checkpoint and session are both given: which has the values? Give one"
            )
        audit_plan(self)
        told = checkpoint if session is None else session
        plan = self if told is None else replace(self, values=told)
        return to_dataset(plan, vectorise=vectorise)

    def explain(self) -> str:
        """The stages as `print(plan)` shows them, each with its lesson and its tf.data form.

        Returns:
          Text of many lines.
        """
        from queueio.explain import explain

        return explain(self)

    def to_source(self, *, style: str = "plain", title: str = "") -> Any:
        """This pipeline as a Python module that needs TensorFlow only.

        Args:
          style: "plain" maps single examples; "fast" shuffles and batches what the reader gives,
            then parses a whole batch in one call, wherever that delivers the same.
          title: the script that the module's docstring names; by default the plan's own.

        Returns:
          A `queueio.emit.module.Module`: `print` it, or `write` it to a file; its `notes` are what
          it says above its steps, such as where its meaning differs.

        Raises:
          NotLifted, NoEquivalent: a part cannot be written down (a Python function of the
            program, a loop of TF1's control flow).
        """
        from queueio.emit.module import to_source

        return to_source(self, style=style, title=title)


def lift(fetches: Any, *, graph: Any = None, allow: Iterable[str] = ()) -> Plan:
    """Reads a TF1 queue pipeline back from its graph.

    Args:
      fetches: any nest (list, tuple, dict) of tensors, SparseTensors or names of tensors, as one
        `sess.run` would fetch them; or a function without arguments that builds a queue pipeline
        and returns such a nest.
      graph: the `tf.Graph` that names are looked up in; the default graph if not given.
      allow: as for `lift_meta_graph`, for ops that the graph has imported.

    Returns:
      The plan of the pipeline. The graph is left as it is.

    Raises:
      NotLifted: queueio has no translation for a part of it.
      NoEquivalent: tf.data has nothing that behaves like a part of it.
      ValueError: there are no tensors among the fetches, or no such name in the graph.
    """
    from queueio.lift import fetches as lifting

    return _with_verbs(lifting.lift(fetches, graph=graph, allow=allow))


def lift_meta_graph(
    path: str, fetches: Any, import_scope: str | None = None, *, allow: Iterable[str] = ()
) -> Plan:
    """Reads a TF1 queue pipeline from a MetaGraph file, saved by TF 1.x or 2.x.

    Args:
      path: the file, as `tf.train.export_meta_graph` or a `Saver` wrote it.
      fetches: a nest of tensor names; a sparse tensor is a dict of the names of its `indices`,
        `values` and `dense_shape`. Names are those in the file, without `import_scope`.
      import_scope: a scope to import the graph under.
      allow: types of ops that may run although they act on the world outside of the graph
        (`["WriteFile"]`): that write, rename or delete files, open connections, run Python.

    Returns:
      The plan of the pipeline. A file holds no values of variables: where the pipeline reads
      one, give `plan.to_dataset` a `checkpoint` or a `session`.

    Raises:
      NotLifted, NoEquivalent, ValueError: as for `lift`.
    """
    from queueio.lift import fetches as lifting

    return _with_verbs(lifting.lift_meta_graph(path, fetches, import_scope, allow=allow))


def _with_verbs(tree: PlanTree) -> Plan:
    return Plan(**{field.name: getattr(tree, field.name) for field in fields(tree)})
