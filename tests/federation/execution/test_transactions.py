"""Section 3.2: subtransactions on their own, the abort graph, compensation along it, figure 4."""

from __future__ import annotations

import pytest
from tests.federation.federation import Federation, a, arc, called

from triplewire.errors import UpdateRefused
from triplewire.federation.execution.messages import ActionInstance, ChildScheduled
from triplewire.federation.execution.units import Status, Unit, age
from triplewire.federation.sites.privileges import Privileges
from triplewire.languages.rdftl.syntax import Abort
from triplewire.rules.execution.units import Commutes, Work, none_commutes

COMMITTED, ABORTED = Status.COMMITTED, Status.ABORTED
ANN, BOB = "resource(http://example.org/ann)", "resource(http://example.org/bob)"
# It is refused where ann is: a thing knows nobody.
FAILS = f"INSERT ({ANN}, ex:team, {ANN})"


def two_groups(
    abort: Abort, action: str = "INSERT ($delta, ex:name, 'x')", then: str = ""
) -> tuple[Federation, Unit, Unit]:
    """A parent at SP1, and its child at SP2 only."""
    town = Federation(2)
    town.peer("SP1", "one", a("mug", "Thing"), a("ann", "Person"))
    town.peer("SP2", "two", a("mug", "Thing"), a("ann", "Person"), called("ann", "y"))
    town.privileges("SP1", Privileges())
    rule = town.rule(
        "SP1",
        f"ON INSERT (_, ex:owns, _) IF True DO DELETE (_, ex:name, 'y'); {action}{then}",
        abort=abort,
    )
    parent = town.submit("one", f"INSERT ({ANN}, ex:owns, resource(http://example.org/mug));;")
    town.run()
    (child,) = town.units(rule)
    assert child.peer == "two"
    return town, town.unit(parent), child


BOTH = {Abort.PARENT_CHILD: (True, False), Abort.CHILD_PARENT: (False, True), Abort.MUTUAL: (True, True)}


@pytest.mark.parametrize("abort", list(Abort))
class TestDependencies:
    """What each dependency writes into which part of the abort graph, and what it does."""

    def test_arcs_are_where_section_3_2_puts_them(self, abort: Abort):
        town, parent, child = two_groups(abort)
        at_parent, at_child = BOTH.get(abort, (False, False))
        assert town.arcs("SP1") == ({(parent.id, child.id)} if at_parent else set())
        assert town.arcs("SP2") == ({(child.id, parent.id)} if at_child else set())
        assert town.sent["ChildScheduled"] == at_parent

    def test_a_parent_that_aborts_after_both_have_committed(self, abort: Abort):
        town, parent, child = two_groups(abort)
        assert (parent.status, child.status) == (COMMITTED, COMMITTED)
        town.abort(parent.id)
        town.run()
        takes_along = BOTH.get(abort, (False, False))[0]
        assert (parent.status, child.status) == (ABORTED, ABORTED if takes_along else COMMITTED)
        assert (called("ann", "x") in town.merged) is not takes_along
        assert (called("ann", "y") in town.merged) is takes_along
        assert arc("ann", "owns", "mug") not in town.merged

    def test_a_child_that_fails(self, abort: Abort):
        town, parent, child = two_groups(abort, FAILS)
        takes_along = BOTH.get(abort, (False, False))[1]
        assert (parent.status, child.status) == (ABORTED if takes_along else COMMITTED, ABORTED)
        assert (arc("ann", "owns", "mug") in town.merged) is not takes_along
        # What the child had done before it failed is compensated in any case.
        assert called("ann", "y") in town.merged


def test_a_parent_that_aborts_before_it_has_heard_of_its_child():
    town = Federation(2)
    town.peer("SP1", "one", a("mug", "Thing"), a("ann", "Person"))
    town.peer("SP2", "two", a("mug", "Thing"), a("ann", "Person"), called("ann", "y"))
    town.privileges("SP1", Privileges())
    rule = town.rule("SP1", "ON INSERT (_, ex:owns, _) IF True DO DELETE (_, ex:name, 'y')", abort=Abort.PARENT_CHILD)
    town.holds = lambda step: isinstance(step[2], ActionInstance | ChildScheduled)
    parent = town.submit("one", f"INSERT ({ANN}, ex:owns, resource(http://example.org/mug));;")
    town.run()
    town.abort(parent)
    town.run()
    town.release()
    assert town.status(rule) == [ABORTED]
    assert called("ann", "y") in town.merged


def test_figure_4():
    """T7's failure touches T7 only; T6's failure T6, T1 (Mutual) and T5 (ParentChild of T1)."""
    for failing, expected in (("T7", {"T7"}), ("T6", {"T6", "T1", "T5"})):
        town = figure_4()
        units = {rule: unit for rule in TEXTS for unit in town.units(town_rules[rule])}
        assert {unit.status for unit in units.values()} == {COMMITTED}
        assert {name: unit.id.partition("/")[0] for name, unit in units.items()} == {
            "T1": "SP2",
            "T5": "SP2",
            "T6": "SP5",
            "T2": "SP4",
            "T7": "SP3",
        }
        before = town.merged
        town.abort(units[failing].id, "it fails")
        town.run()
        assert {name for name, unit in units.items() if unit.status is ABORTED} == expected
        assert town.merged == before - {called(f"at{number}", name) for name, number in AT.items() if name in expected}


AT = {"T1": 2, "T5": 2, "T6": 5, "T2": 4, "T7": 3}
# What each is triggered by, and its abort dependency.
TEXTS = {
    "T1": ("T0", Abort.INDEPENDENT),
    "T5": ("T1", Abort.PARENT_CHILD),
    "T6": ("T1", Abort.MUTUAL),
    "T2": ("T0", Abort.INDEPENDENT),
    "T7": ("T2", Abort.PARENT_CHILD),
}
town_rules: dict[str, str] = {}


def figure_4() -> Federation:
    """Each super-peer has one peer with one resource of its own; T0 at SP1 triggers T1 and T2, and so on."""
    town = Federation(5)
    for number in range(1, 6):
        town.peer(f"SP{number}", f"p{number}", a(f"at{number}", "Person"))
    for name, (cause, abort) in TEXTS.items():
        clause = f"ABORT {abort.value} " if AT[name] == AT.get(cause) else ""
        town.preamble = clause + town.preamble
        town_rules[name] = town.rule(
            "SP1",
            f"ON INSERT (_, ex:name, '{cause}') IF True "
            f"DO INSERT (resource(http://example.org/at{AT[name]}), ex:name, '{name}')",
            name=name,
            abort=abort,
        )
        town.preamble = town.preamble.removeprefix(clause)
    town.submit("p1", "INSERT (resource(http://example.org/at1), ex:name, 'T0');;")
    town.run()
    return town


class TestReaders:
    """Somebody has read what is undone."""

    def town(self, reader: str, commutes: Commutes = none_commutes) -> tuple[Federation, str, str]:
        town = Federation(2, commutes=commutes)
        town.peer("SP1", "one", a("ann", "Person"), a("mug", "Thing"))
        town.peer("SP2", "two", a("ann", "Person"), a("bob", "Person"), called("bob", "b"))
        town.preamble = f"ABORT INDEPENDENT {town.preamble}"
        rule = town.rule("SP2", f"ON INSERT (_, ex:name, 'ask') IF {reader} DO INSERT ($delta, ex:name, 'read')")
        town.preamble = town.preamble.removeprefix("ABORT INDEPENDENT ")
        written = town.submit("one", f"INSERT ({ANN}, ex:owns, resource(http://example.org/mug));;")
        town.run()
        town.submit("two", "INSERT (resource(http://example.org/bob), ex:name, 'ask');;")
        town.run()
        return town, written, rule

    def test_what_a_condition_at_another_site_has_led_to_is_undone_as_well(self):
        town, written, rule = self.town(f"{ANN}/target(ex:owns)")
        assert town.status(rule) == [COMMITTED]
        town.abort(written)
        town.run()
        assert town.status(rule) == [ABORTED]
        assert called("bob", "read") not in town.merged
        assert called("bob", "ask") in town.merged

    def test_but_not_if_it_has_read_something_else(self):
        town, written, rule = self.town(f"not {ANN}/target(ex:loves)")
        town.abort(written)
        town.run()
        assert town.status(rule) == [COMMITTED]

    def test_nor_if_the_two_commute(self):
        asked: list[tuple[Work, Work]] = []

        def commute(compensated: Work, reader: Work) -> bool:
            asked.append((compensated, reader))
            return True

        town, written, rule = self.town(f"{ANN}/target(ex:owns)", commute)
        town.abort(written)
        town.run()
        assert town.status(rule) == [COMMITTED]
        compensated, reader = asked[-1]
        assert compensated.rule is None
        assert len(compensated.updates) == 1
        assert reader.rule is not None
        assert reader.rule.id == rule

    def test_one_who_did_nothing_because_of_it_is_undone_too(self):
        town, written, rule = self.town(f"not {ANN}/target(ex:owns)")
        assert town.status(rule) == []
        town.abort(written)
        town.run()
        assert called("bob", "ask") not in town.merged


def test_who_has_built_on_what_is_undone_goes_with_it():
    """Without the class that is undone an arc would not conform."""
    town = Federation(1)
    town.peer("SP1", "one", a("ann", "Person"))
    first = town.submit("one", "INSERT resource(http://example.org/new) AS INSTANCE OF Person;;")
    town.run()
    second = town.submit("one", f"INSERT ({ANN}, ex:likes, resource(http://example.org/new));;")
    town.run()
    town.abort(first)
    town.run()
    assert town.unit(second).status is ABORTED
    assert town.merged == {a("ann", "Person")}


class TestConcurrency:
    """Two transactions meet at two sites, each first at one of them: no order of the two explains that."""

    def cross(self, before: str, action: str) -> tuple[Federation, str, str]:
        town = Federation(2)
        town.peer("SP1", "one", a("ann", "Person"))
        town.peer("SP2", "two", a("bob", "Person"))
        for word, node in (("ann", "bob"), ("bob", "ann")):
            town.rule(
                "SP1",
                f"ON INSERT (resource(http://example.org/{word}), ex:knows, _) IF True "
                f"DO {action.format(f'resource(http://example.org/{node})')}",
                name=word,
                abort=Abort.MUTUAL,
            )
        town.holds = lambda step: isinstance(step[2], ActionInstance)
        units = []
        for peer, node in (("one", "ann"), ("two", "bob")):
            itself = f"resource(http://example.org/{node})"
            text = f"TRANSACTION t {before.format(itself)};; INSERT ({itself}, ex:knows, {itself});;"
            units.append(town.submit(peer, text))
        town.run()
        first, second = units
        assert town.unit(first).status is town.unit(second).status is COMMITTED
        town.release()
        return town, first, second

    def test_each_has_looked_before_the_other_one_has_written_and_the_younger_one_aborts(self):
        town, first, second = self.cross("DELETE ({}, ex:name, _)", "INSERT ({}, ex:name, 'other')")
        younger, older = sorted((first, second), key=age, reverse=True)
        assert (town.unit(younger).status, town.unit(older).status) == (ABORTED, COMMITTED)
        assert town.unit(younger).reason == "the order of what it did with others cannot be serialised"
        node, other = ("ann", "bob") if older == first else ("bob", "ann")
        people = {a("ann", "Person"), a("bob", "Person")}
        assert town.merged == {*people, arc(node, "knows", node), called(other, "other")}

    def test_each_has_read_what_the_other_one_has_written_and_both_abort(self):
        town, first, second = self.cross("INSERT ({}, ex:age, 7)", "DELETE ({}, ex:age, _)")
        assert {town.unit(first).status, town.unit(second).status} == {ABORTED}
        assert town.merged == {a("ann", "Person"), a("bob", "Person")}

    def test_one_after_the_other_both_stay(self):
        town = Federation(1)
        town.peer("SP1", "one", a("ann", "Person"))
        first = town.submit("one", f"INSERT ({ANN}, ex:name, 'a');;")
        second = town.submit("one", f"DELETE ({ANN}, ex:name, _);;")
        town.run()
        assert [town.unit(unit).status for unit in (first, second)] == [COMMITTED, COMMITTED]
        assert town.super_peers["SP1"].coordinator.state.order.edges == ((first, second),)


class TestPeersThatLeave:
    def town(self) -> tuple[Federation, str, str]:
        town = Federation(2)
        town.peer("SP1", "one", a("ann", "Person"), a("mug", "Thing"))
        town.peer("SP2", "two", a("bob", "Person"))
        town.privileges("SP1", Privileges())
        rule = town.rule(
            "SP1",
            f"ON INSERT (_, ex:owns, _) IF True DO INSERT ({BOB}, ex:name, 'x'); INSERT ({BOB}, ex:name, 'y')",
            abort=Abort.MUTUAL,
        )
        town.holds = lambda step: isinstance(step[2], ActionInstance)
        parent = town.submit("one", f"INSERT ({ANN}, ex:owns, resource(http://example.org/mug));;")
        town.run()
        return town, parent, rule

    def test_one_that_returns_soon_goes_on(self):
        town, _, rule = self.town()
        town.gone = {"two"}
        town.release()
        town.leave("two")
        assert town.status(rule) == [Status.ACTIVE]
        town.wait(3)
        town.come_back("two")
        town.run()
        assert town.status(rule) == [COMMITTED]
        assert {called("bob", "x"), called("bob", "y")} < town.merged

    def test_one_that_does_not_is_compensated_when_it_does(self):
        town, parent, rule = self.town()
        # It executes the first action, and is gone before it can answer.
        town.holds = lambda step: step[1] == "two"
        held, town.held = town.held, []
        for step in held:
            town._take(step)
        town.run()
        (request,) = [step[2] for step in town.held]
        town.sites["two"].receive(request)  # type: ignore[arg-type]
        town.held = []
        town.leave("two")
        town.holds = lambda step: False
        town.wait(12)
        assert town.status(rule) == [ABORTED]
        assert town.unit(parent).status is ABORTED
        assert called("bob", "x") in set(town.sites["two"].repository)
        town.come_back("two")
        town.run()
        assert called("bob", "x") not in set(town.sites["two"].repository)
        assert town.merged == {a("ann", "Person"), a("mug", "Thing"), a("bob", "Person")}

    def test_nobody_submits_for_a_peer_that_is_not_here(self):
        town, _, _ = self.town()
        town.leave("two")
        with pytest.raises(UpdateRefused, match="who is not here"):
            town.submit("two", f"INSERT ({ANN}, ex:name, 'z');;")


def test_what_has_ended_long_ago_is_forgotten():
    town, parent, child = two_groups(Abort.MUTUAL)
    town.wait(700)
    for super_peer in town.super_peers.values():
        state = super_peer.coordinator.state
        assert (state.units, state.dispatched, state.work, state.aborts.arcs) == ({}, {}, {}, ())
    assert child.status is parent.status is COMMITTED
