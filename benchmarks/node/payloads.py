"""The events: six quads each, one of them the kind that subscriptions ask for, one the moment it was due."""

from __future__ import annotations

from msgspec import Struct

QUADS = 6
_REST = "".join(f'<urn:s:{{kind}}> <urn:p{i}> "{{number}}" <{{graph}}> .\n' for i in range(QUADS - 2))
_EVENT = '<urn:s:{kind}> <urn:kind> "{kind}" <{graph}> .\n<urn:s:{kind}> <urn:made> "{due!r}" <{graph}> .\n' + _REST
_MADE = b'<urn:made> "'


class Payload(Struct, frozen=True):
    """One event as it travels."""

    kind: int
    nquads: bytes


def payloads(name: str, first: int, count: int, kinds: int, due: float) -> list[Payload]:
    """Events in a row; their kinds go round, so that each subscription to a kind matches as often as any other."""
    made = []
    for number in range(first, first + count):
        kind = number * 7919 % kinds
        text = _EVENT.format(kind=kind, number=number, graph=f"urn:e:{name}:{number}", due=due)
        made.append(Payload(kind, text.encode()))
    return made


def query(kind: int) -> str:
    """The subscription to a kind of event."""
    return f'SELECT ?made {{ ?s <urn:kind> "{kind}" ; <urn:made> ?made }}'


EVERYTHING = "SELECT ?s ?made { ?s <urn:made> ?made }"


def due_of(nquads: bytes) -> float:
    """When an event was due, on the clock of whoever made it.

    >>> due_of(payloads("n", 0, 1, kinds=1, due=2.5)[0].nquads)
    2.5
    """
    start = nquads.index(_MADE) + len(_MADE)
    return float(nquads[start : nquads.index(b'"', start)])
