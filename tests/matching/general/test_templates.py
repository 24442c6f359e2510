"""CONSTRUCT templates (SPARQL 1.1, 16.2)."""

from __future__ import annotations

from tests.matching.algebra import EX, X, Y

from triplewire.algebra.patterns import Pattern, Variable
from triplewire.matching.general.construct_templates import instantiate
from triplewire.rdf.terms import BlankNode, Literal, Triple

BLANK = Variable("_:b")


def test_each_solution_fills_the_template_and_repeats_count_once():
    template = (Pattern(X, EX["is"], Y), Pattern(X, EX["seen"], Literal(True)))
    made = instantiate(template, [{"x": EX["a"], "y": Literal(1)}, {"x": EX["a"], "y": Literal(2)}])
    assert len(made) == 3
    assert set(made) == {
        Triple(EX["a"], EX["is"], Literal(1)),
        Triple(EX["a"], EX["is"], Literal(2)),
        Triple(EX["a"], EX["seen"], Literal(True)),
    }


def test_triples_that_rdf_does_not_allow_are_left_out():
    template = (Pattern(X, EX["p"], EX["o"]), Pattern(EX["s"], X, EX["o"]), Pattern(EX["s"], EX["p"], X))
    assert instantiate(template, [{"x": Literal("text")}]) == (Triple(EX["s"], EX["p"], Literal("text")),)
    assert len(instantiate(template, [{"x": BlankNode("n")}])) == 2


def test_triples_with_an_unbound_variable_are_left_out():
    template = (Pattern(X, EX["p"], Y), Pattern(X, EX["q"], EX["o"]))
    assert instantiate(template, [{"x": EX["a"]}]) == (Triple(EX["a"], EX["q"], EX["o"]),)


def test_a_blank_node_is_one_within_a_solution_and_new_in_each():
    template = (Pattern(BLANK, EX["of"], X), Pattern(BLANK, EX["is"], EX["it"]))
    made = instantiate(template, [{"x": EX["a"]}, {"x": EX["b"]}])
    assert len({triple.subject for triple in made}) == 2
    assert made[0].subject == made[1].subject


def test_a_fresh_blank_node_is_none_of_the_events():
    template = (Pattern(BLANK, EX["of"], X),)
    taken = [BlankNode("c0b0"), BlankNode("cc0b0"), BlankNode("ccc")]
    made = instantiate(template, [{"x": node} for node in taken])
    assert {triple.subject for triple in made}.isdisjoint(taken)
    nested = Triple(EX["s"], EX["p"], BlankNode("c0b0"))
    assert instantiate(template, [{"x": nested}])[0].subject != BlankNode("c0b0")


def test_labels_are_the_same_every_time():
    template = (Pattern(BLANK, EX["of"], X),)
    assert instantiate(template, [{"x": EX["a"]}]) == instantiate(template, [{"x": EX["a"]}])
