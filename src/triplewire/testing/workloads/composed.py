"""The workload `composed`: as `mixed`, with the operators of real people's SPARQL in a third of the queries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from triplewire.testing.workloads.attributes import mixed
from triplewire.testing.workloads.workload import EX, Row, Workload

_A, _B, _C = (str(EX[f"category{number}"]) for number in (0, 1, 2))
_VALUE = str(EX["value0"])
# What is added to a query, and the variable that it shows; what excludes shows none.
OPERATORS = {
    "OPTIONAL": (f"OPTIONAL {{ ?s {_A} ?more }}", "?more"),
    "UNION": (f"{{ ?s {_A} ?more }} UNION {{ ?s {_B} ?more }}", "?more"),
    "MINUS": (f"MINUS {{ ?s {_C} {_VALUE} }}", ""),
    "NOT EXISTS": (f"FILTER NOT EXISTS {{ ?s {_B} {_VALUE} . ?s {_C} ?more }}", ""),
    "path": (f"?s {_A}* ?more", "?more"),
}
_EVERY = 3


def composed(
    subscriptions: int,
    events: int,
    seed: int = 0,
    matches_per_event: float = 1.0,
    languages: Sequence[str] = ("sparql",),
) -> Workload:
    """As `mixed`; every third query has OPTIONAL, UNION, MINUS, NOT EXISTS or a path as well, in turn.

    >>> next(composed(1, 1, seed=7).rows()).text[-54:]
    'OPTIONAL { ?s <http://example.org/category0> ?more } }'
    """
    if tuple(languages) != ("sparql",):
        raise ValueError(f"wanted SPARQL, which alone has these operators; found {', '.join(languages)}")
    plain = mixed(subscriptions, events, seed, matches_per_event)
    return Workload("composed", lambda: _rows(plain), plain.payloads)


def with_operator(text: str, operator: str) -> str:
    """A query of `mixed` with an operator at the end of its WHERE."""
    added, shown = OPERATORS[operator]
    return f"{text.removesuffix('}').rstrip()} {added} }}".replace("SELECT ?s", f"SELECT ?s {shown}".rstrip(), 1)


def _rows(plain: Workload) -> Iterator[Row]:
    operators = list(OPERATORS)
    for number, row in enumerate(plain.rows()):
        turn, rest = divmod(number, _EVERY)
        yield row if rest else row._replace(text=with_operator(row.text, operators[turn % len(operators)]))
