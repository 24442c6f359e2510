"""Properties that `make test` tries on few examples, and `make test-slow` on many."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis.strategies import SearchStrategy


def sweep(test: Any, *drawn: SearchStrategy[Any], examples: int) -> Callable[..., None]:
    """The property of a test once more, on so many examples, as a slow test."""
    return pytest.mark.slow(settings(max_examples=examples)(given(*drawn)(test.hypothesis.inner_test)))
