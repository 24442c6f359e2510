"""A broker to play with, and the words that its tests use."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec

from triplewire import Event
from triplewire.node.broker.broker import Broker
from triplewire.store.tables.identities import Client, Grant, Quotas, Rights
from triplewire.store.tables.registry import SubscriptionOptions, SubscriptionRecord

EVERYTHING = "SELECT ?s ?o { ?s <urn:p> ?o }"
ME = Client("me", "me", None, Rights())
YOU = Client("you", "you", None, Rights())


ALL = Grant()


def client(name: str, *, publish: Grant | None = ALL, subscribe: Grant | None = ALL, **quotas: Any) -> Client:
    return Client(name, name, None, Rights(publish=publish, subscribe=subscribe, quotas=Quotas(**quotas)))


def event(number: int, text: str = "") -> Event:
    [made] = Event.parse(text or f'<urn:s{number}> <urn:p> "{number}" .', "turtle", graph=f"urn:e:{number}")
    return made


def events(first: int, last: int) -> list[Event]:
    return [event(number) for number in range(first, last + 1)]


async def subscribed(
    broker: Broker,
    name: str = "all",
    text: str = EVERYTHING,
    *,
    who: Client = ME,
    start: int | None = None,
    **options: Any,
) -> SubscriptionRecord:
    return await broker.subscriptions.subscribe(who, name, "sparql", text, SubscriptionOptions(**options), start)


async def positions(broker: Broker, number: int, after: int = 0, limit: int = 1000) -> list[int]:
    """Every position from there to the end, page by page."""
    found: list[int] = []
    while True:
        page = await broker.notifications.page(number, after, limit)
        found += [one.position for one in page.notifications]
        if page.next is None:
            return found
        after = page.next


async def positions_up_to(broker: Broker, number: int, last: int, limit: int) -> list[int]:
    """The same, up to a position that may still be on its way: who reads faster than the node writes, waits."""
    found = await positions(broker, number, limit=limit)
    while found and found[-1] < last and await broker.notifications.wait(number, found[-1], timeout=120):
        found += await positions(broker, number, after=found[-1], limit=limit)
    return found


def solutions(notification: Any) -> Any:
    return msgspec.json.decode(notification.json)["solutions"]


@asynccontextmanager
async def broker_at(folder: Path, **options: Any) -> AsyncIterator[Broker]:
    """A broker, closed at the end."""
    broker = await Broker.open(folder, **{"unregistered": (ME, YOU), **options})
    try:
        yield broker
    finally:
        await broker.close()
