"""`?window=`: what several changes mean together is said once, net, and survives a restart."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.node.http.serving import Api, api_of
from tests.node.views.following import Reader, items
from tests.node.views.test_http import SAID, put, told, update, values

from triplewire.languages.sparql.parsing.parser import parse_dataset_query
from triplewire.node.views.answers import difference, joined
from triplewire.rdf.terms import Literal


async def after(api: Api, position: int, seconds: float = 20) -> list[dict[str, Any]]:
    return await told(api, "said", after=position, wait=seconds)


async def test_changes_within_a_window_are_told_once(tmp_path: Path):
    async with api_of(tmp_path) as api:
        await put(api, "said", window=0.5)
        [first] = await told(api, "said")
        for number in range(5):
            await update(api, f"INSERT DATA {{ <urn:a> <urn:p> {number} }}")
        change = await update(api, "DELETE DATA { <urn:a> <urn:p> 0 }")
        assert len(await told(api, "said")) == 1
        [one] = await after(api, first["position"])
        assert values(one["added"]) == [{"s": "urn:a", "o": str(number)} for number in range(1, 5)]
        assert (one["removed"], one["change"]) == ([], change)
        await update(api, "INSERT DATA { <urn:b> <urn:p> 1 }")
        [two] = await after(api, one["position"])
        assert values(two["added"]) == [{"s": "urn:b", "o": "1"}]


async def test_what_comes_and_goes_within_a_window_is_not_told(tmp_path: Path):
    async with api_of(tmp_path) as api:
        await put(api, "said", window=0.3)
        [first] = await told(api, "said")
        await update(api, "INSERT DATA { <urn:a> <urn:p> 1 }")
        await update(api, "DELETE DATA { <urn:a> <urn:p> 1 }")
        await asyncio.sleep(0.6)
        assert await told(api, "said", after=first["position"]) == []


async def test_what_a_window_holds_back_survives_a_restart(tmp_path: Path):
    async with api_of(tmp_path) as api:
        await put(api, "said", window=2)
        [first] = await told(api, "said")
        await update(api, "INSERT DATA { <urn:a> <urn:p> 1 }")
    async with api_of(tmp_path) as api:
        await update(api, "INSERT DATA { <urn:a> <urn:p> 2 }")
        [one] = await after(api, first["position"])
        assert len(one["added"]) == 2
        assert (await api.delete("/views/said")).status_code == 204


async def test_a_view_that_is_deleted_or_reset_tells_nothing_of_its_window(tmp_path: Path):
    async with api_of(tmp_path) as api:
        await put(api, "said", window=0.2)
        await update(api, "INSERT DATA { <urn:a> <urn:p> 1 }")
        await api.post("/views/said/reset")
        await asyncio.sleep(0.5)
        [again] = await told(api, "said")
        assert len(again["answer"]) == 1
        await update(api, "INSERT DATA { <urn:a> <urn:p> 2 }")
        await api.delete("/views/said")
        await asyncio.sleep(0.4)
        assert (await api.get("/views")).json() == {"views": []}


QUERY = parse_dataset_query(SAID)
rows = st.lists(st.sampled_from([{"s": Literal(name)} for name in "abc"]), max_size=4)


@given(rows, rows, rows)
def test_two_differences_as_one_lead_to_the_same(before: list, between: list, last: list):
    def said(old: list, new: list, change: int) -> bytes:
        left, right = (Counter(row["s"] for row in side) for side in (old, new))
        sides = [[{"s": term} for term in (one - other).elements()] for one, other in ((right, left), (left, right))]
        return difference(QUERY, *sides, change)

    both = joined(said(before, between, 1), said(between, last, 2))
    wanted = msgspec.json.decode(said(before, last, 2))
    if both is None:
        assert wanted["added"] == wanted["removed"] == []
    else:
        found = msgspec.json.decode(both)
        assert (items(found["added"]), items(found["removed"])) == (items(wanted["added"]), items(wanted["removed"]))


@pytest.mark.parametrize(("first", "second", "both"), [(True, False, None), (False, True, None)])
def test_yes_and_no(first: bool, second: bool, both: None):
    ask = parse_dataset_query("ASK {}")
    said = [difference(ask, [{}] if value else [], [] if value else [{}], 1) for value in (first, second)]
    assert joined(*said) is both


async def test_a_reader_of_a_window_has_the_answer_in_the_end(tmp_path: Path):
    async with api_of(tmp_path) as api:
        await put(api, "said", window=0.05)
        number = api.node.broker.views.require("anonymous", "said").number
        reader = Reader()
        for value in range(30):
            await update(api, f"DELETE WHERE {{ <urn:a> <urn:p> ?o }} ; INSERT DATA {{ <urn:a> <urn:p> {value} }}")
            await reader.read(api.node.broker, number)
        await asyncio.sleep(0.5)
        await reader.read(api.node.broker, number)
        assert reader.count < 32
        [(solution, count)] = reader.answer.items()
        assert (dict(solution)["o"].value, count) == ("29", 1)
