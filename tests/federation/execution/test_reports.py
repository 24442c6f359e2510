"""What peers tell: in their order, as units that nothing undoes."""

from __future__ import annotations

from collections.abc import Callable

from tests.federation.federation import Federation, Step, a, arc, called
from tests.rules.family import EX

from triplewire.federation.execution.effects import NotCompensated, NotSerialisable, ToPeer
from triplewire.federation.execution.messages import SubQuery
from triplewire.federation.execution.units import Status
from triplewire.federation.sites.privileges import Privileges
from triplewire.federation.sites.requests import (
    Compensate,
    Detect,
    FromPeer,
    Match,
    Matched,
    Numbered,
    NumberedReply,
    Received,
    Told,
)
from triplewire.languages.rdftl import parse_updates
from triplewire.languages.rdftl.syntax import Abort
from triplewire.rdf.terms import Literal, Triple

COMMITTED, ABORTED = Status.COMMITTED, Status.ABORTED
ANN, BOB, NEW = (f"resource(http://example.org/{name})" for name in ("ann", "bob", "new"))


def one_peer(*triples: Triple) -> Federation:
    town = Federation(1)
    town.peer("SP1", "one", a("ann", "Person"), *triples)
    return town


def is_request(kind: type) -> Callable[[Step], bool]:
    return lambda step: isinstance(step[2], Numbered) and isinstance(step[2].request, kind)


class TestTheStream:
    """Told to a super-peer by hand."""

    def town(self) -> tuple[Federation, list[Told]]:
        town = one_peer()
        texts = [f"INSERT ({ANN}, ex:name, '{name}');;" for name in "abc"]
        return town, [town.sites["one"].change(parse_updates(town.preamble + text)) for text in texts]

    def tell(self, town: Federation, said: FromPeer) -> list[int]:
        """The serials up to which the peer is told that it need not repeat."""
        effects = town.super_peers["SP1"].reply(town.now, "one", said)
        town._do("SP1", effects)
        requests = [effect.request for effect in effects if isinstance(effect, ToPeer)]
        return [request.upto for request in requests if isinstance(request, Received)]

    def test_what_is_early_waits_and_what_is_old_is_only_acknowledged(self):
        town, (first, second, third) = self.town()
        assert self.tell(town, third) == [0]
        assert self.tell(town, second) == [0]
        assert town.sealed == []
        assert self.tell(town, first) == [3]
        assert len(town.sealed) == 3
        assert self.tell(town, second) == [3]
        assert len(town.sealed) == 3
        town.run()
        assert town.sites["one"].stream.unreceived == {}

    def test_they_are_in_the_journal_in_their_order_before_their_turn(self):
        town, told = self.town()
        town.holds = lambda step: True
        for one in told:
            self.tell(town, one)
        journal = town.super_peers["SP1"].coordinator.state.lanes["one"].journal
        entries = list(journal._written.values())
        assert [entry.changed for entry in entries] == [(called("ann", name),) for name in "abc"]
        assert [entry.who.name for entry in entries] == town.sealed

    def test_an_answer_waits_for_what_was_done_before_it(self):
        town, told = self.town()
        rule = town.rule(
            "SP1", f"ON INSERT (_, ex:age, _) IF {ANN}/target(ex:name) = 'c' DO INSERT ($delta, ex:age, 1)"
        )
        for one in told[:2]:
            self.tell(town, one)
        town.holds = lambda step: isinstance(step[2], Match)
        town.change("one", f"INSERT ({ANN}, ex:age, 7);;")
        # The third is lost; so this one waits for it, and what is asked then as well.
        town.run()
        assert len(town.sealed) == 2
        self.tell(town, told[2])
        town.run()
        assert len(town.sealed) == 4
        (match,) = [step[2] for step in town.held]
        assert isinstance(match, Match)
        answer = town.sites["one"].receive(match)
        assert isinstance(answer, Matched)
        assert answer.after >= 4
        late = town.sites["one"].change(parse_updates(f"{town.preamble} INSERT ({ANN}, ex:age, 9);;"))
        after = Matched(answer.query, answer.answers, late.serial)
        self.tell(town, after)
        assert town.super_peers["SP1"].coordinator.state.asked
        self.tell(town, late)
        town.release()
        assert not town.super_peers["SP1"].coordinator.state.asked
        assert town.status(rule)

    def test_changes_are_kept_for_as_long_as_their_events_may_be_asked_for(self):
        town, told = self.town()
        town.rule("SP1", "ON INSERT (_, ex:name, _) IF True DO INSERT ($delta, ex:age, 1)")
        town.holds = is_request(Detect)
        for one in told:
            self.tell(town, one)
        town.run()
        assert set(town.sites["one"].stream.kept) == {1, 2, 3}
        town.release()
        assert town.sites["one"].stream.kept == {}

    def test_one_who_has_told_others_meanwhile_goes_on_where_it_is(self):
        town, _ = self.town()
        site = town.sites["one"]
        site.receive(Received(2))
        town.come_back("one")
        town.run()
        assert len(town.sealed) == 1
        assert site.stream.unreceived == {}
        assert town.unit(town.sealed[0]).status is COMMITTED

    def test_an_answer_that_was_told_to_others_is_an_answer_still(self):
        town = one_peer()
        town.holds = lambda step: isinstance(step[2], Numbered)
        unit = town.submit("one", f"INSERT ({ANN}, ex:name, 'x');;")
        town.run()
        site = town.sites["one"]
        answer = site.receive(town.held.pop()[2])  # type: ignore[arg-type]
        site.receive(Received(1))
        town.come_back("one")
        assert isinstance(answer, Told)
        assert isinstance(answer.what, NumberedReply)
        self.tell(town, answer)
        town.run()
        assert town.unit(unit).status is COMMITTED


class TestRules:
    def test_a_change_of_the_peers_own_triggers_rules(self):
        town = one_peer()
        rule = town.rule("SP1", "ON INSERT (_, ex:name, 'x') IF True DO INSERT ($delta, ex:name, 'y')")
        town.change("one", f"INSERT ({ANN}, ex:name, 'x');;")
        town.run()
        assert town.status(rule) == [COMMITTED]
        (unit,) = town.sealed
        assert town.unit(unit).status is COMMITTED
        assert called("ann", "y") in town.merged

    def test_also_where_the_next_change_has_undone_it_already(self):
        """The first data of its kind came and went before the rules for it could be asked for."""
        town = Federation(2)
        town.peer("SP1", "one", a("ann", "Person"), a("bob", "Person"))
        rule = town.rule("SP2", f"ON INSERT (_, ex:name, 'x') IF True DO INSERT ({BOB}, ex:age, 1)")
        town.change("one", f"INSERT ({ANN}, ex:name, 'x');;")
        town.change("one", f"DELETE ({ANN}, ex:name, _);;")
        town.run()
        assert town.status(rule) == [COMMITTED]

    def test_what_was_changed_while_it_was_away_is_told_when_it_returns(self):
        town = one_peer()
        rule = town.rule("SP1", "ON INSERT (_, ex:name, 'x') IF True DO INSERT ($delta, ex:name, 'y')")
        town.leave("one")
        town.change("one", f"INSERT ({ANN}, ex:name, 'x');;")
        town.wait(60)
        assert town.sealed == []
        town.come_back("one")
        town.run()
        assert town.status(rule) == [COMMITTED]

    def test_one_that_is_gone_with_its_events_unseen_is_waited_for(self):
        town = one_peer()
        rule = town.rule("SP1", "ON INSERT (_, ex:name, 'x') IF True DO INSERT ($delta, ex:name, 'y')")
        town.holds = is_request(Detect)
        town.change("one", f"INSERT ({ANN}, ex:name, 'x');;")
        town.run()
        town.held.clear()
        town.leave("one")
        town.wait(60)
        (unit,) = town.sealed
        assert town.unit(unit).status is Status.ACTIVE
        town.holds = lambda step: False
        town.come_back("one")
        town.run()
        assert town.unit(unit).status is COMMITTED
        assert town.status(rule) == [COMMITTED]


class TestNothingUndoesIt:
    def test_a_child_that_fails_aborts_alone_and_somebody_says_so(self):
        town = one_peer()
        rule = town.rule("SP1", "ON INSERT (_, ex:name, 'x') IF True DO INSERT ($delta, ex:age, 1); ABORT 'enough'")
        town.change("one", f"INSERT ({ANN}, ex:name, 'x');;")
        town.run()
        (unit,) = town.sealed
        assert town.status(rule) == [ABORTED]
        assert town.unit(unit).status is COMMITTED
        assert town.stayed == {unit}
        assert called("ann", "x") in town.merged

    def test_nor_does_one_at_another_super_peer(self):
        town = Federation(2)
        town.peer("SP1", "one", a("ann", "Person"), a("mug", "Thing"))
        town.peer("SP2", "two", a("bob", "Person"))
        town.privileges("SP1", Privileges())
        rule = town.rule(
            "SP1", f"ON INSERT (_, ex:owns, _) IF True DO INSERT ({BOB}, ex:team, {BOB})", abort=Abort.CHILD_PARENT
        )
        town.change("one", f"INSERT ({ANN}, ex:owns, resource(http://example.org/mug));;")
        town.run()
        assert town.status(rule) == [ABORTED]
        assert town.stayed == set(town.sealed)

    def test_nor_does_a_client_nor_what_it_has_read(self):
        town = one_peer()
        written = town.submit("one", f"INSERT ({ANN}, ex:name, 'x');;")
        town.run()
        town.change("one", f"DELETE ({ANN}, ex:name, 'x');;")
        town.run()
        (unit,) = town.sealed
        town.abort(written)
        town.run()
        assert (town.unit(written).status, town.unit(unit).status) == (ABORTED, COMMITTED)
        assert town.stayed == {unit}
        town.abort(unit)
        town.run()
        assert town.unit(unit).status is COMMITTED
        assert called("ann", "x") not in town.merged

    def test_its_children_may_abort_each_on_its_own(self):
        """By its dependency a child goes with its parent; a parent that stays takes nobody along."""
        town = Federation(2)
        town.peer("SP1", "one", a("ann", "Person"), a("mug", "Thing"))
        town.peer("SP2", "two", a("bob", "Person"))
        town.privileges("SP1", Privileges())
        rule = town.rule(
            "SP1", f"ON INSERT (_, ex:owns, _) IF True DO INSERT ({BOB}, ex:name, 'x')", abort=Abort.PARENT_CHILD
        )
        town.change("one", f"INSERT ({ANN}, ex:owns, resource(http://example.org/mug));;")
        town.run()
        (child,) = town.units(rule)
        assert child.group == child.id
        assert child.root == town.sealed[0]

    def test_what_it_has_built_on_stays_although_who_made_it_has_aborted(self):
        town = one_peer()
        first = town.submit("one", f"TRANSACTION t INSERT {NEW} AS INSTANCE OF Person;; INSERT ({ANN}, ex:name, 'x');;")
        town.run()
        town.change("one", f"INSERT ({ANN}, ex:likes, {NEW});;")
        town.run()
        town.abort(first)
        town.run()
        assert town.unit(first).status is ABORTED
        assert town.merged == {a("ann", "Person"), a("new", "Person"), arc("ann", "likes", "new")}
        (kept,) = [one for one in town.happened if isinstance(one, NotCompensated)]
        assert (kept.unit, kept.there, kept.gone) == (town.sealed[0], (a("new", "Person"),), ())
        # From then on it is the sealed one's.
        second = town.submit("one", f"DELETE ({ANN}, ex:likes, {NEW});;")
        town.run()
        town.abort(second)
        town.run()
        assert arc("ann", "likes", "new") in town.merged

    def test_what_it_has_taken_the_ground_from_is_not_put_back(self):
        town = one_peer(a("new", "Person"), called("new", "x"))
        first = town.submit("one", f"DELETE ({NEW}, ex:name, _);;")
        town.run()
        town.change("one", f"DELETE {NEW};;")
        town.run()
        town.abort(first)
        town.run()
        assert town.merged == {a("ann", "Person")}
        (kept,) = [one for one in town.happened if isinstance(one, NotCompensated)]
        assert kept.gone == (called("new", "x"),)

    def test_what_it_wants_stays_although_a_compensation_was_on_its_way(self):
        town = one_peer()
        first = town.submit("one", f"INSERT ({ANN}, ex:name, 'x');;")
        town.run()
        town.holds = is_request(Compensate)
        town.abort(first)
        town.run()
        town.change("one", f"INSERT ({ANN}, ex:name, 'x');;")
        town.run()
        town.release()
        assert called("ann", "x") in town.merged
        assert called("ann", "x") in town.sites["one"].repository


class TestSerialisation:
    """Two change something each at their own site, and each has looked at what the other one has changed."""

    def cross(self, *, both_sealed: bool) -> tuple[Federation, str, str]:
        town = Federation(2)
        town.peer("SP1", "one", a("ann", "Person"), Triple(EX["ann"], EX["age"], Literal(1)))
        town.peer("SP2", "two", a("bob", "Person"), Triple(EX["bob"], EX["age"], Literal(1)))
        for word, node in (("ann", BOB), ("bob", ANN)):
            town.rule(
                "SP1",
                f"ON INSERT (resource(http://example.org/{word}), ex:knows, _) IF {node}/target(ex:age) = 7 "
                "DO INSERT ($delta, ex:name, 'x')",
                name=word,
            )
        town.holds = lambda step: isinstance(step[2], SubQuery)
        for peer, node, sealed in (("one", ANN, True), ("two", BOB, both_sealed)):
            text = f"TRANSACTION t INSERT ({node}, ex:age, 7);; INSERT ({node}, ex:knows, {node});;"
            (town.change if sealed else town.submit)(peer, text)
            town.run()
        town.release()
        first, second = (unit.id for unit in town.units() if unit.parent is None)
        return town, first, second

    def test_the_one_that_is_not_sealed_aborts_whichever_is_younger(self):
        town, sealed, other = self.cross(both_sealed=False)
        assert town.sealed == [sealed]
        assert town.unit(sealed).status is COMMITTED
        assert town.unit(other).status is ABORTED
        assert town.unit(other).reason == "the order of what it did with others cannot be serialised"
        # Its condition has read what is undone now; what it led to is undone as well, and would take it along.
        assert town.stayed == {sealed}
        assert not any(isinstance(one, NotSerialisable) for one in town.happened)

    def test_where_all_are_sealed_somebody_says_so_once(self):
        town, first, second = self.cross(both_sealed=True)
        assert {town.unit(unit).status for unit in town.sealed} == {COMMITTED}
        (cycle,) = [one for one in town.happened if isinstance(one, NotSerialisable)]
        assert set(cycle.units) == {first, second}


def test_what_has_ended_long_ago_is_forgotten():
    town = one_peer()
    town.rule("SP1", "ON INSERT (_, ex:name, 'x') IF True DO INSERT ($delta, ex:name, 'y')")
    town.change("one", f"INSERT ({ANN}, ex:name, 'x');;")
    town.run()
    town.wait(700)
    state = town.super_peers["SP1"].coordinator.state
    assert (state.units, state.ended, state.noted_at, state.dispatched) == ({}, {}, {}, {})
    assert not state.lanes["one"].journal.may_forget(town.now, lambda name: True)
    assert not state.order.is_sealed(town.sealed[0])
