"""A library's node to look at: events of a catalogue, subscriptions, views, rules that fired, dead letters."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx

from triplewire.node.http import create_app
from triplewire.node.service import Node
from triplewire.node.settings import Settings
from triplewire.testing import VirtualClock

HOURS = timedelta(hours=8)
BATCHES = 40
SELENE = Path(__file__).parents[2] / "examples" / "selene"
QUERY = {"Content-Type": "application/sparql-query"}
RDFTL = {"Content-Type": "text/x-triplewire-rdftl"}
TURTLE = {"Content-Type": "text/turtle"}
NQUADS = {"Content-Type": "application/n-quads"}
PREFIXES = """PREFIX dcterms: <http://purl.org/dc/terms/>
PREFIX bibo: <http://purl.org/ontology/bibo/>
"""
# What somebody hostile publishes: nothing of it may run, or become part of the page (row A18).
ATTACK = '<img src=x onerror="window.hurt=1"><script>window.hurt=1</script><svg onload=window.hurt=1>"\'`{{7*7}}'

_WORDS = ("Semantic", "RDF", "Streams", "Ontologies", "Linked", "Data", "Rules", "Archives", "Catalogues", "Queries")
_PEOPLE = ("Tim Lee", "Ada Byron", "Grace Hopper", "Vannevar Bush", "Paul Otlet", "Suzanne Briet")
_TOPICS = ("Logic", "Databases", "Music", "History", "Libraries")
_SUBSCRIPTIONS = {
    "rdf-in-title": 'SELECT ?work ?title WHERE { ?work dcterms:title ?title FILTER(CONTAINS(?title, "RDF")) }',
    "new-articles": "SELECT ?work ?title WHERE { ?work a bibo:Article ; dcterms:title ?title }",
    "by-ada": 'SELECT ?work WHERE { ?work dcterms:creator "Ada Byron" }',
    "recent-logic": 'SELECT ?w ?year WHERE { ?w dcterms:subject "Logic" ; dcterms:issued ?year FILTER(?year > 2015) }',
    "music-books": 'SELECT ?work WHERE { ?work a bibo:Book ; dcterms:subject "Music" }',
    "translations": "SELECT ?work ?of WHERE { ?work dcterms:isVersionOf ?of OPTIONAL { ?work dcterms:language ?l } }",
    "no-subject": "SELECT ?work WHERE { ?work dcterms:title ?t MINUS { ?work dcterms:subject ?s } }",
    "everything": "SELECT ?s ?p ?o WHERE { ?s ?p ?o }",
}


def work(number: int, chance: random.Random) -> str:
    """One event of the catalogue, in N-Quads."""
    graph = f"<http://library.example/events/{number}>"
    node = f"<http://library.example/works/{number}>"
    kind = chance.choice(["Article", "Book", "Thesis"])
    title = " ".join(chance.sample(_WORDS, 3))
    year = f'"{chance.randint(1995, 2026)}"^^<http://www.w3.org/2001/XMLSchema#integer>'
    lines = [
        f"{node} <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://purl.org/ontology/bibo/{kind}> {graph} .",
        f'{node} <http://purl.org/dc/terms/title> "{title}"@en {graph} .',
        f'{node} <http://purl.org/dc/terms/creator> "{chance.choice(_PEOPLE)}" {graph} .',
        f"{node} <http://purl.org/dc/terms/issued> {year} {graph} .",
    ]
    if chance.random() < 0.8:
        lines.append(f'{node} <http://purl.org/dc/terms/subject> "{chance.choice(_TOPICS)}" {graph} .')
    return "\n".join(lines) + "\n"


def works(first: int, last: int) -> str:
    """Many of them, always the same ones."""
    chance = random.Random(first)
    return "".join(work(number, chance) for number in range(first, last + 1))


def rules() -> Iterator[tuple[str, str]]:
    """The rules of the example, each by its name, as a text of its own."""
    text = (SELENE / "messages.rdftl").read_text(encoding="utf-8")
    preamble = "".join(f"{line}\n" for line in text.splitlines() if line.startswith("USING"))
    for part in text.split(";;"):
        lines = [line for line in part.splitlines() if line.strip() and not line.startswith(("#", "USING"))]
        if lines:
            yield lines[0].split()[1], preamble + "\n".join(line for line in lines if "PRECEDES" not in line) + ";;\n"


async def furnish(folder: Path, *, many: int = 0) -> None:
    """Make the data folder of such a node; with so many more subscriptions."""
    # What is published in seconds here has come over some hours.
    clock = VirtualClock(datetime.now(UTC) - HOURS, flow=time.monotonic)
    node = await Node.open(Settings(data=folder, open=True), clock=clock)
    await node.begin()
    transport = httpx.ASGITransport(create_app(node))
    try:
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost", timeout=120) as api:
            await _fill(api, node, clock, many)
    finally:
        await node.stop()


async def _fill(api: httpx.AsyncClient, node: Node, clock: VirtualClock, many: int) -> None:
    for name, query in _SUBSCRIPTIONS.items():
        await _sent(api, "PUT", f"/subscriptions/{name}", PREFIXES + query, QUERY)
    for number in range(many):
        text = f'{PREFIXES}SELECT ?w WHERE {{ ?w dcterms:creator "Reader {number}" }}'
        await _sent(api, "PUT", f"/subscriptions/reader-{number:05}", text, QUERY)
    await _sent(api, "PUT", "/schema", (SELENE / "schema.ttl").read_text(encoding="utf-8"), TURTLE)
    for name, rule in rules():
        await _sent(api, "PUT", f"/rules/{name}", rule, RDFTL)
    await _sent(api, "POST", "/graph?default", (SELENE / "users.ttl").read_text(encoding="utf-8"), TURTLE)
    await _sent(api, "PUT", "/views/unread", "SELECT ?m WHERE { ?m <http://example.org/selene/unread> ?x }", QUERY)
    titles = "SELECT ?lo ?t WHERE { ?lo <http://purl.org/dc/elements/1.1/title> ?t }"
    await _sent(api, "PUT", "/views/titles", titles, QUERY)
    await _sent(api, "POST", "/updates", (SELENE / "updates.rdftl").read_text(encoding="utf-8"), RDFTL)
    chance, last = random.Random(2), 0
    for _ in range(BATCHES):
        clock.advance(HOURS.total_seconds() / BATCHES * 0.99)
        size = chance.randint(5, 65)
        await _sent(api, "POST", "/events", works(last + 1, last + size), NQUADS)
        last += size
    head = (await api.get("/overview")).json()["head"]
    for name in ("translations", "no-subject", "music-books", "everything"):
        await _sent(api, "POST", f"/subscriptions/{name}/ack?position={head}", "", {})
    await api.post("/subscriptions/by-ada/pause")
    await _bury(node)


async def _bury(node: Node) -> None:
    """Give some notifications up, as a webhook does after its last try."""
    for name in ("rdf-in-title", "new-articles"):
        record = node.broker.subscriptions.index.named("anonymous", name)
        assert record is not None
        page = await node.broker.notifications.page(record.number, limit=4)
        for notification in page.notifications:
            reason = "wanted 2xx within 10 s, found 503 Service Unavailable"
            await node.broker.dead_letters.add(record.number, notification.position, reason, 12)


async def _sent(api: httpx.AsyncClient, method: str, path: str, body: str, headers: dict[str, str]) -> None:
    answer = await api.request(method, path, content=body.encode(), headers=headers)
    assert answer.is_success, (path, answer.text)
