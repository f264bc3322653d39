"""However a decoding is written, a plan gives what a session gives, and takes chunks."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import queueio
from benchmarks.contenders import Legacy
from benchmarks.phrasings import PHRASINGS, Phrasing
from queueio.compile.vectorise import Chunked, vectorise
from queueio.stages.decoders.user_ops import Transform
from tests.turns import by_turns

v1 = tf.compat.v1
Run = Callable[..., subprocess.CompletedProcess[str]]
RECORDS, BATCH = 2_500, 125
ONE_BY_ONE = {"tfrecord/jpeg"}  # images


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("phrasings")


def lifted(phrasing: Phrasing, files: list[str]) -> Any:
    legacy = Legacy()

    def queued() -> Any:
        names = legacy.train.string_input_producer(files, num_epochs=1)
        return legacy.train.shuffle_batch(
            phrasing.example(legacy, names), BATCH, 1_500, 1_000, allow_smaller_final_batch=True
        )

    return queueio.lift(queued)


def sorted_rows(*components: Any) -> list[tuple[bytes, ...]]:
    arrays = [np.asarray(component) for component in components]
    return sorted(
        tuple(np.asarray(row).tobytes() for row in rows) for rows in zip(*arrays, strict=True)
    )


def parsed_in_a_session(phrasing: Phrasing, files: list[str]) -> list[np.ndarray]:
    """The expert's vectorised parse of all records, which a session's optimiser rewrites too."""
    records = [tf.nest.flatten(each) for file in files for each in phrasing.records(file)]
    columns = list(zip(*records, strict=True))
    with tf.Graph().as_default(), v1.Session() as session:
        fed = [v1.placeholder(column[0].dtype, [None]) for column in columns]
        values = [[part.numpy() for part in column] for column in columns]
        parsed: list[np.ndarray] = session.run(
            tf.nest.flatten(phrasing.batch(*fed)), dict(zip(fed, values, strict=True))
        )
        return parsed


@pytest.mark.long
@pytest.mark.parametrize("name", by_turns(PHRASINGS))
def test_a_plan_gives_the_bits_of_a_vectorised_parse(name: str, folder: Path) -> None:
    phrasing = PHRASINGS[name]
    files = phrasing.files(folder / name.replace("/", "-"), RECORDS)
    plan = lifted(phrasing, files)
    batches = [tf.nest.flatten(batch) for batch in plan.to_dataset()]
    got = [tf.concat(parts, 0) for parts in zip(*batches, strict=True)]
    told = parsed_in_a_session(phrasing, files)
    assert sorted_rows(*got) == sorted_rows(*told)
    if name not in ONE_BY_ONE:
        assert {type(piece) for piece in pieces_of(plan)} == {Chunked}


MADE = """
from benchmarks.phrasings import PHRASINGS
from tests.compile.test_phrasings import lifted
from pathlib import Path
import sys

phrasing = PHRASINGS[sys.argv[1]]
files = phrasing.files(Path(sys.argv[2]), 2_500)
assert len(list(lifted(phrasing, files).to_dataset()))
"""


@pytest.mark.long
@pytest.mark.parametrize("name", ["csv/columns", "tfrecord/keys", "fixed/turned"])
def test_making_a_dataset_warns_of_nothing(name: str, tmp_path: Path, run_python: Run) -> None:
    done = run_python(MADE, name, str(tmp_path / "files"))
    assert done.returncode == 0, done.stderr
    assert "Instructions for updating" not in done.stderr and "Warning" not in done.stderr


def pieces_of(plan: Any) -> list[Any]:
    maps = [node for node in plan.stages if isinstance(node, Transform)]
    return [piece for node in maps for piece in vectorise(node._run)]
