"""The workload `taxonomy`: isA on a class tree."""

from __future__ import annotations

from collections.abc import Iterator

from triplewire.rdf.terms import RDF, RDFS, TW
from triplewire.testing.workloads.workload import EX, INTEGER, Row, Workload, chunks, stream

_CHILDREN = 4
_TYPE = RDF["type"]
_NUMBER = EX["number0"]
_NUMERIC_RANGE = 1_000_000
_DEEPEST = 7  # 21,845 classes; beyond that the numeric range alone keeps matches rare


def taxonomy(subscriptions: int, events: int, seed: int = 0, matches_per_event: float = 1.0) -> Workload:
    """A tree in which each class has 4 subclasses; events hold instances of leaves; subscriptions name classes above.

    Half of the subscriptions ask for a parent of leaves, half for a grandparent, each with a numeric range that makes
    the expected number of matches the given one.
    """
    depth = 3
    while subscriptions * _hit(depth) * 0.5 > matches_per_event and depth < _DEEPEST:
        depth += 1
    share = min(1.0, matches_per_event / max(1e-9, subscriptions * _hit(depth)))
    width = max(1, round(share * _NUMERIC_RANGE))
    return Workload(
        "taxonomy",
        lambda: _rows(subscriptions, seed, depth, width),
        lambda: _payloads(events, seed, depth),
        tree(depth),
    )


def tree(depth: int) -> str:
    """The class tree as Turtle: class 0 is the root, and class i has the children 4i+1 to 4i+4.

    >>> tree(1).count("subClassOf")
    4
    """
    count = _first_of(depth + 1)
    lines = (f"{EX[f'Class{i}']} {RDFS['subClassOf']} {EX[f'Class{(i - 1) // _CHILDREN}']} ." for i in range(1, count))
    return "\n".join(lines)


def _first_of(level: int) -> int:
    """The number of the first class on a level; the root is level 0."""
    return int((_CHILDREN**level - 1) // (_CHILDREN - 1))


def _hit(depth: int) -> float:
    """How likely a subscription's class is above an event's leaf."""
    return float(_CHILDREN ** (1 - depth) + _CHILDREN ** (2 - depth)) / 2


def _rows(total: int, seed: int, depth: int, width: int) -> Iterator[Row]:
    random = stream(seed, "taxonomy subscriptions")
    for numbers in chunks(total):
        up = random.integers(1, 3, len(numbers)).tolist()
        where = random.random(len(numbers)).tolist()
        lows = random.integers(0, _NUMERIC_RANGE - width + 1, len(numbers)).tolist()
        for place, i in enumerate(numbers):
            level = depth - up[place]
            cls = EX[f"Class{_first_of(level) + int(where[place] * _CHILDREN**level)}"]
            low = lows[place]
            test = f"{TW['isA']}(?s, {cls}) && ?n >= {low} && ?n < {low + width}"
            yield Row(f"s{i}", "sparql", f"SELECT ?s WHERE {{ ?s {_NUMBER} ?n FILTER({test}) }}")


def _payloads(total: int, seed: int, depth: int) -> Iterator[bytes]:
    random = stream(seed, "taxonomy events")
    for numbers in chunks(total):
        leaves = random.integers(_first_of(depth), _first_of(depth + 1), len(numbers)).tolist()
        amounts = random.integers(0, _NUMERIC_RANGE, len(numbers)).tolist()
        for i, leaf, amount in zip(numbers, leaves, amounts, strict=True):
            subject, graph = EX[f"item/{i}"], EX[f"event/{i}"]
            yield (
                f"{subject} {_TYPE} {EX[f'Class{leaf}']} {graph} .\n"
                f'{subject} {_NUMBER} "{amount}"^^{INTEGER} {graph} .\n'
            ).encode()
