"""Every question of SPARQL's semantics is asked of both lanes."""

from __future__ import annotations

import pytest


@pytest.fixture(params=["fast", "general"])
def lane(request: pytest.FixtureRequest) -> str:
    return str(request.param)
