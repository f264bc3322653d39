"""MetaGraphs that TensorFlow 1.15.5 saved, written down as source, deliver what they did there."""

from __future__ import annotations

from typing import Any

import comparing
import pytest
from expected import MANIFEST, METAGRAPHS, flat_fetches

from queueio import lift_meta_graph
from tests.turns import by_turns

from .conftest import Sources

# The state of a sharded or trained graph is its session's: a caller of the source passes it.
ENTRIES = by_turns(MANIFEST, ahead=1)
SHUFFLED = {"range_shuffled_with_seed"}


@pytest.fixture(scope="module", params=["plain", "fast"])
def sources(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Sources:
    """All MetaGraphs as modules in one folder, run in one process."""
    made = Sources.shared(tmp_path_factory, f"metagraphs-{request.param}", METAGRAPHS)
    with made.once() as first:
        if first:
            with made.behaviour("v2"):
                for entry in ENTRIES:
                    plan = lift_meta_graph(entry["meta"], entry["fetches"])
                    made.write(entry["name"], plan.to_source(style=request.param))
            made.run()
    return made


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry["name"])
def test_the_source_of_a_metagraph_delivers_what_tf1_delivered(
    entry: dict[str, Any], sources: Sources
) -> None:
    got = sources.results[entry["name"]]
    assert got["end"] == "OutOfRangeError"
    known = flat_fetches(entry)
    steps = [{_path(path, known): part for path, part in step.items()} for step in got["steps"]]
    if entry["order"] == "exact" and entry["name"] not in SHUFFLED:
        assert steps == entry["steps"], sources.text(entry["name"])
    elif entry["order"] == "steps":
        assert sorted(steps, key=repr) == entry["steps"], sources.text(entry["name"])
    else:
        told = entry.get("examples") or sources.rows(entry["steps"])
        assert sources.rows(steps) == sorted(told), sources.text(entry["name"])
    shapes = [{_path(p, known): s for p, s in one.items()} for one in got["shapes"]]
    kept = entry["shapes"][0]
    delivered = [{p: s for p, s in one.items() if p in kept} for one in shapes]
    assert comparing.shapes({**entry, "shapes": delivered}) == comparing.shapes(entry)


def test_the_sources_are_as_ruff_would_have_them(sources: Sources) -> None:
    assert sources.ruff("format", "--check") == ""
    assert sources.ruff("check") == ""


def _path(path: str, known: dict[str, str]) -> str:
    return path if path in known else path.removeprefix("0/")
