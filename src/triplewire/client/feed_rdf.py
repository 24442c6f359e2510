"""What an RSS 1.0 feed says as RDF, beyond what every feed has: its modules, kept as they are.

RSS 1.0 is RDF/XML, and modules are other vocabularies in it: `<ex:conference rdf:resource="…"/>` beside the title of an
item, and what the document says of that conference. Feeds in the wild are often no sound RDF; such a feed has no
modules, and is read as any other feed is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from triplewire.errors import InputError
from triplewire.rdf.documents import read_document
from triplewire.rdf.formats import RDFXML
from triplewire.rdf.parsing.blank_nodes import Relabelling
from triplewire.rdf.parsing.quads import QuadReader
from triplewire.rdf.terms import RDF, NamedNode, Namespace, Term, Triple

RSS = Namespace("http://purl.org/rss/1.0/")
# They change without the entry changing: when the feed was made, how often it is, how many comments there are.
_VOLATILE = ("http://purl.org/rss/1.0/modules/syndication/", "http://purl.org/rss/1.0/modules/slash/")
_PARTS = frozenset(RSS[name] for name in ("items", "image", "textinput"))
_OF_THE_FEED = frozenset(RSS[name] for name in ("channel", "item", "image", "textinput"))

_BARE_RESOURCE = re.compile(rb"(<rdf:li\s+)resource=")

Said = dict[Term, list[Triple]]


class FeedGraph(Struct, frozen=True):
    """The document by subject, and which of them are parts of the feed itself."""

    said: Said = {}
    parts: frozenset[Term] = frozenset()

    @property
    def channel(self) -> str | None:
        """What the feed calls itself."""
        found = (t.subject for triples in self.said.values() for t in triples if t.object == RSS["channel"])
        return next((subject.value for subject in found if isinstance(subject, NamedNode)), None)

    def modules(self, about: str, instead: NamedNode) -> list[Triple]:
        """What is said of an item or channel, and of whatever that leads to, with `instead` as its name.

        Other items and the channel are not followed: each has an event of its own, or is in all of them.
        """
        start = NamedNode(about)
        triples: list[Triple] = []
        seen: set[Term] = {start}
        waiting: list[Term] = [start]
        while waiting:
            for triple in self._lasting(waiting.pop(0)):
                triples.append(triple)
                if triple.object not in seen and triple.object not in self.parts:
                    seen.add(triple.object)
                    waiting.append(triple.object)
        fresh = Relabelling()
        return [fresh.triple(_renamed(triple, start, instead)) for triple in triples]

    def _lasting(self, subject: Term) -> Iterator[Triple]:
        for triple in self.said.get(subject, ()):
            if triple.predicate not in _PARTS and not triple.predicate.value.startswith(_VOLATILE):
                yield triple


NOTHING = FeedGraph()


def graph_of_feed(document: bytes, source: str) -> FeedGraph:
    """The graph of an RSS 1.0 feed; nothing for what is no RDF/XML."""
    if b"http://purl.org/rss/1.0/" not in document:
        return NOTHING
    # The specification's own example leaves the prefix out, and so do most feeds; RDF/XML wants it.
    document = _BARE_RESOURCE.sub(rb"\1rdf:resource=", document)
    base = source if "://" in source else None
    try:
        quads = list(QuadReader(read_document(document, source=source), RDFXML, base=base))
    except InputError:
        return NOTHING
    said: Said = {}
    for quad in quads:
        said.setdefault(quad.subject, []).append(quad.triple)
    parts = {quad.subject for quad in quads if quad.predicate == RDF["type"] and quad.object in _OF_THE_FEED}
    return FeedGraph(said, frozenset(parts))


def _renamed(triple: Triple, old: NamedNode, new: NamedNode) -> Triple:
    if triple.subject != old:
        return triple
    return Triple(new, triple.predicate, triple.object)
