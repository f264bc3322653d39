"""Build one pipeline, run it to its end, and write down all that a user could notice."""

from __future__ import annotations

import re
import time
from typing import Any

import graphs
import values
from pipelines.registry import Pipeline, Script

MOST_STEPS = 200
OPERATION_LIMIT = 20000  # milliseconds: a hang becomes a DeadlineExceededError in the recording


def failure(error: BaseException) -> dict[str, Any]:
    op = getattr(error, "op", None)
    message = str(getattr(error, "message", error)).splitlines() or [""]
    return {
        "type": type(error).__name__,
        "op": graphs.outside(op.name) if op is not None else None,
        "message": re.sub(UNSETTLED, "", message[0])[:160],
    }


# What changes from run to run: numbers before names, momentary sizes, addresses.
UNSETTLED = r"(?<=')_\d+_| \(requested \d+, current size \d+\)| object at 0x[0-9a-f]+"


def static(tf: Any, tensor: Any) -> Any:
    if isinstance(tensor, tf.Operation):
        return None
    shape = tensor.shape.as_list() if tensor.shape.ndims is not None else "unknown"
    return [tensor.dtype.base_dtype.name, shape]


def observe(tf: Any, pipeline: Pipeline) -> dict[str, Any]:
    """The recording of one pipeline."""
    recording: dict[str, Any] = {
        "family": pipeline.family,
        "order": pipeline.order,
    }
    with tf.Graph().as_default() as graph:
        try:
            fetches = pipeline.build(tf)
        except Exception as error:
            recording["refused"] = failure(error)
            return recording
        recording["returns"] = values.structure(tf, fetches) if fetched(tf, fetches) else None
        flat = values.flatten(tf, fetches) if fetched(tf, fetches) else {}
        if not isinstance(fetches, Script):
            recording["static"] = {key: static(tf, tensor) for key, tensor in flat.items()}
        recording["collections"] = graphs.collections(tf, graph)
        recording["nodes"] = graphs.nodes(graph)
        recording.update(run(tf, pipeline, fetches))
    return recording


def fetched(tf: Any, fetches: Any) -> bool:
    return not hasattr(fetches, "dequeue")


def run(tf: Any, pipeline: Pipeline, fetches: Any) -> dict[str, Any]:
    if pipeline.steps == 0:
        return {}
    if not fetched(tf, fetches):
        raise AssertionError(f"{pipeline.name} should have been refused")
    initialisers = []
    if pipeline.init:
        initialisers = [
            tf.global_variables_initializer(),
            tf.local_variables_initializer(),
            tf.tables_initializer(),
        ]
    config = tf.ConfigProto(operation_timeout_in_ms=OPERATION_LIMIT)
    with tf.Session(config=config) as session:
        try:
            session.run(initialisers)
        except Exception as error:
            return {"initialisation": failure(error)}
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator) if pipeline.start else []
        if isinstance(fetches, Script):
            result = play(tf, session, fetches)
        else:
            result = drain(tf, session, pipeline, fetches)
        coordinator.request_stop()
        try:
            coordinator.join(threads, stop_grace_period_secs=15)
        except Exception as error:
            result["join"] = failure(error)
    return result


def play(tf: Any, session: Any, script: list[Any]) -> dict[str, Any]:
    """Run the fetches of a script once each."""
    steps: list[Any] = []
    for fetches in script:
        try:
            flat = values.flatten(tf, fetches)
            steps.append({key: values.plain(v) for key, v in session.run(flat).items()})
        except Exception as error:
            steps.append({"raises": failure(error)})
    return {"steps": steps}


def drain(tf: Any, session: Any, pipeline: Pipeline, fetches: Any) -> dict[str, Any]:
    """Run the same fetches until they raise."""
    flat = values.flatten(tf, fetches)
    steps: list[dict[str, Any]] = []
    shapes: list[dict[str, list[int]]] = []
    end: dict[str, Any] | None = None
    while len(steps) < (pipeline.steps or MOST_STEPS):
        time.sleep(pipeline.pause)
        try:
            got = session.run(flat)
        except Exception as error:
            end = failure(error)
            break
        steps.append({key: values.plain(value) for key, value in got.items()})
        shapes.append({key: list(getattr(value, "shape", ())) for key, value in got.items()})
    if pipeline.order == "rows":
        examples = sorted(row for step in steps for row in values.rows(step))
        shapes = [{k: s for k, s in shape.items() if not is_cell(k)} for shape in shapes]
        return {"examples": examples, "shapes": shapes, "count": len(steps), "end": end}
    if pipeline.order == "steps":
        steps.sort(key=repr)
    return {"steps": steps, "shapes": shapes, "count": len(steps), "end": end}


def is_cell(key: str) -> bool:
    """Whether a fetch holds the cells of a sparse batch: how many depends on which rows met."""
    return values.split(key)[1] in ("indices", "values")
