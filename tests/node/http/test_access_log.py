"""One line for each request, when it is asked for."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from tests.node.http.serving import QUERY, api_of

from triplewire.node.logs import ACCESS

SELECT = "SELECT * { ?s ?p ?o }"


@pytest.fixture
def lines(caplog: pytest.LogCaptureFixture) -> list[str]:
    caplog.set_level(logging.INFO, ACCESS)
    return caplog.messages


async def test_a_line_says_who_asked_for_what_and_what_came_of_it(tmp_path: Path, caplog, lines):
    async with api_of(tmp_path, open=False, access_log=True) as api:
        await api.get("/sparql", params={"query": SELECT})
        await api.put("/subscriptions/all", content=SELECT, headers=QUERY)
        await api.get("/subscriptions", headers={"Authorization": "Bearer tws_wrong"})
    found = [message.rsplit(" ", 2)[0] for message in caplog.messages]
    assert found == [
        "admin 127.0.0.1 GET /sparql 200",
        "admin 127.0.0.1 PUT /subscriptions/all 201",
        "- 127.0.0.1 GET /subscriptions 401",
    ]


async def test_a_query_string_is_not_in_it(tmp_path: Path, caplog, lines):
    """It may be somebody's query, or have a token in it."""
    async with api_of(tmp_path, access_log=True) as api:
        await api.get("/subscriptions/all/notifications", params={"token": "twt_sesame"})
    assert len(caplog.messages) == 1
    assert "sesame" not in caplog.text


async def test_nothing_is_written_unless_asked_for(tmp_path: Path, caplog, lines):
    async with api_of(tmp_path) as api:
        await api.get("/health")
    assert caplog.messages == []
