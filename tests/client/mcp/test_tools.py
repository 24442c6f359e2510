"""What an agent is told that it may do."""

from __future__ import annotations

import json

import pytest

from triplewire.client import AsyncClient
from triplewire.client.mcp.resources import name_of, uri_of
from triplewire.client.mcp.tools import CHANGING, PUBLISHING, READING, Tool
from triplewire.errors import InputError

TOOLS = (*READING, *CHANGING, *PUBLISHING)


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_a_schema_is_in_one_piece_and_names_every_argument(tool: Tool):
    assert "$ref" not in json.dumps(tool.schema)
    assert tool.schema["type"] == "object"
    assert set(tool.schema["properties"]) == set(tool.arguments.__struct_fields__)
    assert tool.schema["additionalProperties"] is False


def test_what_only_reads_is_told_apart():
    assert [tool.name for tool in TOOLS if not tool.is_reading] == [
        "subscribe",
        "unsubscribe",
        "acknowledge",
        "publish",
    ]


@pytest.mark.parametrize(
    "arguments", [{}, {"sparql": 3}, {"sparql": "ASK {}", "over": "nothing"}, {"sparql": "ASK {}", "limit": 3}]
)
async def test_arguments_that_are_none_are_told_before_anything_is_asked(arguments: dict[str, object]):
    query = next(tool for tool in TOOLS if tool.name == "query")
    async with AsyncClient("http://127.0.0.1:1") as client:
        with pytest.raises(InputError, match="wanted the arguments of query"):
            await query.run(client, arguments)


@pytest.mark.parametrize("name", ["papers", "new papers", "a:b", "50%", "größe"])
def test_a_resource_is_named_by_its_subscription(name: str):
    assert name_of(uri_of(name)) == name


@pytest.mark.parametrize("uri", ["", "triplewire://subscriptions/", "http://example.org/", "file:///etc/passwd"])
def test_another_address_is_no_resource(uri: str):
    with pytest.raises(InputError, match="wanted a resource"):
        name_of(uri)
