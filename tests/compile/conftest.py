"""What the compiler's tests share."""

from __future__ import annotations

import pytest


@pytest.fixture(params=["v1", "v2"])
def behaviour(request: pytest.FixtureRequest) -> str:
    """TF1's behaviour (ref variables, Switch and Merge) or TF2's (resources, If)."""
    if request.param == "v1":
        request.getfixturevalue("v1_behaviour")
    return str(request.param)
