"""`/me` and `/overview`: who asks, and what the node has and does."""

from __future__ import annotations

from pathlib import Path

import msgspec
from tests.node.http.serving import NQUADS, QUERY, api_of, is_problem

from triplewire.wire.console import Figures, WhoAmI

ALL = "SELECT ?o { ?s <urn:p> ?o }"


async def test_a_client_is_told_who_it_is_and_what_it_may_do(tmp_path: Path):
    async with api_of(tmp_path, open=False) as api:
        reader = await api.register(rights={"publish": None, "subscribe": {"namespaces": ["urn:open:"]}})
        admin = msgspec.json.decode((await api.get("/me")).content, type=WhoAmI)
        assert (admin.is_admin, admin.may_publish, admin.may_read_everything, admin.is_open) == (
            True,
            True,
            True,
            False,
        )
        known = msgspec.json.decode((await api.get("/me", headers=reader)).content, type=WhoAmI)
        assert (known.is_admin, known.may_publish, known.may_read, known.may_read_everything) == (
            False,
            False,
            True,
            False,
        )
        stranger = await api.get("/me", headers={"Authorization": "Bearer nobody"})
        assert is_problem(stranger, 401, "unauthenticated")


async def test_figures_count_what_happened(tmp_path: Path):
    async with api_of(tmp_path) as api:
        await api.put("/subscriptions/all", content=ALL, headers=QUERY)
        await api.put("/views/every", content="SELECT ?s { ?s ?p ?o }", headers=QUERY)
        before = msgspec.json.decode((await api.get("/overview")).content, type=Figures)
        body = "".join(f'<urn:s> <urn:p> "{n}" <urn:e:{n}> .\n' for n in range(5))
        await api.post("/events", content=body, headers=NQUADS)
        after = msgspec.json.decode((await api.get("/overview")).content, type=Figures)
        assert (after.subscriptions, after.views, after.waiting) == (1, 1, 2)
        assert after.published - before.published == 5
        assert after.matched - before.matched == 5
        assert after.head - before.head == 5
        assert after.log_bytes > before.log_bytes
        assert after.oldest_waiting >= 0
        assert after.disk_free > 0
        assert after.uptime >= before.uptime


async def test_a_client_sees_figures_of_its_own(tmp_path: Path):
    async with api_of(tmp_path, open=False) as api:
        await api.put("/subscriptions/all", content=ALL, headers=QUERY)
        await api.post("/events", content='<urn:s> <urn:p> "1" <urn:e:1> .', headers=NQUADS)
        other = await api.register()
        seen = msgspec.json.decode((await api.get("/overview", headers=other)).content, type=Figures)
        assert (seen.subscriptions, seen.waiting, seen.oldest_waiting) == (0, 0, 0.0)
