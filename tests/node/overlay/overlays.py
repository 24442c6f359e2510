"""Nodes of one network in one process, over real sockets of loopback, and the words that their tests use."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path

from tests.node.brokers import client
from tests.node.transport.backbones import KEY, until

from triplewire import Event
from triplewire.network.timings import Timings
from triplewire.node.broker.advertisements import Advertisements
from triplewire.node.broker.broker import Broker
from triplewire.node.overlay.overlay import Overlay, OverlaySettings
from triplewire.node.transport.keys import NetworkKey
from triplewire.store.tables.registry import SubscriptionOptions, SubscriptionRecord

# Quick, so that nobody waits long for a second try.
QUICK = Timings(
    heartbeat=0.2,
    suspect_after=2.0,
    fail_after=0.6,
    retry=0.4,
    resume_after=1.5,
    probe_failed_every=0.5,
    withdraw_after=2.0,
    remember_broadcasts=20.0,
)


class Site:
    """A broker with its overlay, in a folder that survives it."""

    def __init__(self, folder: Path, key: NetworkKey = KEY) -> None:
        self.folder = folder
        self.key = key
        self.me = client(folder.name)
        self.address: str | None = None
        self.is_up = False

    async def start(self, *seeds: Site) -> None:
        self.broker = await Broker.open(self.folder, unregistered=(self.me,))
        self.advertisements = Advertisements(self.broker)
        await self.advertisements.load()
        addresses = tuple(seed.overlay.address for seed in seeds)
        plan = OverlaySettings(key=self.key, address=self.address, seeds=addresses, join_seconds=120, timings=QUICK)
        self.overlay = await Overlay.open(self.broker, self.advertisements, plan)
        await self.overlay.begin()
        await self.overlay.joined()
        self.is_up = True

    async def stop(self) -> None:
        if self.is_up:
            self.is_up = False
            await self.overlay.stop()
            await self.broker.close()

    async def crash(self) -> None:
        """End without a goodbye: nothing is said or written any more, as far as that can be had in one process."""
        self.is_up = False
        self.overlay._local_changes.end()
        self.overlay._rule_subscriptions.end()
        await self.overlay._tasks.stop()
        await self.overlay.transport.stop()
        await self.broker.close()

    @property
    def peer(self):
        return self.overlay.peer

    async def subscribe(self, text: str, name: str = "mine") -> SubscriptionRecord:
        return await self.broker.subscriptions.subscribe(self.me, name, "sparql", text, SubscriptionOptions(), None)

    async def publish(self, *names: str, predicate: str = "urn:p", text: str = "x") -> None:
        events = [Event.parse(f'<urn:s> <{predicate}> "{text}" <{name}> .')[0] for name in names]
        await self.broker.events.publish(self.me, events)

    async def got(self, name: str = "mine") -> list[str]:
        """Which events a subscription was notified of, in order."""
        number = self.broker.subscriptions.require(self.me.id, name).number
        page = await self.broker.notifications.page(number, 0, 1_000)
        return [one.event for one in page.notifications]

    async def gets(self, *names: str, subscription: str = "mine") -> None:
        """Wait until exactly these events have come, in this order."""
        found: list[str] = []
        try:
            async with asyncio.timeout(120):
                while len(found) < len(names):
                    found = await self.got(subscription)
                    await asyncio.sleep(0.02)
        except TimeoutError:
            raise AssertionError(f"wanted {names}, found {found}") from None
        assert found == list(names)


@asynccontextmanager
async def sites(folder: Path, *names: str) -> AsyncIterator[list[Site]]:
    """So many nodes of one network, all in."""
    made = [Site(folder / name) for name in names]
    try:
        for number, site in enumerate(made):
            await site.start(*made[:1] if number else ())
        await settled(made)
        yield made
    finally:
        for site in reversed(made):
            await site.stop()


async def settled(made: Iterable[Site]) -> None:
    """Wait until all that are up know of each other, and nobody else."""
    up = {site.peer.id for site in made if site.is_up}
    await until(lambda: all(set(site.peer.members.places) == up for site in made if site.is_up))
