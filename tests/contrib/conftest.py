"""The data engine is asked in each test that chooses it, whichever test came first."""

from __future__ import annotations

import pytest

import queueio


@pytest.fixture(autouse=True, scope="session")
def the_data_engine_is_asked() -> None:
    queueio.engine.install()  # as QUEUEIO_ENGINE has it done for a whole run
