"""How often examples come is told beside what else differs: values, or others that are lost."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from queueio.compare.run import compare
from tests.compare.memory import Memory
from tests.turns import by_turns

COUNT, FILES = 143, (43, 63, 6, 31)
ID = np.arange(COUNT)
OLD = {"id": ID, "label": np.random.default_rng(1).integers(0, 9, COUNT)}
NEW = {
    "nothing": OLD,
    "labels by one": {**OLD, "label": OLD["label"] + 1},
    "labels twice as large": {**OLD, "label": OLD["label"] * 2 + 2},
}


def files(rng: np.random.Generator, count: int) -> Any:
    """Whole files in another order each time."""
    return np.concatenate([np.split(ID, np.cumsum(FILES)[:-1])[i] for i in rng.permutation(4)])


ORDERS: dict[str, dict[str, Any]] = {
    "one order": {}, "a shuffle": {"pool": 50}, "shuffled files": {"order": files}
}  # fmt: skip


def sides(changed: str, order: str, keep: Any = None, old: Any = None, new: Any = None) -> Any:
    data = {n: v if keep is None else v[keep] for n, v in NEW[changed].items()}
    how = ORDERS[order]
    return Memory(OLD, 16, **how, **(old or {})), Memory(data, 16, seed=4, **how, **(new or {}))


def findings(old: Any, new: Any) -> Any:
    found = compare(old, new, cost=False).findings
    return {f.code: f.sentence for f in found if f.severity != "note"}


CASES = [(changed, order) for changed in NEW for order in ORDERS]
ROWS = [case for case in CASES if case[1] != "shuffled files"]  # of a part there are other files


@pytest.mark.parametrize("kept", [True, False])
@pytest.mark.parametrize(
    ("changed", "order", "epochs"), by_turns([*((*c, 1) for c in CASES), *((*c, 3) for c in ROWS)])
)
def test_a_last_batch_that_one_side_drops_is_no_lost_file_where_values_are_changed_too(
    changed: str, order: str, epochs: int, kept: bool
) -> None:
    drops, keeps = {"drop": True, "epochs": epochs}, {"epochs": epochs}
    old, new = sides(changed, order, None, *((drops, keeps) if kept else (keeps, drops)))
    found = findings(old, new)
    rest = COUNT * epochs % 16
    word = "kept" if kept else "dropped"
    assert f"{word} by the new side: {rest} examples" in found["tail-batch"], found
    assert not {"missing", "extra", "file-missing", "duplicated", "epochs"} & set(found), found


@pytest.mark.parametrize("lost", [slice(1, None), slice(0, 123)])
@pytest.mark.parametrize(("changed", "order"), by_turns(ROWS))
def test_another_number_of_epochs_is_told_though_examples_are_lost(
    changed: str, order: str, lost: slice
) -> None:
    for drop in {False, order == "one order"}:
        old, new = {"epochs": 2, "drop": drop}, {"epochs": 3, "drop": drop}
        found = findings(*sides(changed, order, lost, old, new))
        assert "comes 2 times in the old side, 3 times in the new" in found["epochs"], found
        assert not {"file-twice", "duplicated"} & set(found), found


@pytest.mark.parametrize(("changed", "order"), by_turns(ROWS))
def test_a_row_or_a_part_read_again_is_no_epoch_and_is_told_of_changed_ones_too(
    changed: str, order: str
) -> None:
    once = sides(changed, order, [*range(50), *range(49, COUNT)])
    found = findings(*once)
    assert "1 example is delivered more often by the new side" in found["duplicated"], found
    part = [*range(43, 106), *range(43, 106)]  # one file read again, in place of the others
    found = findings(*sides(changed, order, part))
    assert "63 examples are delivered more often" in str(found) and "epochs" not in found, found


@pytest.mark.parametrize("epochs", [1, 2])
def test_what_shuffles_leave_out_by_chance_is_not_told_of_changed_examples(epochs: int) -> None:
    drops = {"drop": True, "epochs": epochs}
    found = findings(*sides("labels by one", "a shuffle", None, drops, drops))
    assert len(found) == 1, found
