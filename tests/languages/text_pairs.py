"""Reads the fixtures of text.

A case is some lines of input, a line `--`, and some lines of what is expected; an empty line ends it. Where the same is
expected of all cases of a file, it has the inputs only. Lines that begin with `##` are remarks.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

FIXTURES = Path(__file__).parents[1] / "fixtures"


def text_pairs(name: str) -> list[Any]:
    """The cases of `tests/fixtures/<name>`, each as a pytest parameter named by its first line."""
    return [_pair(case) for case in texts(name)]


def texts(name: str) -> list[str]:
    """The cases of a fixture as they are written."""
    lines = (FIXTURES / name).read_text(encoding="utf-8").splitlines()
    kept = "\n".join(line for line in lines if not line.startswith("##"))
    return [block.strip("\n") for block in kept.split("\n\n") if block.strip()]


def _pair(case: str) -> Any:
    given, _, expected = case.partition("\n--\n")
    assert expected, f"a case wants input, a line --, and what is expected, found {case!r}"
    return pytest.param(given, expected, id=given.replace("\n", " ")[:60])
