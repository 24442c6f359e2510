"""A data folder of the version before: its schema, rules, repository, firings and answered keys are there as they were.

`fixtures/version_before.json` has what that version answered over HTTP.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
from pathlib import Path

import pytest
from tests.node.http.serving import NQUADS, api_of
from tests.node.http.test_rules import APPEND, EX, update, with_key

from triplewire.store.database import FILE
from triplewire.store.tables import living_graph

FIXTURES = Path(__file__).parent / "fixtures"
ANSWERED = json.loads((FIXTURES / "version_before.json").read_text())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    database = sqlite3.connect(tmp_path / FILE)
    database.executescript((FIXTURES / "version_before.sql").read_text())
    database.execute("PRAGMA user_version = 8")
    database.close()
    return tmp_path


async def test_rules_and_firings_are_shown_as_before(folder: Path) -> None:
    async with api_of(folder) as api:
        assert (await api.get("/rules")).json() == ANSWERED["rules"]
        for rule in ("greet", "queue"):
            assert (await api.get(f"/rules/{rule}/firings")).json() == ANSWERED[rule]


async def test_an_update_under_a_key_of_then_is_answered_as_then(folder: Path) -> None:
    async with api_of(folder) as api:
        assert (await update(api, APPEND, with_key("k"))).json() == ANSWERED["keyed"]
        assert await api.node.broker.store.read(living_graph.head) == 4, "nothing was executed"


async def test_rules_go_on_where_they_stopped(folder: Path) -> None:
    event = f"<{EX}cat> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <{EX}Person> <urn:e:2> ."
    async with api_of(folder) as api:
        done = (await update(api, "INSERT resource(ex:dan) AS INSTANCE OF Person;;")).json()
        assert done["schedule"] == 5
        assert any("#_4>" in line for line in done["inserted"]), "the queue of then is longer by one"
        published = await api.post("/events", content=event, headers=NQUADS)
        position = published.json()["events"][0]["position"]
        while api.node.broker.rules.listener_position < position:
            await asyncio.sleep(0.005)
        firings = (await api.get("/rules/greet/firings")).json()["firings"]
        assert [firing["cause"] for firing in firings] == ["t1", "urn:e:1", "t1", "urn:e:2"]
