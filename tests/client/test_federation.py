"""Both clients ask a node for rules across super-peers, transactions and privileges."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.node.http.federations import CONCERNS, ME, OTHER, UNITS, StubFederation, served

from triplewire.client import AsyncClient, Client, NetworkPrivileges
from triplewire.errors import InputError, NodeRefused

RULE = "ON INSERT resource() AS INSTANCE OF LO IF True DO INSERT ($delta, seen, 'yes')"
UPDATE = "INSERT resource(<urn:a>) AS INSTANCE OF LO;;"


@pytest.fixture(scope="module")
def url(tmp_path_factory) -> Iterator[str]:
    with served(tmp_path_factory.mktemp("node") / "data", StubFederation("active")) as address:
        yield address


def test_what_is_asked_of_a_federation(url: str):
    with Client(url) as client:
        asked = client.federation
        made = asked.put_rule("a rule", RULE, abort="MUTUAL")
        assert (made.name, made.origin, made.abort, made.text) == ("a rule", ME, "MUTUAL", RULE)
        assert asked.put_rule("other", RULE).abort == "INDEPENDENT"
        assert [rule.name for rule in asked.rules()] == ["a rule", "other"]
        assert asked.rule("a rule") == asked.rule(made.id) == made
        assert client.rules() == [], "none is of the node"
        asked.delete_rule("a rule")
        asked.delete_rule("other")
        with pytest.raises(NodeRefused, match="'a rule'"):
            asked.rule("a rule")
        found = asked.relevance(RULE)
        assert (found.concerns, found.unanswered) == (CONCERNS, ("sp-away",))
        made = asked.submit(UPDATE, wait=0.25)
        assert (made.transaction, made.status) == (f"{ME}/1", "active")
        assert asked.transaction(made.transaction) == made
        assert asked.withdraw(made.transaction).status == "aborted"
        traced = asked.trace(made.transaction, wait=0)
        assert traced.units == UNITS
        assert [(arc.unit, arc.other) for arc in traced.arcs] == [(f"{OTHER}/4", f"{ME}/1")]
        wanted = NetworkPrivileges(otherwise="read-only", nodes={"urn:LO": "read-write"})
        asked.grant(wanted)
        assert asked.privileges() == wanted
        asked.grant('{"otherwise": "private"}')
        assert asked.privileges() == NetworkPrivileges()
        assert asked.schema().nodes[0].peers == (ME,)


@pytest.mark.parametrize("unit", ["12", "sp-x", "sp-x/", "/1", "sp-x/1/2", "sp-x/../../clients"])
def test_what_is_no_transaction_of_the_network_is_not_asked_for(url: str, unit: str):
    with Client(url) as client, pytest.raises(InputError, match="a transaction of the network"):
        client.federation.withdraw(unit)


async def test_the_asynchronous_client_does_the_same(url: str):
    async with AsyncClient(url) as client:
        asked = client.federation
        made = await asked.put_rule("seen", RULE)
        assert [rule.id for rule in await asked.rules()] == [made.id]
        assert await asked.rule("seen") == made
        await asked.delete_rule("seen")
        assert await asked.rules() == []
        assert (await asked.relevance(RULE)).concerns == CONCERNS
        unit = (await asked.submit(UPDATE)).transaction
        assert (await asked.transaction(unit)).status == "active"
        assert (await asked.withdraw(unit)).reason == "withdrawn by its client"
        assert (await asked.trace(unit)).transaction == unit
        await asked.grant(NetworkPrivileges())
        assert (await asked.privileges()).otherwise == "private"
        assert (await asked.schema()).nodes[0].super_peers == (OTHER,)
