"""Advertisements of a node's clients: what each will publish, kept until it is withdrawn or its time is over.

They are kept whether the node is in a network or not; `listener` is the network, which is notified of each change. A
client that advertises again under the same name replaces what it said, and thereby prolongs it.
"""

from __future__ import annotations

import asyncio
from typing import Protocol

from msgspec import Struct

from triplewire.algebra.advertisements.advertisement import Advertisement
from triplewire.errors import QuotaExceeded, UnknownAdvertisement
from triplewire.network.messages import Description
from triplewire.network.routing.advertisements.descriptions import check_size, combined, describe
from triplewire.node.broker.broker import Broker
from triplewire.rdf.documents import read_document
from triplewire.rdf.formats import TURTLE, Format
from triplewire.rdf.parsing.quads import parse_quads
from triplewire.store.tables import advertisements as kept
from triplewire.store.tables.advertisements import AdvertisementRecord

MOST = 100
# A name, and whether it was derived.
Place = tuple[str, bool]


class Listener(Protocol):
    """The network, which is notified of who advertises what."""

    def advertise(self, description: Description, owner: str, lasts: float | None) -> None: ...

    def withdraw(self, key: str, owner: str) -> None: ...


class ActiveAdvertisement(Struct, frozen=True):
    """An advertisement and its description as it travels."""

    record: AdvertisementRecord
    description: Description

    @property
    def place(self) -> Place:
        return self.record.name, self.record.is_derived


class Advertisements:
    """Every advertisement of a node's clients. Made on an event loop; `load` it first."""

    def __init__(self, broker: Broker) -> None:
        self._broker = broker
        self._by_owner: dict[str, dict[Place, ActiveAdvertisement]] = {}
        self._listener: Listener | None = None

    async def load(self) -> None:
        """Read what was advertised."""
        for record in await self._broker.store.read(kept.everyone):
            entry = ActiveAdvertisement(record, described(record.rdf.encode(), TURTLE))
            self._by_owner.setdefault(record.owner, {})[entry.place] = entry
        await self.expire()

    def listen(self, listener: Listener) -> None:
        """Tell a network from now on, and first of all that there is."""
        self._listener = listener
        for entry in self.everyone():
            listener.advertise(entry.description, entry.record.owner, self._lasts(entry.record))

    # Looking

    def named(self, owner: str, name: str) -> ActiveAdvertisement:
        """An owner's advertisement, or `UnknownAdvertisement`."""
        found = self._at(owner, (name, False))
        if found is None or self._is_over(found.record):
            raise UnknownAdvertisement(wanted=f"the advertisement {name!r}", found="none of that name")
        return found

    def of(self, owner: str) -> list[ActiveAdvertisement]:
        """What an owner has advertised, and what was derived for it."""
        return list(self._by_owner.get(owner, {}).values())

    def everyone(self) -> list[ActiveAdvertisement]:
        return [entry for entries in self._by_owner.values() for entry in entries.values()]

    def speaks_for_itself(self, owner: str) -> bool:
        """Whether an owner has advertised something itself."""
        return any(not entry.record.is_derived and not self._is_over(entry.record) for entry in self.of(owner))

    def derived(self, owner: str) -> ActiveAdvertisement | None:
        """What was derived for an owner."""
        return self._at(owner, ("", True))

    # Changing

    async def put(
        self, owner: str, name: str, description: Description, lasts: float | None = None
    ) -> ActiveAdvertisement:
        """Advertise. The answer comes when it is on the disk."""
        if self._at(owner, (name, False)) is None and len(self.of(owner)) >= MOST:
            raise QuotaExceeded("advertisements", wanted=f"at most {MOST} advertisements", found="another")
        # What a client advertises travels as one description: it must fit into one.
        combined([description, *(one.description for one in self.of(owner) if one.place != (name, False))])
        ends = None if lasts is None else self._broker.date.time() + lasts
        entry = ActiveAdvertisement(AdvertisementRecord(owner, name, description.rdf, ends=ends), description)
        await self._keep(entry)
        self._set(entry)
        if (derived := self.derived(owner)) is not None:
            await self._remove(derived)
        return entry

    def derive(self, owner: str, description: Description) -> asyncio.Future[None]:
        """Advertise for an owner what it has published. The network knows at once, the disk soon."""
        entry = ActiveAdvertisement(AdvertisementRecord(owner, "", description.rdf, is_derived=True), description)
        self._set(entry)
        return asyncio.ensure_future(self._keep(entry))

    async def remove(self, owner: str, name: str) -> None:
        """Withdraw an advertisement."""
        await self._remove(self.named(owner, name))

    async def remove_all(self, owner: str) -> None:
        """Withdraw everything of an owner, also what was derived."""
        for entry in self.of(owner):
            await self._remove(entry)

    async def expire(self) -> None:
        """Forget what is over."""
        for entry in self.everyone():
            if self._is_over(entry.record):
                await self._remove(entry)

    # Private

    def _set(self, entry: ActiveAdvertisement) -> None:
        before = self._at(entry.record.owner, entry.place)
        self._by_owner.setdefault(entry.record.owner, {})[entry.place] = entry
        if self._listener is not None:
            self._listener.advertise(entry.description, entry.record.owner, self._longest(entry))
            if before is not None:
                self._withdraw(before)

    async def _remove(self, entry: ActiveAdvertisement) -> None:
        await self._broker.store.write(lambda tx: kept.remove(tx, entry.record))
        if self._at(entry.record.owner, entry.place) is entry:
            del self._by_owner[entry.record.owner][entry.place]
            self._withdraw(entry)

    def _at(self, owner: str, place: Place) -> ActiveAdvertisement | None:
        return self._by_owner.get(owner, {}).get(place)

    def _withdraw(self, entry: ActiveAdvertisement) -> None:
        """Tell the network, unless the owner says the same under another name."""
        key, owner = entry.description.key, entry.record.owner
        if self._listener is not None and all(other.description.key != key for other in self.of(owner)):
            self._listener.withdraw(key, owner)

    async def _keep(self, entry: ActiveAdvertisement) -> None:
        await self._broker.store.write(lambda tx: kept.put(tx, entry.record))

    def _longest(self, entry: ActiveAdvertisement) -> float | None:
        """How long the owner says this, under whatever name."""
        same = [other.record for other in self.of(entry.record.owner) if other.description.key == entry.description.key]
        lasts = [self._lasts(record) for record in same]
        return None if None in lasts else max(one for one in lasts if one is not None)

    def _lasts(self, record: AdvertisementRecord) -> float | None:
        return None if record.ends is None else max(0.0, record.ends - self._broker.date.time())

    def _is_over(self, record: AdvertisementRecord) -> bool:
        return record.ends is not None and record.ends <= self._broker.date.time()


def described(data: bytes, form: Format, base: str | None = None) -> Description:
    """What the advertisements of an RDF document say together."""
    check_size(len(data))
    quads = parse_quads(read_document(data), form, base=base)
    return describe(Advertisement.all_in(quad.triple for quad in quads))
