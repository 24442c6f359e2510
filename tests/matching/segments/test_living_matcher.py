"""The matcher while it lives: through adding, removing, merging, saving, opening and new taxonomies, in any order."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, multiple, rule
from tests.matching.segments.living import by_event, early, found, naive, renamed

from triplewire.algebra.subscriptions import Subscription
from triplewire.algebra.taxonomy import Taxonomy
from triplewire.matching import Matcher
from triplewire.rdf.events import Event
from triplewire.testing import workloads
from triplewire.testing.strategies import canonical_events, events, subscriptions, taxonomies


class Life(RuleBasedStateMachine):
    """Whatever happened before, an event gets the answers that its subscriptions give one by one."""

    names = Bundle("names")

    def __init__(self) -> None:
        super().__init__()
        self.taxonomy: Taxonomy | None = None
        self.matcher = early()
        self.held: dict[str, Subscription] = {}
        self.count = 0

    @rule(target=names, data=st.data(), like=canonical_events(), count=st.integers(1, 4))
    def add(self, data: st.DataObject, like: Event, count: int):
        names = []
        for _ in range(count):
            wanted = data.draw(subscriptions(like.triples))
            self.count += 1
            names.append(self._add(Subscription.parse(wanted.text, wanted.language, id=f"s{self.count}")))
        return multiple(*names)

    @rule(name=names, data=st.data(), like=canonical_events())
    def add_another_under_a_name_that_is_free_again(self, name: str, data: st.DataObject, like: Event) -> None:
        if name not in self.held:
            wanted = data.draw(subscriptions(like.triples))
            self._add(Subscription.parse(wanted.text, wanted.language, id=name))

    def _add(self, subscription: Subscription) -> str:
        self.matcher.add(subscription)
        self.held[subscription.id] = subscription
        return subscription.id

    @rule(name=consumes(names))
    def remove_for_good(self, name: str) -> None:
        if self.held.pop(name, None) is not None:
            self.matcher.remove(name)

    @rule(name=names)
    def remove(self, name: str) -> None:
        if self.held.pop(name, None) is not None:
            self.matcher.remove(name)

    @rule(event=events())
    def match(self, event: Event) -> None:
        assert found(self.matcher.match(event)) == naive(self.held.values(), event, self.taxonomy)

    @rule(passing=st.lists(events(), min_size=1, max_size=4))
    def match_a_batch(self, passing: list[Event]) -> None:
        named = [renamed(event, f"urn:event:{place}") for place, event in enumerate(passing)]
        batch = self.matcher.match_nquads(b"".join(event.nquads for event in named))
        answers = by_event(batch)
        for event in named:
            assert answers.get(event.graph, {}) == naive(self.held.values(), event, self.taxonomy)

    @rule()
    def merge_everything(self) -> None:
        self.matcher._index.compact()

    @rule()
    def wait_for_the_merger(self) -> None:
        self.matcher.settle()

    @rule(known=taxonomies())
    def read_by_another_taxonomy(self, known: tuple) -> None:
        self.taxonomy = Taxonomy.from_triples(known)
        self.matcher.set_taxonomy(self.taxonomy)

    @rule()
    def save_and_open(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            self.matcher.save(Path(folder) / "snapshot")
            self.matcher = Matcher.open(Path(folder) / "snapshot", self.taxonomy)

    @invariant()
    def holds_what_was_added(self) -> None:
        assert len(self.matcher) == len(self.held)

    def teardown(self) -> None:
        self.matcher.settle()
        assert [s.id for s in self.matcher.subscriptions] == list(self.held)
        assert all(self.matcher._index.get(name).query == s.query for name, s in self.held.items())


TestLife = Life.TestCase
TestLife.settings = settings(max_examples=12, stateful_step_count=16)

KINDS = {
    "mixed": workloads.mixed(200, 12, seed=1, matches_per_event=4, languages=("sparql", "formula", "graph")),
    "zipf": workloads.zipf(200, 12, seed=2, matches_per_event=4, languages=("sparql", "formula", "graph")),
    "ranges": workloads.ranges(200, 12, seed=3, matches_per_event=4, languages=("sparql", "formula", "graph")),
    "substrings": workloads.substrings(200, 12, seed=4, matches_per_event=4),
    "taxonomy": workloads.taxonomy(200, 12, seed=5, matches_per_event=4),
    "graphs": workloads.graphs(200, 12, seed=6, matches_per_event=4),
    "library": workloads.library(200, 12, seed=7, matches_per_event=4),
    "gtopss": workloads.gtopss(60, 4, seed=8),
}


@pytest.mark.parametrize("name", KINDS)
def test_a_workload_through_adds_removes_merges_save_and_open(name: str, tmp_path: Path) -> None:
    workload = KINDS[name]
    taxonomy = Taxonomy.parse(workload.taxonomy) if workload.taxonomy else None
    waiting = list(workload.subscriptions())
    passing = list(workload.events())
    matcher, held, matches = early(taxonomy), {}, 0

    def agree() -> int:
        answers = by_event(matcher.match_nquads(workload.nquads()))
        for event in passing:
            assert answers.get(event.graph, {}) == naive(held.values(), event, taxonomy), event.graph
        return sum(map(len, answers.values()))

    def exchange(count: int) -> None:
        for subscription in waiting[:count]:
            matcher.add(subscription)
            held[subscription.id] = subscription
        del waiting[:count]
        for gone in list(held)[:: max(3, len(held) // 10)]:
            matcher.remove(gone)
            del held[gone]

    while waiting:
        exchange(1 + len(waiting) // 3)
        matches += agree()
    matcher._index.compact()
    matches += agree()
    matcher.save(tmp_path / "snapshot")
    matcher = Matcher.open(tmp_path / "snapshot", taxonomy)
    matches += agree()
    for gone in list(held)[::2]:
        matcher.remove(gone)
        del held[gone]
    assert agree() + matches > 0


def test_a_name_that_is_free_again_means_the_new_query() -> None:
    """A plan of the general lane must not outlive the subscription that it was made for."""
    (event,) = Event.parse("<urn:a> <urn:p> <urn:b> <urn:e> .")
    matcher = Matcher()
    matcher.add(Subscription.parse("SELECT ?x { ?x <urn:p> ?y OPTIONAL { ?y <urn:q> ?z } }", id="s"))
    assert [match.solutions for match in matcher.match(event)] == [[{"x": event.triples[0].subject}]]
    matcher.remove("s")
    matcher.add(Subscription.parse("SELECT ?y { ?x <urn:p> ?y OPTIONAL { ?y <urn:q> ?z } }", id="s"))
    assert [match.solutions for match in matcher.match(event)] == [[{"y": event.triples[0].object}]]


def test_class_tests_see_the_events_own_types_after_a_merge_without_patterns_on_rdf_type() -> None:
    (event,) = Event.parse(
        "<urn:a> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <urn:Paper> <urn:e> .\n"
        "<urn:a> <urn:p> <urn:b> <urn:e> .\n"
    )
    matcher = early()
    text = "PREFIX tw: <urn:triplewire:> SELECT ?x {{ ?x <urn:p> ?y FILTER(tw:isA(?x, <urn:{}>)) }}"
    matcher.add(Subscription.parse(text.format("Paper"), id="papers"))
    matcher.add(Subscription.parse(text.format("Book"), id="books"))
    assert list(found(matcher.match(event))) == ["papers"]
    matcher.remove("books")
    matcher._index.compact()
    assert list(found(matcher.match(event))) == ["papers"]
