"""Workloads over flat records: `mixed`, `zipf` and `ranges`.

An event is one subject with 6 categorical and 4 numeric properties: 10 quads. How many values there are follows from
how many matches an event is meant to have, so that the number of subscriptions can vary and the matches stay.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from triplewire.testing.workloads.stars import Star, quads, row
from triplewire.testing.workloads.workload import EX, Row, Workload, chunks, stream

CATEGORIES = 6
NUMBERS = 4
NUMERIC_RANGE = 1_000_000
_TYPICAL_SHARE = 0.1
_MOST_VALUES = 1_000_000
_SPARQL = ("sparql",)

Integers = NDArray[np.int64]
Ranks = Callable[[np.random.Generator, int, tuple[int, ...]], Integers]

_CATEGORY = [str(EX[f"category{i}"]) for i in range(CATEGORIES)]
_NUMBER = [str(EX[f"number{i}"]) for i in range(NUMBERS)]


class Plan(Struct, frozen=True):
    """How constants are drawn, how many there are, and how wide a range is."""

    ranks: Ranks
    values: int
    width: int


def mixed(
    subscriptions: int,
    events: int,
    seed: int = 0,
    matches_per_event: float = 1.0,
    languages: Sequence[str] = _SPARQL,
) -> Workload:
    """2 or 3 patterns on one subject: a constant, a numeric range, and in half of them a property with any value.

    >>> tiny = mixed(2, 1, seed=7)
    >>> print(next(tiny.rows()).text)
    SELECT ?s WHERE { ?s <http://example.org/category1> <http://example.org/value0> . \
?s <http://example.org/number2> ?n0 FILTER(?n0 >= 271516 && ?n0 < 771516) }
    >>> next(tiny.payloads()).count(b"\\n")
    10
    """
    return _categorical("mixed", subscriptions, events, seed, matches_per_event, languages, uniform)


def zipf(
    subscriptions: int,
    events: int,
    seed: int = 0,
    matches_per_event: float = 1.0,
    languages: Sequence[str] = _SPARQL,
) -> Workload:
    """As `mixed`, with constants that follow Zipf's law in subscriptions and events: a few are very common.

    The mean number of matches is still the given one; it is only spread unevenly.
    """
    return _categorical("zipf", subscriptions, events, seed, matches_per_event, languages, _zipf)


def ranges(
    subscriptions: int,
    events: int,
    seed: int = 0,
    matches_per_event: float = 1.0,
    languages: Sequence[str] = _SPARQL,
) -> Workload:
    """Two numeric ranges and no constant object: what only an index of intervals can help with."""
    share = min(1.0, (matches_per_event / max(1, subscriptions)) ** 0.5)
    return Workload(
        "ranges",
        lambda: _range_rows(subscriptions, seed, max(1, round(share * NUMERIC_RANGE)), languages),
        lambda: _payloads("ranges", events, seed, 1_000, uniform),
    )


def _categorical(
    name: str, subscriptions: int, events: int, seed: int, matches: float, languages: Sequence[str], ranks: Ranks
) -> Workload:
    plan = planned(subscriptions, matches, ranks)
    return Workload(
        name,
        lambda: rows(name, subscriptions, seed, plan, languages),
        lambda: _payloads(name, events, seed, plan.values, ranks),
    )


def planned(subscriptions: int, matches: float, ranks: Ranks) -> Plan:
    """As few values as let the ranges be of the typical width, and then the width that makes the matches right."""
    values = 1
    while subscriptions * _meeting(ranks, values) * _TYPICAL_SHARE > matches and values < _MOST_VALUES:
        values = max(values + 1, values * 11 // 10)
    share = min(1.0, matches / max(1e-9, subscriptions * _meeting(ranks, values)))
    return Plan(ranks, values, max(1, round(share * NUMERIC_RANGE)))


def rows(name: str, total: int, seed: int, plan: Plan, languages: Sequence[str] = _SPARQL) -> Iterator[Row]:
    """That many subscriptions."""
    width = plan.width
    random = stream(seed, f"{name} subscriptions")
    for numbers in chunks(total):
        count = len(numbers)
        category = random.integers(0, CATEGORIES, count).tolist()
        constant = plan.ranks(random, plan.values, (count,)).tolist()
        number = random.integers(0, NUMBERS, count).tolist()
        low = random.integers(0, NUMERIC_RANGE - width + 1, count).tolist()
        other = random.integers(0, 2 * CATEGORIES, count).tolist()
        for place, i in enumerate(numbers):
            extra = [_CATEGORY[other[place]]] if other[place] < CATEGORIES else []
            star = Star(
                [(_CATEGORY[category[place]], _value(constant[place]))],
                [(_NUMBER[number[place]], low[place], low[place] + width)],
                extra,
            )
            yield row(i, star, languages)


def _range_rows(total: int, seed: int, width: int, languages: Sequence[str]) -> Iterator[Row]:
    random = stream(seed, "ranges subscriptions")
    for numbers in chunks(total):
        first = random.integers(0, NUMBERS, len(numbers)).tolist()
        step = random.integers(1, NUMBERS, len(numbers)).tolist()
        lows = random.integers(0, NUMERIC_RANGE - width + 1, (len(numbers), 2)).tolist()
        for place, i in enumerate(numbers):
            pair = (_NUMBER[first[place]], _NUMBER[(first[place] + step[place]) % NUMBERS])
            star = Star((), [(p, low, low + width) for p, low in zip(pair, lows[place], strict=True)])
            yield row(i, star, languages)


def _payloads(name: str, total: int, seed: int, values: int, ranks: Ranks) -> Iterator[bytes]:
    random = stream(seed, f"{name} events")
    for numbers in chunks(total):
        categories = ranks(random, values, (len(numbers), CATEGORIES)).tolist()
        amounts = random.integers(0, NUMERIC_RANGE, (len(numbers), NUMBERS)).tolist()
        for place, i in enumerate(numbers):
            labels = [_value(rank) for rank in categories[place]]
            yield quads(
                str(EX[f"event/{i}"]),
                str(EX[f"item/{i}"]),
                list(zip(_CATEGORY, labels, strict=True)),
                list(zip(_NUMBER, amounts[place], strict=True)),
            )


def _value(rank: int) -> str:
    return f"<http://example.org/value{rank}>"


def uniform(random: np.random.Generator, values: int, shape: tuple[int, ...]) -> Integers:
    """Every value is as common as any other."""
    return random.integers(0, values, shape)


def _zipf(random: np.random.Generator, values: int, shape: tuple[int, ...]) -> Integers:
    # Zipf's law with exponent 1, in its continuous form: cheap for any number of values, without a table.
    return np.minimum(np.floor((values + 1.0) ** random.random(shape)).astype(np.int64), values) - 1


def _meeting(ranks: Ranks, values: int) -> float:
    """How likely a constant and a value are the same."""
    if ranks is uniform:
        return 1.0 / values
    edges = np.log(np.arange(1, min(values, 100_000) + 2)) / np.log(values + 1.0)
    return float(np.sum(np.diff(edges) ** 2))
