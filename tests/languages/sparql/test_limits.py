"""Hostile text: rows A2 (depth, size) and A5 (regular expressions). Nothing may overflow a stack or take long."""

from __future__ import annotations

import pytest
from pyoxigraph import Store

from triplewire.errors import InputError, LimitExceeded, SyntaxProblem
from triplewire.languages.sparql import QueryLimits, SparqlLanguage
from triplewire.languages.sparql.lowering.lanes import canonical_text, compile_query
from triplewire.languages.sparql.parsing.parser import parse_query
from triplewire.languages.sparql.printing.printer import print_query
from triplewire.languages.sparql.syntax import ast
from triplewire.languages.sparql.syntax.regex_cost import cost

SPARQL = SparqlLanguage()
UNLIMITED_TEXT = SparqlLanguage(QueryLimits(text=10_000_000))

NESTED = {
    "groups": ("ASK ", "{", "", "}"),
    "optional": ("ASK { ", "OPTIONAL {", "", "}"),
    "minus": ("ASK { ", "MINUS {", "", "}"),
    "graph": ("ASK { ", "GRAPH ?g {", "", "}"),
    "union": ("ASK { ", "{} UNION {", "", "}"),
    "subselect": ("ASK { ", "{ SELECT * {", "", "}}"),
    "parentheses": ("ASK { FILTER", "(", "1", ")"),
    "not": ("ASK { FILTER(", "!", "?x", ""),
    "not with parentheses": ("ASK { FILTER(", "!(", "?x", ")"),
    "calls": ("ASK { FILTER(", "STR(", "?x", ")"),
    "casts": ("ASK { FILTER(", "<http://www.w3.org/2001/XMLSchema#string>(", "?x", ")"),
    "in": ("ASK { FILTER(", "1 IN (", "?x", ")"),
    "exists": ("ASK { ", "FILTER EXISTS {", "", "}"),
    "signs": ("ASK { FILTER(", "-(", "?x", ")"),
    "sums": ("ASK { FILTER(", "1+(", "?x", ")"),
    "every operator": ("ASK { FILTER(", "?a || ?b && 1 = 2 + 3 * -STR(", "?x", ")"),
    "paths": ("ASK { ?s ", "(", "<urn:p>", ")"),
    "path modifiers": ("ASK { ?s ", "(", "<urn:p>", ")*"),
    "inverse paths": ("ASK { ?s ", "^(", "<urn:p>", ")"),
    "blank nodes": ("ASK { ?s ?p ", "[ ?p ", "1", "]"),
    "collections": ("ASK { ?s ?p ", "(", "1", ")"),
    "aggregates": ("SELECT (SUM(", "(", "1", ")"),
    "order": ("ASK {} ORDER BY ", "(", "1", ")"),
    "having": ("ASK {} HAVING ", "(", "1", ")"),
    "group key": ("ASK {} GROUP BY ", "(", "1", ")"),
    "bind": ("ASK { BIND(", "(", "1", ")"),
}


def nested(kind: str, depth: int) -> str:
    before, opening, inside, closing = NESTED[kind]
    return before + opening * depth + inside + closing * depth


@pytest.mark.parametrize("kind", NESTED)
def test_a2_deep_nesting_is_refused(kind: str) -> None:
    with pytest.raises(LimitExceeded) as refused:
        UNLIMITED_TEXT.parse(nested(kind, 10_000))
    assert refused.value.limit == "depth"
    assert "1:" in str(refused.value)


TAILS = {
    "paths": " ?o }",
    "path modifiers": " ?o }",
    "inverse paths": " ?o }",
    "groups": "",
    "aggregates": ") AS ?y) {}",
    "order": "",
    "having": "",
    "group key": "",
    "bind": " AS ?y) }",
}


def tree_unless_too_deep(text: str) -> ast.Query | None:
    try:
        return parse_query(text)
    except LimitExceeded as refused:
        return pytest.fail(str(refused)) if refused.limit != "depth" else None


@pytest.mark.parametrize("kind", NESTED)
def test_a2_what_is_allowed_overflows_no_stack(kind: str) -> None:
    """Up to the limit a query is read, compiled, printed, renamed, compared and hashed, or refused with its reason."""
    accepted = 0
    opened = NESTED[kind][0].count("(") - NESTED[kind][0].count("{}")
    default = " )" * max(opened, 0) + (" }" if "{ " in NESTED[kind][0] else "")
    for depth in (5, 20, 30, 60, 62):
        text = nested(kind, depth) + TAILS.get(kind, default)
        tree = tree_unless_too_deep(text)
        if tree is None:
            continue
        accepted += 1
        assert parse_query(print_query(tree)) == tree
        assert hash(compile_query(tree)) == hash(compile_query(parse_query(text)))
        assert canonical_text(tree)
        Store().query(print_query(tree))
    assert accepted >= 1


CHAINS = {
    "and": "ASK { FILTER(" + " && ".join(["?x"] * 9_000) + ") }",
    "or": "ASK { FILTER(" + "||".join(["?x"] * 9_000) + ") }",
    "sum": "ASK { FILTER(" + "+".join(["?x"] * 9_000) + ") }",
    "product": "ASK { FILTER(" + "*".join(["?x"] * 9_000) + ") }",
    "sequence": "ASK { ?s " + "/".join(["<urn:p>"] * 5_000) + " ?o }",
    "alternative": "ASK { ?s " + "|".join(["<urn:p>"] * 5_000) + " ?o }",
    "negated set": "ASK { ?s !(" + "|".join(["<urn:p>"] * 5_000) + ") ?o }",
    "union": "ASK { " + " UNION ".join(["{}"] * 5_000) + " }",
}


@pytest.mark.parametrize("kind", CHAINS)
def test_a2_long_chains_are_refused(kind: str) -> None:
    with pytest.raises(LimitExceeded) as refused:
        UNLIMITED_TEXT.parse(CHAINS[kind])
    assert refused.value.limit == "chain"


@pytest.mark.parametrize("text", ["ASK { " + "?s ?p ?o . " * 2_000 + "}", "ASK { ?s ?p (" + "1 " * 5_000 + ") }"])
def test_a2_too_many_patterns_are_refused(text: str) -> None:
    with pytest.raises(LimitExceeded) as refused:
        SPARQL.parse(text)
    assert refused.value.limit == "patterns"


def test_a2_text_beyond_the_limit_is_refused_before_it_is_read() -> None:
    with pytest.raises(LimitExceeded) as refused:
        SPARQL.parse("ASK {} " + "#" * 70_000)
    assert refused.value.limit == "text"
    assert "65,536" in str(refused.value)


HOSTILE = {
    "white space": "ASK {}" + " " * 60_000,
    "comment": "ASK {} #" + "#" * 60_000,
    "comments": "ASK {} " + "#\n" * 30_000,
    "prefix that never ends": "ASK { " + "a." * 30_000,
    "no ASCII": "ASK { " + "é" * 60_000,
    "dashes": "ASK { " + "a-" * 30_000,
    "open IRIs": "ASK { " + "<a" * 30_000,
    "open string": "ASK { " + '"\\' * 30_000,
    "open long string": 'ASK { """' + '"\\' * 30_000,
    "quotes": "ASK { " + "'\"" * 30_000,
    "digits": "ASK { " + "1" * 60_000,
    "digits with dots": "ASK { " + "1." * 30_000,
    "exponents": "ASK { " + "1e" * 30_000,
    "blank label": "ASK { _:a" + "." * 60_000,
    "local name": "PREFIX a: <urn:a> ASK { a:a" + "." * 60_000,
    "language": 'ASK { ?s ?p "a"@' + "a-" * 30_000,
    "escapes": "ASK { " + "\\u0041" * 10_000,
    "backslashes": "ASK { " + "\\" * 60_000,
    "values": "ASK { VALUES (" + " ".join(f"?v{i}" for i in range(9_000)) + ") {} }",
    "binds": "ASK { " + " ".join(f"BIND(1 AS ?v{i})" for i in range(2_500)) + " }",
    "filters": "ASK { ?x ?p ?o " + "FILTER(?x = 1 || ?x = 2)" * 2_000 + " }",
    "filtered unions": "ASK { " + "{ ?x ?p 1 } UNION { ?x ?p 2 } " * 200 + " }",
    "limit": "ASK {} LIMIT " + "9" * 60_000,
    "zero": "ASK { FILTER(?x = 0" + "0" * 60_000 + ") }",
    "aliases": "SELECT (COUNT(*) AS ?v0) "
    + " ".join(f"(?v{i}+?v{i} AS ?v{i + 1})" for i in range(60))
    + " { ?s ?p ?o }",
    "aliases in a row": "SELECT (COUNT(*) AS ?v0) "
    + " ".join(f"(?v{i}+1 AS ?v{i + 1})" for i in range(600))
    + " { ?s ?p ?o }",
    "triples in a row": "ASK { " + "?s ?p ?o FILTER(?s=1) " * 400 + "}",
    "null": "ASK { ?s ?p \x00 }",
    "surrogate": "ASK { ?s ?p '\ud800' }",
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a2_hostile_text_is_read_in_time_linear_in_its_length_or_refused(kind: str) -> None:
    assert len(said_of(HOSTILE[kind])) < 1_000


def said_of(text: str) -> str:
    try:
        SPARQL.parse(text)
    except InputError as refused:
        return str(refused)
    return ""


@pytest.mark.parametrize(
    "pattern", ["(a{1000}){1000}", r"\w{1000}", "a{100000}", "a{1,999999999999}", ".{5000}", "(" * 900, "a" * 1_001]
)
@pytest.mark.parametrize("call", ['REGEX(?x, "{}")', 'REPLACE(?x, "{}", "y")', 'REGEX(?x, "{}", "i")'])
def test_a5_an_oversized_regular_expression_is_refused_when_subscribing(pattern: str, call: str) -> None:
    text = "ASK { ?s ?p ?x FILTER(" + call.replace("{}", pattern.replace("\\", "\\\\")) + ") }"
    with pytest.raises(LimitExceeded) as refused:
        SPARQL.parse(text)
    assert refused.value.limit in ("regex_length", "regex_cost")


ORDINARY = [
    "^RDF",
    r"\\d{4}-\\d{2}-\\d{2}",
    r"[\\w.]+@[\\w.]+\\.\\w{2,4}",
    "(a|b|c){10}",
    "[^a-z]{1,100}",
    r"^(.*\\s)?Nejdl(\\s.*)?$",
    r"\\p{L}{1,10}",
    "x{0}",
    "a{,5}",
    "[]a]",
    ".{200}",
    r"\\w{15}",
    "a{4000}",
    "((a{10}){10}){10}",
]


@pytest.mark.parametrize("pattern", ORDINARY)
def test_a5_an_ordinary_regular_expression_is_accepted(pattern: str) -> None:
    query = SPARQL.parse(f'ASK {{ ?s ?p ?x FILTER REGEX(?x, "{pattern}") }}')
    assert f'REGEX(?x, "{pattern}")' in SPARQL.print(query)


@pytest.mark.parametrize("atom", ["a", "é", ".", r"\\w", r"\\W", r"\\d", r"\\s", r"\\p{L}", "[a-z]", "[^a]", r"[\\w.]"])
@pytest.mark.parametrize("flags", ["", "i"])
def test_a5_oxigraph_compiles_whatever_is_accepted(atom: str, flags: str) -> None:
    """An expression at the limit must not be one of those that silently match nothing."""
    most = QueryLimits().regex_cost // cost(atom.replace("\\\\", "\\"))
    text = f'SELECT (REGEX("z", "({atom}{{{most - 1}}})|z", "{flags}") AS ?x) {{}}'
    SPARQL.parse(text)
    (row,) = Store().query(text)
    assert row["x"] is not None


RESPELLED = {
    "grouped": lambda depth: "ASK " + "{" * depth + "}" * depth + " GROUP BY ?x",
    "any property": lambda depth: "ASK { ?s " + "(" * depth + "^!()" + ")*" * depth + " ?o }",
    "short form": lambda depth: "CONSTRUCT WHERE { " + "?s ?p ?o . " * (5 * depth) + "} LIMIT 1",
    "aliases": lambda depth: (
        "SELECT (COUNT(*) AS ?v0) "
        + " ".join(f"(?v{i}*(?v{i}+1) AS ?v{i + 1})" for i in range(depth // 6))
        + " { ?s ?p ?o }"
    ),
    "long names": lambda depth: f"PREFIX : <urn:{'x' * 200}> ASK {{ {'?s :p* ?o . ' * (5 * depth)} }}",
}


@pytest.mark.parametrize("kind", RESPELLED)
def test_a2_what_is_printed_for_the_general_lane_can_be_read_again(kind: str) -> None:
    """Spelling a query out makes it longer and deeper: the limits hold for what it becomes."""
    accepted = refused = 0
    for depth in range(1, 110, 3):
        try:
            query = SPARQL.parse(RESPELLED[kind](depth))
        except LimitExceeded:
            refused += 1
            continue
        accepted += 1
        assert SPARQL.parse(SPARQL.print(query)) == query
    assert accepted
    assert refused


def test_an_error_names_line_and_column_and_shows_the_place() -> None:
    with pytest.raises(SyntaxProblem) as problem:
        SPARQL.parse("SELECT *\n{ ?s ?p ?o .\n  ?s <urn:p> }")
    assert (problem.value.line, problem.value.column) == (3, 14)
    assert str(problem.value).splitlines()[1:] == ["      ?s <urn:p> }", "                 ^"]


def test_a10_a_refusal_names_the_feature_and_the_place() -> None:
    with pytest.raises(InputError) as refused:
        SPARQL.parse("ASK {\n  SERVICE <http://example.org/> { ?s ?p ?o }\n}")
    assert refused.value.feature == "SERVICE"  # type: ignore[attr-defined]
    assert str(refused.value).startswith("2:3: ")
