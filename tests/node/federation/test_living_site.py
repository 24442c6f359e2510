"""The living graph as a site: what other sites describe, what is rolled back, what a request does and does not."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.node.federation.federated import EX, Host, acquainted, hosts, quiet
from tests.node.federation.test_restarts import back
from tests.node.transport.backbones import until

from triplewire.errors import SchemaViolation
from triplewire.rdf.terms import NamedNode
from triplewire.rules.vocabulary import TYPE
from triplewire.store.tables import federation

LIKE = "ON INSERT resource() AS INSTANCE OF Worker IF True DO INSERT (resource(ex:ann), likes, $delta)"
HIRE = "INSERT resource(ex:{}) AS INSTANCE OF Worker;;"


async def with_an_arc_to_elsewhere(a: Host, b: Host) -> None:
    """Ann is described at B, and likes Bob, whom A describes."""
    await b.update("INSERT resource(ex:ann) AS INSTANCE OF Person;;")
    await acquainted(a, b)
    await a.rule(LIKE)
    await a.update(HIRE.format("bob"))
    await until(lambda: b.has("ann", EX["likes"], "bob"))
    await quiet(a, b)


async def test_an_arc_may_lead_to_what_another_site_describes(tmp_path: Path):
    async with hosts(tmp_path, "a", "b") as [a, b]:
        await with_an_arc_to_elsewhere(a, b)
        assert not b.has("bob", TYPE, "Worker")
        # It is known from then on: the node's own updates may lead there, too.
        await b.update("INSERT (resource(ex:ann), owes, resource(ex:bob));;")
        with pytest.raises(SchemaViolation):
            await b.broker.living.update(b.me, _insertion("ann", "owes", "dan"))


async def test_a_graph_with_such_an_arc_is_read_again_after_a_restart(tmp_path: Path):
    async with hosts(tmp_path, "a", "b") as [a, b]:
        await with_an_arc_to_elsewhere(a, b)
        await b.stop()
        await back(b, a)
        assert b.has("ann", EX["likes"], "bob")
        await b.update("INSERT (resource(ex:ann), owes, resource(ex:bob));;")
        await b.declare()
        assert b.has("ann", EX["owes"], "bob")


async def test_what_is_rolled_back_is_not_told(tmp_path: Path):
    async with hosts(tmp_path, "a") as [a]:
        await a.update("INSERT resource(ex:ann) AS INSTANCE OF Person;;")
        site = a.federation.participation.site
        before, (view, _) = site.told, await site.view()
        with pytest.raises(SchemaViolation):
            await a.broker.living.update(a.me, _insertion("ann", "likes", "nobody"))
        after, _ = await site.view()
        assert site.told == before
        assert set(after.references) == set(view.references)


async def test_a_commit_that_fails_leaves_nothing_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    async with hosts(tmp_path, "a") as [a]:
        await a.update("INSERT resource(ex:ann) AS INSTANCE OF Person;;")
        site = a.federation.participation.site
        before = site.told

        def fails(*_: object) -> None:
            raise RuntimeError("a bug after the graph has changed")

        monkeypatch.setattr(federation, "put_told", fails)
        with pytest.raises(RuntimeError):
            await a.update("INSERT resource(ex:bob) AS INSTANCE OF Person;;")
        monkeypatch.undo()
        await a.update("INSERT resource(ex:cat) AS INSTANCE OF Person;;")
        assert site.told == before + 1
        view, _ = await site.view()
        assert {resource for node, resource in view.references if node == EX["Person"]} == {EX["ann"], EX["cat"]}
        await quiet(a)


async def test_what_is_received_and_forgotten_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    from triplewire.node.federation import living_site

    monkeypatch.setattr(living_site, "_TRIMMED", 4)
    async with hosts(tmp_path, "a") as [a]:
        for number in range(12):
            await a.update(f"INSERT resource(ex:p{number}) AS INSTANCE OF Person;;")
        await quiet(a)
        kept = await a.broker.store.read(lambda tx: [record.serial for record in federation.told(tx)])
        assert kept
        assert kept[0] > 4
        assert kept[-1] == a.federation.participation.site.told


def _insertion(subject: str, name: str, target: str):
    from triplewire.languages.sparql.parsing.parser import parse_update

    terms = " ".join(str(NamedNode(EX[each].value)) for each in (subject, name, target))
    return parse_update(f"INSERT DATA {{ {terms} }}")
