"""Transactions across super-peers on real nodes: abort dependencies, withdrawal, what the others see of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.node.federation.federated import EX, SECONDS, Host, acquainted, hosts, quiet
from tests.node.transport.backbones import until

from triplewire.errors import Forbidden, UnknownUpdate, UpdateEnded
from triplewire.store.tables.registry import SubscriptionOptions
from triplewire.wire.network_rules import AbortName

PEOPLE = "INSERT resource(ex:ann) AS INSTANCE OF Person;; INSERT resource(ex:cat) AS INSTANCE OF Person;;"
LIKE = "ON INSERT resource() AS INSTANCE OF Worker IF True DO INSERT (resource(ex:ann), likes, resource(ex:cat))"
HIRE = "INSERT resource(ex:bob) AS INSTANCE OF Worker;;"
# Cat has an owner already somewhere else: the arc leads to no thing.
BROKEN = "ON INSERT resource() AS INSTANCE OF Worker IF True DO INSERT (resource(ex:ann), owns, resource(ex:cat))"


async def pair(a: Host, b: Host) -> None:
    """Only B has Ann and Cat, so that what is done to them is done there; only A has somebody who works."""
    await b.update(PEOPLE)
    await a.update("INSERT resource(ex:boss) AS INSTANCE OF Worker;;")
    await acquainted(a, b)


async def test_a_transaction_is_submitted_and_leads_to_another_node(tmp_path: Path):
    async with hosts(tmp_path, "a", "b") as [a, b]:
        await pair(a, b)
        await a.rule(LIKE)
        made = await a.submit(HIRE)
        assert (made.status, made.peer) == ("committed", a.id)
        assert a.is_a("bob", "Worker")
        await until(lambda: b.has("ann", EX["likes"], "cat"))


@pytest.mark.parametrize(
    "abort",
    ["INDEPENDENT", "PARENTCHILD", "CHILDPARENT", "MUTUAL"],
)
async def test_what_a_withdrawn_transaction_takes_along(tmp_path: Path, abort: AbortName):
    async with hosts(tmp_path, "a", "b") as [a, b]:
        await pair(a, b)
        await a.rule(LIKE, abort=abort)
        made = await a.submit(HIRE)
        await until(lambda: b.has("ann", EX["likes"], "cat"))
        await quiet(a, b)
        gone = await a.federation.withdraw(a.me, made.transaction)
        assert (gone.status, gone.reason) == ("aborted", "withdrawn by its client")
        await until(lambda: not a.is_a("bob", "Worker"))
        await quiet(a, b)
        assert b.has("ann", EX["likes"], "cat") is (abort in ("INDEPENDENT", "CHILDPARENT"))


@pytest.mark.parametrize(
    ("abort", "stays"), [("INDEPENDENT", True), ("PARENTCHILD", True), ("CHILDPARENT", False), ("MUTUAL", False)]
)
async def test_whom_a_failure_at_another_node_takes_along(tmp_path: Path, abort: AbortName, stays: bool):
    async with hosts(tmp_path, "a", "b") as [a, b]:
        await pair(a, b)
        await a.rule(BROKEN, abort=abort)
        made = await a.submit(HIRE)
        await until(lambda: b.federation.participation.happenings.counts["UnitAborted"] > 0)
        if not stays:
            await until(lambda: not a.is_a("bob", "Worker"))
        await quiet(a, b)
        assert a.is_a("bob", "Worker") is stays
        found = await a.federation.transaction(a.me, made.transaction)
        assert found.status == ("committed" if stays else "aborted")


async def test_a_compensation_is_an_event_and_a_change_of_views(tmp_path: Path):
    async with hosts(tmp_path, "a", "b") as [a, b]:
        await pair(a, b)
        await a.rule(LIKE, abort="MUTUAL")
        query = "SELECT ?who WHERE { <http://example.org/ann> <http://example.org/likes> ?who }"
        view = await b.broker.views.put(b.me, "liked", query, SubscriptionOptions())
        events = await b.subscribe("SELECT ?s ?o { ?s <http://example.org/likes> ?o }", "told")
        made = await a.submit(HIRE)
        await until(lambda: b.has("ann", EX["likes"], "cat"))
        await quiet(a, b)
        before = b.broker.living.store.head
        await a.federation.withdraw(a.me, made.transaction)
        await until(lambda: not b.has("ann", EX["likes"], "cat"))
        await quiet(a, b)
        page = await b.broker.notifications.page(events.number, 0, 100)
        assert len(page.notifications) == 2
        # The first one is the answer at the beginning.
        assert len((await b.broker.notifications.page(view.number, 0, 100)).notifications) == 3
        changes, _, head = await b.broker.living.changes(b.me, before, 10)
        assert head == before + 1
        assert [line for change in changes for line in change.removed if "likes" in line]


async def test_what_is_of_no_super_peer_of_the_network_has_no_trace(tmp_path: Path):
    async with hosts(tmp_path, "a") as [a]:
        made = await a.submit(HIRE)
        assert (await a.federation.trace(a.me, made.transaction, SECONDS)).units
        for unit in ("sp-nobody/1", f"{a.id}/99"):
            with pytest.raises(UnknownUpdate):
                await a.federation.trace(a.me, unit, SECONDS)


async def test_who_may_withdraw(tmp_path: Path):
    async with hosts(tmp_path, "a") as [a]:
        await a.update(PEOPLE)
        made = await a.submit(HIRE)
        with pytest.raises(UnknownUpdate):
            await a.federation.withdraw(a.me, f"{a.id}/99")
        stranger = a.client("stranger")
        with pytest.raises(Forbidden):
            await a.federation.withdraw(stranger, made.transaction)
        await a.federation.withdraw(a.me, made.transaction)
        with pytest.raises(UpdateEnded):
            await a.federation.withdraw(a.me, made.transaction)
