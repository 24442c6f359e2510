"""Nodes of one network in one process that carry rules, and the words that their tests use."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from tests.node.brokers import ALL, client
from tests.node.overlay.overlays import Site, settled
from tests.node.transport.backbones import until
from tests.rules.execution.town import PREAMBLE
from tests.rules.family import EX, FAMILY

from triplewire.federation.sites.privileges import Access
from triplewire.federation.timings import FederationTimings
from triplewire.languages.rdftl import parse_updates
from triplewire.node.federation.service import Federation
from triplewire.rdf.terms import Literal, Term, Triple
from triplewire.rules.event_triggers import TriggeredBy
from triplewire.rules.schema import Schema
from triplewire.rules.vocabulary import TYPE
from triplewire.store.tables.identities import Client, Grant, Rights
from triplewire.wire.network_rules import AbortName, NetworkPrivileges, NetworkRule, NetworkTransaction

# Nobody waits long for what has got lost.
QUICK_RULES = FederationTimings(retry=0.3, exchange=0.5, growth=2.0, condition=5.0, absence=5.0)
OPEN = NetworkPrivileges(otherwise="read-write")
SECONDS = 60.0


class Host(Site):
    """A node with its overlay and rules across super-peers, in a folder that survives it."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.me = Client(folder.name, folder.name, None, Rights(is_admin=True))
        self.others: list[Client] = []

    async def start(self, *seeds: Site) -> None:
        await super().start(*seeds)
        for other in self.others:
            self.broker.state.know(other)
        await self.carry()

    async def carry(self) -> None:
        self.federation = await Federation.open(self.broker, self.overlay, QUICK_RULES)
        await self.federation.begin()

    async def stop(self) -> None:
        if self.is_up:
            await self.federation.stop()
        await super().stop()

    async def crash(self) -> None:
        """End without a goodbye, in the middle of whatever is under way."""
        part = self.federation.participation
        part.host.release = lambda _: None
        part.site._is_open = False
        await part._tasks.stop()
        await part.host._tasks.stop()
        await super().crash()

    @property
    def id(self) -> str:
        return self.overlay.id

    def client(self, name: str, publish: Grant | None = ALL) -> Client:
        """Another client of this node."""
        made = client(name, publish=publish)
        self.others.append(made)
        self.broker.state.know(made)
        return made

    # What clients do

    async def declare(self, schema: Schema = FAMILY) -> None:
        await self.broker.rules.set_schema(self.me, schema)

    async def open_to_all(self, privileges: NetworkPrivileges = OPEN) -> None:
        await self.federation.grant(self.me, privileges)

    async def update(self, text: str, client: Client | None = None) -> None:
        await self.broker.rules.update(client or self.me, parse_updates(PREAMBLE + text))

    async def submit(self, text: str, seconds: float = SECONDS) -> NetworkTransaction:
        return await self.federation.submit(self.me, PREAMBLE + text, seconds)

    async def rule(
        self, text: str, name: str = "rule", abort: AbortName | None = None, client: Client | None = None
    ) -> NetworkRule:
        return await self.federation.put_rule(client or self.me, name, PREAMBLE + text, abort)

    async def node_rule(self, text: str, name: str = "local") -> None:
        await self.broker.rules.put(self.me, name, PREAMBLE + text, TriggeredBy.UPDATES)

    # What is there

    def has(self, subject: str, predicate: Term, target: Term | str) -> bool:
        end = EX[target] if isinstance(target, str) else target
        triple = Triple(EX[subject], predicate, end)
        return self.broker.living.store.read(lambda living: triple in living.repository)

    def is_a(self, subject: str, cls: str) -> bool:
        return self.has(subject, TYPE, cls)

    async def becomes(self, holds: Callable[[], bool]) -> None:
        await until(holds)

    def holds_rule(self, rule: str) -> bool:
        return rule in self.federation.machine.rules.registrar.base

    @property
    def units(self) -> list[object]:
        return list(self.federation.machine.rules.coordinator.state.units.values())


@asynccontextmanager
async def hosts(folder: Path, *names: str, schema: Schema | None = FAMILY) -> AsyncIterator[list[Host]]:
    """So many nodes of one network that carry rules, all in, with a schema and open to each other."""
    made = [Host(folder / name) for name in names]
    try:
        for number, host in enumerate(made):
            await host.start(*made[:1] if number else ())
        await settled(made)
        for host in made:
            await host.open_to_all()
            if schema is not None:
                await host.declare(schema)
        await acquainted(*made)
        yield made
    finally:
        for host in reversed(made):
            await host.stop()


async def quiet(*some: Host) -> None:
    """Wait until nothing is under way at any of them."""

    def is_quiet() -> bool:
        machines = [host.federation.machine for host in some]
        return all(one.rules.is_quiet and one.delivery.is_flushed for one in machines) and not any(
            host.federation.participation.site.lag for host in some
        )

    await until(is_quiet)
    await asyncio.gather(*(host.federation.participation.host.settled() for host in some))


async def acquainted(*some: Host) -> None:
    """Wait until nothing is under way, and all know what each of them declares and offers."""

    def is_known() -> bool:
        rules = [host.federation.machine.rules for host in some]
        known = [(one.network.versions.known, one.whole.versions) for one in rules]
        return all(each == known[0] for each in known) and len(known[0][0]) == len(some)

    await until(is_known)
    await quiet(*some)


__all__ = ["EX", "FAMILY", "OPEN", "Access", "Host", "Literal", "acquainted", "hosts", "quiet", "until"]
