"""Peers with repositories, at nodes of one network: rules fire from a home to another node's graph and back."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest
from tests.node.access_point.peerage import Court, court_at, here, place_of, until
from tests.rules.execution.town import PREAMBLE, a, arc
from tests.rules.family import EX

from triplewire.client.peer import Folder, PeerProgram
from triplewire.client.peer.home_repository import HomeRepository
from triplewire.errors import PeerRefused
from triplewire.languages.rdftl import parse_updates
from triplewire.node.service import ANONYMOUS, Node
from triplewire.rdf.terms import Literal, Triple
from triplewire.rules.schema import Schema
from triplewire.wire import peer_requests as ask
from triplewire.wire.network_rules import (
    NetworkPrivileges,
    NetworkRule,
    NetworkRules,
    NetworkTransaction,
)

OPEN = NetworkPrivileges(otherwise="read-write")
CLASS = "a <http://www.w3.org/2000/01/rdf-schema#Class>"
PEOPLE = Schema.parse(f"""
    @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix ex: <http://example.org/> .
    @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
    ex:Person {CLASS} . ex:name rdfs:domain ex:Person ; rdfs:range xsd:string .""")
ENTRIES = Schema.parse(f"<http://example.org/Entry> {CLASS} . <http://example.org/Visit> {CLASS} .")
# People are kept at home, entries at a node: whoever becomes a person gets an entry, a visit gets everybody a name.
ENTER = f"{PREAMBLE}ON INSERT resource() AS INSTANCE OF Person IF True DO INSERT $delta AS INSTANCE OF Entry"
GREET = f"{PREAMBLE}ON INSERT resource() AS INSTANCE OF Visit IF True DO INSERT (resource(ex:ann), name, 'Ann')"
BOB = "INSERT resource(http://example.org/bob) AS INSTANCE OF Person;;"
VISIT = "INSERT resource(http://example.org/visit) AS INSTANCE OF Visit;;"
ANN, NAMED = a("ann", "Person"), arc("ann", "name", Literal("Ann"))


@asynccontextmanager
async def town(folder: Path) -> AsyncIterator[tuple[Court, Node, Node]]:
    """Two nodes of one network, open to each other; the second one keeps entries."""
    async with court_at(folder, in_network=True) as court:
        nodes = [await court.open("A"), await court.open("B")]
        for node in nodes:
            await node.federation.grant(ANONYMOUS, OPEN)
        await nodes[1].broker.rules.set_schema(ANONYMOUS, ENTRIES)
        yield court, *nodes


def home(court: Court, name: str, node: Node, *triples: Triple, schema=PEOPLE) -> Folder:
    folder = court.peer(name, node)
    with closing(HomeRepository(folder.repository, folder.keys().id)) as repository:
        repository.put_schema(schema)
        repository.load(triples)
    return folder


def kept(folder: Folder) -> set[Triple]:
    """What is on the disk of a home, also while its program runs."""
    with closing(HomeRepository(folder.repository, folder.keys().id)) as repository:
        return set(repository.triples)


def updates(text: str):
    return parse_updates(PREAMBLE + text)


async def joined(node: Node, *peers: PeerProgram) -> None:
    await until(lambda: all(peer.id in node.federation.machine.rules.group for peer in peers))


def has(node: Node, triple: Triple) -> bool:
    return node.broker.living.store.read(lambda living: triple in living.repository)


async def knows(node: Node, *classes: str) -> None:
    """Wait until a node has heard of classes, which others may have declared."""
    await until(lambda: {EX[cls] for cls in classes} <= node.federation.machine.rules.whole.current.classes)


async def test_a_home_joins_the_group_with_its_schema_and_data_and_leaves_it(tmp_path):
    async with town(tmp_path) as (court, node, _):
        ann = home(court, "ann", node, ANN)
        async with here(ann) as [peer]:
            await joined(node, peer)
            view = node.federation.machine.rules.group[peer.id]
            assert view.declared == PEOPLE
            assert view.nodes == {EX["Person"]}
        await until(lambda: peer.id not in node.federation.machine.rules.group)


async def test_a_change_at_home_acts_at_another_node(tmp_path):
    async with town(tmp_path) as (court, node, other):
        ann = home(court, "ann", node, ANN)
        async with here(ann) as [peer]:
            await joined(node, peer)
            await knows(node, "Person", "Entry")
            rule = await peer.ask(ask.PutRule("enter", ENTER), NetworkRule)
            assert (rule.owner, rule.is_awake) == (peer.id, True)
            assert (await peer.ask(ask.ListRules(), NetworkRules)).rules == (rule,)
            told = await peer.rules.change(updates(BOB))
            await peer.reported(told.serial)
            await until(lambda: has(other, a("bob", "Entry")))
            await peer.ask(ask.RemoveRule("enter"), ask.Removed)
            assert (await peer.ask(ask.ListRules(), NetworkRules)).rules == ()


async def test_a_change_at_another_node_acts_at_home_and_is_on_its_disk(tmp_path):
    async with town(tmp_path) as (court, node, other):
        ann = home(court, "ann", node, ANN)
        async with here(ann) as [peer]:
            await joined(node, peer)
            await knows(other, "Person")
            rule = await other.federation.put_rule(ANONYMOUS, "greet", GREET, None)
            await other.broker.rules.update(ANONYMOUS, updates(VISIT))
            await until(lambda: NAMED in kept(ann))
        assert rule.origin == other.overlay.id


async def test_what_was_changed_off_line_triggers_on_return(tmp_path):
    async with town(tmp_path) as (court, node, other):
        ann = home(court, "ann", node, ANN)
        async with here(ann) as [peer]:
            await joined(node, peer)
            await knows(node, "Person", "Entry")
            await peer.ask(ask.PutRule("enter", ENTER), NetworkRule)
        with closing(HomeRepository(ann.repository, peer.id)) as repository:
            repository.change(updates(BOB))
        async with here(ann):
            await until(lambda: has(other, a("bob", "Entry")))


async def test_a_transaction_of_a_home_is_submitted_looked_at_and_withdrawn(tmp_path):
    async with town(tmp_path) as (court, node, _):
        ann = home(court, "ann", node, ANN)
        async with here(ann) as [peer]:
            await joined(node, peer)
            transaction = await peer.ask(ask.SubmitUpdates(PREAMBLE + BOB, 60.0), NetworkTransaction)
            assert (transaction.peer, transaction.status) == (peer.id, "committed")
            assert a("bob", "Person") in kept(ann)
            found = await peer.ask(ask.FindTransaction(transaction.transaction), NetworkTransaction)
            assert found == transaction
            await peer.ask(ask.WithdrawTransaction(transaction.transaction), NetworkTransaction)
            await until(lambda: a("bob", "Person") not in kept(ann))


async def test_a_node_that_comes_back_goes_on_with_the_homes(tmp_path):
    async with town(tmp_path) as (court, node, other):
        ann = home(court, "ann", node, ANN)
        async with here(ann) as [peer]:
            await joined(node, peer)
            await knows(node, "Person", "Entry")
            await peer.ask(ask.PutRule("enter", ENTER), NetworkRule)
            address = peer.saved_state.at.address
            await court.close(node)
            told = await peer.rules.change(updates(BOB))
            assert not peer.rules.has_received(told.serial)
            await court.open("A", peers_address=address, join=other.overlay.address)
            await peer.reported(told.serial)
            await until(lambda: has(other, a("bob", "Entry")))


async def test_a_home_that_moves_is_at_another_super_peer(tmp_path):
    async with town(tmp_path) as (court, node, other):
        ann = home(court, "ann", node, ANN)
        async with here(ann) as [peer]:
            await joined(node, peer)
            await peer.move(place_of(other))
            await joined(other, peer)
            await until(lambda: peer.id not in node.federation.machine.rules.group)
            await knows(other, "Person", "Entry")
            await peer.ask(ask.PutRule("enter", ENTER), NetworkRule)
            told = await peer.rules.change(updates(BOB))
            await peer.reported(told.serial)
            await until(lambda: has(other, a("bob", "Entry")))


async def test_a_home_without_a_repository_asks_all_the_same_and_stays_without(tmp_path):
    async with town(tmp_path) as (court, node, _):
        bob = court.peer("bob", node)
        async with here(bob) as [peer]:
            assert peer.rules is None
            await knows(node, "Entry", "Visit")
            rule = await peer.ask(ask.PutRule("enter", ENTER.replace("Person", "Visit")), NetworkRule)
            assert rule.name == "enter"
            with pytest.raises(PeerRefused):
                await peer.ask(ask.SubmitUpdates(PREAMBLE + BOB, 1.0), NetworkTransaction)
        assert not bob.repository.exists()


async def test_a_node_without_rules_across_super_peers_says_so(tmp_path):
    async with court_at(tmp_path) as court:
        node = await court.open("A")
        ann = home(court, "ann", node, ANN)
        async with here(ann) as [peer]:
            await until(lambda: peer.rules.refusal is not None)
            assert peer.rules.refusal.found == "one without"
            with pytest.raises(PeerRefused, match="found one without"):
                await peer.ask(ask.ListRules(), NetworkRules)
