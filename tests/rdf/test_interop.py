from __future__ import annotations

import logging
import subprocess
import sys

import pytest
import rdflib
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import BaseDirection
from tests.rdf.literals.nasty_terms import TERMS

from triplewire.errors import EmptyEvent, InvalidTerm
from triplewire.rdf.events import Event
from triplewire.rdf.interop import from_rdflib_term, to_rdflib_term
from triplewire.rdf.terms import RDF, XSD, BlankNode, Literal, NamedNode, Term, Triple

S, P, G = NamedNode("urn:s"), NamedNode("urn:p"), NamedNode("urn:g")
IN_RDF_11 = [t for t in TERMS if not isinstance(t, Triple) and not (isinstance(t, Literal) and t.direction)]


def test_every_term_survives_the_round_trip_exactly() -> None:
    extra = [
        BlankNode("x"),
        Literal(" a  b\t", datatype=XSD["token"]),
        Literal(" a\n", datatype=XSD["normalizedString"]),
    ]
    markup = [Literal("<a", datatype=RDF["XMLLiteral"]), Literal("<b/>", datatype=RDF["HTML"]), Literal("\0")]
    terms: list[Term] = [*IN_RDF_11, *extra, *markup]
    event = Event.from_triples(G, [Triple(S, P, term) for term in terms])
    graph = event.to_rdflib()
    assert graph.identifier == rdflib.URIRef("urn:g")
    assert len(graph) == len(event)
    assert Event.from_rdflib(graph) == event


@pytest.mark.filterwarnings("ignore:Parsing weird boolean")
@given(st.text(max_size=8), st.sampled_from(["integer", "token", "string", "dateTime", "boolean", "base64Binary"]))
def test_any_lexical_form_survives_the_round_trip(text: str, datatype: str) -> None:
    event = Event.from_triples(G, [Triple(S, P, Literal(text, datatype=XSD[datatype]))])
    assert Event.from_rdflib(event.to_rdflib()) == event


def test_terms_have_the_values_that_rdflib_gives_them() -> None:
    assert to_rdflib_term(Literal("01", datatype=XSD["integer"])).toPython() == 1  # type: ignore[attr-defined]
    assert to_rdflib_term(Literal("a")) == rdflib.Literal("a")


def test_ill_typed_literals_are_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    event = Event.from_triples(G, [Triple(S, P, Literal("abc", datatype=XSD["date"]))])
    with caplog.at_level(logging.WARNING):
        event.to_rdflib()
        assert caplog.records == []
        rdflib.Literal("abc", datatype=rdflib.XSD.date)
        assert len(caplog.records) == 1


@pytest.mark.parametrize(
    "term", [Triple(S, P, S), Literal("a", language="en", direction=BaseDirection.LTR)], ids=["triple", "direction"]
)
def test_what_rdflib_has_no_words_for_is_refused(term: Term) -> None:
    with pytest.raises(InvalidTerm, match=r"wanted a term of RDF 1\.1 for rdflib"):
        Event.from_triples(G, [Triple(S, P, term)]).to_rdflib()


@pytest.mark.parametrize(
    "term",
    [rdflib.URIRef("relative"), rdflib.URIRef("urn:a b"), rdflib.BNode("a b"), rdflib.Variable("x"), "text", None],
)
def test_what_is_no_term_of_rdf_is_refused(term: object) -> None:
    with pytest.raises(InvalidTerm):
        from_rdflib_term(term)


def test_a_literal_is_no_subject() -> None:
    graph = rdflib.Graph()
    graph.add((rdflib.Literal("a"), rdflib.URIRef("urn:p"), rdflib.Literal("b")))
    with pytest.raises(InvalidTerm, match="wanted a subject and a predicate"):
        Event.from_rdflib(graph, graph=G)


class TestNames:
    def graph(self, identifier: rdflib.URIRef | None = None) -> rdflib.Graph:
        made = rdflib.Graph(identifier=identifier)
        made.add((rdflib.URIRef("urn:s"), rdflib.URIRef("urn:p"), rdflib.Literal("a")))
        return made

    def dataset(self, *names: str | None) -> rdflib.Dataset:
        made = rdflib.Dataset()
        for number, name in enumerate(names):
            part = made.default_graph if name is None else made.graph(rdflib.URIRef(name))
            part.add((rdflib.URIRef("urn:s"), rdflib.URIRef("urn:p"), rdflib.Literal(str(number))))
        return made

    def test_a_graph_has_its_identifier_or_the_name_given_or_a_minted_one(self) -> None:
        named = self.graph(rdflib.URIRef("urn:own"))
        assert Event.from_rdflib(named).graph.value == "urn:own"
        assert Event.from_rdflib(named, graph="urn:given").graph.value == "urn:given"
        assert Event.from_rdflib(self.graph()).graph.value.startswith("urn:triplewire:event:")

    def test_a_dataset_of_one_graph_is_that_graph(self) -> None:
        assert Event.from_rdflib(self.dataset("urn:a")).graph.value == "urn:a"
        assert Event.from_rdflib(self.dataset(None)).graph.value.startswith("urn:triplewire:event:")

    def test_of_a_dataset_the_graph_is_taken_that_is_named(self) -> None:
        dataset = self.dataset("urn:a", "urn:b", None)
        assert Event.from_rdflib(dataset, graph="urn:b").nquads == b'<urn:s> <urn:p> "1" <urn:b> .\n'
        assert Event.from_rdflib(dataset, graph="urn:c").nquads == b'<urn:s> <urn:p> "2" <urn:c> .\n'

    def test_a_dataset_of_several_graphs_needs_a_name(self) -> None:
        with pytest.raises(InvalidTerm, match=r"wanted a dataset with one graph.* found <urn:a>, <urn:b>"):
            Event.from_rdflib(self.dataset("urn:a", "urn:b"))

    @pytest.mark.filterwarnings("ignore:ConjunctiveGraph is deprecated")
    def test_the_older_conjunctive_graph_is_taken_too(self) -> None:
        old = rdflib.ConjunctiveGraph()
        old.get_context(rdflib.URIRef("urn:a")).add(
            (rdflib.URIRef("urn:s"), rdflib.URIRef("urn:p"), rdflib.Literal("a"))
        )
        assert Event.from_rdflib(old).graph.value == "urn:a"

    def test_an_empty_graph_is_no_event(self) -> None:
        with pytest.raises(EmptyEvent):
            Event.from_rdflib(rdflib.Graph(), graph=G)
        with pytest.raises(EmptyEvent):
            Event.from_rdflib(rdflib.Dataset(), graph=G)

    def test_anything_else_is_refused(self) -> None:
        with pytest.raises(InvalidTerm, match="wanted an rdflib Graph or Dataset, found str"):
            Event.from_rdflib("graph", graph=G)  # type: ignore[arg-type]


def test_events_need_no_rdflib_and_say_so_where_they_do() -> None:
    program = (
        "import sys; sys.modules['rdflib'] = None\n"
        "from triplewire.rdf import Event\n"
        "from triplewire.errors import TriplewireError\n"
        "[event] = Event.parse('<urn:s> <urn:p> 1 .', 'turtle')\n"
        "try: event.to_rdflib()\n"
        "except TriplewireError as error: print(error)\n"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "pip install 'triplewire[interop]'" in run.stdout
