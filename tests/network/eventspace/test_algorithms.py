"""CSMA and OSMA step by step: what travels, what waits, who notifies (sections 4.1 and 4.2, table 1)."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from tests.network.eventspace.tiling import TiledSpace

from triplewire.algebra.subscriptions import Subscription
from triplewire.algebra.taxonomy import Taxonomy
from triplewire.errors import DuplicateSubscription
from triplewire.network.can.geometry.coordinates import coordinate
from triplewire.network.can.geometry.space import SPACE, Dimension, Interval, Zone
from triplewire.network.can.messages import Address
from triplewire.network.eventspace.causality import Stamp
from triplewire.network.eventspace.effects import (
    Established,
    EventArrived,
    Published,
    PublishRefused,
    SpaceEffect,
    ToNode,
    ToZones,
)
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
from triplewire.testing.decider import Decider, EvaluationFailed, Notify
from triplewire.testing.memory_storage import MemoryStorage

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


def node_of(
    name: str,
    zones: list[Zone] | None = None,
    strategy: PublicationStrategy = AUTO,
    storage: MemoryStorage | None = None,
) -> SpaceNode:
    return SpaceNode(Address(name, f"at-{name}"), storage or MemoryStorage(), zones or (), strategy)


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
    _, effects = space.subscribe(node, subscription)
    space.carry_out(node, effects)
    space.deliver()


def publish(space: TiledSpace, text: str, node: int = 0) -> None:
    _, effects = space.nodes[node].publish(1, event(text))
    space.carry_out(node, effects)
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
        _, effects = space.subscribe(0, LISTING)
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
        node = node_of("n", [SPACE], CSMA)
        _, (indexing,) = node.subscribe(LISTING)
        _, quads = node.publish(1, event(ANN))
        node.receive(indexing.message)
        age, name = (effect.message for effect in quads)
        for first, second in ((age, name), (name, age)):
            other = node_of("o", [SPACE])
            other.receive(indexing.message)
            effects = [*other.receive(first), *other.receive(second)]
            rewritten = [e for e in effects if isinstance(e, ToZones) and isinstance(e.message, MatchRewritten)]
            assert len(rewritten) == 1
            assert _candidates(other.receive(rewritten[0].message)) == 1
        late = node_of("l", [SPACE])
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
        space = TiledSpace([SPACE], 1, [CSMA], Random(0), doubled=0, most_rewritings=10)
        subscribe(space, asked)
        lines = [f"<urn:s> <urn:{p}> <urn:{n}> <urn:e> ." for n in range(20) for p in "pq"]
        publish(space, "\n".join([*lines, "<urn:3> <urn:r> <urn:7> <urn:e> ."]))
        assert kinds(space)["MatchRewritten"] == 10
        assert len(notified(space)) == 1
        publish(space, "\n".join(lines).replace("urn:e>", "urn:f>"))
        assert len(notified(space)) == 1

    def test_an_event_is_collected_though_some_of_its_quadruples_are_still_on_their_way(self) -> None:
        node = node_of("n", [SPACE], CSMA)
        asked = Subscription.parse("ASK { ?s <urn:p> ?o }", id="s")
        _, (indexing,) = node.subscribe(asked)
        node.receive(indexing.message)
        published = event("<urn:a> <urn:p> <urn:b> <urn:e> .\n<urn:a> <urn:q> <urn:b> <urn:e> .\n")
        _, (first, second) = node.publish(1, published)
        effects = node.receive(first.message)
        (candidate,) = [e.message for e in effects if isinstance(e.message, CandidateFound)]
        (collecting,) = node.receive(candidate)
        assert isinstance(collecting.message, CollectEvent)
        for effect in node.receive(collecting.message):
            assert not node.receive(effect.message)
        effects = node.receive(second.message)
        (after,) = [e.message for e in effects if isinstance(e.message, QuadsFound)]
        (told,) = node.receive(after)
        assert isinstance(told, EventArrived)
        assert told.nquads == published.nquads

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

    @pytest.mark.parametrize("strategy", [CSMA, OSMA])
    def test_the_first_one_lies_where_a_filter_of_the_general_lane_lets_the_subscription_be(self, strategy) -> None:
        asked = Subscription.parse('ASK { ?s <urn:p> ?o FILTER(STRSTARTS(STR(?o), "m")) }', id="s")
        space = space_of(by_object("b", "c", "m"), strategy)
        subscribe(space, asked)
        publish(space, "".join(f'<urn:s> <urn:p> "{o}" <urn:e> .\n' for o in ("a", "bob", "mary")))
        assert len(notified(space)) == 1

    def test_each_owner_stores_its_own_quadruples_only(self) -> None:
        space = space_of(by_object("m"), OSMA)
        publish(space, '<urn:s> <urn:p> "a" <urn:e> .\n<urn:s> <urn:p> "z" <urn:e> .\n')
        (stored,) = [message for message in space.sent if isinstance(message, StoreEvent)]
        for node, wanted in zip(space.nodes, ("a", "z"), strict=True):
            (found,) = node.receive(CollectEvent(stored.header, node.me))[-1:]
            assert isinstance(found, ToNode)
            assert isinstance(found.message, QuadsFound)
            (row,) = found.message.rows
            assert row[2] == f'"{wanted}"'.encode()

    def test_a_subscription_that_was_issued_before_and_arrives_after_goes_csmas_way(self) -> None:
        space = space_of(by_predicate(FOAF + "b", FOAF + "m"), OSMA)
        _, late = space.subscribe(0, LISTING)
        publish(space, ANN)
        assert not notified(space)
        space.carry_out(0, late)
        space.deliver()
        assert kinds(space)["MatchRewritten"] == 2
        assert notified(space) == [("listing", event(ANN))]

    def test_it_does_so_too_where_only_the_owner_of_the_first_quadruple_gets_it_late(self) -> None:
        """The other owner left the match to the first, whose own quadruples do not begin the chain that holds."""
        asked = Subscription.parse("ASK { ?x <urn:p> ?y . ?y <urn:q> ?z }", id="s")
        border = coordinate(NamedNode("urn:m"))
        sides = (Interval(b"", border), Interval(border))
        space = space_of([SPACE.with_side(Dimension.SUBJECT, side) for side in sides], OSMA)
        _, late = space.subscribe(0, asked)
        (indexing,) = late
        assert isinstance(indexing, ToZones)
        space.nodes[1].receive(indexing.message)
        publish(
            space,
            "<urn:a> <urn:p> <urn:b> <urn:e> .\n<urn:y> <urn:q> <urn:k> <urn:e> .\n<urn:z> <urn:p> <urn:y> <urn:e> .",
        )
        assert not notified(space)
        space.carry_out(0, late)
        space.deliver()
        assert len(notified(space)) == 1


class TestHappensBefore:
    """Section 3.2: causal order, by positions in logs."""

    @pytest.mark.parametrize("strategy", [CSMA, OSMA])
    def test_an_event_that_was_published_before_is_not_notified_however_late_it_comes(self, strategy) -> None:
        space = space_of(by_predicate(FOAF + "m"), strategy)
        _, late = space.nodes[0].publish(1, event(ANN))
        subscribe(space, LISTING)
        space.carry_out(0, late)
        space.deliver()
        assert not notified(space)

    @pytest.mark.parametrize("strategy", [CSMA, OSMA])
    @pytest.mark.parametrize("goes_along", [True, False])
    def test_a_client_brings_its_past_to_another_node(self, strategy, goes_along: bool) -> None:
        space = space_of(by_predicate(FOAF + "m"), strategy)
        stamp, late = space.subscribe(0, LISTING)
        _, effects = space.nodes[1].publish(1, event(ANN), {stamp.origin: stamp.position} if goes_along else {})
        space.carry_out(1, effects)
        space.deliver()
        space.carry_out(0, late)
        space.deliver()
        assert len(notified(space)) == goes_along

    def test_a_subscription_is_established_when_every_zone_that_it_touches_has_it(self) -> None:
        space = space_of(by_object("b", "c"), CSMA)
        stamp, effects = space.subscribe(0, Subscription.parse("ASK { ?s <urn:p> ?o }", id="s"))
        space.carry_out(0, effects)
        space.deliver(2)
        assert not space.told
        space.deliver(1)
        assert space.told == [Established("s", stamp)]

    def test_a_subscription_that_is_repeated_keeps_its_stamp_and_its_text(self) -> None:
        storage = MemoryStorage()
        node = node_of("n", storage=storage)
        stamp, first = node.subscribe(LISTING)
        assert (stamp, first) == node.subscribe(LISTING)
        node = node_of("n", storage=storage)
        assert (stamp, first) == node.subscribe(LISTING)
        assert node.completed(first[0].key) == [Established("listing", stamp)]
        assert node.subscribe(LISTING) == (stamp, [Established("listing", stamp)])
        with pytest.raises(DuplicateSubscription):
            node.subscribe(Subscription.parse("ASK { ?s ?p ?o }", id="listing"))

    def test_what_can_never_match_is_established_at_once_and_sent_nowhere(self) -> None:
        never = Subscription.parse("ASK { ?s <urn:p> ?o FILTER(?unbound = 1) }", id="never")
        _, effects = node_of("n", [SPACE]).subscribe(never)
        assert [type(effect) for effect in effects] == [Established]

    def test_a_publication_is_acknowledged_when_every_quadruple_is_stored(self) -> None:
        for strategy in (CSMA, OSMA):
            space = space_of(by_predicate(FOAF + "m"), strategy)
            stamp, effects = space.nodes[0].publish(7, event(ANN))
            space.carry_out(0, effects)
            space.deliver(1)
            assert not space.told
            space.deliver(1)
            assert space.told == [Published(7, stamp)]


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
        decider = Decider(steps=1)
        decider.add(Subscription.parse("SELECT * { ?a ?b ?c . ?d ?e ?f }", id="s"))
        lines = "".join(f"<urn:x> <urn:p> <urn:{n}> <urn:e> .\n" for n in range(5)).encode()
        me, time = Address("n", "at-n"), "2026-01-01T00:00:00+00:00"
        header = EventHeader("urn:e", Stamp("n", 1), me, 5, time, b"digest", whole=True)
        (told,) = decider.decide(EventArrived(header, lines, ("s",)))
        assert isinstance(told, EvaluationFailed)
        assert "intermediate bindings" in told.reason


class TestOneContent:
    """The IRI of an event names one content, whoever publishes it."""

    OTHER = ANN.replace("Ann", "Anna")

    @pytest.mark.parametrize("strategy", [CSMA, OSMA])
    def test_another_content_is_refused_and_the_first_stays(self, strategy) -> None:
        space = space_of(by_predicate(FOAF + "m"), strategy)
        publish(space, ANN, node=0)
        space.told.clear()
        _, effects = space.nodes[1].publish(5, event(self.OTHER))
        space.carry_out(1, effects)
        space.deliver()
        (told,) = space.told
        assert isinstance(told, PublishRefused)
        assert (told.ticket, told.event, told.origin.id) == (5, "urn:event:1", "n0")
        assert "one content for the event <urn:event:1>" in str(told.error)
        assert sum(node.holder.load(SPACE) for node in space.nodes) == 2
        assert not space.busy

    @pytest.mark.parametrize("strategy", [CSMA, OSMA])
    def test_the_same_content_again_is_published_again_and_notified_once(self, strategy) -> None:
        space = space_of(by_predicate(FOAF + "m"), strategy)
        subscribe(space, LISTING)
        publish(space, ANN, node=0)
        publish(space, ANN, node=1)
        assert len([told for told in space.told if isinstance(told, Published)]) == 2
        assert len(notified(space)) == 1


class TestUnsubscribe:
    def test_nothing_is_notified_any_more(self) -> None:
        space = space_of(by_predicate(FOAF + "m"), CSMA)
        subscribe(space, LISTING)
        space.carry_out(0, space.nodes[0].unsubscribe("listing"))
        space.deliver()
        space.sent.clear()
        publish(space, ANN)
        assert not {"MatchRewritten", "CandidateFound"} & set(kinds(space))

    def test_a_subscription_that_comes_after_its_own_removal_stays_out(self) -> None:
        node, other = node_of("n"), node_of("o", [SPACE], CSMA)
        _, (indexing,) = node.subscribe(LISTING)
        (*_, removing) = node.unsubscribe("listing")
        other.receive(removing.message)
        other.receive(indexing.message)
        _, quads = other.publish(1, event(ANN))
        assert not [e for quad in quads for e in other.receive(quad.message) if isinstance(e, ToZones)]

    def test_a_candidate_that_is_on_its_way_is_dropped(self) -> None:
        node = node_of("n", [SPACE], OSMA)
        _, (indexing,) = node.subscribe(LISTING)
        node.receive(indexing.message)
        _, (whole,) = node.publish(1, event(ANN))
        candidates = [e.message for e in node.receive(whole.message) if isinstance(e.message, CandidateFound)]
        node.unsubscribe("listing")
        assert [node.receive(candidate) for candidate in candidates] == [[]]

    def test_a_second_time_changes_nothing(self) -> None:
        node = node_of("n")
        node.subscribe(LISTING)
        assert node.gateway.subscription_ids == ("listing",)
        assert node.unsubscribe("listing")
        assert not node.unsubscribe("listing")
        assert node.gateway.subscription_ids == ()


def test_auto_sends_small_events_whole_and_large_ones_as_quadruples() -> None:
    assert AUTO.for_event(10, MOST_SENT_WHOLE // 10) is OSMA
    assert AUTO.for_event(11, MOST_SENT_WHOLE // 10) is CSMA
    assert CSMA.for_event(1, 1) is CSMA
    assert OSMA.for_event(1_000, 1 << 30) is OSMA
    node = node_of("n", [SPACE], AUTO)
    _, (small,) = node.publish(1, event(ANN))
    assert isinstance(small.message, StoreEvent)
    large = "".join(f"<urn:s> <urn:p> <urn:{n}> <urn:e> .\n" for n in range(100))
    _, effects = node.publish(1, event(large))
    assert {type(effect.message) for effect in effects} == {StoreQuad}


def test_an_event_that_retention_has_removed_is_forgotten() -> None:
    node = node_of("n", [SPACE], CSMA)
    _, (indexing,) = node.subscribe(LISTING)
    _, quads = node.publish(1, event(ANN))
    for quad in quads:
        node.receive(quad.message)
    node.holder.forget("urn:event:1")
    assert isinstance(indexing.message, IndexSubscription)
    assert not node.receive(indexing.message)
    assert node.holder.load(SPACE) == 0


def _candidates(effects: list[SpaceEffect]) -> int:
    return sum(isinstance(e, ToNode) and isinstance(e.message, CandidateFound) for e in effects)
