"""SPARQL 1.1 Update: what is read, what is refused, and that Oxigraph does the same with what is printed."""

from __future__ import annotations

import pytest
from hypothesis import given
from pyoxigraph import RdfFormat, Store
from tests.languages.sparql import corpus
from tests.languages.sparql.test_printer import RELAXED
from tests.languages.sparql.trees import UPDATES, in_normal_form
from tests.languages.text_pairs import text_pairs

from triplewire.algebra.patterns import Variable
from triplewire.errors import InputError, LimitExceeded, RefusedFeature
from triplewire.languages.sparql import parse_query, parse_update, print_update
from triplewire.languages.sparql.syntax.ast import Graph, Group, TriplePattern, TriplesBlock
from triplewire.languages.sparql.syntax.limits import QueryLimits
from triplewire.languages.sparql.syntax.updates import (
    DeleteWhere,
    InsertData,
    Modify,
    QuadTemplate,
    UpdateOperation,
    using_graphs,
)
from triplewire.rdf.terms import Literal, NamedNode

A, B, P, G, H = (NamedNode(f"urn:{name}") for name in "abpgh")
S, V = Variable("s"), Variable("o")
# Oxigraph refuses to declare a prefix twice, which SPARQL 1.1 allows.
READ_BY_US_ALONE = {
    "PREFIX x: <urn:one:> INSERT DATA { x:a x:a x:a } ; PREFIX x: <urn:two:> DELETE DATA { x:a x:a x:a } ;"
}
DATA = """
<urn:a> <urn:p> <urn:b>, 2 . <urn:b> <urn:p> <urn:c> .
<urn:g> { <urn:a> <urn:p> <urn:b> . <urn:c> <urn:q> "x" . }
<urn:h> { <urn:a> <urn:p> 1, 5 . }
"""


def dataset() -> Store:
    store = Store()
    store.load(DATA, RdfFormat.TRIG)
    return store


@pytest.mark.parametrize(("text", "printed"), text_pairs("sparql/updates.txt"))
class TestRead:
    def test_printed(self, text: str, printed: str) -> None:
        operations = parse_update(corpus.with_prologue(text))
        assert corpus.shortened(print_update(operations)) == printed
        assert parse_update(print_update(operations)) == operations

    def test_oxigraph_does_the_same_with_the_text_and_with_what_is_printed(self, text: str, printed: str) -> None:
        left, right = dataset(), dataset()
        # Graphs that are not there would be an error for Oxigraph, where the text is not silent.
        for store in (left, right):
            for name in "ghi":
                store.add_graph(NamedNode(f"urn:{name}"))
        if "CREATE" in text:
            left.remove_graph(G)
            right.remove_graph(G)
        right.update(print_update(parse_update(corpus.with_prologue(text))))
        if text in READ_BY_US_ALONE:
            with pytest.raises(SyntaxError):
                left.update(corpus.with_prologue(text))
            return
        left.update(corpus.with_prologue(text))
        assert state(left) == state(right)


def state(store: Store) -> object:
    """What is in a store, blank nodes by how often they occur."""
    quads = sorted(" ".join("_:" if "_:" in str(term) else str(term) for term in quad) for quad in store)
    return quads, sorted(map(str, store.named_graphs()))


@pytest.mark.parametrize(("text", "message"), text_pairs("sparql/updates_refused.txt"))
def test_refused_with_place_and_reason(text: str, message: str) -> None:
    with pytest.raises(InputError) as refused:
        parse_update(corpus.with_prologue(text))
    assert message in str(refused.value)
    assert "2:" in str(refused.value), "the message names the line"


@RELAXED
@given(UPDATES)
def test_printing_and_reading_gives_the_same_operations_which_oxigraph_does(
    operations: tuple[UpdateOperation, ...],
) -> None:
    operations = in_normal_form(operations)
    text = print_update(operations)
    assert parse_update(text) == operations
    Store().update(text)


def test_the_tree() -> None:
    (operation,) = parse_update(
        "WITH <urn:g> DELETE { ?s <urn:p> 1 } INSERT { GRAPH <urn:h> { ?s <urn:p> [] } }"
        " USING <urn:a> USING NAMED <urn:b> WHERE { ?s <urn:p> ?o }"
    )
    one = Literal("1", datatype=NamedNode("http://www.w3.org/2001/XMLSchema#integer"))
    assert operation == Modify(
        where=Group((TriplesBlock((TriplePattern(S, P, V),)),)),
        delete=(QuadTemplate(S, P, one),),
        insert=(QuadTemplate(S, P, Variable("_:b0"), H),),
        with_=G,
        using=(A,),
        using_named=(B,),
    )


def test_the_quads_of_delete_where_are_a_pattern() -> None:
    (operation,) = parse_update("DELETE WHERE { ?s <urn:p> ?o GRAPH <urn:g> { ?s <urn:p> ?o . ?o <urn:p> ?s } }")
    assert isinstance(operation, DeleteWhere)
    both = TriplesBlock((TriplePattern(S, P, V), TriplePattern(V, P, S)))
    assert operation.where == Group((TriplesBlock((TriplePattern(S, P, V),)), Graph(G, Group((both,)))))


def test_a_request_without_operations_does_nothing() -> None:
    assert parse_update("") == parse_update("PREFIX : <urn:> # nothing") == ()


class TestBase:
    def test_relative_iris_are_resolved(self) -> None:
        (operation,) = parse_update("INSERT DATA { <integration> <tests> <#x> }", base="http://localhost/sepa/")
        assert isinstance(operation, InsertData)
        assert operation.quads[0].subject == NamedNode("http://localhost/sepa/integration")
        assert operation.quads[0].object == NamedNode("http://localhost/sepa/#x")

    def test_base_in_the_text_is_resolved_against_it_and_wins(self) -> None:
        (operation,) = parse_update("BASE <b/> CLEAR GRAPH <c>", base="http://localhost/a/")
        assert str(operation.target) == "<http://localhost/a/b/c>"  # type: ignore[union-attr]

    def test_what_where_makes_is_resolved_as_well(self) -> None:
        text = "BASE <http://example.org/> INSERT { ?s <p> ?o } WHERE { ?s <q> ?n BIND(IRI(?n) AS ?o) }"
        operations = parse_update(text)
        assert print_update(operations).startswith("BASE <http://example.org/> INSERT")
        assert parse_update(print_update(operations)) == operations

    def test_without_one_they_are_refused(self) -> None:
        with pytest.raises(InputError, match="wanted an absolute IRI"):
            parse_update("INSERT DATA { <integration> <tests> <x> }")

    def test_one_that_is_relative_itself_is_refused(self) -> None:
        with pytest.raises(InputError, match="wanted an absolute IRI as the base of relative ones, found <there>"):
            parse_update("CLEAR ALL", base="there")


class TestA2:
    """Hostile updates: size and depth are checked before anything recurses."""

    @pytest.mark.parametrize(
        ("before", "opening"),
        [
            ("INSERT DATA { <urn:a> <urn:p> ", "[ <urn:p> "),
            ("INSERT DATA { <urn:a> <urn:p> ", "( "),
            ("INSERT DATA { GRAPH <urn:g> { <urn:a> <urn:p> ", "[ <urn:p> "),
            ("INSERT { <urn:a> <urn:p> ", "[ <urn:p> "),
            ("DELETE { <urn:a> <urn:p> ", "( "),
            ("DELETE WHERE { <urn:a> <urn:p> ", "( "),
            ("DELETE {} WHERE ", "{"),
            ("DELETE {} WHERE { FILTER", "("),
            ("CLEAR ALL ; WITH <urn:g> DELETE {} WHERE { ", "OPTIONAL { "),
        ],
    )
    def test_deep_nesting(self, before: str, opening: str) -> None:
        with pytest.raises(LimitExceeded) as refused:
            parse_update(before + opening * 20_000)
        assert refused.value.limit == "depth"
        assert str(refused.value).startswith("1:")

    @pytest.mark.parametrize(
        ("text", "limit"),
        [
            ("CLEAR ALL " + "#" * 1_100_000, "text"),
            ("CLEAR ALL; " * 1_001, "operations"),
            ("INSERT DATA { " + "<a:> <a:> 1. " * 20_001 + "}", "data"),
            ("INSERT DATA { <a:> <a:> (" + "1 " * 20_001 + ")}", "data"),
            ("DELETE WHERE { " + "?a ?b ?c. " * 501 + "}", "patterns"),
            ("INSERT { " + "?a ?b ?c. " * 501 + "} WHERE { }", "patterns"),
            ("INSERT { " + "?a ?b ?c. " * 300 + "} WHERE { " + "?a ?b ?c. " * 300 + " }", "patterns"),
            ("DELETE {} WHERE { FILTER(" + "||".join(["?x"] * 9_000) + ") }", "chain"),
            ('DELETE {} WHERE { FILTER REGEX(?x, "(a{1000}){1000}") }', "regex_cost"),
        ],
    )
    def test_size(self, text: str, limit: str) -> None:
        with pytest.raises(LimitExceeded) as refused:
            parse_update(text, limits=QueryLimits(text=1024 * 1024, data=20_000))
        assert refused.value.limit == limit

    def test_each_operation_counts_for_itself(self) -> None:
        patterns = "DELETE { } WHERE { " + "?a ?b ?c. " * 400 + "} ;"
        assert len(parse_update(patterns * 3)) == 3

    def test_a_query_has_its_own_limit(self) -> None:
        with pytest.raises(LimitExceeded):
            parse_query("ASK { " + "?a ?b ?c. " * 501 + "}")


def test_a10_the_refusal_names_the_feature() -> None:
    with pytest.raises(RefusedFeature) as refused:
        parse_update("CLEAR ALL;\nLOAD <http://example.org/>")
    assert (refused.value.feature, refused.value.line, refused.value.column) == ("LOAD", 2, 1)


class TestGraphsOfTheRequest:
    """`using-graph-uri` and `using-named-graph-uri` of the SPARQL 1.1 Protocol."""

    def test_without_any_nothing_changes(self) -> None:
        operations = parse_update("DELETE {} USING <urn:g> WHERE {} ; DELETE WHERE { ?s <urn:p> ?o }")
        assert using_graphs(operations, (), ()) == operations

    def test_they_become_the_dataset_of_where(self) -> None:
        operations = parse_update("CLEAR ALL ; DELETE { ?s <urn:p> ?o } WHERE {} ; DELETE WHERE { ?s <urn:p> ?o }")
        clear, modify, delete_where = using_graphs(operations, (G,), (H,))
        assert clear == operations[0]
        assert isinstance(modify, Modify)
        assert (modify.using, modify.using_named) == ((G,), (H,))
        assert delete_where == Modify(
            Group((TriplesBlock((TriplePattern(S, P, V),)),)), (QuadTemplate(S, P, V),), using=(G,), using_named=(H,)
        )

    @pytest.mark.parametrize(
        "clause", ["WITH <urn:g> DELETE {}", "DELETE {} USING <urn:g>", "DELETE {} USING NAMED <urn:g>"]
    )
    def test_a_text_that_names_a_dataset_too_is_refused(self, clause: str) -> None:
        with pytest.raises(InputError, match="wanted an update without WITH, USING and USING NAMED"):
            using_graphs(parse_update(f"{clause} WHERE {{}}"), (G,), ())
