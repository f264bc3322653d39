"""What a check says of a module is what running the module does."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import event, given, settings

from queueio.check.checking import check_folder
from tests.check.generated import SmallJudge, modules, run


@pytest.mark.long
@settings(max_examples=150)
@given(code=modules())
def test_a_module_ends_at_a_name_that_is_told_and_runs_through_where_none_is(code: str) -> None:
    with TemporaryDirectory() as folder:
        file = Path(folder, "generated.py")
        file.write_text(code)
        told = {each.line for each in check_folder(Path(folder), SmallJudge()).names if each.fails}
        ran, ended = run(code, str(file))
    event("ends" if ended else "runs")
    assert told & ran == ({ended} if ended else set())
