"""Each public name of queueio.train and queueio.io has a file of tests here."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from queueio import io, train

HERE = Path(__file__).parent
WORDS = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=TF)(?=Record)|(?<=LMDB)(?=Reader)|(?<=FIFO)(?=Queue)")


def file_of(symbol: str) -> str:
    return f"test_{WORDS.sub('_', symbol).lower()}.py"


@pytest.mark.parametrize("symbol", sorted({*train.__all__, *io.__all__}))
def test_a_public_symbol_has_a_file_of_tests(symbol: str) -> None:
    assert (HERE / file_of(symbol)).is_file()
