"""`/events/recent`: the newest events, and a sample of them where they are many."""

from __future__ import annotations

from pathlib import Path

import msgspec
from tests.node.http.serving import NQUADS, api_of

from triplewire.node.http.routes.console.recent_events import newest
from triplewire.node.service import ANONYMOUS
from triplewire.wire.console import RecentEvents


async def publish(api, first: int, last: int):
    body = "".join(f'<urn:s> <urn:p> "{n}" <urn:e:{n}> .\n' for n in range(first, last + 1))
    assert (await api.post("/events", content=body, headers=NQUADS)).status_code == 201


async def test_the_newest_come_in_their_order(tmp_path: Path):
    async with api_of(tmp_path) as api:
        await publish(api, 1, 30)
        answer = await api.get("/events/recent", params={"limit": 3})
        found = msgspec.json.decode(answer.content, type=RecentEvents)
        assert [event.event for event in found.events] == ["urn:e:28", "urn:e:29", "urn:e:30"]
        assert (found.position, found.skipped) == (30, 0)
        assert found.events[0].nquads == '<urn:s> <urn:p> "28" <urn:e:28> .\n'


async def test_what_is_left_out_is_counted(tmp_path: Path):
    async with api_of(tmp_path) as api:
        await publish(api, 1, 10)
        first = await newest(api.node, ANONYMOUS, 5)
        await publish(api, 11, 110)
        found = await newest(api.node, ANONYMOUS, 5, first.position)
        assert [event.position for event in found.events] == [106, 107, 108, 109, 110]
        assert (found.position, found.skipped) == (110, 95)
        nothing = await newest(api.node, ANONYMOUS, 5, found.position)
        assert (nothing.events, nothing.position, nothing.skipped) == ((), 110, 0)


async def test_of_a_large_event_the_beginning_is_sent(tmp_path: Path):
    async with api_of(tmp_path) as api:
        body = "".join(f'<urn:s> <urn:p> "{n:0>60}" <urn:e> .\n' for n in range(1_000))
        await api.post("/events", content=body, headers=NQUADS)
        [event] = (await newest(api.node, ANONYMOUS, 5)).events
        assert event.quads == 1_000
        assert event.nquads.endswith(" .\n")
        assert len(event.nquads) <= 16 * 1024


async def test_a15_only_what_the_grant_shows_is_sent(tmp_path: Path):
    async with api_of(tmp_path, open=False) as api:
        body = '<urn:a> <http://open/p> "1" <urn:e> .\n<urn:a> <http://secret/p> "2" <urn:e> .'
        await api.post("/events", content=body, headers=NQUADS)
        await api.post("/events", content='<urn:a> <http://secret/p> "3" <urn:f> .', headers=NQUADS)
        reader = await api.register(rights={"subscribe": {"namespaces": ["http://open/"]}})
        answer = await api.get("/events/recent", headers=reader)
        assert "secret" not in answer.text
        assert len(answer.json()["events"]) == 1
        vocabulary = await api.get("/vocabulary", headers=reader)
        assert "secret" not in vocabulary.text
        none = await api.register(rights={"subscribe": None})
        assert (await api.get("/events/recent", headers=none)).status_code == 403
