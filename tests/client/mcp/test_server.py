"""`triplewire mcp`, used by the SDK's own client over standard input and output."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp import Client, MCPError, StdioServerParameters
from tests.node.processes import Process, running

from triplewire import client as triplewire_client

pytestmark = [pytest.mark.system, pytest.mark.filterwarnings("ignore::mcp.MCPDeprecationWarning")]
ALARMS = "SELECT ?what { ?what a <urn:Alarm> }"
EVENT = "<urn:a{n}> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <urn:Alarm> <urn:event:{n}> .\n"
URI = "triplewire://subscriptions/alarms"


@pytest.fixture
def node(tmp_path: Path) -> Iterator[Process]:
    with running(tmp_path / "node") as started:
        line = next(line for line in started.words().splitlines() if "secret" in line)
        started.secret = line.rpartition(" ")[2]
        yield started


@asynccontextmanager
async def agent(node: Process, *flags: str, secret: str | None = None, **options: Any) -> AsyncIterator[Client]:
    """An agent that has started the server."""
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "triplewire", "mcp", "--node", node.url, *flags],
        env={"TRIPLEWIRE_SECRET": secret or node.secret or ""},
    )
    async with Client(server, read_timeout_seconds=120, **options) as client:
        yield client


def publish(node: Process, *numbers: int) -> None:
    with triplewire_client.Client(node.url, node.secret) as client:
        client.publish("".join(EVENT.format(n=n) for n in numbers))


async def done(client: Client, tool: str, **arguments: Any) -> Any:
    result = await client.call_tool(tool, arguments)
    [content] = result.content
    assert not result.is_error, content.text
    return json.loads(content.text)


async def refused(client: Client, tool: str, **arguments: Any) -> str:
    result = await client.call_tool(tool, arguments)
    assert result.is_error
    return result.content[0].text


async def test_an_agent_asks_tries_subscribes_reads_and_acknowledges(node: Process):
    publish(node, 1, 2)
    async with agent(node, "--publish") as client:
        asked = await done(client, "query", sparql="SELECT (COUNT(*) AS ?n) { ?s ?p ?o }", over="events")
        assert asked["results"]["bindings"][0]["n"]["value"] == "2"
        tried = await done(client, "try_subscription", query=ALARMS)
        assert (tried["tried"], [match["event"] for match in tried["matches"]]) == (2, ["urn:event:1", "urn:event:2"])
        none = await done(client, "try_subscription", query="SELECT ?x { ?x <urn:no> ?y }", events=1)
        assert (none["tried"], none["matched"], len(none["why_not"])) == (1, 0, 1)
        made = await done(client, "subscribe", name="alarms", query=ALARMS, start="beginning")
        assert made["resource"] == URI
        [receipt] = await done(client, "publish", rdf="<urn:event:3> { <urn:a3> a <urn:Alarm> }")
        explained = await done(client, "explain", query=ALARMS, event="urn:event:3")
        assert explained["matches"] is True
        found = await done(client, "matches", name="alarms")
        assert [one["event"] for one in found["notifications"]] == [f"urn:event:{n}" for n in (1, 2, 3)]
        await done(client, "acknowledge", name="alarms", position=receipt["position"] - 1)
        [left] = json.loads((await client.read_resource(URI)).contents[0].text)["notifications"]
        assert left["event"] == "urn:event:3"
        assert [str(one.uri) for one in (await client.list_resources()).resources] == [URI]
        assert [one["id"] for one in await done(client, "subscriptions")] == ["alarms"]
        await done(client, "unsubscribe", name="alarms")
        assert await done(client, "subscriptions") == []


async def test_an_agent_is_told_of_matches_and_after_a_restart_of_what_it_has_not_acknowledged(node: Process):
    async with agent(node) as client:
        await done(client, "subscribe", name="alarms", query=ALARMS)
        async with client.listen(resource_subscriptions=[URI]) as updates:
            publish(node, 1)
            event = await anext(aiter(updates))
            assert event.uri == URI
    publish(node, 2)
    async with agent(node) as client, client.listen(resource_subscriptions=[URI]) as updates:
        assert (await anext(aiter(updates))).uri == URI
        found = json.loads((await client.read_resource(URI)).contents[0].text)["notifications"]
        assert [one["event"] for one in found] == ["urn:event:1", "urn:event:2"]
        await done(client, "acknowledge", name="alarms", position=found[-1]["position"])
    async with agent(node) as client:
        assert (await done(client, "matches", name="alarms"))["notifications"] == []


async def test_an_agent_of_the_years_before_is_told_as_well(node: Process):
    told: asyncio.Queue[str] = asyncio.Queue()

    async def hear(message: Any) -> None:
        if type(message).__name__ == "ResourceUpdatedNotification":
            told.put_nowait(str(message.params.uri))

    async with agent(node, mode="legacy", message_handler=hear) as client:
        await done(client, "subscribe", name="alarms", query=ALARMS)
        await client.subscribe_resource(URI)
        publish(node, 1)
        assert await told.get() == URI
        await client.unsubscribe_resource(URI)


async def test_an_agent_may_what_its_client_may_and_no_more(node: Process):
    """Row A15."""
    limited = {"name": "agent", "rights": {"publish": None, "subscribe": {"namespaces": ["urn:open:"]}}}
    headers = {"Authorization": f"Bearer {node.secret}"}
    made = httpx.post(f"{node.url}/clients", json=limited, headers=headers, trust_env=False).json()
    publish(node, 1)
    async with agent(node, "--publish", secret=made["secret"]) as client:
        assert "403" in await refused(client, "query", sparql="SELECT * { ?s ?p ?o }", over="events")
        assert "403" in await refused(client, "publish", rdf="<urn:event:9> { <urn:a> <urn:b> <urn:c> }")
        assert (await done(client, "try_subscription", query=ALARMS))["tried"] == 0
    async with agent(node, secret="tws_wrong") as client:
        assert "401" in await refused(client, "subscriptions")
        with pytest.raises(MCPError, match="401"):
            await client.list_resources()


async def test_an_agent_that_may_only_read_has_no_tools_that_change(node: Process):
    async with agent(node, "--read-only") as client:
        names = {tool.name for tool in (await client.list_tools()).tools}
        assert names == {"query", "try_subscription", "explain", "subscriptions", "matches"}
        assert "wanted one of" in await refused(client, "publish", rdf="")
        assert "wanted the arguments of query" in await refused(client, "query", text="ASK {}")
