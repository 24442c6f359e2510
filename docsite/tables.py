"""Cells of Markdown that stay cells, whatever stands in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator


def cell(text: str) -> str:
    r"""
    >>> cell("a | b\nc")
    'a \\| b c'
    """
    return " ".join(text.replace("|", "\\|").split())


def code(text: str) -> str:
    """Text as code, also if there is a backtick in it; nothing for nothing.

    >>> code("--out"), code("a `b`"), code("")
    ('`--out`', '`` a `b` ``', '')
    """
    if not text:
        return ""
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> Iterator[str]:
    """The lines of a table."""
    names = list(head)
    yield f"| {' | '.join(names)} |"
    yield f"|{'---|' * len(names)}"
    for row in rows:
        yield f"| {' | '.join(map(cell, row))} |"
    yield ""
