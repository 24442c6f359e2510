"""Both clients ask a node what consoles ask: figures, trials, matches over time, pauses."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.node.http.federations import StubFederation, served

from triplewire.client import AsyncClient, Client

QUERY = "SELECT ?s { ?s <urn:age> ?a FILTER(?a > 25) }"
RULE = "RULE seen ON INSERT resource() AS INSTANCE OF <urn:B> IF True DO INSERT ($delta, <urn:seen>, 'yes');;"


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder: Path = tmp_path_factory.mktemp("node") / "data"
    with served(folder, StubFederation("active")) as address, Client(address) as client:
        client.publish('<urn:s> <urn:age> "1" <urn:e:1> .\n<urn:s> <urn:age> "2" <urn:e:2> .\n')
        yield address


def test_what_is_asked_for_a_console(url: str):
    with Client(url) as client:
        console = client.console
        client.put_subscription(QUERY, name="old")
        assert console.who_am_i().is_admin
        assert console.overview().head == 2
        assert [event.position for event in console.recent_events(1).events] == [2]
        assert [term.iri for term in console.vocabulary().properties] == ["urn:age"]
        assert (console.try_query(QUERY).events, console.try_query(QUERY, limit=1).events) == (2, 1)
        assert console.history("old", bins=3).events == 2
        console.pause("old")
        console.resume("old")
        assert console.rule_analysis().kind == "no rules"
        assert console.rule_analysis(RULE).kind == "no schema"


async def test_the_asynchronous_client_does_the_same(url: str):
    async with AsyncClient(url) as client:
        console = client.console
        await client.put_subscription(QUERY, name="again")
        assert (await console.who_am_i()).may_publish
        assert (await console.overview()).head == 2
        assert len((await console.recent_events()).events) == 2
        assert (await console.vocabulary()).events == 2
        assert (await console.try_query(QUERY)).matched == 0
        assert (await console.history("again")).matches == 0
        await console.pause("again")
        await console.resume("again")
        assert (await console.rule_analysis()).layers == ()
