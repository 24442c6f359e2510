"""Coupling modes, precedence and transactions of a schedule (section 2.2), seen by the order of a list."""

from __future__ import annotations

import pytest
from tests.rules.execution.town import PREAMBLE, a, elements, rulebook, rules_of, run, runner, town
from tests.rules.family import EX

from triplewire.errors import DuplicateRule, PrecedenceCycle, UnknownName, UnknownRule
from triplewire.languages.rdftl import parse_rules, parse_updates
from triplewire.rdf.terms import Triple
from triplewire.rules.vocabulary import member

BEINGS = [a(name, "Being") for name in ("one", "two", "three", "four", "start", "end", "other", "again")]


def logging(node: str, event: str = "INSERT (_, ex:likes, _)", clauses: str = "", name: str = "") -> str:
    """A rule that writes a node into the log."""
    rule = f"RULE {name or node}" if name or node else ""
    return f"{rule} {clauses} ON {event} IF True DO INSERT (resource(ex:log), seq++, resource(ex:{node}));;\n"


def write(node: str, transaction: str = "") -> str:
    named = f"TRANSACTION {transaction}\n" if transaction else ""
    return f"{named}INSERT (resource(ex:log), seq++, resource(ex:{node}));;\n"


LIKE = "INSERT (resource(ex:ann), ex:likes, resource(ex:bob));;\n"


def order(rules: str, updates: str) -> list[str]:
    repository = town(*BEINGS)
    outcome = run(repository, rules, updates)
    assert not outcome.aborted, outcome.aborted[0].error
    return [str(node).rsplit("/", 1)[-1][:-1] for node in elements(repository, "log")]


def test_immediate_comes_before_the_rest_of_the_transaction_and_deferred_after_it() -> None:
    rules = logging("one") + logging("two", clauses="COUPLING DEFERRED") + logging("three", clauses="COUPLING DETACHED")
    t = "TRANSACTION t\n"
    updates = t + LIKE + write("end")
    assert order(rules, updates) == ["one", "end", "two", "three"]


def test_deferred_comes_before_other_transactions_that_follow_and_detached_after_them() -> None:
    rules = logging("two", clauses="COUPLING DEFERRED") + logging("three", clauses="COUPLING DETACHED")
    updates = "TRANSACTION t\n" + LIKE + write("end") + write("other", "u")
    assert order(rules, updates) == ["end", "two", "other", "three"]


def test_a_transaction_that_is_interleaved_with_another_ends_with_its_own_last_update() -> None:
    rules = logging("two", clauses="COUPLING DEFERRED")
    updates = "TRANSACTION t\n" + LIKE + write("other", "u") + write("end", "t") + write("again", "u")
    assert order(rules, updates) == ["other", "end", "two", "again"]


def test_what_an_immediate_rule_triggers_comes_before_its_next_action() -> None:
    rules = (
        "RULE outer ON INSERT (_, ex:likes, _) IF True DO INSERT (resource(ex:ann), ex:owes, resource(ex:bob));"
        "INSERT (resource(ex:log), seq++, resource(ex:end));;" + logging("one", "INSERT (_, ex:owes, _)")
    )
    assert order(rules, LIKE) == ["one", "end"]


def test_what_is_deferred_within_a_subtransaction_waits_for_the_end_of_the_transaction() -> None:
    rules = (
        "RULE outer ON INSERT (_, ex:likes, _) IF True DO INSERT (resource(ex:ann), ex:owes, resource(ex:bob));;"
        + logging("two", "INSERT (_, ex:owes, _)", "COUPLING DEFERRED")
        + logging("one")
    )
    assert order(rules, "TRANSACTION t\n" + LIKE + write("end")) == ["one", "end", "two"]


def test_deferred_actions_may_defer_more() -> None:
    rules = (
        "RULE outer COUPLING DEFERRED ON INSERT (_, ex:likes, _) IF True DO "
        "INSERT (resource(ex:ann), ex:owes, resource(ex:bob));;"
        + logging("two", "INSERT (_, ex:owes, _)", "COUPLING DEFERRED")
        + logging("one", clauses="COUPLING DEFERRED")
    )
    assert order(rules, LIKE) == ["one", "two"]


def test_preceding_rules_come_first_also_through_a_rule_that_does_not_fire() -> None:
    rules = (
        logging("three")
        + logging("two", "DELETE (_, ex:likes, _)", "PRECEDES three")
        + logging("one", clauses="PRECEDES two")
        + logging("four")
    )
    assert order(rules, LIKE) == ["one", "three", "four"]


def test_without_precedence_rules_fire_in_the_order_of_registration() -> None:
    assert order(logging("two") + logging("one") + logging("three"), LIKE) == ["two", "one", "three"]


def test_whoever_arranges_what_has_no_order_cannot_break_precedence() -> None:
    repository = town(*BEINGS)
    rules = logging("three") + logging("two") + logging("one", clauses="PRECEDES two")
    backwards = runner(repository, rules, arrange=lambda firings: list(reversed(firings)))
    backwards.run(parse_updates(PREAMBLE + LIKE))
    assert elements(repository, "log") == [EX["one"], EX["two"], EX["three"]]


@pytest.mark.parametrize("cycle", [("one",), ("one", "two"), ("one", "two", "three")])
def test_a_precedence_cycle_is_refused_at_registration_and_shown(cycle: tuple[str, ...]) -> None:
    following = [*cycle[1:], cycle[0]]
    texts = [logging(rule, clauses=f"PRECEDES {later}") for rule, later in zip(cycle, following, strict=True)]
    rules = parse_rules(PREAMBLE + "".join(texts))
    book = rulebook("")
    for rule in rules[:-1]:
        book.add(rule)
    with pytest.raises(PrecedenceCycle) as caught:
        book.add(rules[-1])
    shown = caught.value.cycle
    assert shown[0] == shown[-1]
    assert set(shown) == set(cycle)
    assert " -> ".join(shown) in str(caught.value)
    assert rules[-1].id not in book
    assert len(book) == len(cycle) - 1


def test_delta_is_bound_to_the_state_in_which_the_condition_was_evaluated() -> None:
    repository = town(*BEINGS)
    rules = """
    RULE late COUPLING DETACHED ON INSERT (_, ex:likes, _) IF $delta/target(ex:likes) = resource(ex:bob)
         DO INSERT (resource(ex:log), seq++, $delta.target);;
    """
    updates = "TRANSACTION t\n" + LIKE + "DELETE (resource(ex:ann), ex:likes, _);;\n"
    assert not run(repository, rules, updates).aborted
    assert elements(repository, "log") == [EX["bob"]]


def test_paths_of_an_action_are_read_when_it_is_executed() -> None:
    repository = town(*BEINGS)
    rules = """
    RULE late COUPLING DEFERRED ON INSERT (_, ex:likes, _) IF True
         DO INSERT (resource(ex:log), seq++, resource(ex:ann)/target(ex:likes));;
    """
    updates = "TRANSACTION t\n" + LIKE + "INSERT (resource(ex:ann), ex:likes, resource(ex:cat));;\n"
    assert not run(repository, rules, updates).aborted
    assert elements(repository, "log") == [EX["bob"], EX["cat"], EX["bob"], EX["cat"]]


def test_a_trace_tells_each_firing_with_its_cause() -> None:
    rules = (
        "RULE outer ON INSERT (_, ex:likes, _) IF True DO INSERT (resource(ex:ann), ex:owes, resource(ex:bob));;"
        + logging("one", "INSERT (_, ex:owes, _)", name="inner")
    )
    outcome = run(town(*BEINGS), rules, "TRANSACTION t\n" + LIKE)
    assert [(e.number, e.rule, e.cause, e.depth, e.transaction) for e in outcome.entries] == [
        (1, None, None, 0, "t"),
        (2, "outer", 1, 1, "t"),
        (3, "inner", 2, 2, "t"),
    ]
    (action,) = outcome.entries[2].actions
    assert action.changes.inserted == (Triple(EX["log"], member(1), EX["one"]),)
    assert set(outcome.committed) == {"t"}


def test_registering_the_same_again_changes_nothing_and_another_is_refused() -> None:
    book = rulebook(logging("one"))
    (same,) = parse_rules(PREAMBLE + logging("one"))
    (other,) = parse_rules(PREAMBLE + logging("two", name="one"))
    book.add(same)
    assert len(book) == 1
    with pytest.raises(DuplicateRule, match="'one'"):
        book.add(other)
    book.remove("one")
    book.add(other)
    with pytest.raises(UnknownRule, match="'two'"):
        book.remove("two")


def test_a_rule_with_an_unknown_name_is_not_registered() -> None:
    book = rulebook("")
    (rule,) = parse_rules(PREAMBLE + logging("one", "INSERT (_, ex:like, _)"))
    with pytest.raises(UnknownName, match=r"nearest are .*example.org/likes"):
        book.add(rule)
    assert len(book) == 0


def test_a_removed_rule_fires_no_more() -> None:
    repository = town(*BEINGS)
    one = runner(repository, logging("one") + logging("two"))
    one._rules.remove("one")
    assert rules_of(one.run(parse_updates(PREAMBLE + LIKE))) == ["two"]
