"""What became of a transaction across super-peers, as its own group and as others may know it."""

from __future__ import annotations

from collections.abc import Callable

from tests.federation.execution.test_transactions import figure_4, town_rules
from tests.federation.federation import Federation, Step, a, arc, called
from tests.federation.inquiries.asking import SECONDS, answered, ask_trace, begin_trace
from tests.rules.family import EX

from triplewire.federation.execution.messages import ActionInstance
from triplewire.federation.inquiries.messages import TraceFound, TraceWanted
from triplewire.federation.sites.privileges import Access, Privileges
from triplewire.federation.timings import FederationTimings
from triplewire.languages.rdftl.syntax import Abort
from triplewire.wire.network_rules import NetworkTrace, NetworkUnit

ANN, MUG = "resource(http://example.org/ann)", "resource(http://example.org/mug)"
OWNS = f"INSERT ({ANN}, ex:owns, {MUG});;"


def of_rule(trace: NetworkTrace, rule: str) -> NetworkUnit:
    (found,) = [unit for unit in trace.units if unit.rule == rule]
    return found


def chain(holds: Callable[[Step], bool] = lambda step: False) -> tuple[Federation, str, str, str]:
    """Who owns at SP1 owes no more at SP2, and has no name any more at SP3.

    Returns the transaction and the two rules.
    """
    town = Federation(3)
    town.peer("SP1", "one", a("mug", "Thing"), a("ann", "Person"))
    town.peer("SP2", "two", a("ann", "Person"), a("bob", "Person"), arc("ann", "owes", "bob"))
    town.peer("SP3", "three", a("ann", "Person"), called("ann", "b"))
    town.privileges("SP1", Privileges())
    first = town.rule("SP1", "ON INSERT (_, ex:owns, _) IF True DO DELETE ($delta, ex:owes, _)", abort=Abort.MUTUAL)
    second = town.rule(
        "SP1", "ON DELETE (_, ex:owes, _) IF True DO DELETE ($delta, ex:name, _)", name="s", abort=Abort.MUTUAL
    )
    town.holds = holds
    root = town.submit("one", OWNS)
    town.run()
    return town, root, first, second


def test_figure_4_is_told_from_wherever_one_asks():
    town = figure_4()
    rules = {rule: name for name, rule in town_rules.items()}
    root = next(unit.id for unit in town.units() if unit.rule is None)
    traces = [ask_trace(town, f"SP{number}", root) for number in range(1, 6)]
    for trace in traces:
        assert trace.transaction == root
        assert trace.unanswered == ()
        by_id = {unit.id: rules.get(unit.rule or "", "T0") for unit in trace.units}
        assert sorted(by_id.values()) == ["T0", "T1", "T2", "T5", "T6", "T7"]
        parents = {rules.get(unit.rule or ""): by_id.get(unit.parent or "") for unit in trace.units}
        assert parents == {None: None, "T1": "T0", "T2": "T0", "T5": "T1", "T6": "T1", "T7": "T2"}
        arcs = {(by_id[one.unit], by_id[one.other]) for one in trace.arcs}
        assert arcs == {("T1", "T5"), ("T1", "T6"), ("T6", "T1"), ("T2", "T7")}
        assert {unit.status for unit in trace.units} == {"committed"}
        assert of_rule(trace, town_rules["T6"]).abort == "MUTUAL"
        assert of_rule(trace, town_rules["T5"]).abort == "PARENTCHILD"
        assert [unit.depth for unit in trace.units] == [0, 1, 1, 2, 2, 2]


def test_a_subtransaction_stands_for_its_transaction():
    town = figure_4()
    root = next(unit.id for unit in town.units() if unit.rule is None)
    (leaf,) = town.units(town_rules["T7"])
    for at in ("SP1", "SP2", "SP3"):
        assert ask_trace(town, at, leaf.id) == ask_trace(town, at, root)


def test_those_who_were_sent_nothing_are_not_asked():
    town, root, *_ = chain()
    town.peer("SP2", "more", a("cat", "Person"))
    town.sent.clear()
    ask_trace(town, "SP1", root)
    assert town.sent["TraceWanted"] == town.sent["TraceFound"]
    assert town.sent["TraceWanted"] < 8


def test_why_something_has_aborted_is_told():
    town, root, _, second = chain()
    (last,) = town.units(second)
    town.abort(last.id, "its peer has lost <http://example.org/secret> and 'more'")
    town.run()
    trace = ask_trace(town, "SP1", root)
    assert {unit.status for unit in trace.units} == {"aborted"}
    assert of_rule(trace, second).reason == "its peer has lost … and …"
    assert of_rule(ask_trace(town, "SP3", root), second).reason == last.reason


def test_delta_is_shown_where_it_was_sent_anyway():
    town, root, first, second = chain()
    at_home, at_two, at_three = (ask_trace(town, f"SP{number}", root) for number in (1, 2, 3))
    assert of_rule(at_home, first).delta[""] == str(EX["ann"])
    assert of_rule(at_two, first).delta[""] == str(EX["ann"])
    assert of_rule(at_three, first).delta == {}
    assert of_rule(at_home, second).delta == {}
    assert of_rule(at_two, second).delta[""] == str(EX["ann"])
    assert of_rule(at_three, second).delta[""] == str(EX["ann"])


def test_a_peer_of_which_nothing_is_open_is_not_named():
    town, root, first, _ = chain()
    town.peer("SP2", "hidden", a("ann", "Person"))
    assert ask_trace(town, "SP2", root).units[0].peer == "", "SP1 keeps all it has to itself"
    assert ask_trace(town, "SP1", root).units[0].peer == "one"
    assert of_rule(ask_trace(town, "SP3", root), first).peer == "two"


def test_what_was_not_scheduled_is_told_to_its_own_group_in_full_and_to_others_in_general():
    town = Federation(2)
    town.peer("SP1", "here", a("ann", "Person"))
    town.peer("SP2", "there", a("ann", "Person"))
    town.privileges("SP2", Privileges(resources={EX["ann"]: Access.READ_ONLY}, otherwise=Access.READ_WRITE))
    rule = town.rule("SP1", "ON INSERT resource() AS INSTANCE OF Nurse IF True DO INSERT ($delta, ex:name, 'x')")
    root = town.submit("here", f"INSERT {ANN} AS INSTANCE OF Nurse;;")
    town.run()
    (reason,) = town.not_scheduled
    assert ask_trace(town, "SP2", root).not_scheduled == (f"{root}: {rule}: {reason}",)
    assert ask_trace(town, "SP1", root).not_scheduled == (
        f"{root}: {rule}: its actions concern nothing at SP2 that is open to others",
    )


def test_a_rule_that_fires_and_concerns_nobody_is_told():
    town = Federation(1)
    town.peer("SP1", "here", a("ann", "Person"))
    rule = town.rule("SP1", "ON INSERT resource() AS INSTANCE OF Nurse IF True DO DELETE (_, ex:owns, _)")
    root = town.submit("here", f"INSERT {ANN} AS INSTANCE OF Nurse;;")
    town.run()
    assert ask_trace(town, "SP1", root).not_scheduled == (f"{root}: {rule}: its actions concern no peer",)


def test_a_condition_that_nobody_could_evaluate_is_told():
    town = Federation(2)
    town.peer("SP1", "here", a("ann", "Person"))
    town.peer("SP2", "there", a("ann", "Person"), arc("ann", "knows", "ann"))
    rule = town.rule("SP1", f"ON INSERT resource() AS INSTANCE OF Nurse IF {ANN}/target(ex:knows) DO DELETE $delta")
    town.gone.add("there")
    root = town.submit("here", f"INSERT {ANN} AS INSTANCE OF Nurse;;")
    town.run()
    town.wait(12)
    (reason,) = ask_trace(town, "SP1", root).not_scheduled
    assert reason.startswith(f"{root}: {rule}: sites that the condition concerns have not answered")


def test_a_detached_transaction_is_part_of_it_and_one_of_its_own():
    town = Federation(2)
    town.peer("SP1", "one", a("mug", "Thing"), a("ann", "Person"))
    town.peer("SP2", "two", a("ann", "Person"), called("ann", "x"))
    town.preamble = f"COUPLING DETACHED {town.preamble}"
    rule = town.rule("SP1", "ON INSERT (_, ex:owns, _) IF True DO DELETE ($delta, ex:name, 'x')")
    town.preamble = town.preamble.removeprefix("COUPLING DETACHED ")
    root = town.submit("one", OWNS)
    town.run()
    (detached,) = town.units(rule)
    assert detached.root == detached.id
    assert {unit.id for unit in ask_trace(town, "SP1", root).units} == {root, detached.id}
    own = ask_trace(town, "SP1", detached.id)
    assert own.transaction == detached.id
    assert {unit.id for unit in own.units} == {detached.id}


def test_who_is_cut_off_is_named_and_what_others_know_is_told():
    town, root, first, _ = chain()
    town.holds = lambda step: isinstance(step[2], TraceWanted | TraceFound) and "SP3" in step[:2]
    inquiry = begin_trace(town, "SP1", root)
    town.wait(SECONDS)
    found = answered(town, inquiry)
    assert isinstance(found, NetworkTrace)
    assert found.unanswered == ("SP3",)
    assert {unit.rule for unit in found.units} == {None, first}


def test_an_instance_that_has_not_arrived_is_not_there_yet():
    town, root, *_ = chain(lambda step: isinstance(step[2], ActionInstance))
    trace = ask_trace(town, "SP1", root)
    assert [unit.id for unit in trace.units] == [root]
    town.release()
    assert len(ask_trace(town, "SP1", root).units) == 3


def test_what_has_ended_long_ago_is_forgotten():
    town, root, *_ = chain()
    town.wait(FederationTimings().remember - 10)
    assert len(ask_trace(town, "SP1", root).units) == 3
    town.wait(20)
    assert ask_trace(town, "SP1", root) == NetworkTrace(transaction=root, units=())


def test_a_transaction_that_nobody_knows_has_no_units():
    town, *_ = chain()
    for name in ("SP1/999", "SP2/999", "SP9/1"):
        trace = ask_trace(town, "SP1", name)
        assert (trace.transaction, trace.units) == (name, ())
    assert trace.unanswered == ("SP9",)
