"""A set that forgets: for what spares work if it is remembered, and costs no more than work if it is not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Generic, TypeVar

Item = TypeVar("Item")


class BoundedSet(Generic[Item]):
    """The last `most` items that were added.

    >>> seen = BoundedSet[int](2)
    >>> for item in (1, 2, 3):
    ...     seen.add(item)
    >>> [item in seen for item in (1, 2, 3)]
    [False, True, True]
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._items: dict[Item, None] = {}

    def __contains__(self, item: Item) -> bool:
        return item in self._items

    def __iter__(self) -> Iterator[Item]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def add(self, item: Item) -> None:
        self._items.pop(item, None)
        self._items[item] = None
        if len(self._items) > self._most:
            del self._items[next(iter(self._items))]

    def discard(self, item: Item) -> None:
        self._items.pop(item, None)
