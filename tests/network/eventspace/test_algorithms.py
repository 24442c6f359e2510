"""CSMA and OSMA step by step: what travels, what waits, who notifies (sections 4.1 and 4.2, table 1)."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from tests.network.eventspace.tiling import TiledSpace

from triplewire.algebra.subscriptions import Subscription
from triplewire.algebra.taxonomy import Taxonomy
from triplewire.errors import UnknownSubscription
from triplewire.matching.evaluation.budget import Allowance
from triplewire.network.can.coordinates import coordinate
from triplewire.network.can.space import SPACE, Dimension, Interval, Zone
from triplewire.network.eventspace.effects import (
    Established,
    EvaluationFailed,
    Notify,
    Published,
    SpaceEffect,
    ToNode,
    ToZones,
)
from triplewire.network.eventspace.gateway import Gateway
from triplewire.network.eventspace.messages import (
    CandidateFound,
    CollectEvent,
    EventHeader,
    IndexSubscription,
    MatchRewritten,
    QuadsFound,
    StoreEvent,
    StoreQuad,
)
from triplewire.network.eventspace.node import SpaceNode
from triplewire.network.eventspace.strategy import MOST_SENT_WHOLE, PublicationStrategy
from triplewire.rdf.events import Event
from triplewire.rdf.terms import RDF, RDFS, Literal, NamedNode, Triple

CSMA, OSMA, AUTO = PublicationStrategy.CSMA, PublicationStrategy.OSMA, PublicationStrategy.AUTO
FOAF = "http://xmlns.com/foaf/0.1/"
# Listing 1.1 of the paper.
LISTING = Subscription.parse(
    f"""PREFIX foaf: <{FOAF}>
    SELECT ?id ?name WHERE {{ GRAPH ?g {{ ?id foaf:name ?name . ?id foaf:age ?age }} FILTER (?age > 25) }}""",
    id="listing",
)
ANN = f'<urn:ann> <{FOAF}age> "31"^^<http://www.w3.org/2001/XMLSchema#integer> <urn:event:1> .\n'
ANN += f'<urn:ann> <{FOAF}name> "Ann" <urn:event:1> .\n'


def event(text: str) -> Event:
    (found,) = Event.parse(text)
    return found


def by_predicate(*borders: str) -> list[Zone]:
    """Zones that differ in their predicates only."""
    ends = [b"", *(coordinate(NamedNode(border)) for border in borders)]
    sides = [Interval(lower, upper) for lower, upper in zip(ends, [*ends[1:], None], strict=True)]
    return [SPACE.with_side(Dimension.PREDICATE, side) for side in sides]


def by_object(*borders: str) -> list[Zone]:
    ends = [b"", *(coordinate(Literal(border)) for border in borders)]
    sides = [Interval(lower, upper) for lower, upper in zip(ends, [*ends[1:], None], strict=True)]
    return [SPACE.with_side(Dimension.OBJECT, side) for side in sides]


def space_of(zones: list[Zone], strategy: PublicationStrategy, taxonomy: Taxonomy | None = None) -> TiledSpace:
    """A node for each zone, and messages that come once."""
    return TiledSpace(zones, len(zones), [strategy], Random(0), taxonomy, doubled=0)


def subscribe(space: TiledSpace, subscription: Subscription, node: int = 0) -> None:
    _, effects = space.nodes[node].subscribe(subscription)
    space.carry_out(effects)
    space.deliver()


def publish(space: TiledSpace, text: str, node: int = 0) -> None:
    _, effects = space.nodes[node].publish(event(text))
    space.carry_out(effects)
    space.deliver()


def notified(space: TiledSpace) -> list[tuple[str, Event]]:
    return [(told.subscription_id, told.event) for told in space.told if isinstance(told, Notify)]


def kinds(space: TiledSpace) -> Counter[str]:
    return Counter(type(message).__name__ for message in space.sent)


class TestCsma:
    """Section 4.1."""

    def test_quadruples_travel_alone_and_the_rewritten_subscription_goes_after_them(self) -> None:
        space = space_of(by_predicate(FOAF + "b", FOAF + "m"), CSMA)
        subscribe(space, LISTING)
        space.sent.clear()
        publish(space, ANN, node=1)
        assert kinds(space)["StoreQuad"] == 2
        (rewritten,) = [message for message in space.sent if isinstance(message, MatchRewritten)]
        assert rewritten.rewriting.binding == (("id", "<urn:ann>"),)
        assert notified(space) == [("listing", event(ANN))]

    def test_the_subscription_is_indexed_where_its_first_pattern_is_and_nowhere_else(self) -> None:
        space = space_of(by_predicate(FOAF + "b", FOAF + "m"), CSMA)
        _, effects = space.nodes[0].subscribe(LISTING)
        (multicast,) = effects
        assert isinstance(multicast, ToZones)
        assert space.touched(multicast.bounds) == [*space.nodes[2].holder.zones]

    @pytest.mark.parametrize("age", ["25", "abc"])
    def test_a_filter_ends_the_chain_as_soon_as_its_variable_is_bound(self, age: str) -> None:
        first = Subscription.parse(f"ASK {{ ?id <{FOAF}age> ?age . ?id <{FOAF}name> ?name FILTER(?age > 25) }}")
        space = space_of(by_predicate(FOAF + "b", FOAF + "m"), CSMA)
        subscribe(space, first)
        publish(space, ANN.replace('"31"', f'"{age}"'))
        assert "MatchRewritten" not in kinds(space)
        assert not notified(space)

    def test_a_rewritten_subscription_meets_what_was_there_before_and_what_comes_after(self) -> None:
        node = SpaceNode("n", [SPACE], CSMA)
        _, (indexing,) = node.subscribe(LISTING)
        _, quads = node.publish(event(ANN))
        node.receive(indexing.message)
        age, name = (effect.message for effect in quads)
        for first, second in ((age, name), (name, age)):
            other = SpaceNode("o", [SPACE])
            other.receive(indexing.message)
            effects = [*other.receive(first), *other.receive(second)]
            rewritten = [e for e in effects if isinstance(e, ToZones) and isinstance(e.message, MatchRewritten)]
            assert len(rewritten) == 1
            assert _candidates(other.receive(rewritten[0].message)) == 1
        late = SpaceNode("l", [SPACE])
        assert not _candidates(late.receive(rewritten[0].message))
        assert _candidates(late.receive(age)) == 1

    def test_several_ends_of_a_chain_are_several_candidates_and_one_notification(self) -> None:
        asked = Subscription.parse("ASK { <urn:s> <urn:p> ?x . <urn:s> <urn:q> ?y }", id="s")
        space = space_of(by_object("m"), CSMA)
        subscribe(space, asked)
        publish(space, "".join(f'<urn:s> <urn:{p}> "{o}" <urn:e> .\n' for p in "pq" for o in ("a", "z")))
        assert kinds(space)["CandidateFound"] > 1
        assert len(notified(space)) == 1

    def test_two_ways_to_bind_what_is_still_needed_are_one_rewriting(self) -> None:
        asked = Subscription.parse("ASK { ?s <urn:p> ?x . ?s <urn:q> ?y }", id="s")
        space = space_of([SPACE], CSMA)
        subscribe(space, asked)
        lines = [f'<urn:s> <urn:p> "{n}" <urn:e> .' for n in range(20)]
        publish(space, "\n".join([*lines, '<urn:s> <urn:q> "1" <urn:e> .']))
        assert kinds(space)["MatchRewritten"] == 1

    def test_a_chain_that_multiplies_beyond_measure_is_left_to_the_evaluation(self) -> None:
        asked = Subscription.parse("ASK { ?s <urn:p> ?x . ?t <urn:q> ?y . ?x <urn:r> ?y }", id="s")
        space = space_of([SPACE], CSMA)
        space.nodes[0] = SpaceNode("n0", [SPACE], CSMA, most_rewritings=10)
        subscribe(space, asked)
        lines = [f"<urn:s> <urn:{p}> <urn:{n}> <urn:e> ." for n in range(20) for p in "pq"]
        publish(space, "\n".join([*lines, "<urn:3> <urn:r> <urn:7> <urn:e> ."]))
        assert kinds(space)["MatchRewritten"] == 10
        assert len(notified(space)) == 1
        publish(space, "\n".join(lines).replace("urn:e>", "urn:f>"))
        assert len(notified(space)) == 1

    def test_an_event_is_collected_though_some_of_its_quadruples_are_still_on_their_way(self) -> None:
        node = SpaceNode("n", [SPACE], CSMA)
        asked = Subscription.parse("ASK { ?s <urn:p> ?o }", id="s")
        _, (indexing,) = node.subscribe(asked)
        node.receive(indexing.message)
        published = event("<urn:a> <urn:p> <urn:b> <urn:e> .\n<urn:a> <urn:q> <urn:b> <urn:e> .\n")
        _, (first, second) = node.publish(published)
        effects = node.receive(first.message)
        (candidate,) = [e.message for e in effects if isinstance(e.message, CandidateFound)]
        (collecting,) = node.receive(candidate)
        assert isinstance(collecting.message, CollectEvent)
        for effect in node.receive(collecting.message):
            assert not node.receive(effect.message)
        effects = node.receive(second.message)
        (after,) = [e.message for e in effects if isinstance(e.message, QuadsFound)]
        (told,) = node.receive(after)
        assert isinstance(told, Notify)
        assert told.event == published

    def test_nobody_waits_for_an_event_that_is_stored(self) -> None:
        space = space_of(by_predicate(FOAF + "b", FOAF + "m"), CSMA)
        subscribe(space, LISTING)
        publish(space, ANN)
        assert kinds(space)["CollectEvent"] == 1
        assert [node.holder.waiting for node in space.nodes] == [0, 0, 0]


class TestOsma:
    """Section 4.2."""

    def test_a_whole_event_is_matched_in_one_step(self) -> None:
        space = space_of(by_predicate(FOAF + "b", FOAF + "m"), OSMA)
        subscribe(space, LISTING)
        publish(space, ANN, node=1)
        assert notified(space) == [("listing", event(ANN))]
        assert not {"StoreQuad", "MatchRewritten", "CollectEvent"} & set(kinds(space))

    def test_only_the_owner_of_the_first_matching_quadruple_tells(self) -> None:
        asked = Subscription.parse("ASK { ?s <urn:p> ?o }", id="s")
        space = space_of(by_object("b", "c", "d"), OSMA)
        subscribe(space, asked)
        publish(space, "".join(f'<urn:s> <urn:p> "{o}" <urn:e> .\n' for o in "dcb"))
        assert kinds(space)["CandidateFound"] == 1
        assert len(notified(space)) == 1

    def test_each_owner_stores_its_own_quadruples_only(self) -> None:
        space = space_of(by_object("m"), OSMA)
        publish(space, '<urn:s> <urn:p> "a" <urn:e> .\n<urn:s> <urn:p> "z" <urn:e> .\n')
        (stored,) = [message for message in space.sent if isinstance(message, StoreEvent)]
        for node, wanted in zip(space.nodes, ("a", "z"), strict=True):
            (found,) = node.receive(CollectEvent(stored.header, "n"))[-1:]
            assert isinstance(found, ToNode)
            assert isinstance(found.message, QuadsFound)
            (line,) = found.message.lines
            assert f'"{wanted}"'.encode() in line

    def test_a_subscription_that_was_issued_before_and_arrives_after_goes_csmas_way(self) -> None:
        space = space_of(by_predicate(FOAF + "b", FOAF + "m"), OSMA)
        _, late = space.nodes[0].subscribe(LISTING)
        publish(space, ANN)
        assert not notified(space)
        space.carry_out(late)
        space.deliver()
        assert kinds(space)["MatchRewritten"] == 2
        assert notified(space) == [("listing", event(ANN))]

    def test_it_does_so_too_where_only_the_owner_of_the_first_quadruple_gets_it_late(self) -> None:
        """The other owner left the match to the first, whose own quadruples do not begin the chain that holds."""
        asked = Subscription.parse("ASK { ?x <urn:p> ?y . ?y <urn:q> ?z }", id="s")
        border = coordinate(NamedNode("urn:m"))
        sides = (Interval(b"", border), Interval(border))
        space = space_of([SPACE.with_side(Dimension.SUBJECT, side) for side in sides], OSMA)
        _, late = space.nodes[0].subscribe(asked)
        (indexing,) = late
        assert isinstance(indexing, ToZones)
        space.nodes[1].receive(indexing.message)
        publish(
            space,
            "<urn:a> <urn:p> <urn:b> <urn:e> .\n<urn:y> <urn:q> <urn:k> <urn:e> .\n<urn:z> <urn:p> <urn:y> <urn:e> .",
        )
        assert not notified(space)
        space.carry_out(late)
        space.deliver()
        assert len(notified(space)) == 1


class TestHappensBefore:
    """Section 3.2: causal order, by positions in logs."""

    @pytest.mark.parametrize("strategy", [CSMA, OSMA])
    def test_an_event_that_was_published_before_is_not_notified_however_late_it_comes(self, strategy) -> None:
        space = space_of(by_predicate(FOAF + "m"), strategy)
        _, late = space.nodes[0].publish(event(ANN))
        subscribe(space, LISTING)
        space.carry_out(late)
        space.deliver()
        assert not notified(space)

    @pytest.mark.parametrize("strategy", [CSMA, OSMA])
    @pytest.mark.parametrize("goes_along", [True, False])
    def test_a_client_brings_its_past_to_another_node(self, strategy, goes_along: bool) -> None:
        space = space_of(by_predicate(FOAF + "m"), strategy)
        stamp, late = space.nodes[0].subscribe(LISTING)
        _, effects = space.nodes[1].publish(event(ANN), {stamp.origin: stamp.position} if goes_along else {})
        space.carry_out(effects)
        space.deliver()
        space.carry_out(late)
        space.deliver()
        assert len(notified(space)) == goes_along

    def test_a_subscription_is_established_when_every_zone_that_it_touches_has_it(self) -> None:
        space = space_of(by_object("b", "c"), CSMA)
        node = space.nodes[0]
        _, (indexing,) = node.subscribe(Subscription.parse("ASK { ?s <urn:p> ?o }", id="s"))
        told: list[list[SpaceEffect]] = []
        for other in space.nodes:
            (answer,) = other.receive(indexing.message)
            told.append(node.receive(answer.message))
            node.receive(answer.message)
        assert [len(effects) for effects in told] == [0, 0, 1]
        assert isinstance(told[-1][0], Established)

    def test_what_can_never_match_is_established_at_once_and_sent_nowhere(self) -> None:
        never = Subscription.parse("ASK { ?s <urn:p> ?o FILTER(?unbound = 1) }", id="never")
        _, effects = SpaceNode("n", [SPACE]).subscribe(never)
        assert [type(effect) for effect in effects] == [Established]

    def test_a_publication_is_acknowledged_when_every_quadruple_is_stored(self) -> None:
        for strategy in (CSMA, OSMA):
            space = space_of(by_predicate(FOAF + "m"), strategy)
            stamp, effects = space.nodes[0].publish(event(ANN))
            space.carry_out(effects)
            space.deliver(1)
            space.deliver(1)
            assert Published(stamp) not in space.told
            space.deliver()
            assert space.told == [Published(stamp)]


class TestDecisionsOnTheWholeEvent:
    """What a chain cannot tell."""

    @pytest.mark.parametrize("strategy", [CSMA, OSMA])
    @pytest.mark.parametrize(("cls", "matches"), [("C0", True), ("C9", False)])
    def test_the_taxonomy_is_asked_with_the_types_that_the_event_has(self, strategy, cls: str, matches: bool) -> None:
        below = Triple(NamedNode("urn:C0"), RDFS["subClassOf"], NamedNode("urn:C1"))
        text = "PREFIX tw: <urn:triplewire:> ASK { ?s <urn:p> ?o FILTER(tw:isA(?s, <urn:C1>)) }"
        space = space_of(by_predicate("urn:a"), strategy, Taxonomy.from_triples([below]))
        subscribe(space, Subscription.parse(text, id="s"))
        publish(space, f"<urn:x> <urn:p> <urn:y> <urn:e> .\n<urn:x> {RDF['type']} <urn:{cls}> <urn:e> .\n")
        assert kinds(space)["CandidateFound"] == 1
        assert bool(notified(space)) == matches

    @pytest.mark.parametrize("strategy", [CSMA, OSMA])
    @pytest.mark.parametrize("extra", ["", "<urn:x> <urn:q> <urn:y> <urn:e> .\n"])
    def test_the_general_lane_is_evaluated(self, strategy, extra: str) -> None:
        space = space_of(by_predicate("urn:pp"), strategy)
        asked = Subscription.parse("ASK { ?s <urn:p> ?o FILTER NOT EXISTS { ?s <urn:q> ?o } }", id="s")
        subscribe(space, asked)
        publish(space, "<urn:x> <urn:p> <urn:y> <urn:e> .\n" + extra)
        assert bool(notified(space)) == (not extra)

    def test_an_evaluation_that_takes_too_much_is_told(self) -> None:
        gateway = Gateway("n", allowance=Allowance(steps=1))
        stamp, _ = gateway.subscribe(Subscription.parse("SELECT * { ?a ?b ?c . ?d ?e ?f }", id="s"), {})
        lines = "".join(f"<urn:x> <urn:p> <urn:{n}> <urn:e> .\n" for n in range(5)).encode()
        header = EventHeader("urn:e", stamp, 5, "2026-01-01T00:00:00+00:00")
        (told,) = gateway.candidate(CandidateFound((stamp.origin, stamp.position), header, lines))
        assert isinstance(told, EvaluationFailed)
        assert "intermediate bindings" in told.reason


class TestUnsubscribe:
    def test_nothing_is_notified_any_more(self) -> None:
        space = space_of(by_predicate(FOAF + "m"), CSMA)
        stamp, effects = space.nodes[0].subscribe(LISTING)
        space.carry_out(effects)
        space.deliver()
        space.carry_out(space.nodes[0].unsubscribe(stamp))
        space.deliver()
        space.sent.clear()
        publish(space, ANN)
        assert not {"MatchRewritten", "CandidateFound"} & set(kinds(space))

    def test_a_subscription_that_comes_after_its_own_removal_stays_out(self) -> None:
        node, other = SpaceNode("n"), SpaceNode("o", [SPACE], CSMA)
        stamp, (indexing,) = node.subscribe(LISTING)
        (removing,) = node.unsubscribe(stamp)
        other.receive(removing.message)
        other.receive(indexing.message)
        _, quads = other.publish(event(ANN))
        assert not [e for quad in quads for e in other.receive(quad.message) if isinstance(e, ToZones)]

    def test_a_candidate_that_is_on_its_way_is_dropped(self) -> None:
        node = SpaceNode("n", [SPACE], OSMA)
        stamp, (indexing,) = node.subscribe(LISTING)
        node.receive(indexing.message)
        _, (whole,) = node.publish(event(ANN))
        candidates = [e.message for e in node.receive(whole.message) if isinstance(e.message, CandidateFound)]
        node.unsubscribe(stamp)
        assert [node.receive(candidate) for candidate in candidates] == [[]]

    def test_what_is_unknown_cannot_be_removed(self) -> None:
        node = SpaceNode("n")
        stamp, _ = node.subscribe(LISTING)
        node.unsubscribe(stamp)
        with pytest.raises(UnknownSubscription):
            node.unsubscribe(stamp)


def test_auto_sends_small_events_whole_and_large_ones_as_quadruples() -> None:
    assert AUTO.for_event(10, MOST_SENT_WHOLE // 10) is OSMA
    assert AUTO.for_event(11, MOST_SENT_WHOLE // 10) is CSMA
    assert CSMA.for_event(1, 1) is CSMA
    assert OSMA.for_event(1_000, 1 << 30) is OSMA
    node = SpaceNode("n", [SPACE], AUTO)
    _, (small,) = node.publish(event(ANN))
    assert isinstance(small.message, StoreEvent)
    large = "".join(f"<urn:s> <urn:p> <urn:{n}> <urn:e> .\n" for n in range(100))
    _, effects = node.publish(event(large))
    assert {type(effect.message) for effect in effects} == {StoreQuad}


def test_an_event_that_retention_has_removed_is_forgotten() -> None:
    node = SpaceNode("n", [SPACE], CSMA)
    _, (indexing,) = node.subscribe(LISTING)
    _, quads = node.publish(event(ANN))
    for quad in quads:
        node.receive(quad.message)
    node.holder.forget("urn:event:1")
    assert isinstance(indexing.message, IndexSubscription)
    assert [type(effect) for effect in node.receive(indexing.message)] == [ToNode]


def _candidates(effects: list[SpaceEffect]) -> int:
    return sum(isinstance(e, ToNode) and isinstance(e.message, CandidateFound) for e in effects)
