"""The rivals as oracles: seven programs that share no code with the matcher's index, and must say what it says."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from benchmarks.rivals.publications import Found, Rival
from benchmarks.rivals.reading import NotUnderstood, read
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.rivals import RIVALS, EventCloud, GToPSS, Naive, Ops
from triplewire import Event, Matcher, Subscription, Taxonomy
from triplewire.testing import workloads
from triplewire.testing.workloads import Parameters, Workload

MAKERS: dict[str, Callable[[int], Workload]] = {
    "mixed": lambda seed: workloads.mixed(120, 12, seed, 2.0, ("sparql", "formula", "graph")),
    "zipf": lambda seed: workloads.zipf(120, 12, seed, 2.0),
    "ranges": lambda seed: workloads.ranges(60, 12, seed, 2.0),
    "substrings": lambda seed: workloads.substrings(60, 12, seed, 2.0),
    "taxonomy": lambda seed: workloads.taxonomy(80, 12, seed, 2.0),
    "graphs": lambda seed: workloads.graphs(120, 12, seed, 2.0),
    "gtopss": lambda seed: workloads.gtopss(60, 2, seed, Parameters(matching=0.3, labels=4)),
}


def matched_by(rival: Rival, workload: Workload) -> Found:
    rival.build(list(workload.subscriptions()), taxonomy_of(workload))
    return rival.match(workload.nquads())


def matched_by_matcher(workload: Workload) -> Found:
    matcher = Matcher(taxonomy_of(workload))
    for subscription in workload.subscriptions():
        matcher.add(subscription)
    return {(event.graph.value, m.subscription_id) for event in workload.events() for m in matcher.match(event)}


def taxonomy_of(workload: Workload) -> Taxonomy | None:
    return None if workload.taxonomy is None else Taxonomy.parse(workload.taxonomy)


@pytest.mark.parametrize("workload", MAKERS)
def test_every_rival_finds_what_the_matcher_finds(workload: str) -> None:
    for seed in (1, 2):
        expected = matched_by_matcher(MAKERS[workload](seed))
        assert expected
        for name, rival in RIVALS.items():
            assert matched_by(rival(), MAKERS[workload](seed)) == expected, name


NODES = [f"<urn:n{i}>" for i in range(4)]
LABELS = ["<urn:a>", "<urn:b>"]
events = st.sets(st.tuples(st.sampled_from(NODES), st.sampled_from(LABELS), st.sampled_from(NODES)), min_size=1)
ends = st.sampled_from([*NODES, "?x", "?y", "?z"])
graph_patterns = st.lists(st.tuples(ends, st.sampled_from(LABELS), ends), min_size=1, max_size=4)


@given(events, st.lists(graph_patterns, min_size=1, max_size=5))
@settings(max_examples=150)
def test_the_papers_algorithms_agree_on_dense_little_graphs(
    triples: set[tuple[str, str, str]], patterns: list[list[tuple[str, str, str]]]
) -> None:
    """Loops, repeated variables, stars shared between subscriptions, parts that are not connected."""
    texts = [" . ".join(" ".join(edge) for edge in pattern) for pattern in patterns]
    subscriptions = [Subscription.parse(f"ASK {{ {text} }}", id=f"s{i}") for i, text in enumerate(texts)]
    nquads = "".join(f"{s} {p} {o} <urn:e> .\n" for s, p, o in sorted(triples)).encode()
    matcher = Matcher()
    for subscription in subscriptions:
        matcher.add(subscription)
    expected = {("urn:e", match.subscription_id) for match in matcher.match(Event.parse(nquads)[0])}
    for rival in (Naive(), Ops(), GToPSS(), EventCloud()):
        rival.build(subscriptions)
        assert rival.match(nquads) == expected, rival.name
        assert rival.match(nquads) == expected, f"{rival.name}, asked again"


def test_gtopss_figure_8_joins_binding_tables() -> None:
    """A*1 is matched by AB, AC and AE, *1B by five edges; the join leaves ACB and AEB."""
    edges = ["A B", "A C", "A E", "C B", "E B", "D B", "F B", "G B"]
    triples = [(f"<urn:{v}>", "<urn:a>", f"<urn:{w}>") for v, w in (edge.split() for edge in edges)]
    through = Subscription.parse("ASK { <urn:A> <urn:a> ?x . ?x <urn:a> <urn:B> }", id="through")
    back = Subscription.parse("ASK { <urn:A> <urn:a> ?x . ?x <urn:a> <urn:A> }", id="back")
    engine = GToPSS()
    engine.build([through, back])
    assert engine.match_event(triples) == {"through"}


@pytest.mark.parametrize(
    "text",
    [
        "ASK { ?x ?p <urn:o> }",
        "ASK { ?x <urn:p> ?y FILTER(?y > 1 || ?y < 0) }",
        "ASK { GRAPH ?g { ?x <urn:p> ?y } }",
        "ASK { ?x <urn:p> ?y FILTER(?x != ?y) }",
        "ASK { ?x <urn:p> ?y OPTIONAL { ?x <urn:q> ?z } }",
    ],
)
def test_what_rivals_do_not_understand_is_refused_not_guessed(text: str) -> None:
    with pytest.raises(NotUnderstood, match="wanted"):
        read(Subscription.parse(text))
