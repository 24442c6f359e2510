"""The graph language: G-ToPSS patterns, errors with their place, and printing."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.languages.text_pairs import text_pairs

from triplewire.algebra.constraints import (
    ALWAYS,
    NEVER,
    Comparator,
    ComparisonTest,
    Condition,
    Constraint,
    IntegerTest,
    TaxonomyRelation,
    TaxonomyTest,
    Test,
    TextRelation,
    TextTest,
)
from triplewire.algebra.patterns import Pattern, PatternTerm, Variable, variables_of
from triplewire.algebra.queries import Ask, Core, FastQuery, Query, Select
from triplewire.algebra.subscriptions import Subscription
from triplewire.errors import InputError, LimitExceeded, SyntaxProblem
from triplewire.languages.graph.parser import parse_graph
from triplewire.languages.graph.printer import print_graph
from triplewire.rdf.terms import RDF, XSD, Literal, NamedNode, Namespace, Triple

G = Namespace("http://example.org/gtopss/")
X, Y, Z = (Variable(name) for name in "xyz")
P, Q = NamedNode("urn:p"), NamedNode("urn:q")
EXAMPLES = Path(__file__).parents[3] / "examples/papers/subscriptions"


def integer(lexical: object) -> Literal:
    return Literal(str(lexical), datatype=XSD["integer"])


def conditions(*tests: Test) -> tuple[Condition, ...]:
    return tuple(Condition(test) for test in tests)


def asked_in(text: str) -> list[Test]:
    (alternative,) = parse_graph(text).core.constraint.alternatives
    return [condition.test for condition in alternative]


class TestFigure5:
    """G-ToPSS, figure 5: subscriptions S1 and S2."""

    def test_s1_compares_the_year_by_value(self) -> None:
        query = parse_graph((EXAMPLES / "gtopss-figure-5a.graph").read_text())
        assert query == FastQuery(
            Select((Z,)),
            Core(
                (
                    Pattern(G["ArnosPaper17"], G["author"], Literal("Arno Jacobsen")),
                    Pattern(G["ArnosPaper17"], G["conference"], G["SIGMOD"]),
                    Pattern(G["SIGMOD"], G["year"], Z),
                ),
                Constraint((conditions(ComparisonTest(Comparator.GREATER, Z, integer(2000))),)),
            ),
        )

    def test_s2_asks_the_taxonomy_as_well(self) -> None:
        query = parse_graph((EXAMPLES / "gtopss-figure-5b.graph").read_text())
        assert query == FastQuery(
            Select((Y, X)),
            Core(
                (
                    Pattern(Y, G["author"], Literal("Arno Jacobsen")),
                    Pattern(Y, G["conference"], G["SIGMOD"]),
                    Pattern(G["SIGMOD"], G["year"], X),
                ),
                Constraint(
                    (
                        conditions(
                            TaxonomyTest(TaxonomyRelation.IS_A, Y, G["Publication"]),
                            ComparisonTest(Comparator.GREATER, X, integer(1999)),
                        ),
                    )
                ),
            ),
        )


class TestOperators:
    """Which family applies is decided by the operand."""

    @pytest.mark.parametrize(
        ("sign", "relation"),
        [
            ("<", TaxonomyRelation.IS_A),
            ("<=", TaxonomyRelation.IS_A),
            ("≤", TaxonomyRelation.IS_A),
            (">", TaxonomyRelation.ANCESTOR_OF),
            (">=", TaxonomyRelation.ANCESTOR_OF),
            ("≥", TaxonomyRelation.ANCESTOR_OF),
            ("=", TaxonomyRelation.DIRECT_OR_SAME),
        ],
    )
    def test_an_iri_asks_the_taxonomy(self, sign: str, relation: TaxonomyRelation) -> None:
        assert asked_in(f"?x <urn:p> ?y({sign} <urn:q>)") == [TaxonomyTest(relation, Y, Q)]

    @pytest.mark.parametrize(
        ("sign", "operator"),
        [("<", "<"), ("<=", "<="), ("≤", "<="), (">", ">"), (">=", ">="), ("≥", ">="), ("=", "=")],
    )
    def test_a_literal_compares_by_value(self, sign: str, operator: str) -> None:
        wanted = [ComparisonTest(Comparator(operator), Y, Literal("Nejdl"))]
        assert asked_in(f'?x <urn:p> ?y({sign} "Nejdl")') == wanted

    def test_a_number_types_nothing_here(self) -> None:
        assert asked_in("?x <urn:p> ?y(> 2000)") == [ComparisonTest(Comparator.GREATER, Y, integer(2000))]

    def test_a_predicate_variable_may_be_constrained(self) -> None:
        assert asked_in("?x ?y(<= <urn:p>) ?z") == [TaxonomyTest(TaxonomyRelation.IS_A, Y, P)]


class TestProjection:
    def test_all_variables_in_order_of_appearance_repeats_kept(self) -> None:
        assert parse_graph("?y ?x ?y\n?x a ?z").form == Select((Y, X, Z))

    def test_blank_nodes_are_variables_that_nobody_sees(self) -> None:
        query = parse_graph("_:b <urn:p> ?x\n?x <urn:q> _:b")
        assert query.form == Select((X,))
        assert query.core.patterns[0].subject == Variable("_:b")

    def test_a_pattern_without_variables_projects_none(self) -> None:
        assert parse_graph("<urn:s> a <urn:C>") == FastQuery(
            Select(()), Core((Pattern(NamedNode("urn:s"), RDF["type"], NamedNode("urn:C")),))
        )


@pytest.mark.parametrize(("text", "printed"), text_pairs("graph/printed.txt"))
def test_printed(text: str, printed: str) -> None:
    query = parse_graph(text)
    assert print_graph(query) == printed + "\n"
    assert parse_graph(printed) == query


@pytest.mark.parametrize(("text", "error"), text_pairs("graph/errors.txt"))
def test_error_with_its_place(text: str, error: str) -> None:
    with pytest.raises(SyntaxProblem) as caught:
        parse_graph(text)
    assert str(caught.value).splitlines()[0] == error


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_any_line_ending(ending: str) -> None:
    assert len(parse_graph(f"?x <urn:p> ?y .{ending}{ending}?y <urn:q> ?z{ending}").core.patterns) == 2


class TestHostileText:
    def test_empty(self) -> None:
        with pytest.raises(SyntaxProblem, match="at least one edge"):
            parse_graph("")

    def test_too_long(self) -> None:
        with pytest.raises(LimitExceeded) as caught:
            parse_graph("?x a ?y\n" * 10_000)
        assert caught.value.allowed == 64 * 1024

    def test_a_thousand_edges_and_no_more(self) -> None:
        edges = [f"?x <urn:{number}> ?y" for number in range(1_001)]
        assert len(parse_graph("\n".join(edges[:1_000])).core.patterns) == 1_000
        with pytest.raises(LimitExceeded, match="1,000 edges"):
            parse_graph("\n".join(edges))

    @given(st.text(max_size=40))
    def test_any_text_gives_a_query_or_an_input_error(self, text: str) -> None:
        _parses_or_complains(text)

    @given(
        st.lists(
            st.sampled_from(
                ["?x", "?y", "a", "<urn:p>", "5", '"t"', "(", ")", "<", ">=", "=", ",", ".", "\n", " ", "_:b", "@en"]
            )
        )
    )
    def test_any_pieces_give_a_query_or_an_input_error(self, pieces: list[str]) -> None:
        _parses_or_complains("".join(pieces))


def _parses_or_complains(text: str) -> None:
    try:
        query = parse_graph(text)
    except InputError:
        return
    assert parse_graph(print_graph(query)) == query


# Printing: what is refused, and the round trip

_PATTERNS = (Pattern(X, P, Y),)


def asked(*tests: Test, form: Select | Ask | None = None) -> FastQuery:
    return FastQuery(form or Select((X, Y)), Core(_PATTERNS, Constraint((conditions(*tests),))))


@pytest.mark.parametrize(
    "query",
    [
        pytest.param(asked(form=Ask()), id="ASK"),
        pytest.param(asked(form=Select((X, Y), distinct=True)), id="DISTINCT"),
        pytest.param(asked(form=Select((X,))), id="fewer variables"),
        pytest.param(asked(form=Select((Y, X))), id="another order"),
        pytest.param(FastQuery(Select((X, Y)), Core(_PATTERNS, ALWAYS, (X,))), id="GRAPH"),
        pytest.param(FastQuery(Select((X, Y)), Core(_PATTERNS, NEVER)), id="never"),
        pytest.param(FastQuery(Select((X, Y)), Core(_PATTERNS, Constraint(((), ())))), id="alternatives"),
        pytest.param(FastQuery(Select(()), Core(())), id="no edge"),
        pytest.param(FastQuery(Select(()), Core((Pattern(Literal("a"), P, P),))), id="a literal as subject"),
        pytest.param(FastQuery(Select(()), Core((Pattern(P, P, Triple(P, P, P)),))), id="a triple term"),
        pytest.param(FastQuery(Select((Variable("a b"),)), Core((Pattern(P, P, Variable("a b")),))), id="a bad name"),
        pytest.param(asked(ComparisonTest(Comparator.EQUAL, X, Y)), id="two variables compared"),
        pytest.param(asked(ComparisonTest(Comparator.EQUAL, X, P)), id="an IRI compared by value"),
        pytest.param(asked(ComparisonTest(Comparator.NOT_EQUAL, X, integer(5))), id="!="),
        pytest.param(asked(ComparisonTest(Comparator.EQUAL, Z, integer(5))), id="an unbound variable"),
        pytest.param(asked(IntegerTest(X)), id="an integer test"),
        pytest.param(asked(TextTest(TextRelation.CONTAINS, X, Literal("a"))), id="CONTAINS"),
        pytest.param(asked(TaxonomyTest(TaxonomyRelation.DIRECT, X, P)), id="directInstanceOf"),
        pytest.param(
            FastQuery(
                Select((X, Y)),
                Core(_PATTERNS, Constraint(((Condition(TaxonomyTest(TaxonomyRelation.IS_A, X, P), False),),))),
            ),
            id="a negation",
        ),
    ],
)
def test_what_the_language_cannot_express_is_refused(query: Query) -> None:
    with pytest.raises(InputError, match="the graph language cannot express"):
        print_graph(query)


_variables = st.from_regex(r"[A-Za-z0-9_é][A-Za-z0-9_·]{0,3}", fullmatch=True).map(Variable)
_blanks = st.sampled_from(["_:b", "_:b0", "_:x.y-z"]).map(Variable)
_iris = st.sampled_from(["urn:a", "http://example.org/b#c", "a:b", "mailto:é@x"]).map(NamedNode)
_texts = st.text(max_size=6)
_literals = st.one_of(
    st.integers().map(integer),
    _texts.map(Literal),
    st.builds(Literal, _texts, language=st.sampled_from(["en", "de-at"])),
    st.builds(Literal, _texts, datatype=_iris),
    st.builds(
        Literal,
        st.sampled_from(["1", "1.5", ".5", "-1.", "1e3", "true", "1.5E-2", "+0", "٣", "1 "]),
        datatype=st.sampled_from([XSD["decimal"], XSD["double"], XSD["boolean"], XSD["string"], XSD["byte"]]),
    ),
)
_subjects: st.SearchStrategy[PatternTerm] = st.one_of(_variables, _blanks, _iris)
_predicates: st.SearchStrategy[PatternTerm] = st.one_of(_variables, _iris, st.just(RDF["type"]))
_objects: st.SearchStrategy[PatternTerm] = st.one_of(_variables, _blanks, _iris, _literals)
_operators = st.sampled_from([c for c in Comparator if c is not Comparator.NOT_EQUAL])
_relations = st.sampled_from([r for r in TaxonomyRelation if r is not TaxonomyRelation.DIRECT])


@st.composite
def _queries(draw: st.DrawFn) -> FastQuery:
    patterns = tuple(draw(st.lists(st.builds(Pattern, _subjects, _predicates, _objects), min_size=1, max_size=4)))
    named = [variable for variable in variables_of(patterns) if not variable.is_blank]
    tests: list[Test] = []
    for variable in named:
        one = st.one_of(
            st.builds(ComparisonTest, _operators, st.just(variable), _literals),
            st.builds(TaxonomyTest, _relations, st.just(variable), _iris),
        )
        tests.extend(draw(st.lists(one, max_size=3, unique=True)))
    constraint = Constraint((conditions(*tests),)) if tests else ALWAYS
    return FastQuery(Select(tuple(named)), Core(patterns, constraint))


@given(_queries())
def test_parse_after_print_is_the_identity(query: FastQuery) -> None:
    assert parse_graph(print_graph(query)) == query


def test_a_subscription_prints_itself() -> None:
    subscription = Subscription.parse("?x a ?y( > 3 )", language="graph", id="s")
    assert str(subscription) == "?x a ?y(> 3) .\n"
