"""The formula language: definitions 1 and 2 of Chirita et al., errors with their place, and printing."""

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
    MembershipTest,
    TaxonomyRelation,
    TaxonomyTest,
    Test,
    TextRelation,
    TextTest,
)
from triplewire.algebra.patterns import Pattern, Variable
from triplewire.algebra.queries import Ask, Core, FastQuery, Query, Select
from triplewire.algebra.subscriptions import Subscription
from triplewire.errors import InputError, LimitExceeded, SyntaxProblem
from triplewire.languages.formula.parser import parse_formula
from triplewire.languages.formula.printer import print_formula
from triplewire.rdf.terms import RDF, XSD, Literal, NamedNode, Namespace, Triple

DC = Namespace("http://purl.org/dc/elements/1.1/")
X, Y, Z, D = (Variable(name) for name in "XYZD")
P, Q = NamedNode("urn:p"), NamedNode("urn:q")
EXAMPLES = Path(__file__).parents[3] / "examples/papers/subscriptions"


def integer(lexical: object) -> Literal:
    return Literal(str(lexical), datatype=XSD["integer"])


def constraint_of(text: str) -> Constraint:
    """The constraint of a formula over X, with Y and Z as values of two properties."""
    return parse_formula(f"X: t(X, <urn:p>, Y) ^ t(X, <urn:q>, Z) ^ {text}").core.constraint


def conditions(*tests: Test) -> tuple[Condition, ...]:
    return tuple(Condition(test) for test in tests)


def test_chirita_example_1() -> None:
    query = parse_formula((EXAMPLES / "chirita-example-1.formula").read_text())
    in_2004 = (ComparisonTest(Comparator.EQUAL, D, integer(2004)), IntegerTest(D))
    assert query == FastQuery(
        Select((X,), distinct=True),
        Core(
            (Pattern(X, RDF["type"], DC["article"]), Pattern(X, DC["creator"], Y), Pattern(X, DC["date"], D)),
            Constraint(
                (
                    conditions(TextTest(TextRelation.CONTAINS, Y, Literal("Nejdl")), *in_2004),
                    conditions(TextTest(TextRelation.CONTAINS, Y, Literal("Koubarakis")), *in_2004),
                )
            ),
        ),
    )


class TestDefinition1:
    """Atomic constraints: X = c for a resource, X r c for integers, X contains c for strings."""

    def test_a_equality_with_a_resource(self) -> None:
        assert constraint_of("Y = <urn:a>").alternatives == (
            conditions(ComparisonTest(Comparator.EQUAL, Y, NamedNode("urn:a"))),
        )

    @pytest.mark.parametrize("operator", ["=", "<", "<=", ">", ">="])
    def test_b_comparison_with_an_integer_types_the_variable(self, operator: str) -> None:
        wanted = conditions(ComparisonTest(Comparator(operator), Y, integer(2004)), IntegerTest(Y))
        assert constraint_of(f"Y {operator} 2004").alternatives == (wanted,)

    @pytest.mark.parametrize("datatype", ["integer", "int", "nonNegativeInteger"])
    def test_b_a_typed_integer_is_an_integer(self, datatype: str) -> None:
        (alternative,) = constraint_of(f'Y < "5"^^xsd:{datatype}').alternatives
        assert Condition(IntegerTest(Y)) in alternative

    def test_c_containment_of_strings(self) -> None:
        assert constraint_of('Y contains "Nejdl"').alternatives == (
            conditions(TextTest(TextRelation.CONTAINS, Y, Literal("Nejdl"))),
        )

    @pytest.mark.parametrize("constant", ["4.2", "1e3", '"text"', '"2004-06-01"^^xsd:date', "true", "<urn:a>"])
    def test_what_is_no_integer_types_nothing(self, constant: str) -> None:
        (alternative,) = constraint_of(f"Y = {constant}").alternatives
        assert len(alternative) == 1

    def test_each_alternative_has_its_own_types(self) -> None:
        first, second = constraint_of('(Y = 1 v Z contains "a")').alternatives
        assert Condition(IntegerTest(Y)) in first
        assert Condition(IntegerTest(Y)) not in second


class TestDefinition2:
    def test_answers_are_sets_of_the_projected_variables_in_their_order(self) -> None:
        form = parse_formula("Z, X: t(X, <urn:p>, Y) ^ t(X, <urn:q>, Z)").form
        assert form == Select((Z, X), distinct=True)

    def test_without_a_constraint_everything_is_allowed(self) -> None:
        assert parse_formula("X: t(X, <urn:p>, Y)").core.constraint == ALWAYS

    def test_footnote_1_a_constant_may_stand_for_an_object_variable(self) -> None:
        core = parse_formula('X: t(X, <urn:p>, "a") ^ t(X, <urn:q>, 2004)').core
        assert core.patterns == (Pattern(X, P, Literal("a")), Pattern(X, Q, integer(2004)))


@pytest.mark.parametrize(("text", "printed"), text_pairs("formula/printed.txt"))
def test_printed(text: str, printed: str) -> None:
    query = parse_formula(text)
    assert print_formula(query) == printed + "\n"
    assert parse_formula(printed) == query


@pytest.mark.parametrize(("text", "error"), text_pairs("formula/errors.txt"))
def test_error_with_its_place(text: str, error: str) -> None:
    with pytest.raises(SyntaxProblem) as caught:
        parse_formula(text)
    assert str(caught.value).splitlines()[0] == error


class TestHostileText:
    def test_empty(self) -> None:
        with pytest.raises(SyntaxProblem, match="wanted a variable to project"):
            parse_formula("")

    def test_a_lone_surrogate_gives_a_printable_error(self) -> None:
        with pytest.raises(SyntaxProblem, match=r"U\+D800") as caught:
            parse_formula('X: t(X, <urn:p>, "\ud800")')
        assert str(caught.value).encode()

    def test_too_long(self) -> None:
        with pytest.raises(LimitExceeded) as caught:
            parse_formula("#" * (64 * 1024 + 1))
        assert caught.value.allowed == 64 * 1024

    @pytest.mark.parametrize("depth", [101, 20_000])
    def test_a2_too_deep(self, depth: int) -> None:
        with pytest.raises(LimitExceeded, match="nest 100"):
            constraint_of("(" * depth + "Y = 1" + ")" * depth)

    def test_a_hundred_parentheses_are_fine(self) -> None:
        assert constraint_of("(" * 100 + "Y = 1" + ")" * 100) == constraint_of("Y = 1")

    def test_a_disjunctive_normal_form_that_would_explode(self) -> None:
        with pytest.raises(LimitExceeded, match="1,000 alternatives"):
            constraint_of(" ^ ".join(["(Y = 1 v Y = 2)"] * 11))

    def test_too_many_alternatives(self) -> None:
        with pytest.raises(LimitExceeded, match="1,000 alternatives"):
            constraint_of(f"({' v '.join(f'Y={n}' for n in range(1_001))})")

    def test_too_many_conditions(self) -> None:
        many = " ^ ".join(f"Y!={n}" for n in range(200))
        alternatives = " v ".join(f"Z={n}" for n in range(200))
        with pytest.raises(LimitExceeded, match="20,000 conditions"):
            constraint_of(f"{many} ^ ({alternatives})")

    def test_too_many_triples(self) -> None:
        with pytest.raises(LimitExceeded, match="1,000 triples"):
            parse_formula("X: " + " ^ ".join(f"t(X, <urn:{n}>, Y{n})" for n in range(1_001)))

    @given(st.text(max_size=40))
    def test_any_text_gives_a_query_or_an_input_error(self, text: str) -> None:
        _parses_or_complains(text)

    @given(st.lists(st.sampled_from(["X", ":", ",", "t(", "(", ")", "^", "v", "<urn:p>", "Y", "=", "<", "5", '"a"'])))
    def test_any_pieces_give_a_query_or_an_input_error(self, pieces: list[str]) -> None:
        _parses_or_complains("X: " + " ".join(pieces))


def _parses_or_complains(text: str) -> None:
    try:
        query = parse_formula(text)
    except InputError:
        return
    assert parse_formula(print_formula(query)) == query


# Printing: what is refused, and the round trip

_PATTERNS = (Pattern(X, P, Y), Pattern(X, Q, Z))


def asked(*tests: Test, form: Select | Ask | None = None) -> FastQuery:
    constraint = Constraint((conditions(*tests),))
    return FastQuery(form or Select((X,), distinct=True), Core(_PATTERNS, constraint))


@pytest.mark.parametrize(
    "query",
    [
        pytest.param(asked(form=Ask()), id="ASK"),
        pytest.param(asked(form=Select((X,))), id="answers that repeat"),
        pytest.param(asked(form=Select((), distinct=True)), id="no projected variable"),
        pytest.param(asked(form=Select((Variable("small"),), distinct=True)), id="a small variable"),
        pytest.param(FastQuery(Select((X,), distinct=True), Core(_PATTERNS, ALWAYS, (X,))), id="GRAPH"),
        pytest.param(FastQuery(Select((X,), distinct=True), Core(_PATTERNS, NEVER)), id="never"),
        pytest.param(FastQuery(Select((X,), distinct=True), Core((Pattern(X, Y, Z),))), id="a predicate variable"),
        pytest.param(FastQuery(Select((X,), distinct=True), Core((Pattern(P, P, X),))), id="a constant subject"),
        pytest.param(FastQuery(Select((X,), distinct=True), Core((*_PATTERNS, Pattern(Y, P, D)))), id="two subjects"),
        pytest.param(
            FastQuery(Select((X,), distinct=True), Core((Pattern(X, P, Triple(P, P, P)),))), id="a triple term"
        ),
        pytest.param(asked(ComparisonTest(Comparator.EQUAL, Y, Z)), id="two variables compared"),
        pytest.param(asked(ComparisonTest(Comparator.EQUAL, integer(5), Z)), id="the constant first"),
        pytest.param(asked(ComparisonTest(Comparator.EQUAL, Z, integer(5))), id="an integer without its type"),
        pytest.param(asked(IntegerTest(Z)), id="an integer that nothing is compared with"),
        pytest.param(asked(ComparisonTest(Comparator.EQUAL, D, Literal("a"))), id="an unbound variable"),
        pytest.param(asked(MembershipTest(Y, (P,))), id="IN"),
        pytest.param(asked(TextTest(TextRelation.STARTS, Y, Literal("a"))), id="STRSTARTS"),
        pytest.param(asked(TaxonomyTest(TaxonomyRelation.IS_A, Y, P)), id="isA"),
        pytest.param(
            FastQuery(
                Select((X,), distinct=True),
                Core(_PATTERNS, Constraint(((Condition(TextTest(TextRelation.CONTAINS, Y, Literal("a")), False),),))),
            ),
            id="a negation",
        ),
        pytest.param(
            FastQuery(
                Select((X,), distinct=True),
                Core(_PATTERNS, Constraint((conditions(ComparisonTest(Comparator.EQUAL, Y, P)), ()))),
            ),
            id="an alternative without conditions",
        ),
    ],
)
def test_what_l_cannot_express_is_refused(query: Query) -> None:
    with pytest.raises(InputError, match="the formula language cannot express"):
        print_formula(query)


_variables = st.from_regex(r"[A-Z][A-Za-z0-9_]{0,3}", fullmatch=True).map(Variable)
_iris = st.sampled_from(["urn:a", "http://example.org/b#c", "dc:x", "rdf:type", "isl://x", "mailto:é@x"]).map(NamedNode)
_texts = st.text(max_size=6)
_literals = st.one_of(
    st.integers(-99, 99).map(integer),
    _texts.map(Literal),
    st.builds(Literal, _texts, language=st.sampled_from(["en", "de-at"])),
    st.builds(Literal, _texts, datatype=_iris),
    st.builds(
        Literal,
        st.sampled_from(["1", "1.5", ".5", "-1.", "1e3", "true", "1.5E-2", "+0", "٣", "1 "]),
        datatype=st.sampled_from([XSD["decimal"], XSD["double"], XSD["boolean"], XSD["string"], XSD["byte"]]),
    ),
)


@st.composite
def _atoms(draw: st.DrawFn, bound: list[Variable]) -> tuple[Condition, ...]:
    variable = draw(st.sampled_from(bound))
    kind = draw(st.sampled_from(["iri", "integer", "literal", "contains"]))
    if kind == "contains":
        return conditions(TextTest(TextRelation.CONTAINS, variable, draw(_texts.map(Literal))))
    if kind == "iri":
        operator = draw(st.sampled_from([Comparator.EQUAL, Comparator.NOT_EQUAL]))
        return conditions(ComparisonTest(operator, variable, draw(_iris)))
    operator = draw(st.sampled_from(list(Comparator)))
    if kind == "integer":
        return conditions(
            ComparisonTest(operator, variable, integer(draw(st.integers(-(2**63), 2**63 - 1)))), IntegerTest(variable)
        )
    constant = draw(_literals.filter(lambda c: c.datatype not in (XSD["integer"], XSD["byte"])))
    return conditions(ComparisonTest(operator, variable, constant))


@st.composite
def _queries(draw: st.DrawFn) -> FastQuery:
    subject, *objects = draw(st.lists(_variables, min_size=1, max_size=4, unique=True))
    constants = draw(st.lists(st.one_of(_iris, _literals), min_size=0 if objects else 1, max_size=2))
    patterns = [Pattern(subject, draw(_iris), term) for term in draw(st.permutations([*objects, *constants]))]
    head = draw(st.lists(st.sampled_from([subject, *objects]), min_size=1, unique=True))
    alternative = st.lists(_atoms([subject, *objects]), min_size=1, max_size=3).map(
        lambda atoms: tuple(dict.fromkeys(condition for atom in atoms for condition in atom))
    )
    alternatives = draw(st.lists(alternative, max_size=3, unique=True))
    constraint = Constraint(tuple(alternatives)) if alternatives else ALWAYS
    return FastQuery(Select(tuple(head), distinct=True), Core(tuple(patterns), constraint))


@given(_queries())
def test_parse_after_print_is_the_identity(query: FastQuery) -> None:
    assert parse_formula(print_formula(query)) == query


def test_a_subscription_prints_itself() -> None:
    subscription = Subscription.parse("X:t(X,<urn:p>,Y)", language="formula", id="s")
    assert str(subscription) == "X: t(X, <urn:p>, Y)\n"
    assert subscription.lane == "fast"
