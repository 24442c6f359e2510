"""What a page of the log covers, as its headers say it, so that a reader goes on without asking what it may not see.

A page may hold fewer events than positions: those that the reader has no grant for are left out, and so is what
retention has removed. `Triplewire-Position` is the last position that the page covers, whoever reads; it is before the
one that was asked for if the log ends there. `Triplewire-Gap` is there if retention has removed events after the
position that was asked for: everything up to it.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct


class Extent(Struct, frozen=True):
    """The positions that a page covers. `gap` is the last one that retention has removed, if any was asked for."""

    reached: int
    is_last: bool
    gap: int | None = None


def extent(after: int, limit: int, ends: tuple[int, int], floor_now: int, positions: Sequence[int]) -> Extent:
    """The extent of a page. `ends` are floor and head of the log before it was read, `floor_now` the floor afterwards.

    The log grows and is cut while it is read: what the page is sure to cover goes by what was there before.

    >>> extent(0, 10, (0, 25), 0, range(1, 11))
    Extent(reached=10, is_last=False, gap=None)
    >>> extent(0, 10, (7, 12), 7, range(8, 13))
    Extent(reached=12, is_last=True, gap=7)
    >>> extent(40, 10, (0, 25), 0, [])
    Extent(reached=25, is_last=True, gap=None)
    """
    floor, head = ends
    reached = max([min(max(after, floor) + limit, head), *positions[-1:]])
    was_there = bool(positions) and positions[0] <= floor_now
    return Extent(reached, reached >= head, floor_now if after < floor_now and not was_there else None)


def headers_of(path: str, limit: int, found: Extent) -> dict[str, str]:
    """The headers of a page."""
    headers = {"Triplewire-Position": str(found.reached)}
    if found.gap is not None:
        headers["Triplewire-Gap"] = str(found.gap)
    if not found.is_last:
        headers["Link"] = f'<{path}?after={found.reached}&limit={limit}>; rel="next"'
    return headers
