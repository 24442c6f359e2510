"""docs/threats.md has every row that code and tests name, and the tests that it names exist."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "threats.md").read_text(encoding="utf-8")
ROWS = {*(f"F{number}" for number in range(1, 13)), *(f"A{number}" for number in range(1, 19))}


def test_every_row_is_there():
    assert set(re.findall(r"^\| ([FA][0-9]+) \|", PAGE, re.MULTILINE)) == ROWS


def test_every_row_that_the_sources_name_is_one():
    named = set()
    for source in (ROOT / "src").rglob("*.py"):
        named |= set(re.findall(r"\brow ([FA][0-9]+)\b", source.read_text(encoding="utf-8")))
    assert named
    assert named <= ROWS


def test_the_tests_that_it_names_exist():
    paths = set(re.findall(r"`(tests/[\w/]+\.py)`", PAGE))
    assert len(paths) > 20
    assert [path for path in sorted(paths) if not (ROOT / path).exists()] == []
