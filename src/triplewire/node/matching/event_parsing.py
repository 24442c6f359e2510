"""Events as they arrive: N-Quads that the matcher's scanner understands become events without an object a term.

Nearly all that is published is spelled as this library spells it. Such a document is checked, cut into events and
written out sorted by kernels, in two calls. Reading it quad by quad costs four times as much and, worse, lets go of
Python's lock at each quad, so that beside a busy event loop most of the time is spent waiting for it.

Whatever is not that plain (another format, triples without a graph, an event in two places, something wrong, something
near a limit) is read by `Event.parse`, which knows all of it and has the words for what it refuses. Both give equal
events.
"""

from __future__ import annotations

import secrets
from datetime import datetime

import numpy as np
from msgspec import Struct
from pyoxigraph import RdfFormat, parse

from triplewire.matching.kernels.columns import END, EVENT_FIRST, EVENT_LAST, START, G, S
from triplewire.matching.kernels.scan.canonical import canonical_events
from triplewire.matching.scanning.scanner import ScanResult, scan
from triplewire.rdf.events import Event
from triplewire.rdf.formats import NQUADS, Format
from triplewire.rdf.limits import Limits
from triplewire.rdf.parsing.contexts import NO_CONTEXTS, Contexts
from triplewire.rdf.terms import NamedNode, Triple

# Nobody outside can know it, so nobody can craft terms that collide.
_SEED = secrets.randbits(63)
_BRACKETS = (b"<<", b"(", b"[", b"{")
_IRI = b"<"


class Arrival(Event, frozen=True, eq=False):
    """An event whose triples are read when somebody asks for them; most of the time nobody does."""

    @property  # type: ignore[misc]
    def triples(self) -> tuple[Triple, ...]:
        return tuple([quad.triple for quad in parse(self.nquads, format=RdfFormat.N_QUADS)])


class Given(Struct, frozen=True, kw_only=True):
    """What is known of a document beside its text: who sent it and when, and what it does not say itself."""

    source: str | None
    time: datetime
    graph: str | None = None
    base: str | None = None


def events_in(data: bytes, form: Format, given: Given, limits: Limits, contexts: Contexts = NO_CONTEXTS) -> list[Event]:
    """The events of a document, as `Event.parse` reads them."""
    if form is NQUADS:
        found = _arrivals(data, given.source, given.time, limits)
        if found is not None:
            return found
    return Event.parse(
        data, form.name, given.graph, given.source, time=given.time, base=given.base, limits=limits, contexts=contexts
    )


def _arrivals(data: bytes, source: str | None, time: datetime, limits: Limits) -> list[Event] | None:
    """The events, or None where this is not the way to read them."""
    if len(data) > limits.document_bytes or sum(map(data.count, _BRACKETS)) > limits.depth or not _is_utf8(data):
        return None
    scanned = scan(data, _SEED)
    if not len(scanned) or scanned.errors or not _is_within(scanned, limits):
        return None
    offsets, text = canonical_events(scanned.buffer, scanned.quads, scanned.events)
    if int(np.diff(offsets).max()) > limits.event_bytes or text.size > limits.expanded_bytes:
        return None
    names = [scanned.graph(event) for event in range(len(scanned))]
    if len(set(names)) < len(names) or not all(name.startswith(_IRI) for name in names):
        return None
    written, places = text.tobytes(), offsets.tolist()
    return [
        Arrival(NamedNode(name[1:-1].decode()), (), written[start:end], time, source)
        for name, start, end in zip(names, places, places[1:], strict=False)
    ]


def _is_utf8(data: bytes) -> bool:
    """Of all the text, comments included, which the scanner passes over."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _is_within(scanned: ScanResult, limits: Limits) -> bool:
    """Whether no limit on terms and quads can be touched: no line is longer than a term may be."""
    quads = scanned.quads
    longest = int((quads[:, G + END] - quads[:, S + START]).max())
    most = int((scanned.events[:, EVENT_LAST] - scanned.events[:, EVENT_FIRST]).max())
    return longest <= min(limits.iri_length, limits.literal_length) and most <= limits.quads
