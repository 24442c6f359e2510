"""Whatever the tiling, the strategy and the order of messages: every match is notified, once, and nothing else is.

These are the properties of section 3.2 of the EventCloud paper, while zones and their contents move between nodes.
"""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import TypeVar

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Struct
from tests.network.eventspace.tiling import ONE_SPLIT, TiledSpace, splits, tiled
from tests.sweeps import sweep

from triplewire.algebra.subscriptions import Subscription
from triplewire.algebra.taxonomy import Taxonomy
from triplewire.matching import Match, Matcher
from triplewire.network.eventspace.causality import Stamp
from triplewire.network.eventspace.effects import Established, Published
from triplewire.network.eventspace.strategy import PublicationStrategy
from triplewire.rdf.events import Event
from triplewire.rdf.solutions import Solutions
from triplewire.testing import Answers, Oracle, OracleUndecided, answers_of, same_answers
from triplewire.testing import strategies as drawn
from triplewire.testing.decider import EvaluationFailed, Notify
from triplewire.testing.strategies.terms import event_of
from triplewire.testing.strategies.vocabulary import EX

T = TypeVar("T")
STRATEGIES = st.lists(st.sampled_from(PublicationStrategy), min_size=1, max_size=3)


class Issued(Struct):
    """A subscription, where it was issued, its stamp, and the publications that were stored by then."""

    node: int
    subscription: Subscription
    stamp: Stamp
    stored_before: frozenset[Stamp]


class Sent(Struct):
    """An event, where it was published, its stamp, and the subscriptions that were established by then."""

    node: int
    event: Event
    stamp: Stamp
    established_before: frozenset[Stamp]


class Run:
    """Clients that go from node to node, and what they do there."""

    def __init__(self, space: TiledSpace, clients: int) -> None:
        self.space = space
        self.seen: list[dict[str, int]] = [{} for _ in range(clients)]
        self.issued: dict[str, Issued] = {}
        self.sent: list[Sent] = []

    def told(self, kind: type[Established] | type[Published]) -> frozenset[Stamp]:
        return frozenset(effect.stamp for effect in self.space.told if isinstance(effect, kind))

    def subscribe(self, node: int, client: int, subscription: Subscription) -> None:
        stored = self.told(Published)
        stamp, effects = self.space.subscribe(node, subscription, self.seen[client])
        self.seen[client][stamp.origin] = stamp.position
        self.issued[subscription.id] = Issued(node, subscription, stamp, stored)
        self.space.carry_out(node, effects)

    def publish(self, node: int, client: int, event: Event) -> None:
        established = self.told(Established)
        stamp, effects = self.space.publish(node, len(self.sent), event, self.seen[client])
        self.seen[client][stamp.origin] = stamp.position
        self.sent.append(Sent(node, event, stamp, established))
        self.space.carry_out(node, effects)

    def repeat(self, node: int) -> None:
        """A node has crashed: repeat what was not acknowledged there."""
        for issued in self.issued.values():
            if issued.node == node:
                stamp, effects = self.space.subscribe(node, issued.subscription)
                assert stamp == issued.stamp
                self.space.carry_out(node, effects)
        stored = self.told(Published)
        for ticket, sent in enumerate(self.sent):
            if sent.node == node and sent.stamp not in stored:
                stamp, effects = self.space.publish(node, ticket, sent.event)
                assert stamp == sent.stamp
                self.space.carry_out(node, effects)

    def notifications(self) -> dict[tuple[str, str], Notify]:
        """By subscription and event. Each of them once."""
        found = [effect for effect in self.space.told if isinstance(effect, Notify)]
        counts = Counter((n.subscription_id, n.event.graph.value) for n in found)
        assert set(counts.values()) <= {1}
        return {(n.subscription_id, n.event.graph.value): n for n in found}


def answers(subscription: Subscription, event: Event, taxonomy: Taxonomy | None) -> Answers | None:
    """What the oracle says, or the matcher where no oracle can tell."""
    try:
        return Oracle(taxonomy).match(subscription, event)
    except OracleUndecided:
        matcher = Matcher(taxonomy)
        matcher.add(subscription)
        return next((answers_of(subscription, match) for match in matcher.match(event)), None)


def check(run: Run, taxonomy: Taxonomy | None = None, *, by_arrival: bool = True) -> int:
    """Hold what was notified against what had to be, and what could be; returns how many matches were due.

    `by_arrival`: what is not ordered in the logs of nodes is ordered by what had been acknowledged.
    """
    assert not any(isinstance(effect, EvaluationFailed) for effect in run.space.told)
    notified = run.notifications()
    due = 0
    for issued in run.issued.values():
        for sent in run.sent:
            wanted = answers(issued.subscription, sent.event, taxonomy)
            found = notified.pop((issued.subscription.id, sent.event.graph.value), None)
            if issued.stamp.follows(sent.stamp) or (by_arrival and sent.stamp in issued.stored_before):
                assert found is None
            elif wanted is not None and (
                sent.stamp.follows(issued.stamp) or (by_arrival and issued.stamp in sent.established_before)
            ):
                assert found is not None
                due += 1
            if found is not None:
                assert found.event == sent.event
                assert same_answers(wanted, given_answers(issued.subscription, found))
    assert not notified
    return due


def given_answers(subscription: Subscription, found: Notify) -> Answers | None:
    """In the oracle's terms: a CONSTRUCT whose solutions made no triples has answered nothing."""
    assert found.answer.solutions
    solutions = Solutions(found.answer.solutions)
    return answers_of(subscription, Match(subscription.id, found.event, solutions, found.answer.construct))


def renamed(event: Event, number: int) -> Event:
    return event_of(EX[f"event{number}"], list(event.triples))


class Scene(Struct):
    """What a run is drawn from."""

    run: Run
    data: st.DataObject
    worlds: list[Event]
    events: list[Event]

    def act(self, kind: str) -> None:
        """A client does something at a node."""
        node, client = self.draw(st.integers(0, len(self.run.space.nodes) - 1)), self.draw(st.integers(0, 1))
        if kind == "publish":
            self.run.publish(node, client, self.events.pop())
            return
        subscription = self.draw(drawn.subscriptions(self.draw(st.sampled_from(self.worlds)).triples))
        if subscription.id not in self.run.issued:
            self.run.subscribe(node, client, subscription)

    def draw(self, strategy: st.SearchStrategy[T]) -> T:
        return self.data.draw(strategy)


def scene_of(cuts, nodes, strategies, triples, seed, data) -> tuple[Scene, Taxonomy, list[str]]:
    """Nodes and their zones, events and subscriptions, and the order in which clients act."""
    taxonomy = Taxonomy.from_triples(triples)
    space = TiledSpace(tiled(cuts), nodes, strategies, Random(seed), taxonomy)
    worlds = data.draw(st.lists(drawn.events(size=5), min_size=1, max_size=3))
    events = [renamed(event, number) for number, event in enumerate(worlds, start=1)]
    acts = data.draw(st.permutations(["subscribe"] * 4 + ["publish"] * len(events)))
    return Scene(Run(space, clients=2), data, worlds, events), taxonomy, acts


SCENES = (splits(), st.integers(1, 4), STRATEGIES, drawn.taxonomies(), st.integers(0, 1 << 32))
SEVERAL = (splits(), st.integers(2, 4), STRATEGIES, drawn.taxonomies(), st.integers(0, 1 << 32))
SOME = st.sampled_from([0, 3, None])


@settings(max_examples=20)
@given(*SCENES, st.booleans(), st.data())
def test_matches_are_those_of_the_oracle(cuts, nodes, strategies, triples, seed, moving, data) -> None:
    scene, taxonomy, acts = scene_of(cuts, nodes, strategies, triples, seed, data)
    space = scene.run.space
    for kind in acts:
        scene.act(kind)
        space.deliver(data.draw(SOME))
        if moving:
            space.move(data.draw(ONE_SPLIT), data.draw(st.integers(0, nodes - 1)))
            space.deliver(data.draw(st.sampled_from([0, 3])))
    space.deliver()
    check(scene.run, taxonomy)
    assert not any(node.holder.waiting for node in space.nodes)


@settings(max_examples=20)
@given(*SCENES, st.data())
def test_a_crash_between_any_two_steps_changes_nothing(cuts, nodes, strategies, triples, seed, data) -> None:
    """What was committed is found again, what was not comes again."""
    scene, taxonomy, acts = scene_of(cuts, nodes, strategies, triples, seed, data)
    space = scene.run.space
    for kind in acts:
        scene.act(kind)
        for _ in range(data.draw(st.integers(0, 2))):
            space.deliver(data.draw(SOME))
            node = data.draw(st.integers(0, nodes - 1))
            space.crash(node)
            scene.run.repeat(node)
        space.move(data.draw(ONE_SPLIT), data.draw(st.integers(0, nodes - 1)))
    space.deliver()
    check(scene.run, taxonomy)
    assert not any(node.holder.waiting for node in space.nodes)


@settings(max_examples=20)
@given(*SEVERAL, st.data())
def test_a_dispute_that_ends_in_a_deposit_loses_nothing(cuts, nodes, strategies, triples, seed, data) -> None:
    """Two nodes take messages for one zone, each what the other lacks. Order is by the logs of nodes only."""
    scene, taxonomy, acts = scene_of(cuts, nodes, strategies, triples, seed, data)
    space = scene.run.space
    for kind in acts:
        scene.act(kind)
        space.deliver(data.draw(SOME))
        if data.draw(st.booleans()):
            space.end_dispute()
            space.dispute(data.draw(st.integers(0, 7)), data.draw(st.integers(0, nodes - 1)))
    space.deliver(data.draw(SOME))
    space.end_dispute()
    space.deliver()
    check(scene.run, taxonomy, by_arrival=False)
    assert not any(node.holder.waiting for node in space.nodes)


test_matches_are_those_of_the_oracle_often = sweep(
    test_matches_are_those_of_the_oracle, *SCENES, st.booleans(), st.data(), examples=300
)
test_a_crash_between_any_two_steps_changes_nothing_often = sweep(
    test_a_crash_between_any_two_steps_changes_nothing, *SCENES, st.data(), examples=300
)
test_a_dispute_that_ends_in_a_deposit_loses_nothing_often = sweep(
    test_a_dispute_that_ends_in_a_deposit_loses_nothing, *SEVERAL, st.data(), examples=300
)
