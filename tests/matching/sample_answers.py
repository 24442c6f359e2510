"""Prints what small workloads answer, one line a match: the same with and without compiled kernels."""

from __future__ import annotations

from collections.abc import Iterator

from tests.matching.segments.living import early

from triplewire.algebra.subscriptions import Subscription
from triplewire.algebra.taxonomy import Taxonomy
from triplewire.matching import Matcher
from triplewire.testing import workloads

SAMPLES = (
    workloads.mixed(12, 2, seed=1, matches_per_event=3, languages=("sparql", "formula", "graph")),
    workloads.ranges(12, 2, seed=3, matches_per_event=3),
    workloads.substrings(12, 2, seed=4, matches_per_event=3),
    workloads.taxonomy(12, 2, seed=5, matches_per_event=3),
    workloads.graphs(12, 2, seed=6, matches_per_event=3),
    workloads.library(12, 2, seed=7, matches_per_event=3),
)
NASTY = r"""<urn:s> <urn:p> "01"^^<http://www.w3.org/2001/XMLSchema#integer> <urn:nasty> .
<urn:s>  <urn:p>  "tab\tbed" <urn:nasty> . # odd white space
<urn:s> <urn:p> "tab\tbed" <urn:nasty> .
<urn:s> <urn:p> "0.1"^^<http://www.w3.org/2001/XMLSchema#float> <urn:nasty> .
<urn:s> <urn:p> "2020-02-30"^^<http://www.w3.org/2001/XMLSchema#date> <urn:nasty> .
<urn:s> <urn:p> broken <urn:worse> .
<urn:p> <urn:p> "\u0007bell"@en <urn:last> .
"""
ASKED = (
    "SELECT ?x { ?s <urn:p> ?x FILTER(?x = 1 || ?x < 0.5) }",
    "SELECT ?x { ?s <urn:p> ?x FILTER(CONTAINS(?x, '\\t')) }",
    "SELECT ?x { ?s <urn:p> ?x FILTER(CONTAINS(?x, '\\u0007b')) }",
    "SELECT ?s { ?s ?s ?x GRAPH <urn:last> { ?s ?s ?x } }",
    "SELECT ?x { ?s <urn:p> ?x FILTER(?x IN (1, 'a', <urn:a>)) OPTIONAL { ?x <urn:p> ?y } }",
    "ASK { ?a <urn:p> ?x . ?b <urn:p> ?y FILTER(?x != ?y) }",
)


def answers() -> Iterator[str]:
    """Sorted within each batch, so that only what is found counts."""
    for sample in SAMPLES:
        matcher = early(Taxonomy.parse(sample.taxonomy) if sample.taxonomy else None)
        held = list(sample.subscriptions())
        for subscription in held:
            matcher.add(subscription)
        yield from _lines(matcher, sample.nquads())
        for subscription in held[::3]:
            matcher.remove(subscription.id)
        matcher._index.compact()
        yield from _lines(matcher, sample.nquads())
    matcher = Matcher()
    for number, text in enumerate(ASKED):
        matcher.add(Subscription.parse(text, id=f"nasty{number}"))
    yield from _lines(matcher, NASTY.encode())
    assert not matcher.quarantined


def _lines(matcher: Matcher, data: bytes) -> list[str]:
    batch = matcher.match_nquads(data)
    errors = [f"line {error.line} of event {error.event}" for error in batch.errors]
    return errors + sorted(
        f"{match.event.graph} {match.subscription_id} {sorted(map(_line, match.solutions))}" for match in batch
    )


def _line(solution: dict) -> str:
    return " ".join(f"{name}={term}" for name, term in sorted(solution.items()))


if __name__ == "__main__":
    print("\n".join(answers()))
