"""One evaluation of a query with one operator, on one event: ours beside Oxigraph's.

Both begin with N-Quads and end with solutions as objects, each at its own best setting: ours gets all events as one
batch, Oxigraph a new store an event. The query is prepared before, as far as that can be done: Oxigraph reads its text
each time, since it has no prepared queries in Python. Half of the events match.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

from msgspec import Struct
from pyoxigraph import RdfFormat, Store

from benchmarks.isolated import Tell
from triplewire import Matcher, Subscription
from triplewire.testing import workloads
from triplewire.testing.workloads.composed import OPERATORS, with_operator

_QUERY = "SELECT ?s WHERE { ?s <http://example.org/number0> ?n0 FILTER(?n0 >= 500000) }"
_EVENTS = 2_000
_ROUNDS = 9


class Evaluation(Struct, frozen=True):
    """Microseconds an event, the medians of some rounds."""

    operator: str
    ours: float
    oxigraph: float


def beside_oxigraph(tell: Tell) -> list[Evaluation]:
    """Every operator in turn."""
    payloads = list(workloads.mixed(1, _EVENTS, seed=3).payloads())
    return [_measured(operator, with_operator(_QUERY, operator), payloads) for operator in OPERATORS]


def _measured(operator: str, query: str, payloads: list[bytes]) -> Evaluation:
    matcher = Matcher(interpret=0)
    matcher.add(Subscription.parse(query, id="asked"))
    matcher.settle()

    data = b"".join(payloads)

    def ours() -> list[int]:
        counts = dict.fromkeys(range(len(payloads)), 0)
        batch = matcher.match_nquads(data)
        for event, match in zip(sorted(batch.event_indices.tolist()), batch, strict=True):
            counts[event] = len(match.solutions)
        return [*counts.values()]

    def oxigraph() -> list[int]:
        return [_count(query, payload) for payload in payloads]

    if ours() != oxigraph():
        raise ValueError(f"Triplewire and Oxigraph disagree on {query}")
    return Evaluation(operator, _median(ours) / len(payloads), _median(oxigraph) / len(payloads))


def _count(query: str, payload: bytes) -> int:
    store = Store()
    store.load(payload, format=RdfFormat.N_QUADS)
    # One event has one graph, which is also what its default graph holds.
    return sum(1 for _ in store.query(query, use_default_graph_as_union=True))


def _median(work: Callable[[], object]) -> float:
    times = []
    for _ in range(_ROUNDS):
        start = time.perf_counter()
        work()
        times.append(1e6 * (time.perf_counter() - start))
    return statistics.median(times)
