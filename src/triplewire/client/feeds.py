"""RSS 1.0, RSS 2.0 and Atom become events: the application of the G-ToPSS paper.

One entry is one event. Whatever the format, its triples use RSS 1.0's own vocabulary, which is RDF, and Dublin Core;
its enclosures are those of the module of that name, and it is part of its channel, which has its title here, but no
date. Whatever else RSS 1.0 has of an entry or a channel, in any module, stays as it is.
The event's IRI depends on the feed, the entry's id and when the entry was updated, and on nothing else: reading a
feed again gives the same events, and an entry that its author updates is a new one.
"""

from __future__ import annotations

import calendar
import hashlib
import io
import re
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from triplewire.client.feed_rdf import NOTHING, RSS, FeedGraph, graph_of_feed
from triplewire.errors import InputError, LimitExceeded, RefusedFeature
from triplewire.extras import needing
from triplewire.rdf.events import Event
from triplewire.rdf.limits import MIB
from triplewire.rdf.terms import RDF, TW, XSD, Literal, NamedNode, Namespace, Term, Triple

with needing():
    import feedparser

CONTENT = Namespace("http://purl.org/rss/1.0/modules/content/")
DC = Namespace("http://purl.org/dc/elements/1.1/")
DCTERMS = Namespace("http://purl.org/dc/terms/")
ENC = Namespace("http://purl.oclc.org/net/rss_2.0/enc#")

MAX_FEED_BYTES = 16 * MIB
MAX_TEXT = 64 * 1024
_ENTITY = re.compile(rb"<!\s*ENTITY", re.IGNORECASE)
_DATES = frozenset((DC["date"], DCTERMS["modified"], DCTERMS["issued"], DCTERMS["created"]))
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:.")


def events_of_feed(document: bytes, source: str) -> list[Event]:
    """The events of a feed's entries, oldest first as far as they tell. `source` is its URL or path."""
    if len(document) > MAX_FEED_BYTES:
        raise LimitExceeded(
            "feed_bytes",
            MAX_FEED_BYTES,
            wanted=f"a feed of at most {MAX_FEED_BYTES:,} bytes",
            found="more",
            source=source,
        )
    if _ENTITY.search(document):
        raise RefusedFeature("ENTITY", "a feed that defines entities is refused", source=source)
    parsed = _parsed(document, source)
    if not parsed.get("version"):
        raise InputError(wanted="RSS 1.0, RSS 2.0 or Atom", found=_complaint(parsed), source=source)
    graph = graph_of_feed(document, source) if parsed.version.startswith("rss1") else NOTHING
    channel = _channel(parsed.feed, graph, source)
    return [_event(entry, source, graph, channel) for entry in sorted(parsed.entries, key=_moment)]


def _parsed(document: bytes, source: str) -> Any:
    try:
        # As a stream: text would be taken for a URL or a path, and fetched.
        return feedparser.parse(io.BytesIO(document), response_headers={"content-location": source})
    except (ValueError, LookupError) as error:
        # feedparser trips over a declaration that names no encoding.
        raise InputError(wanted="a feed in an encoding that is known", found=str(error), source=source) from error


def _complaint(parsed: Any) -> str:
    problem = parsed.get("bozo_exception")
    return f"something else ({problem})" if problem else "something else"


def _event(entry: Any, source: str, graph: FeedGraph, channel: list[Triple]) -> Event:
    subject = _subject(entry, source)
    moment = _moment(entry)
    when = datetime.fromtimestamp(moment, UTC) if moment else None
    triples = list(_triples(subject, entry))
    about = _iri(entry.get("id"))
    if about is not None:
        triples += _others(graph.modules(about.value, subject), triples)
    triples += [Triple(subject, DCTERMS["isPartOf"], channel[0].subject), *channel]
    return Event.from_triples(_name(entry, source), triples, source=source, time=when)


def _others(said: list[Triple], known: list[Triple]) -> list[Triple]:
    """What a module says; what every feed has was read already, with its dates and its markup understood."""
    understood = {(triple.subject, triple.predicate) for triple in known}
    return [triple for triple in said if (triple.subject, triple.predicate) not in understood]


def _channel(feed: Any, graph: FeedGraph, source: str) -> list[Triple]:
    """The channel, in what does not change with each of its entries."""
    name = _iri(graph.channel) or _iri(feed.get("link")) or _iri(source)
    subject = name or TW[f"channel:{hashlib.sha256(source.encode(errors='replace')).hexdigest()[:32]}"]
    texts = ((RSS["title"], feed.get("title")), (RSS["description"], feed.get("subtitle")))
    triples = [Triple(subject, RDF["type"], RSS["channel"])]
    triples += [Triple(subject, predicate, Literal(_clean(text))) for predicate, text in texts if text]
    link = _iri(feed.get("link"))
    triples += [] if link is None else [Triple(subject, RSS["link"], link)]
    if graph.channel is not None:
        more = _others(graph.modules(graph.channel, subject), triples)
        triples += [triple for triple in more if triple.predicate not in _DATES]
    return triples


def _name(entry: Any, source: str) -> NamedNode:
    """The event's IRI. An entry without id goes by its link; one without date, by its words."""
    identity = entry.get("id") or entry.get("link") or ""
    version = _field(entry, "updated") or _field(entry, "published") or ""
    parts = [source, identity, version]
    if not identity or not version:
        parts += [entry.get("title", ""), entry.get("summary", "")]
    return TW[f"feed:{hashlib.sha256(chr(0).join(parts).encode(errors='replace')).hexdigest()[:32]}"]


def _subject(entry: Any, source: str) -> NamedNode:
    for candidate in (entry.get("link"), entry.get("id")):
        found = _iri(candidate)
        if found is not None:
            return found
    digest = hashlib.sha256(f"{source}\0{entry.get('id', '')}\0{entry.get('title', '')}".encode(errors="replace"))
    return TW[f"entry:{digest.hexdigest()[:32]}"]


def _iri(text: object) -> NamedNode | None:
    """An absolute IRI, or None for whatever else an entry has in that place."""
    if not isinstance(text, str) or not _SCHEME.match(text):
        return None
    try:
        return NamedNode(text)
    except ValueError:
        return None


def _triples(subject: NamedNode, entry: Any) -> Iterator[Triple]:
    yield Triple(subject, RDF["type"], RSS["item"])
    for predicate, value in (*_texts(entry), *_dates(entry)):
        yield Triple(subject, predicate, value)
    link = _iri(entry.get("link"))
    if link is not None:
        yield Triple(subject, RSS["link"], link)
    for enclosure in entry.get("enclosures", ()):
        yield from _enclosure(subject, enclosure)


def _enclosure(subject: NamedNode, enclosure: Any) -> Iterator[Triple]:
    found = _iri(enclosure.get("href"))
    if found is None:
        return
    yield Triple(subject, ENC["enclosure"], found)
    for name in ("type", "length"):
        if enclosure.get(name):
            yield Triple(found, ENC[name], Literal(_clean(str(enclosure[name]))))


def _texts(entry: Any) -> Iterator[tuple[NamedNode, Term]]:
    """Text as plain literals, so that a subscription's constants meet them."""
    found = [(RSS["title"], entry.get("title")), (RSS["description"], entry.get("summary"))]
    found += [(DC["identifier"], entry.get("id"))]
    found += [(DC["creator"], author.get("name")) for author in entry.get("authors", ()) if author]
    found += [(DC["subject"], tag.get("term")) for tag in entry.get("tags", ())]
    found += [(CONTENT["encoded"], content.get("value")) for content in entry.get("content", ())]
    for predicate, text in found:
        if text:
            yield predicate, Literal(_clean(text))


def _clean(text: str) -> str:
    return text.encode(errors="replace").decode()[:MAX_TEXT]


def _dates(entry: Any) -> Iterator[tuple[NamedNode, Term]]:
    published, updated = _field(entry, "published_parsed"), _field(entry, "updated_parsed")
    for predicate, moment in ((DCTERMS["issued"], published), (DCTERMS["modified"], updated)):
        if moment:
            yield predicate, _date_time(moment)
    if updated or published:
        yield DC["date"], _date_time(updated or published)


def _date_time(moment: time.struct_time) -> Literal:
    return Literal(time.strftime("%Y-%m-%dT%H:%M:%SZ", moment), datatype=XSD["dateTime"])


def _moment(entry: Any) -> float:
    moment = _field(entry, "updated_parsed") or _field(entry, "published_parsed")
    return float(calendar.timegm(moment)) if moment else 0.0


def _field(entry: Any, name: str) -> Any:
    # Asked in its own way, feedparser answers with the publishing date for a missing date of update, and warns.
    return dict.get(entry, name)
