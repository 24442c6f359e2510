"""Random queries and events over a few terms: in class L, and in everything that the fast lane knows."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from random import Random

from tests.algebra.building import EX, P, Q, S, integer, lit
from tests.algebra.naive import EVENT, Binding

from triplewire.algebra.constraints import (
    ALWAYS,
    Comparator,
    ComparisonTest,
    Condition,
    Constraint,
    IntegerTest,
    MembershipTest,
    TaxonomyRelation,
    TaxonomyTest,
    Test,
    TextRelation,
    TextTest,
    variables_in,
)
from triplewire.algebra.patterns import Pattern, PatternTerm, Variable
from triplewire.algebra.queries import Core, FastQuery, Select
from triplewire.algebra.taxonomy import Taxonomy
from triplewire.rdf.terms import RDF, BlankNode, Literal, NamedNode, Term, Triple

# -- class L: definitions 1 and 2 ---------------------------------------------------------------------------------

_SIGNS_OF_L = [sign for sign in Comparator if sign is not Comparator.NOT_EQUAL]
_OBJECTS_OF_L = [integer(1), integer(2), EX["a"], Literal("a"), Literal("ab")]

# Each constant's value in three forms, and three strings with every part: enough for two objects to differ from each
# other and from a constant. A domain without them would miss counterexamples, and call a right no wrong.
DOMAIN_OF_L: list[Term] = [
    *(EX[name] for name in "abc"),
    *(integer(text) for n in range(1, 4) for text in (n, f"0{n}", f"00{n}")),
    *(integer(text) for text in ("0", "00", "4", "04")),
    *(Literal(text) for text in ("", "a", "b", "ab", "b a", "ab c", "xab", "x")),
    lit("1.5", "decimal"),
]
SUBJECTS_OF_L: list[Term] = [EX["s"], EX["a"], EX["b"]]


def query_in_l(chance: Random, projected: int) -> FastQuery:
    objects = [Variable(f"O{n}") for n in range(chance.choice([1, 1, 2, 2, 3]))]
    patterns = [Pattern(S, chance.choice([P, P, Q]), o) for o in objects]
    if chance.random() < 0.3:
        patterns.append(Pattern(S, chance.choice([P, Q]), chance.choice(_OBJECTS_OF_L)))
    form = Select(tuple(chance.choice([S, *objects]) for _ in range(projected)), distinct=True)
    return FastQuery(form, Core(tuple(patterns), constraint_in_l(chance, objects)))


def constraint_in_l(chance: Random, objects: Sequence[Variable]) -> Constraint:
    alternatives = []
    for _ in range(chance.choice([1, 1, 2, 2, 3])):
        atoms = [_atom(chance, objects) for _ in range(chance.randint(0, 2))]
        alternatives.append(tuple(condition for atom in atoms for condition in atom))
    return Constraint(tuple(alternatives))


def _atom(chance: Random, objects: Sequence[Variable]) -> list[Condition]:
    variable = chance.choice(objects)
    form = chance.choice("aabbbbcc")
    if form == "a":
        either = chance.choice([S, variable, variable])
        return [Condition(ComparisonTest(Comparator.EQUAL, either, EX[chance.choice("ab")]))]
    if form == "b":
        test = ComparisonTest(chance.choice(_SIGNS_OF_L), variable, integer(chance.randint(1, 3)))
        return [Condition(test), Condition(IntegerTest(variable))]
    return [Condition(TextTest(TextRelation.CONTAINS, variable, Literal(chance.choice(["a", "b", "ab"]))))]


def bindings_in_l(query: FastQuery) -> Iterator[Binding]:
    """Every assignment of the domain's terms to the query's variables."""
    variables = query.core.variables
    domains = [SUBJECTS_OF_L if variable == S else DOMAIN_OF_L for variable in variables]
    for terms in itertools.product(*domains):
        yield dict(zip(variables, terms, strict=True))


def canonical(query: FastQuery, binding: Binding) -> list[Triple]:
    """The smallest event in which the binding matches the query's patterns."""
    return [Triple(*(_value(term, binding) for term in pattern)) for pattern in query.core.patterns]  # type: ignore[arg-type]


def _value(term: PatternTerm, binding: Binding) -> Term:
    return binding[term] if isinstance(term, Variable) else term


# -- the fast lane ------------------------------------------------------------------------------------------------

TAXONOMY = Taxonomy.parse(
    "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix : <http://example.org/> ."
    ":D rdfs:subClassOf :C . :E rdfs:subClassOf :D . :i a :E . :q rdfs:subPropertyOf :p ."
)
_CONSTANTS: list[NamedNode | Literal] = [
    EX["a"],
    EX["b"],
    *(integer(text) for text in ("1", "2", "01", "x")),
    *(lit(text, "decimal") for text in ("1.5", "1.0")),
    *(lit(text, "double") for text in ("1", "1.1", "NaN")),
    lit("1.1", "float"),
    *(Literal(text) for text in ("a", "ab")),
    Literal("a", language="en"),
    Literal("b", language="de"),
    *(lit(text, "boolean") for text in ("true", "1")),
    *(lit(f"2000-01-01T{text}", "dateTime") for text in ("00:00:00", "00:00:00Z", "10:00:00Z")),
    *(lit(text, "date") for text in ("2000-01-01", "2000-01-02Z")),
    *(lit(text, "gYear") for text in ("2000", "2001Z")),
    *(lit(text, "duration") for text in ("P1D", "PT24H")),
    lit("12:00:00", "time"),
    Literal("u", datatype=EX["datatype"]),
]
_TERMS: list[Term] = [
    *_CONSTANTS,
    *(EX[name] for name in "cCDEip"),
    BlankNode("z"),
    *(integer(text) for text in ("0", "3", "001", "y")),
    *(lit(text, "decimal") for text in ("1.4", "1.1")),
    *(lit(text, "double") for text in ("2.5", "INF")),
    *(Literal(text) for text in ("", "b", "a b", "ba", "zzz")),
    Literal("a", language="de"),
    Literal("ab", language="en"),
    lit("false", "boolean"),
    *(lit(text, "dateTime") for text in ("2000-01-01T00:00:00.5", "1999-12-31T12:00:00", "2000-01-01T00:00:00.0")),
    *(lit(text, "date") for text in ("2000-01-02", "1999-12-31-05:00")),
    *(lit(text, "gYear") for text in ("1999", "2002")),
    lit("P2D", "duration"),
    Literal("v", datatype=EX["datatype"]),
]
_TEXTS = [Literal("a"), Literal("ab"), Literal("b"), Literal("a", language="en"), Literal("")]
_VARIABLES = [Variable(name) for name in "xyz"]


def fast_query(chance: Random, projected: int) -> FastQuery:
    patterns = tuple(_pattern(chance) for _ in range(chance.choice([1, 1, 2, 2, 3])))
    graphs = chance.choice([(), (), (), (Variable("g"),), (EVENT,), (Variable("x"),)])
    variables = [*Core(patterns, ALWAYS, graphs).variables] or _VARIABLES
    if chance.random() < 0.03:
        variables.append(Variable("unbound"))
    form = Select(tuple(chance.choice(variables) for _ in range(projected)), distinct=True)
    return FastQuery(form, Core(patterns, _constraint(chance, variables), graphs))


def widened(chance: Random, query: FastQuery) -> FastQuery:
    """A query that often subsumes the given one: patterns left out, conditions left out or changed a little."""
    core = query.core
    patterns = tuple(chance.sample(core.patterns, chance.randint(1, len(core.patterns))))
    bound = set(Core(patterns, ALWAYS, core.graphs).variables)
    alternatives = []
    for alternative in core.constraint.alternatives:
        changed = [_changed(chance, condition) for condition in alternative]
        alternatives.append(
            tuple(c for c in changed if chance.random() < 0.8 and bound.issuperset(variables_in(c.test)))
        )
    if bound and chance.random() < 0.3:
        alternatives.append(tuple(_condition(chance, sorted(bound)) for _ in range(2)))
    return FastQuery(query.form, Core(patterns, Constraint(tuple(alternatives)), core.graphs))


def event_for(chance: Random, query: FastQuery) -> list[Triple] | None:
    """An event in which the query's patterns match, with some types added; None if terms stood where they cannot."""
    binding: Binding = {variable: chance.choice(_TERMS) for variable in query.core.variables}
    binding |= {graph: EVENT for graph in query.core.graphs if isinstance(graph, Variable)}
    for pattern in query.core.patterns:
        _put_right(chance, pattern, binding)
    try:
        triples = canonical(query, binding)
    except TypeError:
        return None
    for _ in range(chance.choice([0, 0, 1, 2])):
        node = chance.choice([triple.subject for triple in triples])
        triples.append(Triple(node, RDF["type"], EX[chance.choice("CDE")]))
    return triples


def _put_right(chance: Random, pattern: Pattern, binding: Binding) -> None:
    if isinstance(pattern.subject, Variable) and not isinstance(binding[pattern.subject], NamedNode | BlankNode):
        binding[pattern.subject] = chance.choice([EX["a"], EX["c"], EX["i"], BlankNode("z")])
    if isinstance(pattern.predicate, Variable) and not isinstance(binding[pattern.predicate], NamedNode):
        binding[pattern.predicate] = chance.choice([P, Q, RDF["type"]])


def _pattern(chance: Random) -> Pattern:
    subject = chance.choice([*_VARIABLES, *_VARIABLES, EX["a"], EX["b"]])
    predicate = chance.choice([P, P, Q, RDF["type"], chance.choice(_VARIABLES)])
    constant = chance.choice([EX["C"], EX["D"], *_CONSTANTS])
    return Pattern(subject, predicate, chance.choice([*_VARIABLES, constant]))


def _constraint(chance: Random, variables: Sequence[Variable]) -> Constraint:
    return Constraint(
        tuple(
            tuple(_condition(chance, variables) for _ in range(chance.randint(0, 3)))
            for _ in range(chance.choice([1, 1, 2, 3]))
        )
    )


def _condition(chance: Random, variables: Sequence[Variable]) -> Condition:
    return Condition(_test(chance, variables), holds=chance.random() < 0.7)


def _test(chance: Random, variables: Sequence[Variable]) -> Test:
    variable, sign = chance.choice(variables), chance.choice(list(Comparator))
    kind = chance.choice("vvvvvccmtttxxxi")
    if kind == "c":
        return ComparisonTest(sign, variable, chance.choice(variables))
    if kind == "m":
        return MembershipTest(variable, tuple(chance.sample(_CONSTANTS, chance.randint(1, 3))))
    if kind == "t":
        return TextTest(chance.choice(list(TextRelation)), variable, chance.choice(_TEXTS))
    if kind == "x":
        return TaxonomyTest(chance.choice(list(TaxonomyRelation)), variable, EX[chance.choice("CDEiaq")])
    if kind == "i":
        return IntegerTest(variable)
    left, right = chance.choice([(0, 1), (0, 1), (1, 0)])
    sides = (variable, chance.choice(_CONSTANTS))
    return ComparisonTest(sign, sides[left], sides[right])


def _changed(chance: Random, condition: Condition) -> Condition:
    test = condition.test
    if chance.random() < 0.5:
        return condition
    if isinstance(test, ComparisonTest) and isinstance(test.left, Variable) and not isinstance(test.right, Variable):
        constant = chance.choice([test.right, chance.choice(_CONSTANTS)])
        return Condition(ComparisonTest(chance.choice(list(Comparator)), test.left, constant), chance.random() < 0.6)
    if isinstance(test, TaxonomyTest):
        relation = chance.choice(list(TaxonomyRelation))
        return Condition(TaxonomyTest(relation, test.variable, chance.choice([test.cls, EX["C"]])), condition.holds)
    if isinstance(test, TextTest):
        relation = chance.choice(list(TextRelation))
        return Condition(TextTest(relation, test.variable, chance.choice([test.text, Literal("a")])), condition.holds)
    return condition
