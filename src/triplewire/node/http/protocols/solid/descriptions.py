"""What others find: the storage, its subscription services, a channel; in JSON-LD and Turtle.

JSON-LD is written as clients expect it: short names under the protocol's own context, which nobody has to fetch.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from msgspec import Struct
from pyoxigraph import serialize

from triplewire.rdf.formats import JSONLD, TURTLE
from triplewire.rdf.terms import RDF, XSD, Literal, NamedNode, Namespace, Triple

NOTIFY = Namespace("http://www.w3.org/ns/solid/notifications#")
CONTEXT = "https://www.w3.org/ns/solid/notification/v1"
PIM = Namespace("http://www.w3.org/ns/pim/space#")
WEBSOCKET, WEBHOOK = "WebSocketChannel2023", "WebhookChannel2023"
TYPES = (WEBSOCKET, WEBHOOK)
FEATURE = "state"
OFFERED = (JSONLD.media_types[0], TURTLE.media_types[0])


class Channel(Struct, frozen=True):
    """What a client was given: where it receives from, or where notifications are sent to, and until when."""

    id: str
    type: str
    topic: str
    receive_from: str | None = None
    send_to: str | None = None
    end_at: str | None = None


def storage(base: str, media_type: str) -> bytes:
    """The storage, and which services it has."""
    services = [f"{base}/solid/{kind}" for kind in TYPES]
    if media_type == OFFERED[0]:
        described = [_service_json(base, kind) for kind in TYPES]
        return msgspec.json.encode({"@context": [CONTEXT], "id": f"{base}/", "subscription": described})
    triples = [Triple(NamedNode(f"{base}/"), RDF["type"], PIM["Storage"])]
    triples += [Triple(NamedNode(f"{base}/"), NOTIFY["subscription"], NamedNode(one)) for one in services]
    return _turtle([*triples, *(triple for kind in TYPES for triple in _service_triples(base, kind))])


def service(base: str, kind: str, media_type: str) -> bytes:
    """One subscription service."""
    if media_type == OFFERED[0]:
        return msgspec.json.encode({"@context": [CONTEXT]} | _service_json(base, kind))
    return _turtle(list(_service_triples(base, kind)))


def channel(given: Channel, media_type: str) -> bytes:
    """A channel, as the answer to whoever asked for it."""
    places = {"receiveFrom": given.receive_from, "sendTo": given.send_to}
    found = {name: place for name, place in places.items() if place is not None}
    if media_type == OFFERED[0]:
        end = {} if given.end_at is None else {"endAt": given.end_at}
        about = {"@context": [CONTEXT], "id": given.id, "type": given.type, "topic": given.topic}
        return msgspec.json.encode(about | found | end)
    node = NamedNode(given.id)
    triples = [Triple(node, RDF["type"], NOTIFY[given.type]), Triple(node, NOTIFY["topic"], NamedNode(given.topic))]
    triples += [Triple(node, NOTIFY[name], NamedNode(place)) for name, place in found.items()]
    if given.end_at is not None:
        triples.append(Triple(node, NOTIFY["endAt"], Literal(given.end_at, datatype=XSD["dateTime"])))
    return _turtle(triples)


def _service_json(base: str, kind: str) -> dict[str, object]:
    return {"id": f"{base}/solid/{kind}", "channelType": kind, "feature": [FEATURE]}


def _service_triples(base: str, kind: str) -> Iterator[Triple]:
    node = NamedNode(f"{base}/solid/{kind}")
    yield Triple(node, NOTIFY["channelType"], NOTIFY[kind])
    yield Triple(node, NOTIFY["feature"], NOTIFY[FEATURE])


def _turtle(triples: list[Triple]) -> bytes:
    return serialize(triples, format=TURTLE.syntax) or b""
