"""What a view has said, put together: the answer that its reader has."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

import msgspec
from pyoxigraph import RdfFormat, parse
from tests.views.oracle import Multiset

from triplewire.node.broker.broker import Broker
from triplewire.rdf.sparql_json import solution_of


def items(said: Any) -> Multiset:
    """Solutions, lines of triples, or yes and no, as a multiset."""
    if isinstance(said, bool):
        return Counter([frozenset()] if said else [])
    return Counter(_item(item) for item in said)


def _item(item: Any) -> object:
    if isinstance(item, str):
        [quad] = parse(item, RdfFormat.N_TRIPLES)
        return quad.triple
    return frozenset(solution_of(item).items())


class Reader:
    """Reads a view from the beginning on: first the whole answer, then what each change did to it."""

    def __init__(self) -> None:
        self.position = 0
        self.change = -1
        self.answer: Multiset = Counter()
        self.failed: str | None = None
        self.count = 0

    def take(self, notification: dict[str, Any]) -> None:
        assert notification["position"] > self.position, "in order, each once"
        self.position = notification["position"]
        assert notification["change"] >= self.change + bool(self.count)
        self.change = notification["change"]
        self.count += 1
        if "answer" in notification:
            assert self.count == 1, "the whole answer comes first, and once"
            self.answer = items(notification["answer"])
        elif "failed" in notification:
            self.failed = notification["failed"]
        else:
            self._change(items(notification["added"]), items(notification["removed"]))

    def _change(self, added: Multiset, removed: Multiset) -> None:
        assert self.count > 1, "the whole answer comes first"
        assert added or removed, "nothing is said where nothing changed"
        assert not added & removed, "what it says is net"
        assert removed <= self.answer, "only what was there is removed"
        self.answer = self.answer - removed + added

    async def read(self, broker: Broker, number: int, limit: int = 100, after: int | None = None) -> None:
        """Read on to the end, page by page."""
        place = self.position if after is None else after
        while True:
            page = await broker.notifications.page(number, place, limit)
            assert page.gap is None
            for one in page.notifications:
                self.take(msgspec.json.decode(one.json))
            if page.next is None:
                return
            place = page.next
            await asyncio.sleep(0)
