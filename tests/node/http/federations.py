"""A federation that is asked in place of a node's own, and remembers what it was asked."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any

import uvicorn
from msgspec.structs import replace

from triplewire.errors import Forbidden, UnknownRule
from triplewire.node.http import create_app
from triplewire.node.rules.idempotency import IdempotencyKey
from triplewire.node.service import Node
from triplewire.node.settings import Settings
from triplewire.store.tables.identities import Client
from triplewire.wire.network_rules import (
    AbortArc,
    AbortName,
    Concern,
    NetworkPrivileges,
    NetworkRule,
    NetworkSchema,
    NetworkTrace,
    NetworkTransaction,
    NetworkUnit,
    RuleRelevance,
    SchemaNode,
)

ME, OTHER = "sp-me", "sp-other"
CONCERNS = (
    Concern(super_peer=ME, part="event", is_concerned=True, reason="it has data of <urn:LO>"),
    Concern(super_peer=OTHER, peer="tw-ann", part="actions", is_concerned=False, reason="nobody there has <urn:seen>"),
)
UNITS = (
    NetworkUnit(id=f"{ME}/1", super_peer=ME, peer=ME, status="committed"),
    NetworkUnit(
        id=f"{OTHER}/4",
        super_peer=OTHER,
        peer="tw-ann",
        parent=f"{ME}/1",
        rule=f"{ME}.1",
        depth=1,
        abort="CHILDPARENT",
        status="aborted",
        reason="no",
        delta={"delta": "<urn:a>"},
    ),
)


class StubFederation:
    """What a node's federation offers, over a dictionary."""

    def __init__(self, status: str = "committed") -> None:
        self.asked: list[tuple[Any, ...]] = []
        self.known: dict[str, NetworkRule] = {}
        self.granted = NetworkPrivileges()
        self.submitted = NetworkTransaction(transaction=f"{ME}/1", peer=ME, status=status)

    async def stop(self) -> None:
        """There is nothing to stop."""

    async def put_rule(self, client: Client, name: str, text: str, abort: AbortName | None) -> NetworkRule:
        made = NetworkRule(
            id=f"{ME}.{len(self.known) + 1}",
            name=name,
            origin=ME,
            owner=client.id,
            text=text,
            abort=abort or "INDEPENDENT",
            registered=1.5,
            is_awake=True,
        )
        self.known[made.id] = made
        return made

    def add_replica(self) -> None:
        self.known[f"{OTHER}.1"] = NetworkRule(
            id=f"{OTHER}.1",
            name="theirs",
            origin=OTHER,
            text="ON",
            abort="INDEPENDENT",
            registered=1.0,
            is_awake=False,
        )

    async def rules(self, client: Client) -> list[NetworkRule]:
        return [rule for rule in self.known.values() if client.rights.is_admin or rule.owner == client.id]

    async def find_rule(self, client: Client, rule: str) -> NetworkRule:
        for each in await self.rules(client):
            if rule in (each.id, each.name):
                return each
        raise UnknownRule(wanted=f"the rule {rule!r}", found="none of that name")

    async def remove_rule(self, client: Client, rule: str) -> None:
        found = await self.find_rule(client, rule)
        if found.origin != ME:
            raise Forbidden(wanted=f"a rule of {ME}", found=f"one of {found.origin}, where it can be deleted")
        del self.known[found.id]

    async def relevance(self, client: Client, text: str, seconds: float) -> RuleRelevance:
        self.asked.append(("relevance", client.id, text, seconds))
        return RuleRelevance(CONCERNS, ("sp-away",))

    async def submit(
        self, client: Client, text: str, seconds: float, peer: str = "", key: IdempotencyKey | None = None
    ) -> NetworkTransaction:
        self.asked.append(("submit", client.id, text, seconds))
        return self.submitted

    async def withdraw(self, client: Client, unit: str) -> NetworkTransaction:
        return NetworkTransaction(transaction=unit, peer=ME, status="aborted", reason="withdrawn by its client")

    async def transaction(self, client: Client, unit: str) -> NetworkTransaction:
        return replace(self.submitted, transaction=unit)

    async def trace(self, client: Client, unit: str, seconds: float) -> NetworkTrace:
        self.asked.append(("trace", client.id, unit, seconds))
        return NetworkTrace(transaction=unit, units=UNITS, arcs=(AbortArc(f"{OTHER}/4", f"{ME}/1"),))

    async def privileges(self, client: Client) -> NetworkPrivileges:
        return self.granted

    async def grant(self, client: Client, privileges: NetworkPrivileges) -> None:
        self.granted = privileges

    async def schema(self, client: Client) -> NetworkSchema:
        node = SchemaNode("urn:LO", (ME,), (OTHER,))
        return NetworkSchema("<urn:LO> <urn:type> <urn:Class> .\n", (node,))


@contextmanager
def served(folder: Path, federation: StubFederation) -> Iterator[str]:
    """The address of an open node with that federation, on a thread of its own."""
    loop = asyncio.new_event_loop()
    began: Future[tuple[str, asyncio.Event]] = Future()
    ended = loop.create_task(_serve(folder, federation, began))
    thread = Thread(target=loop.run_until_complete, args=(ended,), daemon=True)
    thread.start()
    url, leave = began.result(120)
    try:
        yield url
    finally:
        loop.call_soon_threadsafe(leave.set)
        thread.join(60)
        loop.close()


async def _serve(folder: Path, federation: StubFederation, began: Future[tuple[str, asyncio.Event]]) -> None:
    leave = asyncio.Event()
    node = await Node.open(Settings(data=folder, open=True))
    node.federation = federation
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(create_app(node), log_config=None, lifespan="off"))
        serving = asyncio.create_task(server.serve([listener]))
        began.set_result((f"http://127.0.0.1:{listener.getsockname()[1]}", leave))
        await leave.wait()
        server.should_exit = True
        await serving
    await node.stop()
