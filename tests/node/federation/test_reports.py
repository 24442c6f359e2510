"""What a node changes by itself triggers rules of other super-peers, by whatever way it was changed, in its order."""

from __future__ import annotations

from pathlib import Path

from tests.node.federation.federated import EX, FAMILY, OPEN, Host, Literal, acquainted, hosts, quiet
from tests.node.transport.backbones import until
from tests.rules.execution.town import elements

from triplewire.languages.sparql.parsing.parser import parse_update
from triplewire.rdf.patches import Patch
from triplewire.rdf.terms import DefaultGraph, Quad, Triple
from triplewire.rules.schema import Schema
from triplewire.rules.vocabulary import TYPE
from triplewire.store.tables.identities import Grant
from triplewire.wire.network_rules import NetworkPrivileges

QUEUE = "ON INSERT resource() AS INSTANCE OF Person IF True DO INSERT (resource(ex:log), seq++, $delta)"
PEOPLE = "INSERT resource(ex:ann) AS INSTANCE OF Person;; INSERT resource(ex:cat) AS INSTANCE OF Person;;"
LOG = "INSERT resource(ex:log) AS INSTANCE OF Queue;;"


def queued(host: Host) -> list[str]:
    """Who stands in the queue, in order."""
    found = host.broker.living.store.read(lambda living: elements(living.repository, "log"))
    return [each.value.rsplit("/", 1)[1] for each in found]


async def queue(a: Host, b: Host) -> None:
    """A rule of B's notes everybody who comes at A, in a queue that only B has."""
    await b.update(LOG)
    await acquainted(a, b)
    await b.rule(QUEUE)


async def test_reports_come_in_the_order_of_commits(tmp_path: Path):
    async with hosts(tmp_path, "a", "b") as [a, b]:
        await queue(a, b)
        names = [f"p{number}" for number in range(20)]
        for name in names:
            await a.update(f"INSERT resource(ex:{name}) AS INSTANCE OF Person;;")
        await until(lambda: len(queued(b)) == len(names))
        await quiet(a, b)
        assert queued(b) == names


async def test_every_way_of_changing_the_default_graph_is_reported(tmp_path: Path):
    async with hosts(tmp_path, "a", "b") as [a, b]:
        await queue(a, b)
        living, default = a.broker.living, DefaultGraph()
        person = EX["Person"]
        await living.update(a.me, parse_update(f"INSERT DATA {{ <{EX['ann'].value}> a <{person.value}> }}"))
        await living.add_to_graph(a.me, default, [Triple(EX["bob"], TYPE, person)])
        await living.patch(a.me, [Patch((Quad(EX["cat"], TYPE, person, default),), ())])
        there = [Triple(EX[name], TYPE, person) for name in ("ann", "bob", "cat", "dan")]
        await living.replace_graph(a.me, default, there)
        await until(lambda: len(queued(b)) == 4)
        await quiet(a, b)
        assert queued(b) == ["ann", "bob", "cat", "dan"]
        # Named graphs are nobody else's, and trigger nothing.
        before = a.federation.participation.site.told
        await living.add_to_graph(a.me, EX["graph"], [Triple(EX["fay"], TYPE, person)])
        await quiet(a, b)
        assert a.federation.participation.site.told == before


async def test_what_rules_of_the_node_have_done_is_part_of_the_report(tmp_path: Path):
    async with hosts(tmp_path, "a", "b") as [a, b]:
        await queue(a, b)
        await a.update("INSERT resource(ex:mug) AS INSTANCE OF Thing;;")
        await a.node_rule("ON INSERT resource() AS INSTANCE OF Thing IF True DO INSERT $delta AS INSTANCE OF Person")
        await a.update("INSERT resource(ex:cup) AS INSTANCE OF Thing;;")
        await until(lambda: queued(b) == ["cup"])


async def test_rules_of_a_node_fire_in_what_the_network_does_there_but_not_in_its_compensation(tmp_path: Path):
    async with hosts(tmp_path, "a", "b") as [a, b]:
        await b.update(PEOPLE)
        for change, name in (("INSERT", "likes"), ("DELETE", "not")):
            rule = f"ON {change} (resource(), likes, resource()) IF True DO INSERT ($delta, name, '{name}')"
            await b.node_rule(rule, name)
        await acquainted(a, b)
        await a.rule(
            "ON INSERT resource() AS INSTANCE OF Person IF True DO INSERT (resource(ex:ann), likes, resource(ex:cat))",
            abort="MUTUAL",
        )
        made = await a.submit("INSERT resource(ex:bob) AS INSTANCE OF Person;;")
        await until(lambda: b.has("ann", EX["name"], Literal("likes")))
        await a.federation.withdraw(a.me, made.transaction)
        await until(lambda: not b.has("ann", EX["likes"], "cat"))
        await quiet(a, b)
        assert not b.has("ann", EX["name"], Literal("likes"))
        assert not b.has("ann", EX["name"], Literal("not"))


async def test_a_schema_that_is_put_later_wakes_a_rule(tmp_path: Path):
    async with hosts(tmp_path, "a", "b", schema=None) as [a, b]:
        await b.declare(FAMILY)
        await b.update(LOG)
        made = await b.rule(QUEUE)
        assert not made.is_awake
        await a.broker.living.add_to_graph(a.me, DefaultGraph(), [Triple(EX["ann"], TYPE, EX["Person"])])
        await quiet(a, b)
        assert a.federation.participation.site.told == 0
        assert not a.holds_rule(made.id)
        await a.declare(FAMILY)
        await until(lambda: a.holds_rule(made.id))
        await acquainted(a, b)
        await a.update("INSERT resource(ex:bob) AS INSTANCE OF Person;;")
        await until(lambda: queued(b) == ["bob"])
        [found] = await a.federation.rules(a.me)
        assert found.is_awake


async def test_privileges_decide_what_others_do_here(tmp_path: Path):
    async with hosts(tmp_path, "a", "b") as [a, b]:
        await queue(a, b)
        await b.open_to_all(NetworkPrivileges(otherwise="read-only"))
        made = await a.rule(QUEUE, "mine")
        await acquainted(a, b)
        await b.federation.remove_rule(b.me, "rule")
        await until(lambda: [one.id for one in a.federation.machine.rules.registrar.base] == [made.id])
        await a.update("INSERT resource(ex:ann) AS INSTANCE OF Person;;")
        await quiet(a, b)
        assert queued(b) == []
        await b.open_to_all(OPEN)
        await acquainted(a, b)
        await a.update("INSERT resource(ex:bob) AS INSTANCE OF Person;;")
        await until(lambda: queued(b) == ["bob"])


async def test_a_rule_of_a_client_writes_at_home_what_its_owner_may(tmp_path: Path):
    async with hosts(tmp_path, "a") as [a]:
        limited = a.client("limited", publish=Grant(namespaces=("urn:other:",)))
        await a.update(LOG)
        await a.rule(QUEUE, client=limited)
        await a.update("INSERT resource(ex:ann) AS INSTANCE OF Person;;")
        await until(lambda: a.federation.participation.happenings.counts["UnitAborted"] == 1)
        await quiet(a)
        assert queued(a) == []
        assert a.is_a("ann", "Person")


async def test_without_a_schema_nothing_is_told(tmp_path: Path):
    async with hosts(tmp_path, "a", schema=None) as [a]:
        await a.broker.living.add_to_graph(a.me, DefaultGraph(), [Triple(EX["ann"], TYPE, EX["Person"])])
        await a.declare(Schema(()))
        assert a.federation.participation.site.told == 0
