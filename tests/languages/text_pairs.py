"""Reads a fixture of text pairs.

A case is some lines of input, a line `--`, and some lines of what is expected; an empty line ends it. Lines that begin
with `##` are remarks.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

FIXTURES = Path(__file__).parents[1] / "fixtures"


def text_pairs(name: str) -> list[Any]:
    """The cases of `tests/fixtures/<name>`, each as a pytest parameter named by its first line."""
    lines = (FIXTURES / name).read_text(encoding="utf-8").splitlines()
    kept = "\n".join(line for line in lines if not line.startswith("##"))
    return [_case(block) for block in kept.split("\n\n") if block.strip()]


def _case(block: str) -> Any:
    given, _, expected = block.strip("\n").partition("\n--\n")
    assert expected, f"a case wants input, a line --, and what is expected, found {block!r}"
    return pytest.param(given, expected, id=given.replace("\n", " ")[:60])
