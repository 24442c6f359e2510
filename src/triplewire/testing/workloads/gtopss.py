"""The workload of G-ToPSS's experiments (section 5): random graphs as publications, parts of them as subscriptions.

Table 1 is damaged in the text that we have. From it: publications of 35 nodes and 90 edges. Chosen by us, near the
text: subscriptions of 5 nodes and 6 edges ("edges must be more than nodes"), a tenth of them matching, half of the rest
overlapping, 2 stars in half of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from msgspec import Struct

from triplewire.testing.workloads.workload import EX, Row, Workload, stream

Edge = tuple[str, str, str]


class Parameters(Struct, frozen=True):
    """Table 1. Sizes are (nodes, edges)."""

    publication: tuple[int, int] = (35, 90)
    subscription: tuple[int, int] = (5, 6)
    matching: float = 0.1
    overlapping: float = 0.5
    stars: int = 2
    starred: float = 0.5
    labels: int = 10


DEFAULTS = Parameters()


def gtopss(subscriptions: int, events: int, seed: int = 0, parameters: Parameters = DEFAULTS) -> Workload:
    """Subscriptions in the graph language. The first event is the publication that the matching ones are parts of.

    >>> workload = gtopss(10, 2)
    >>> [payload.count(b"\\n") for payload in workload.payloads()]
    [90, 90]
    """
    return Workload(
        "gtopss",
        lambda: _rows(subscriptions, seed, parameters),
        lambda: _payloads(events, seed, parameters),
    )


def _publication(seed: int, number: int, parameters: Parameters) -> list[Edge]:
    nodes, edges = parameters.publication
    return _random_graph(stream(seed, f"gtopss publication {number}"), "p", nodes, edges, parameters.labels)


def _payloads(total: int, seed: int, parameters: Parameters) -> Iterator[bytes]:
    for number in range(total):
        graph = EX[f"event/{number}"]
        edges = _publication(seed, number, parameters)
        yield "".join(f"{s} {p} {o} {graph} .\n" for s, p, o in edges).encode()


def _rows(total: int, seed: int, parameters: Parameters) -> Iterator[Row]:
    """The paper's four steps: matching, overlapping, the others, and then stars in some of all these."""
    random = stream(seed, "gtopss subscriptions")
    publication = _publication(seed, 0, parameters)
    nodes, edges = parameters.publication
    shared = _random_graph(random, "shared", nodes, edges, parameters.labels)
    matching = round(total * parameters.matching)
    overlapping = round((total - matching) * parameters.overlapping)
    for number in range(total):
        if number < matching:
            pattern = _part_of(publication, random, parameters)
        elif number < matching + overlapping:
            pattern = _part_of(shared, random, parameters)
        else:
            pattern = _random_graph(random, f"own{number}_", *parameters.subscription, parameters.labels)
        if random.random() < parameters.starred:
            pattern = _with_stars(pattern, random, parameters.stars)
        yield Row(f"s{number}", "graph", "\n".join(f"{s} {p} {o}" for s, p, o in pattern))


def _random_graph(random: np.random.Generator, kind: str, nodes: int, edges: int, labels: int) -> list[Edge]:
    """A simple path over all nodes, then edges between random pairs; no two edges are the same."""
    names = [str(EX[f"{kind}{number}"]) for number in range(nodes)]
    found = {(a, _label(random, labels), b): None for a, b in pairwise(names)}
    while len(found) < edges:
        a, b = random.integers(0, nodes, 2).tolist()
        if a != b:
            found[names[a], _label(random, labels), names[b]] = None
    return list(found)


def _label(random: np.random.Generator, labels: int) -> str:
    return str(EX[f"edge{int(random.integers(0, labels))}"])


def _part_of(graph: list[Edge], random: np.random.Generator, parameters: Parameters) -> list[Edge]:
    """A connected part: it grows from a random edge while nodes and edges last."""
    nodes, edges = parameters.subscription
    order = [graph[place] for place in random.permutation(len(graph)).tolist()]
    part, seen = [order[0]], {order[0][0], order[0][2]}
    grown = True
    while grown and len(part) < edges:
        grown = False
        for edge in order:
            ends = {edge[0], edge[2]}
            if edge not in part and ends & seen and len(seen | ends) <= nodes and len(part) < edges:
                part.append(edge)
                seen |= ends
                grown = True
    return part


def _with_stars(pattern: list[Edge], random: np.random.Generator, stars: int) -> list[Edge]:
    nodes = sorted({node for edge in pattern for node in (edge[0], edge[2])})
    chosen = random.permutation(len(nodes))[:stars].tolist()
    star = {nodes[place]: f"?star{number}" for number, place in enumerate(chosen)}
    return [(star.get(s, s), p, star.get(o, o)) for s, p, o in pattern]
