"""What a rival offers, and how it reads events.

Rivals read N-Quads with one regular expression: terms stay text, which is less work than a parser and its objects. It
reads what the workloads write (one quad a line, single spaces, no comments) and is given away to the rivals: it only
makes them faster.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from typing import Protocol

from triplewire import Subscription, Taxonomy

Triple = tuple[str, str, str]
Found = set[tuple[str, str]]

_QUAD = re.compile(r"(\S+) (\S+) (.*) (\S+) \.\n")


class Rival(Protocol):
    """Something that finds the subscriptions that events satisfy."""

    name: str
    batch: int
    """How many events it wants at a time."""

    def build(self, subscriptions: Iterable[Subscription], taxonomy: Taxonomy | None = None) -> None:
        """Take all subscriptions. Called once, before anything is matched."""

    def match(self, data: bytes) -> Found:
        """The pairs (event, subscription) that match, for N-Quads of some events."""


class PerEvent:
    """A rival that looks at one event at a time: it has `match_event`, and gets `match` from here."""

    batch = 1

    def match_event(self, triples: list[Triple]) -> set[str]:
        raise NotImplementedError

    def match(self, data: bytes) -> Found:
        return {(graph, found) for graph, triples in publications(data) for found in self.match_event(triples)}


def publications(data: bytes) -> Iterator[tuple[str, list[Triple]]]:
    """Events as (graph IRI, triples), terms as they are written in N-Quads, each triple once.

    >>> list(publications(b'<urn:s> <urn:p> "1 2" <urn:e> .\\n'))
    [('urn:e', [('<urn:s>', '<urn:p>', '"1 2"')])]
    """
    for graph, quads in groupby(_QUAD.findall(data.decode()), key=itemgetter(3)):
        yield graph[1:-1], list(dict.fromkeys((s, p, o) for s, p, o, _ in quads))
