"""Which syntax a client wants, by its Accept header (RFC 9110, section 12.5.1)."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.exceptions import HTTPException


def chosen(accept: str | None, offered: Sequence[str]) -> str:
    """The offered media type that the header likes best; the first one where it likes them alike.

    >>> chosen("text/turtle;q=0.5, application/trig", ["text/turtle", "application/trig"])
    'application/trig'
    >>> chosen("*/*", ["text/turtle", "application/trig"])
    'text/turtle'
    """
    if not accept or not accept.strip():
        return offered[0]
    ranges = [_range(part) for part in accept.split(",")]
    best = max(offered, key=lambda kind: _liking(kind, ranges))
    if _liking(best, ranges) <= 0:
        raise HTTPException(406, f"wanted one of {', '.join(offered)}, found {accept!r}")
    return best


def _range(part: str) -> tuple[str, float]:
    kind, *parameters = [piece.strip().lower() for piece in part.split(";")]
    quality = next((piece[2:] for piece in parameters if piece.startswith("q=")), "1")
    try:
        return kind, float(quality)
    except ValueError:
        return kind, 0.0


def _liking(kind: str, ranges: Sequence[tuple[str, float]]) -> float:
    """What the most specific range that fits says."""
    for wanted in (kind, kind.partition("/")[0] + "/*", "*/*"):
        found = [liking for name, liking in ranges if name == wanted]
        if found:
            return max(found)
    return 0.0
