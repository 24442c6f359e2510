"""Deferred rules are judged at the end of the transaction, as on one node, wherever their conditions ask."""

from __future__ import annotations

import pytest
from tests.federation.federation import Federation, a, arc, called

from triplewire.federation.execution.effects import ConditionFailed
from triplewire.federation.execution.units import Status
from triplewire.federation.sites.requests import Match
from triplewire.rdf.terms import Triple

ANN, BOB, MUG, LOG = (f"resource(http://example.org/{name})" for name in ("ann", "bob", "mug", "log"))
OWNS = f"INSERT ({ANN}, ex:owns, {MUG});;"


def town(*more: Triple, size: int = 2) -> Federation:
    found = Federation(size)
    found.peer("SP1", "shop", a("ann", "Person"), a("bob", "Person"), a("mug", "Thing"), a("log", "Queue"), *more)
    if size == 2:
        found.peer("SP2", "office", a("ann", "Person"), arc("ann", "knows", "ann"))
    return found


def deferred(federation: Federation, text: str, *, name: str = "r", clauses: str = "") -> str:
    before = federation.preamble
    federation.preamble = f"COUPLING DEFERRED {clauses} {before}"
    found = federation.rule("SP1", text, name=name)
    federation.preamble = before
    return found


def fires(federation: Federation, rule: str, updates: str) -> int:
    federation.submit("shop", f"TRANSACTION t {updates}")
    federation.run()
    return len(federation.units(rule))


WORKER, ANN_WORKER = "resource() AS INSTANCE OF Worker", f"{ANN} AS INSTANCE OF Worker"
RENAMED = f"UPDATE ({ANN}, ex:name, _ -> '{{}}');;"
SEEN = "DO INSERT ($delta, ex:name, 'seen')"


class TestTheEndIsJudged:
    def test_the_condition_sees_what_comes_later_in_the_transaction(self):
        """Example 3 of the paper in two updates: first the resource, then what the condition asks of it."""
        federation = town(size=1)
        rule = deferred(federation, f"ON INSERT resource() AS INSTANCE OF Worker IF $delta/target(ex:owns) {SEEN}")
        assert fires(federation, rule, f"INSERT {ANN} AS INSTANCE OF Worker;; {OWNS}") == 1
        assert fires(federation, rule, f"INSERT {BOB} AS INSTANCE OF Worker;;") == 1

    def test_and_what_others_have(self):
        federation = town()
        rule = deferred(federation, f"ON INSERT (_, ex:owns, _) IF $delta/target(ex:knows) {SEEN}")
        assert fires(federation, rule, OWNS) == 2  # at the shop and at the office

    def test_an_immediate_rule_does_not_see_it(self):
        federation = town(size=1)
        rule = federation.rule("SP1", f"ON INSERT resource() AS INSTANCE OF Worker IF $delta/target(ex:owns) {SEEN}")
        assert fires(federation, rule, f"INSERT {ANN} AS INSTANCE OF Worker;; {OWNS}") == 0

    @pytest.mark.parametrize(
        ("event", "updates"),
        [
            ("INSERT (_, ex:owns, _)", f"{OWNS} DELETE ({ANN}, ex:owns, _);;"),
            ("DELETE (_, ex:likes, _)", f"DELETE ({ANN}, ex:likes, _);; INSERT ({ANN}, ex:likes, {BOB});;"),
            (f"INSERT {WORKER}", f"INSERT {ANN_WORKER};; DELETE {ANN_WORKER};;"),
            ("UPDATE (_, ex:name, _ -> 'b')", f"{RENAMED.format('b')} {RENAMED.format('a')}"),
        ],
    )
    def test_what_was_undone_in_the_transaction_has_not_happened(self, event: str, updates: str):
        federation = town(called("ann", "a"), arc("ann", "likes", "bob"), size=1)
        rule = deferred(federation, f"ON {event} IF True DO INSERT ({BOB}, ex:name, 'seen')")
        assert fires(federation, rule, updates) == 0
        assert fires(federation, rule, updates.partition(";;")[0] + ";;") == 1

    def test_of_updates_that_make_the_same_change_the_last_is_the_cause(self):
        federation = town(size=1)
        rule = deferred(federation, f"ON INSERT (_, ex:owns, _) IF True {SEEN}")
        assert fires(federation, rule, f"{OWNS} DELETE ({ANN}, ex:owns, _);; {OWNS}") == 1

    def test_a_rule_without_delta_acts_once_for_each_update_that_still_counts(self):
        federation = town(size=1)
        rule = deferred(federation, f"ON INSERT (_, ex:likes, _) IF True DO INSERT ({LOG}, seq++, {BOB})")
        updates = f"INSERT ({ANN}, ex:likes, {BOB});; INSERT ({BOB}, ex:likes, {ANN});; DELETE ({BOB}, ex:likes, _);;"
        assert fires(federation, rule, updates) == 1

    def test_all_conditions_are_evaluated_before_any_of_the_rules_acts(self):
        federation = town(size=1)
        one = deferred(
            federation,
            f"ON INSERT (_, ex:owns, _) IF not {BOB}/target(ex:name) DO INSERT ({BOB}, ex:name, 'one')",
            name="one",
        )
        two = deferred(
            federation,
            f"ON INSERT (_, ex:owns, _) IF not {BOB}/target(ex:name) DO INSERT ({BOB}, ex:name, 'two')",
            name="two",
        )
        assert fires(federation, one, OWNS) == 1
        assert len(federation.units(two)) == 1

    def test_what_they_trigger_waits_for_the_next_round(self):
        federation = town(size=1)
        deferred(federation, f"ON INSERT (_, ex:owns, _) IF True DO INSERT ({BOB}, ex:likes, {ANN})", name="one")
        last = deferred(
            federation,
            f"ON INSERT (_, ex:likes, _) IF {BOB}/target(ex:name) = 'late' DO INSERT ({ANN}, ex:name, 'late')",
            name="two",
        )
        deferred(federation, f"ON INSERT (_, ex:owns, _) IF True DO INSERT ({BOB}, ex:name, 'late')", name="three")
        assert fires(federation, last, OWNS) == 1


class TestPrecedence:
    def test_rules_that_different_updates_have_triggered_act_by_precedence(self):
        federation = town(size=1)
        deferred(federation, f"ON INSERT (_, ex:owns, _) IF True DO INSERT ({LOG}, seq++, {ANN})", name="later")
        deferred(
            federation,
            f"ON INSERT (_, ex:likes, _) IF True DO INSERT ({LOG}, seq++, {BOB})",
            name="first",
            clauses="PRECEDES later",
        )
        federation.submit("shop", f"TRANSACTION t {OWNS} INSERT ({ANN}, ex:likes, {BOB});;")
        federation.run()
        assert [unit.rule and unit.rule.name for unit in federation.units() if unit.rule] == ["first", "later"]


class TestWhoIsNotThere:
    def test_a_cause_that_aborts_has_triggered_nothing(self):
        federation = town(size=1)
        rule = deferred(federation, f"ON INSERT (_, ex:owns, _) IF True {SEEN}")
        assert fires(federation, rule, f"{OWNS} INSERT ({ANN}, ex:owns, {BOB});;") == 0
        assert arc("ann", "owns", "mug") not in federation.merged

    def test_an_independent_child_outlives_its_transaction_and_what_it_has_triggered_is_judged_then(self):
        federation = town(size=1)
        federation.preamble = f"ABORT INDEPENDENT {federation.preamble}"
        federation.rule("SP1", f"ON INSERT (_, ex:owns, _) IF True DO INSERT ({BOB}, ex:likes, {ANN})", name="child")
        federation.preamble = federation.preamble.removeprefix("ABORT INDEPENDENT ")
        rule = deferred(federation, f"ON INSERT (_, ex:likes, _) IF True {SEEN}")
        assert fires(federation, rule, f"{OWNS} INSERT ({ANN}, ex:owns, {BOB});;") == 1
        assert federation.status(rule) == [Status.COMMITTED]
        assert called("bob", "seen") in federation.merged

    def test_a_transaction_that_is_withdrawn_while_it_is_judged_has_triggered_nothing(self):
        federation = town()
        rule = deferred(federation, f"ON INSERT (_, ex:owns, _) IF $delta/target(ex:knows) {SEEN}")
        federation.holds = lambda step: isinstance(step[2], Match)
        top = federation.submit("shop", OWNS)
        federation.run()
        assert federation.held
        federation.abort(top)
        federation.release()
        assert federation.units(rule) == []
        assert arc("ann", "owns", "mug") not in federation.merged
        assert federation.super_peers["SP1"].is_quiet

    def test_what_home_does_not_answer_is_a_failure_and_not_a_no(self):
        federation = town()
        rule = deferred(federation, f"ON INSERT (_, ex:owns, _) IF True {SEEN}", clauses="ABORT MUTUAL")
        federation.holds = lambda step: isinstance(step[2], Match)
        top = federation.submit("shop", OWNS)
        federation.run()
        federation.wait(12)
        assert any(isinstance(one, ConditionFailed) for one in federation.happened)
        federation.release()
        assert federation.unit(top).status is Status.ABORTED
        assert federation.units(rule) == []

    def test_a_reading_that_is_undone_before_the_end_is_a_failure(self):
        """The event's path led over what another transaction had written, and that is withdrawn."""
        federation = town(size=1)
        written = federation.submit("shop", f"INSERT ({BOB}, ex:likes, {ANN});;")
        federation.run()
        rule = deferred(
            federation, f"ON INSERT ({BOB}/target(ex:likes), ex:owns, _) IF True {SEEN}", clauses="ABORT MUTUAL"
        )
        slow = f"ON INSERT (_, ex:owns, _) IF {BOB}/target(ex:name) = 'x' DO INSERT ({BOB}, ex:name, 'y')"
        federation.rule("SP1", slow, name="slow")
        federation.holds = lambda step: isinstance(step[2], Match)
        top = federation.submit("shop", OWNS)
        federation.run()
        federation.abort(written)
        federation.release()
        assert federation.unit(top).status is Status.ABORTED
        assert federation.units(rule) == []


class TestDeletions:
    """A rule ON DELETE of resources reads what begins at `$delta` as it was, at the peer where it was."""

    @pytest.mark.parametrize("coupling", ["IMMEDIATE", "DEFERRED", "DETACHED"])
    @pytest.mark.parametrize(
        ("condition", "expected"),
        [
            ("$delta/target(ex:name) = 'Ann'", True),
            ("$delta[target(ex:name) = 'Bob']", False),
            ("not $delta/target(ex:owns)", False),
            ("$delta/source(ex:likes)", True),
            # What others have of it is there still, and is in the graph of then as well.
            ("$delta/target(ex:knows)", True),
            ("$delta[target(ex:knows) and target(ex:name)]", True),
            # Every other path reads what is there now.
            (f"{ANN}/target(ex:name)", False),
            (f"{BOB}/target(ex:likes)", False),
            (f"{ANN}/target(ex:knows)", True),
        ],
    )
    def test_of_a_resource(self, condition: str, expected: bool, coupling: str):
        federation = town(called("ann", "Ann"), arc("ann", "owns", "mug"), arc("bob", "likes", "ann"))
        federation.preamble = f"COUPLING {coupling} {federation.preamble}"
        rule = federation.rule(
            "SP2", f"ON DELETE resource() AS INSTANCE OF Person IF {condition} DO INSERT ({BOB}, ex:name, 'gone')"
        )
        federation.preamble = federation.preamble.partition(" ")[2].partition(" ")[2]
        assert bool(fires(federation, rule, f"DELETE {ANN};;")) is expected

    def test_of_the_whole_transaction_where_the_rule_is_deferred(self):
        """First the name goes, then the resource: before the transaction it had one."""
        federation = town(called("ann", "Ann"), size=1)
        text = (
            f"ON DELETE resource() AS INSTANCE OF Person IF $delta/target(ex:name) DO INSERT ({BOB}, ex:name, 'gone')"
        )
        rule = deferred(federation, text, name="one")
        now = federation.rule("SP1", text, name="two")
        assert fires(federation, rule, f"DELETE ({ANN}, ex:name, _);; DELETE {ANN};;") == 1
        assert federation.units(now) == []

    def test_of_an_arc_nothing_but_now_is_read(self):
        federation = town(arc("ann", "likes", "bob"), size=1)
        rule = federation.rule("SP1", f"ON DELETE (_, ex:likes, _) IF not $delta/target(ex:likes) {SEEN}")
        assert fires(federation, rule, f"DELETE ({ANN}, ex:likes, {BOB});;") == 1


class TestReached:
    """An arc that makes a path lead to a resource that was there before is an event at the peer where it came."""

    EVENT = "resource()[target(ex:name) = 'Ann'] AS INSTANCE OF Person"

    @pytest.mark.parametrize("coupling", ["IMMEDIATE", "DEFERRED"])
    def test_an_arc_that_comes(self, coupling: str):
        federation = town(called("bob", "Bob"))
        federation.preamble = f"COUPLING {coupling} {federation.preamble}"
        rule = federation.rule("SP2", f"ON INSERT {self.EVENT} IF True DO INSERT ($delta, ex:likes, {BOB})")
        federation.preamble = federation.preamble.partition(" ")[2].partition(" ")[2]
        assert fires(federation, rule, f"INSERT ({ANN}, ex:name, 'Ann');;") == 1
        assert arc("ann", "likes", "bob") in federation.merged

    def test_an_arc_that_goes(self):
        federation = town(called("bob", "Bob"), called("ann", "Ann"), size=1)
        text = "ON INSERT resource()[not target(ex:name) = 'Ann'] AS INSTANCE OF Person IF True"
        rule = federation.rule("SP1", f"{text} DO INSERT ($delta, ex:likes, {BOB})")
        assert fires(federation, rule, f"DELETE ({ANN}, ex:name, 'Ann');;") == 1

    def test_what_is_reached_no_more_at_the_end_has_not_happened(self):
        federation = town(called("bob", "Bob"), size=1)
        rule = deferred(federation, f"ON INSERT {self.EVENT} IF True DO INSERT ($delta, ex:likes, {BOB})")
        updates = f"INSERT ({ANN}, ex:name, 'Ann');; DELETE ({ANN}, ex:name, _);;"
        assert fires(federation, rule, updates) == 0

    def test_the_arc_has_to_be_where_the_resource_is(self):
        """Events are those of one peer."""
        federation = town(called("bob", "Bob"))
        rule = federation.rule("SP1", f"ON INSERT {self.EVENT} IF True DO INSERT ($delta, ex:likes, {BOB})")
        federation.submit("office", f"INSERT ({ANN}, ex:loves, {ANN});;")
        federation.run()
        assert federation.units(rule) == []
