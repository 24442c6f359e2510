"""The workload `graphs`: chains and cycles, where joins do the work."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from triplewire.testing.workloads.workload import EX, Row, Workload, chunks, stream

_LABELS = 2
_CHAIN = 6
_RING = 3
# Places in an event where a chain of three edges, or a ring of three, can begin.
_CHAIN_STARTS = _CHAIN - _RING + 1
_STEP = [str(EX[f"step{i}"]) for i in range(_LABELS)]


def graphs(subscriptions: int, events: int, seed: int = 0, matches_per_event: float = 1.0) -> Workload:
    """An event is a chain of 6 edges and two rings of 3; subscriptions want, from a given node, a chain or a ring of 3.

    >>> print(next(graphs(1, 1).rows()).text)
    SELECT * WHERE { <http://example.org/node2> <http://example.org/step0> ?a . ?a <http://example.org/step1> ?b . \
?b <http://example.org/step1> ?c }
    """
    # A ring is a chain, too: from each of its 6 nodes both kinds of subscription can match.
    starts = (_CHAIN_STARTS + 2 * _RING) / 2 + 2 * _RING / 2
    nodes = max(3, round(subscriptions * starts / _LABELS**_RING / matches_per_event))
    return Workload("graphs", lambda: _rows(subscriptions, seed, nodes), lambda: _payloads(events, seed, nodes))


def _rows(total: int, seed: int, nodes: int) -> Iterator[Row]:
    random = stream(seed, "graphs subscriptions")
    for numbers in chunks(total):
        starts = random.integers(0, nodes, len(numbers)).tolist()
        labels = random.integers(0, _LABELS, (len(numbers), _RING)).tolist()
        closed = random.integers(0, 2, len(numbers)).tolist()
        for place, i in enumerate(numbers):
            start = _node(starts[place])
            a, b, c = (_STEP[label] for label in labels[place])
            end = start if closed[place] else "?c"
            yield Row(f"s{i}", "sparql", f"SELECT * WHERE {{ {start} {a} ?a . ?a {b} ?b . ?b {c} {end} }}")


def _payloads(total: int, seed: int, nodes: int) -> Iterator[bytes]:
    random = stream(seed, "graphs events")
    for numbers in chunks(total):
        places = random.integers(0, nodes, (len(numbers), _CHAIN + 1 + 2 * _RING)).tolist()
        labels = random.integers(0, _LABELS, (len(numbers), _CHAIN + 2 * _RING)).tolist()
        for i, at, label in zip(numbers, places, labels, strict=True):
            yield _event(i, _edges(at), label)


def _edges(at: list[int]) -> list[tuple[int, int]]:
    chain, first, second = at[: _CHAIN + 1], at[_CHAIN + 1 : _CHAIN + 1 + _RING], at[_CHAIN + 1 + _RING :]
    rings = [(ring[k], ring[(k + 1) % _RING]) for ring in (first, second) for k in range(_RING)]
    return [*pairwise(chain), *rings]


def _event(number: int, edges: list[tuple[int, int]], labels: list[int]) -> bytes:
    graph = EX[f"event/{number}"]
    rows = zip(edges, labels, strict=True)
    return "".join(f"{_node(a)} {_STEP[label]} {_node(b)} {graph} .\n" for (a, b), label in rows).encode()


def _node(number: int) -> str:
    return f"<http://example.org/node{number}>"
