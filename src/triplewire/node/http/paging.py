"""A page of a list, and a search in it: lists may have a hundred thousand items, and nobody looks at all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Annotated, Generic, TypeVar

from fastapi import Query
from msgspec import UNSET, Struct, UnsetType

T = TypeVar("T")

MOST = 1_000
_MOST_OFFSET = 1_000_000_000

Search = Annotated[str, Query(max_length=200, description="Words that each item has somewhere, in any case.")]
Offset = Annotated[int, Query(ge=0, le=_MOST_OFFSET, description="So many items are left out first.")]
Limit = Annotated[int | None, Query(ge=1, le=MOST, description="At most so many; all by default.")]


class Page(Struct, Generic[T], frozen=True):
    """Some items, and how many there are in all, where only some were asked for."""

    items: list[T]
    total: int | UnsetType = UNSET


def page_of(
    items: Iterable[T], search: str, texts: Callable[[T], Iterable[str]], offset: int = 0, limit: int | None = None
) -> Page[T]:
    """The items that have every word of a search in one of their texts, or a page of them.

    >>> page_of(["Faust", "Emma", "faustus"], "FAUST", lambda item: (item,), 1, 10)
    Page(items=['faustus'], total=2)
    >>> page_of(["Faust", "Emma"], "", lambda item: (item,))
    Page(items=['Faust', 'Emma'], total=UNSET)
    """
    words = search.casefold().split()
    found = [item for item in items if not words or _has_all(words, texts(item))]
    if limit is None:
        return Page(found[offset:])
    return Page(found[offset : offset + limit], len(found))


def _has_all(words: list[str], texts: Iterable[str]) -> bool:
    joined = "\n".join(texts).casefold()
    return all(word in joined for word in words)
