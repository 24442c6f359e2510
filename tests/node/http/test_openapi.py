"""The OpenAPI document: every schema that it refers to is in it, and real answers are as it says."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
from tests.node.http.serving import QUERY, api_of

from triplewire.wire.answers import SubscriptionView


async def test_every_reference_leads_to_a_schema(tmp_path: Path):
    async with api_of(tmp_path) as api:
        document = await api.get("/openapi.json")
        named = set(re.findall(r'"#/components/schemas/(\w+)"', document.text))
        assert {"ProblemDetails", "Receipts", "SubscriptionView", "UpdateAnswer"} <= named
        assert named <= set(document.json()["components"]["schemas"])


async def test_an_answer_has_the_fields_of_its_schema(tmp_path: Path):
    async with api_of(tmp_path) as api:
        answer = await api.put("/subscriptions/all", content="SELECT * { ?s ?p ?o }", headers=QUERY)
        schemas = (await api.get("/openapi.json")).json()["components"]["schemas"]
        assert set(answer.json()) == set(schemas["SubscriptionView"]["required"])
        assert msgspec.json.decode(answer.content, type=SubscriptionView).state == "live"
