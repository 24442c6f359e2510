"""`/vocabulary`: what queries may be completed with."""

from __future__ import annotations

from pathlib import Path

from tests.node.http.serving import TURTLE, api_of

EVENT = """@prefix dcterms: <http://purl.org/dc/terms/> . @prefix shop: <http://example.org/shop#> .
shop:a a shop:Book ; dcterms:title "One" . shop:b a shop:Book ; dcterms:title "Two" ; shop:price 3 ."""
TAXONOMY = (
    "<http://example.org/shop#Book> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <http://example.org/shop#Ware> ."
)


async def test_classes_properties_and_prefixes_are_those_of_events_and_taxonomy(tmp_path: Path):
    async with api_of(tmp_path) as api:
        await api.post("/events", params={"graph": "urn:e:1"}, content=EVENT, headers=TURTLE)
        await api.put("/taxonomy", content=TAXONOMY, headers=TURTLE)
        found = (await api.get("/vocabulary")).json()
        assert found["classes"] == [
            {"iri": "http://example.org/shop#Book", "count": 2},
            {"iri": "http://example.org/shop#Ware", "count": 0},
        ]
        assert {one["iri"]: one["count"] for one in found["properties"]}["http://purl.org/dc/terms/title"] == 2
        assert found["prefixes"]["dcterms"] == "http://purl.org/dc/terms/"
        assert found["prefixes"]["shop"] == "http://example.org/shop#"
        assert found["events"] == 1
