"""Variables and tables of a plan's graph, for a dataset that is made outside of that graph.

Inside the graph they are captured by reference. An eager dataset gets the values from a checkpoint
or session that it is told of; else it can only have what the initialisers say, and where a session
may have changed that, it is refused.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Iterable, Mapping
from typing import Any

import tensorflow as tf

from queueio.errors import message
from queueio.graph.bodies import nodes_run_by
from queueio.graph.copying import again
from queueio.graph.fragment import Fragment
from queueio.graph.refusal import refuse
from queueio.graph.traits import State, op_def_of, row_of
from queueio.graph.traversal import ancestors, fills_of
from queueio.graph.trust import Trust
from queueio.plan.tree import PlanTree

_TABLES = itertools.count()
_SEEDS = ("seed", "seed2")


class Asking(dict[str, Any]):
    """Captures of a dataset in a graph of its own, which nothing of the program's graph enters.

    The tensors that may be asked for are made in the program's graph before: it may be finalised
    when the dataset is made.

    Args:
      graph: the dataset's own.
      left: by the name of each counting op of the plan, `left_before_end` of it.

    Attributes:
      graph: the dataset's own.
      asked: what the placeholders in `graph` stand for, ops that count, by their names.
    """

    def __init__(self, graph: tf.Graph, left: Mapping[str, tf.Tensor]) -> None:
        super().__init__()
        self.graph = graph
        self.asked: dict[str, str] = {}
        self._left = left

    def left(self, counter: tf.Operation) -> tf.Tensor:
        """What stands for the number of times that a counting op would still let a tensor pass."""
        tensor = self._left[counter.name]
        with self.graph.as_default():
            made = tf.compat.v1.placeholder(tensor.dtype, tensor.shape)
        self.asked[made.op.name] = counter.name
        return made

    def questions(self, asked: Mapping[str, str]) -> dict[str, tf.Tensor]:
        """The tensors of the program's graph that tell what `asked` stands for."""
        return {name: self._left[counter] for name, counter in asked.items()}


def left_before_end(counter: tf.Operation) -> tf.Tensor:
    """How often a counting op would still let a tensor pass (int64), asked of its variable."""
    variable = counter.inputs[0]
    if variable.dtype == tf.resource:
        counted = tf.raw_ops.ReadVariableOp(resource=variable, dtype=counter.get_attr("T"))
    else:
        counted = tf.identity(variable)
    return tf.maximum(counter.get_attr("limit") - tf.cast(counted, tf.int64), 0)


def captures_for(plan: PlanTree) -> Mapping[str, Any] | None:
    """What stands for each captured tensor of the plan's graph; None inside that graph.

    Raises:
      NotLifted: the dataset is made outside of the graph, and a variable's value is known only
        to a session; or a table is a reference.
    """
    fragments = [fragment for node in plan.stages for fragment in node.fragments]
    tensors = {tensor.name: tensor for fragment in fragments for tensor in fragment.captures}
    for tensor in tensors.values():
        _check_table(tensor)
    if not tf.executing_eagerly() and tf.compat.v1.get_default_graph() is plan.graph:
        return None
    _check_own_draws([tensor.op for tensor in tensors.values()], plan)
    return {name: _stand_in(tensor, plan) for name, tensor in tensors.items()}


def _check_table(tensor: tf.Tensor) -> None:
    """Refuses a table of before TensorFlow 1.0."""
    op = tensor.op
    if row_of(op.type).makes == "table" and tensor.dtype._is_ref_dtype:  # no public spelling
        raise refuse(
            op,
            "a table of before TensorFlow 1.0 is a reference, which a function of tf.data cannot"
            " hold",
            "Make it with tf.contrib.lookup or tf.lookup, or write the pipeline down with"
            " `queueio convert`: the module has a table of its own",
        )


def _check_own_draws(holders: Iterable[tf.Operation], plan: PlanTree) -> None:
    """Refuses what two variables or tables begin with, where each would get another draw of it.

    A session that initialises both in one call draws once; here each is evaluated by itself.
    """
    drawn: dict[tf.Operation, tf.Operation] = {}
    for holder in dict.fromkeys(holders):
        for op in _draws_behind(holder, plan):
            other = drawn.setdefault(op, holder)
            if other is not holder:
                raise refuse(
                    op,
                    f"{other.name!r} and {holder.name!r} both begin with what it gives, and outside"
                    " of their graph each would get another value of it",
                    "Make the dataset inside that graph (`with tensor.graph.as_default():`), or say"
                    " what a session holds: plan.to_dataset(session=sess)",
                )


def _draws_behind(holder: tf.Operation, plan: PlanTree) -> Iterable[tf.Operation]:
    """The ops behind a variable's or table's first value that give another one in each run."""
    waiting, seen = [holder], set[tf.Operation]()
    while waiting:
        for op in ancestors([tensor.op for tensor in _beginning(waiting.pop(), plan)]):
            if op in seen:
                continue
            seen.add(op)
            if row_of(op.type).makes in ("variable", "table"):
                waiting.append(op)
            elif any(node is None or _gives_another(node) for node in nodes_run_by(op)):
                yield op


def _beginning(holder: tf.Operation, plan: PlanTree) -> list[tf.Tensor]:
    """What a variable or table is evaluated from; nothing where its value is told."""
    if row_of(holder.type).makes == "table":
        return [tensor for user in fills_of(holder) for tensor in list(user.inputs)[1:]]
    initial = initial_of(holder)
    return [] if initial is None or _is_told(holder, plan) else [initial]


def _gives_another(node: Any) -> bool:
    row = row_of(node.op)
    # From a seed each evaluation begins anew.
    from_seed = row.seeded and any(key in node.attr and node.attr[key].i for key in _SEEDS)
    return row.state is State.OWN and not from_seed


def _stand_in(tensor: tf.Tensor, plan: PlanTree) -> Any:
    op = tensor.op
    if op.type == "VarHandleOp":
        variable = tf.Variable(value_of(op, plan), trainable=False)
        return _kept(variable.handle, variable)
    if tensor.dtype._is_ref_dtype and op.type.startswith("Variable"):  # no public spelling
        return value_of(op, plan)
    if row_of(op.type).makes == "table":
        return _table(op, plan)
    raise refuse(
        op,
        "its state belongs to a session of the old graph",
        "Make the dataset inside that graph: `with tensor.graph.as_default():`",
    )


def value_of(op: tf.Operation, plan: PlanTree) -> Any:
    """The value of the variable `op`.

    Raises:
      NotLifted: it is neither told nor known from the graph.
    """
    initial, own = initial_of(op), _is_own(op, plan)
    if _is_told(op, plan):
        return _told(op, plan)
    if initial is None or not (own or plan.scope is not None):
        raise _unknown(op, "the value of this variable is known only to a session of its graph")
    if not own:
        _check_constant(op, initial)
    return _evaluated([initial], plan)[0]


def _is_own(op: tf.Operation, plan: PlanTree) -> bool:
    """Whether it is nobody else's: no checkpoint holds it, no session ran it."""
    local = {v.op.name for v in _collected(plan.graph, tf.compat.v1.GraphKeys.LOCAL_VARIABLES)}
    return op.name in local or bool(plan.owned)


def _is_told(op: tf.Operation, plan: PlanTree) -> bool:
    """Whether its value is looked up in the checkpoint or session that was given."""
    return plan.values is not None and not (_is_own(op, plan) and initial_of(op) is not None)


def initial_of(op: tf.Operation) -> Any:
    """The tensor that the variable `op` is initialised with; None where no op does so."""
    for output in op.outputs:
        for user in output.consumers():
            if user.type in ("Assign", "AssignVariableOp") and user.name == f"{op.name}/Assign":
                return user.inputs[1]
    return None


def _check_constant(op: tf.Operation, initial: Any) -> None:
    """Refuses a variable of a MetaGraph unless nothing but a restore could change its value."""
    inner = Fragment.between([], [initial])
    if inner.captures or any(op_def_of(o).is_stateful for o in inner.ops):
        raise _unknown(
            op,
            "a MetaGraph holds no values of variables, and its initialiser does not give the same"
            " value each time",
        )
    warnings.warn(
        message(
            f"variable {op.name!r} of the MetaGraph has its initial value, a constant",
            "nothing in the graph changes it, though a restored checkpoint may have",
            "Pass checkpoint= or session= to to_dataset to have the value from there",
        ),
        stacklevel=2,
    )


def _unknown(op: tf.Operation, why: str) -> Exception:
    return refuse(
        op,
        why,
        'Say where the values are, plan.to_dataset(checkpoint="path/model.ckpt-1000") or'
        " plan.to_dataset(session=sess); or make the dataset inside that graph"
        " (`with tensor.graph.as_default():`); or lift a function that builds the pipeline",
    )


def _told(op: tf.Operation, plan: PlanTree) -> Any:
    """The variable's value in the checkpoint or session."""
    name = op.name.removeprefix(f"{plan.scope}/") if plan.scope else op.name
    if hasattr(plan.values, "run"):
        return tf.constant(_in_session(plan.values, name, op))
    reader = tf.train.load_checkpoint(plan.values)
    if not reader.has_tensor(name):
        raise _unknown(op, f"the checkpoint {plan.values!r} has no variable {name!r}")
    return tf.constant(reader.get_tensor(name))


def _in_session(session: Any, name: str, op: tf.Operation) -> Any:
    for candidate in (name, op.name):
        try:
            handle = session.graph.get_operation_by_name(candidate).outputs[0]
        except KeyError:
            continue
        reads = [user for user in handle.consumers() if user.type == "ReadVariableOp"]
        return session.run(reads[0].outputs[0] if handle.dtype == tf.resource else handle)
    raise _unknown(op, f"the session's graph has no variable {name!r}")


def _table(op: tf.Operation, plan: PlanTree) -> Any:
    """An eager table with the content that its initialiser in the graph gives."""
    # Eager tables of one name are one table and outlive their handles, so no name comes twice.
    given = _evaluated(list(op.inputs), plan) if op.inputs else []
    (handle,) = again(op, given, shared_name=f"queueio_{next(_TABLES)}_{op.name}")
    for user in fills_of(op):
        _check_told(op, user)
        _fill(user, [handle, *_evaluated(list(user.inputs)[1:], plan)])
    return handle


def _fill(op: tf.Operation, inputs: list[Any]) -> None:
    """Fills a table like `op` does: at once, or when the program initialises its tables."""
    if tf.executing_eagerly():
        again(op, inputs)
        return
    graph = tf.compat.v1.get_default_graph()
    before = len(graph.get_operations())
    again(op, inputs)
    (made,) = (each for each in graph.get_operations()[before:] if each.type == op.type)
    graph.add_to_collection(tf.compat.v1.GraphKeys.TABLE_INITIALIZERS, made)


def _check_told(table: tf.Operation, setter: tf.Operation) -> None:
    """Refuses a table that a Saver fills."""
    if any(row_of(op.type).restores for op in Fragment.between([], list(setter.inputs)[1:]).ops):
        raise refuse(
            table,
            "what is in this table is known only to a session of its graph, or to a checkpoint",
            "Make the dataset inside that graph: `with tensor.graph.as_default():`",
        )


def _evaluated(tensors: list[Any], plan: PlanTree) -> list[Any]:
    fragment = Fragment.between([], tensors)
    trust = Trust(plan.scope is not None, plan.allow)
    for op in fragment.ops:
        trust.check(op)
    captures = {t.name: _stand_in(t, plan) for t in fragment.captures}
    evaluate = tf.function(lambda: fragment.call(captures=captures), autograph=False)
    with tf.init_scope():  # concrete: the others run eagerly where a program debugs its own
        return list(evaluate.get_concrete_function()())


def _collected(graph: Any, key: str) -> list[Any]:
    return list(graph.get_collection(key))


def _kept(handle: Any, owner: Any) -> Any:
    """A handle that keeps the variable alive as long as it lives itself."""
    handle._queueio_owner = owner
    return handle
