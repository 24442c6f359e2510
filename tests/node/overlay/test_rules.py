"""Rules that listen, in a network: what is published or changed at another node triggers them, once and in order."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.node.overlay.overlays import Site, settled, sites
from tests.node.transport.backbones import until
from tests.rules.execution.town import PREAMBLE
from tests.rules.family import EX, FAMILY

from triplewire import Event
from triplewire.languages.rdftl import parse_updates
from triplewire.languages.sparql.parsing.parser import parse_update
from triplewire.node.rules import event_listener
from triplewire.rdf.terms import RDF
from triplewire.rules.event_triggers import TriggeredBy
from triplewire.rules.schema import Schema
from triplewire.store.tables import living_graph
from triplewire.store.tables import log as store_log

QUEUE = "ON INSERT resource() AS INSTANCE OF Person IF True DO INSERT (resource(ex:LOG), seq++, $delta)"
_SECONDS = 30


async def update(site: Site, text: str) -> None:
    await site.broker.rules.update(site.me, parse_updates(PREAMBLE + text))


async def prepare(
    site: Site, rule: str | None = QUEUE, name: str = "queue", by: TriggeredBy = TriggeredBy.EVENTS
) -> None:
    await site.broker.rules.set_schema(site.me, FAMILY)
    await update(site, f"INSERT resource(ex:{log(site)}) AS INSTANCE OF Queue;;")
    if rule is not None:
        await put(site, by, rule, name)


async def put(site: Site, by: TriggeredBy, rule: str = QUEUE, name: str = "queue") -> None:
    await site.broker.rules.put(site.me, name, PREAMBLE + rule.replace("LOG", log(site)), by)


def log(site: Site) -> str:
    """Each node has a queue of its own, of which the others know nothing."""
    return f"log-{site.folder.name}"


async def publish(site: Site, *names: str, cls: str = "Person") -> None:
    for name in names:
        text = f"{EX[name]} {RDF['type']} {EX[cls]} <urn:e:{name}> ."
        await site.broker.events.publish(site.me, Event.parse(text))


def queued(site: Site) -> list[str]:
    """Who stands in the queue, in order."""

    def elements(engine) -> list[str]:
        places = {t.predicate.value: t.object.value for t in engine.repository.match(EX[log(site)], None, None)}
        numbered = [(int(name.rsplit("_", 1)[1]), who) for name, who in places.items() if "#_" in name]
        return [who.rsplit("/", 1)[1] for _, who in sorted(numbered)]

    return site.broker.rules._store.read(elements)


async def queue(site: Site, *names: str) -> None:
    """Wait until so many stand there; it must be exactly these, in this order."""
    try:
        await until(lambda: len(queued(site)) >= len(names))
    except TimeoutError:
        raise AssertionError(f"wanted {names}, found {queued(site)}") from None
    assert queued(site) == list(names)


def knows_rules(site: Site, count: int) -> bool:
    return len(site.peer.router.poset) == count


async def test_an_event_of_another_node_triggers_a_rule_that_listens(tmp_path: Path):
    async with sites(tmp_path, "a", "b") as [a, b]:
        await prepare(b)
        await publish(a, "ann", "bob")
        await publish(a, "cat", cls="Nurse")
        await queue(b, "ann", "bob", "cat")
        # The repository is ahead of the disk by a moment.
        head = await b.broker.store.read(store_log.head)
        await until(lambda: b.broker.rules.listener_position >= head)
        assert len(await b.broker.rules.firings(b.me, "queue", 0, 100)) == 3


async def test_a_change_of_another_nodes_repository_is_heard_and_a_nodes_own_is_not(tmp_path: Path):
    async with sites(tmp_path, "a", "b") as [a, b]:
        await prepare(a, None)
        await prepare(b)
        await update(a, "INSERT resource(ex:ann) AS INSTANCE OF Person;;")
        # What was deleted there is not inserted here.
        await update(a, "DELETE resource(ex:ann);;")
        await update(b, "INSERT resource(ex:bob) AS INSTANCE OF Person;;")
        await publish(a, "cat")
        await until(lambda: "cat" in queued(b))
        assert sorted(queued(b)) == ["ann", "bob", "cat"]
        assert not [line for line in await graph(b) if "urn:triplewire:" in line]


async def test_changes_by_sparql_and_of_graphs_are_heard_elsewhere_and_those_of_named_graphs_are_no_events_of_rules(
    tmp_path: Path,
):
    async with sites(tmp_path, "a", "b", "c") as [a, b, c]:
        for site in (a, c):
            await prepare(site, None)
        await prepare(b)
        person = f"a {EX['Person']}"
        await sparql(a, f"INSERT DATA {{ GRAPH <urn:g> {{ {EX['nobody']} {person} }} }}")
        await sparql(a, f"INSERT DATA {{ {EX['ann']} {person} }}")
        await queue(b, "ann")
        await sparql(b, f"INSERT DATA {{ {EX['bob']} {person} }}")
        await sparql(c, f"INSERT DATA {{ {EX['cat']} {person} }}")
        await publish(b, "dan")
        await until(lambda: len(queued(b)) >= 4)
        assert queued(b)[:2] == ["ann", "bob"]
        assert sorted(queued(b)) == ["ann", "bob", "cat", "dan"], "each once, also the node's own"


async def sparql(site: Site, text: str) -> None:
    await site.broker.living.update(site.me, parse_update(text), None)


async def test_what_no_subscription_can_say_is_logged_and_events_of_the_node_itself_still_trigger(tmp_path, caplog):
    quotes = '"' * 40_000
    rule = f"ON INSERT (_, ex:name, '{quotes}') IF True DO INSERT (resource(ex:LOG), seq++, $delta)"
    async with sites(tmp_path, "a", "b") as [a, b]:
        await prepare(a, None)
        await prepare(b, rule, "long")
        await put(b, TriggeredBy.EVENTS)
        await until(lambda: knows_rules(a, 1))
        [told] = [message for message in caplog.messages if "the network is not told" in message]
        assert "what the rule long waits for" in told
        await b.broker.rules.remove(b.me, "queue")
        escaped = quotes.replace('"', '\\"')
        text = f'{EX["ann"]} {RDF["type"]} {EX["Person"]} <urn:e> .\n{EX["ann"]} {EX["name"]} "{escaped}" <urn:e> .'
        await b.broker.events.publish(b.me, Event.parse(text))
        await queue(b, "ann")


async def graph(site: Site) -> set[str]:
    return set(await site.broker.store.read(lambda tx: list(living_graph.quads(tx))))


async def test_a_rule_is_triggered_after_a_restart_by_what_was_published_meanwhile_and_nothing_twice(tmp_path: Path):
    async with sites(tmp_path, "a", "b") as [a, b]:
        await prepare(b)
        await publish(a, "ann")
        await queue(b, "ann")
        await b.stop()
        await publish(a, "bob", "cat")
        await b.start(a)
        await queue(b, "ann", "bob", "cat")
        await b.crash()
        await publish(a, "dan")
        await b.start(a)
        await settled([a, b])
        await publish(a, "eve")
        await queue(b, "ann", "bob", "cat", "dan", "eve")


async def test_a_rule_that_is_deleted_or_listens_no_longer_withdraws_its_subscription(tmp_path: Path):
    async with sites(tmp_path, "a", "b") as [a, b]:
        await prepare(b)
        await publish(a, "ann")
        await queue(b, "ann")
        assert knows_rules(a, 1)
        await put(b, TriggeredBy.UPDATES)
        await until(lambda: knows_rules(a, 0))
        await put(b, TriggeredBy.EVENTS)
        await until(lambda: knows_rules(a, 1))
        await b.broker.rules.remove(b.me, "queue")
        await until(lambda: knows_rules(a, 0))
        assert knows_rules(b, 0)


async def test_another_schema_is_another_subscription(tmp_path: Path):
    async with sites(tmp_path, "a", "b") as [a, b]:
        await prepare(b)
        more = f"{EX['Doctor']} <http://www.w3.org/2000/01/rdf-schema#subClassOf> {EX['Person']} ."
        text = "".join(f"{triple} .\n" for triple in FAMILY.triples) + more
        await b.broker.rules.set_schema(b.me, Schema.parse(text, "ntriples"))
        await publish(a, "ann", cls="Doctor")
        await queue(b, "ann")


async def test_f12_rules_of_two_nodes_that_trigger_each_other_without_end_are_stopped(tmp_path, caplog, monkeypatch):
    """Each answers what the other inserts with something that was not there: without a bound that would never end."""
    monkeypatch.setattr(event_listener, "MOST_HOPS", 4)
    answer = (
        "ON INSERT (_, ex:{0}, _) IF {3} $delta/target(ex:{1}) = resource(ex:ann) "
        "DO DELETE ($delta, ex:{0}, _); DELETE ($delta, ex:{1}, _); INSERT ($delta, ex:{1}, resource(ex:{2}))"
    )

    async with sites(tmp_path, "a", "b") as [a, b]:
        for site, heard, said in ((a, "likes", "owes"), (b, "owes", "likes")):
            await prepare(site, None)
            for who in ("ann", "bob"):
                await update(site, f"INSERT resource(ex:{who}) AS INSTANCE OF Person;;")
            await put(site, TriggeredBy.EVENTS, answer.format(heard, said, "ann", "not"), "first")
            await put(site, TriggeredBy.EVENTS, answer.format(heard, said, "bob", ""), "then")
        await update(a, "INSERT (resource(ex:ann), ex:likes, resource(ex:bob));;")
        await until(lambda: any("has come through 4 repositories" in message for message in caplog.messages))


async def test_a_rule_that_listens_at_every_node_is_triggered_by_each_event_once_everywhere(tmp_path: Path):
    async with sites(tmp_path, "a", "b", "c") as made:
        for site in made:
            await prepare(site)
        names = [f"{site.folder.name}{n}" for n in range(5) for site in made]
        for name in names:
            await publish(next(site for site in made if site.folder.name == name[0]), name)
        async with asyncio.timeout(_SECONDS):
            for site in made:
                await until(lambda here=site: len(queued(here)) >= len(names))
        for site in made:
            assert sorted(queued(site)) == sorted(names)
            for other in made:
                mine = [name for name in queued(site) if name[0] == other.folder.name]
                assert mine == sorted(mine), "events of one publisher stay in order"
