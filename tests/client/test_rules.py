"""Both clients register rules at a real process, change its schema, and execute RDFTL updates."""

from __future__ import annotations

import pytest
from tests.node.processes import running

from triplewire.client import AsyncClient, Client
from triplewire.errors import NodeRefused

SCHEMA = """
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
<urn:LO> a rdfs:Class . <urn:seen> rdfs:domain <urn:LO> ; rdfs:range xsd:string .
"""
RULE = "ON INSERT resource() AS INSTANCE OF LO IF True DO INSERT ($delta, seen, 'yes')"
UPDATE = "TRANSACTION t\nINSERT resource(<urn:a>) AS INSTANCE OF LO;;"


@pytest.fixture
def node(tmp_path_factory):
    with running(tmp_path_factory.mktemp("node") / "data", "--open") as process:
        yield process


def test_rules_schema_and_updates(node):
    with Client(node.url, timeout=300) as client:
        assert list(client.schema()) == []
        client.put_schema(SCHEMA)
        assert len(list(client.schema())) == 3
        made = client.put_rule("seen", RULE)
        assert made.is_new
        assert made.analysis is not None
        assert made.analysis.well_defined
        assert not client.put_rule("seen", RULE, listens_to_events=True).is_new
        assert [(rule.name, rule.listens) for rule in client.rules()] == [("seen", "events")]
        assert client.rule("seen").text == RULE
        done = client.update_rdftl(UPDATE, idempotency_key="k")
        assert client.update_rdftl(UPDATE, idempotency_key="k") == done
        assert [(t.transaction, t.status) for t in done.transactions] == [("t", "committed")]
        assert [(firing.rule, firing.delta) for firing in done.firings] == [("seen", {"delta": "<urn:a>"})]
        assert [firing.cause for firing in client.firings("seen")] == ["t"]
        assert client.firings("seen", after=client.firings("seen")[0].number) == []
        traced = client.trace(done.schedule)
        assert [(unit.rule, unit.cause, unit.abort) for unit in traced.units] == [
            (None, None, None),
            ("seen", 1, "MUTUAL"),
        ]
        assert client.trace("t") == traced
        with pytest.raises(NodeRefused, match="'nobody'"):
            client.trace("nobody")
        with pytest.raises(NodeRefused, match="has not ended"):
            client.withdraw_update("k")
        with pytest.raises(NodeRefused, match="under the key 'nobody'"):
            client.withdraw_update("nobody")
        client.put_rule("guard", "ON DELETE resource() IF True DO ABORT 'never'")
        with pytest.raises(NodeRefused, match="never") as caught:
            client.update_rdftl("DELETE resource(<urn:a>);;")
        assert caught.value.status == 409
        with pytest.raises(NodeRefused, match="never") as caught:
            client.update("DELETE WHERE { <urn:a> ?p ?o }")
        assert caught.value.status == 409
        client.delete_rule("guard")
        with pytest.raises(NodeRefused, match="'guard'"):
            client.rule("guard")


async def test_the_asynchronous_client_does_the_same(node):
    async with AsyncClient(node.url, timeout=300) as client:
        await client.put_schema(SCHEMA, "turtle")
        assert (await client.put_rule("seen", RULE)).is_new
        assert [rule.name for rule in await client.rules()] == ["seen"]
        assert (await client.rule("seen")).listens == "updates"
        assert [firing.rule for firing in (await client.update_rdftl(UPDATE)).firings] == ["seen"]
        with pytest.raises(NodeRefused, match="found none"):
            await client.withdraw_update("k")
        assert [firing.status for firing in await client.firings("seen")] == ["committed"]
        assert [unit.rule for unit in (await client.trace("t")).units] == [None, "seen"]
        await client.delete_rule("seen")
        assert [unit.rule for unit in (await client.trace("t")).units] == [None, "seen"], "it is what happened"
        assert await client.rules() == []
        assert len(list(await client.schema())) == 3
