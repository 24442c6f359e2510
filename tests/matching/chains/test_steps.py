"""Chains as steps: what is bound when a pattern is reached, what later ones need, when conditions are decided."""

from __future__ import annotations

from triplewire.algebra.patterns import Variable
from triplewire.algebra.queries import Core, cores_of
from triplewire.algebra.subscriptions import Subscription
from triplewire.matching.chains.steps import decidable_after, fixed_terms, in_join_order, in_text_order, steps_of
from triplewire.rdf.terms import NamedNode

X, Y, Z = (Variable(name) for name in "xyz")


def core_of(text: str) -> Core:
    (core,) = cores_of(Subscription.parse(text).query)
    return core


def test_a_step_knows_what_was_bound_before_and_keeps_what_is_asked_for_later() -> None:
    steps = steps_of(core_of("ASK { ?x <urn:p> ?y . ?y <urn:q> ?z . ?x <urn:r> ?w }").patterns)
    assert [step.known for step in steps] == [set(), {X, Y}, {X, Y, Z}]
    assert [step.needed for step in steps] == [{X, Y}, {X}, set()]


def test_no_patterns_are_no_steps() -> None:
    assert steps_of(()) == ()


def test_what_is_bound_from_the_start_is_kept_until_it_is_asked_for() -> None:
    steps = steps_of(core_of("ASK { ?x <urn:p> ?y . ?y <urn:q> ?z }").patterns, [Z])
    assert steps[0].known == {Z}
    assert steps[0].needed == {Y, Z}


def test_the_order_of_the_text_is_kept_and_that_of_the_join_begins_with_constants() -> None:
    core = core_of("ASK { ?x ?y ?z . <urn:s> <urn:p> ?x }")
    assert [str(pattern) for pattern in in_text_order(core)] == ["?x ?y ?z", "<urn:s> <urn:p> ?x"]
    assert [str(pattern) for pattern in in_join_order(core)] == ["<urn:s> <urn:p> ?x", "?x ?y ?z"]


def test_a_filter_that_fixes_a_term_puts_it_into_the_patterns() -> None:
    core = core_of("ASK { ?x <urn:p> ?y . ?x <urn:q> ?z FILTER(?y = <urn:o> && ?z = 1) }")
    assert fixed_terms(core.constraint) == {Y: NamedNode("urn:o")}
    assert [str(pattern) for pattern in in_text_order(core)] == ["?x <urn:p> <urn:o>", "?x <urn:q> ?z"]


def test_a_condition_is_decided_by_the_step_that_binds_its_last_variable() -> None:
    core = core_of("ASK { ?x <urn:p> ?y . ?x <urn:q> ?z FILTER(?y > 1 && ?z > ?y) }")
    counts = [[len(conditions) for conditions in step] for step in decidable_after(core.patterns, core.constraint)]
    assert counts == [[0], [1], [1]]
    from_the_start = decidable_after(core.patterns, core.constraint, [Y])
    assert [[len(conditions) for conditions in step] for step in from_the_start] == [[1], [0], [1]]
