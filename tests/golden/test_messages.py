"""Whoever searches for TF1's words finds them in what queueio says instead.

`recordings/MESSAGES.json` holds what TF 1.15.5 said when things went wrong; see README.md.
"""

from __future__ import annotations

import functools
import json
import re
import tempfile
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from tests.processes import environment, python

HERE = Path(__file__).parent
RECORDED = json.loads((HERE / "recordings" / "MESSAGES.json").read_text())
LIMIT = 240  # seconds
# What differs from case to case: names, values, lists; and the stops between sentences.
CHANGING = re.compile(
    r"'[^']*'|\"[^\"]*\"|\[[^\]]*\]|\([^)]*\)|<[^>]*>|(?<!\w)-?\d+(\.\d+)?|[:.,;](\s|$)|\n"
)
TENSORFLOW = "today's TensorFlow words it otherwise, and it is TensorFlow that says it"
EARLIER = "queueio refuses it while building; TF1 built it and failed in another way"
ON_PURPOSE = {
    "a_feature_of_unknown_type": TENSORFLOW,
    "a_jpeg_that_is_none": TENSORFLOW,
    "a_png_that_is_none": TENSORFLOW,
    "a_queue_of_no_shapes_list": TENSORFLOW,
    "a_runner_of_an_op_that_is_not_there": TENSORFLOW,
    "an_image_that_is_none": TENSORFLOW,
    "fault_bad_image": TENSORFLOW,
    "json_that_is_none": TENSORFLOW,
    "no_features": TENSORFLOW,
    "refuse_a_bare_tensor": "TF1's advice, to decorate the function, is no way out",
    "records_of_no_bytes": EARLIER,
    "refuse_a_join_of_empty_lists": EARLIER,
    "refuse_a_runner_with_a_bad_exception_type": "TF1 stumbled over its own check",
}
if tuple(map(int, version("tensorflow").split(".")[:2])) < (2, 20):
    del ON_PURPOSE["json_that_is_none"]  # which 2.19 words as 1.15.5 did
ON_PURPOSE_WITH_TF_DATA = {
    "keep_input_of_another_length": "tf.data cuts rows and decisions into examples together",
}


def phrases(message: str) -> list[str]:
    """The parts of a message, of two words or more, that do not change from case to case."""
    parts = CHANGING.sub("\0", message).split("\0")
    flat = (" ".join(part.split()) for part in parts)
    return [part for part in flat if len(re.findall(r"[A-Za-z]{2,}", part)) > 1]


@functools.cache
def said(engine: str) -> Any:
    """What queueio says in the same cases."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "messages.json"
        command = [HERE / "record_messages.py", "--out", out, "--limit", str(LIMIT)]
        command += ["--module", "queueio.v1", "--eager-module", "queueio.train"]
        env = environment(QUEUEIO_ENGINE=engine)
        done = python(*command, cwd=HERE, env=env, timeout=LIMIT + 30)
        assert done.returncode == 0, done.stderr[-4000:]
        return json.loads(out.read_text())


def cases() -> Iterator[Any]:
    for engine in ("queue", "data"):
        for name in sorted(RECORDED):
            reason = ON_PURPOSE.get(name)
            if engine == "data":
                reason = reason or ON_PURPOSE_WITH_TF_DATA.get(name)
            marks = [pytest.mark.xfail(reason=reason, strict=True)] if reason else []
            yield pytest.param(engine, name, marks=marks)


@pytest.mark.parametrize(("engine", "name"), list(cases()))
def test_the_words_of_tf1_are_found(engine: str, name: str) -> None:
    ours = " ".join(" ".join(one["message"].split()) for one in said(engine).get(name, []))
    missing = [
        phrase for one in RECORDED[name] for phrase in phrases(one["message"]) if phrase not in ours
    ]
    assert not missing, ours
