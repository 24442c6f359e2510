"""`/metrics` and `/health`: every number that is promised, and that it counts."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

from tests.node.http.serving import NQUADS, QUERY, api_of

ALL = "SELECT ?s ?o { ?s <urn:p> ?o }"
FEW = "SELECT ?s ?o { ?s <urn:p> ?o FILTER(?o = '1') }"


def numbers(text: str) -> dict[str, float]:
    """Every sample by its name and labels."""
    return {name: float(value) for name, value in re.findall(r"^(\w+(?:\{[^}]*\})?) (\S+)$", text, re.MULTILINE)}


async def metrics(api, **headers: str) -> dict[str, float]:
    answer = await api.get("/metrics", headers=headers)
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    return numbers(answer.text)


async def publish(api, first: int, last: int) -> None:
    body = "".join(f'<urn:s> <urn:p> "{n}" <urn:e:{n}> .\n' for n in range(first, last + 1))
    assert (await api.post("/events", content=body, headers=NQUADS)).status_code == 201


async def test_every_number_counts(tmp_path: Path):
    async with api_of(tmp_path) as api:
        await publish(api, 1, 2)
        await api.put("/subscriptions/few", content=FEW, headers=QUERY)
        await api.put("/subscriptions/all", content=ALL, headers=QUERY, params={"start": "beginning"})
        await publish(api, 2, 5)
        page = (await api.get("/subscriptions/all/notifications", params={"limit": 3})).json()
        await api.post("/subscriptions/all/ack", params={"position": page["next"]})
        found = await metrics(api)
        assert found["triplewire_published_total"] == 5
        assert found["triplewire_repeated_total"] == 1
        assert found["triplewire_matched_total"] == 5
        assert found["triplewire_delivered_total"] == 3
        assert found["triplewire_acknowledged_total"] == 1
        # Each that matched was a candidate, in the history as well as live.
        assert found["triplewire_candidates_total"] >= found["triplewire_matched_total"]
        assert found["triplewire_subscriptions"] == 2
        assert found["triplewire_log_bytes"] > 0
        assert found["triplewire_writer_queue"] == 0
        assert "triplewire_repository_position" in found
        await api.delete("/subscriptions/all")
        await api.delete("/subscriptions/few")
        assert (await metrics(api))["triplewire_candidates_total"] >= found["triplewire_candidates_total"]


async def test_fsync_latency_is_a_histogram(tmp_path: Path):
    async with api_of(tmp_path) as api:
        for number in range(1, 6):
            await publish(api, number, number)
        found = await metrics(api)
        counts = [value for name, value in found.items() if name.startswith("triplewire_fsync_seconds_bucket")]
        assert counts == sorted(counts)
        assert counts[-1] == found["triplewire_fsync_seconds_count"] >= 5
        assert found["triplewire_fsync_seconds_sum"] > 0
        assert 'triplewire_fsync_seconds_bucket{le="+Inf"}' in found


async def test_the_age_of_the_oldest_that_waits_by_subscription(tmp_path: Path):
    async with api_of(tmp_path) as api:
        name = 'triplewire_oldest_undelivered_seconds{owner="anonymous",subscription="all"}'
        await api.put("/subscriptions/all", content=ALL, headers=QUERY)
        assert name not in await metrics(api)
        await publish(api, 1, 1)
        await asyncio.sleep(0.05)
        await publish(api, 2, 2)
        assert (await metrics(api))[name] >= 0.05
        await api.post("/subscriptions/all/ack", params={"position": 2})
        assert name not in await metrics(api)


async def test_a15_a_client_sees_the_ages_of_its_own_subscriptions_only(tmp_path: Path):
    async with api_of(tmp_path, open=False) as api:
        one, two = await api.register(name="one"), await api.register(name="two")
        await api.put("/subscriptions/secret-project", content=ALL, headers=QUERY | one)
        await publish(api, 1, 1)
        shown = [
            [name for name in await metrics(api, **headers) if "secret-project" in name] for headers in (one, two, {})
        ]
        assert [len(names) for names in shown] == [1, 0, 1]
