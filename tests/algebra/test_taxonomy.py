"""Taxonomies: what stands under what, against SPARQL's property paths as the definition."""

from __future__ import annotations

import itertools
import pickle
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import BlankNode, Literal, NamedNode, Quad, Store, Triple

from triplewire.algebra import hierarchy
from triplewire.algebra.constraints import TaxonomyRelation
from triplewire.algebra.taxonomy import EMPTY, Taxonomy
from triplewire.errors import InputError, InvalidTerm, RefusedFeature, SyntaxProblem, TaxonomyCycle, UnknownFormat
from triplewire.rdf.terms import RDF, RDFS, Namespace, Term

EX = Namespace("http://example.org/")
G = Namespace("http://example.org/gtopss/")
TYPE, SUBCLASS, SUBPROPERTY = RDF["type"], RDFS["subClassOf"], RDFS["subPropertyOf"]
OWL_CLASS = NamedNode("http://www.w3.org/2002/07/owl#Class")
FIGURE_6 = Path(__file__).parents[2] / "examples/papers/taxonomies/gtopss-figure-6.ttl"

IS_A, ANCESTOR_OF = TaxonomyRelation.IS_A, TaxonomyRelation.ANCESTOR_OF
DIRECT, DIRECT_OR_SAME = TaxonomyRelation.DIRECT, TaxonomyRelation.DIRECT_OR_SAME


def taxonomy_of(*triples: tuple[Term, NamedNode, Term]) -> Taxonomy:
    return Taxonomy.from_triples(Triple(*triple) for triple in triples)


def nothing(_: Term) -> Iterable[Term]:
    return ()


class TestFigure6:
    """G-ToPSS, figure 6 and the sentences around it."""

    @pytest.fixture
    def figure_6(self) -> Taxonomy:
        return Taxonomy.parse(FIGURE_6)

    @pytest.mark.parametrize("subclass", ["Journal", "ConferenceProceedings", "TechnicalReport"])
    def test_publication_has_three_subclasses(self, figure_6: Taxonomy, subclass: str) -> None:
        assert figure_6.holds(DIRECT, G[subclass], G["Publication"], nothing)

    def test_technical_report_has_three_parents(self, figure_6: Taxonomy) -> None:
        wanted = {G["Publication"], G["DepartmentPublication"], G["JacobsensPublication"]}
        assert figure_6.parents(G["TechnicalReport"]) == wanted

    def test_the_paper_belongs_to_two_classes_at_once(self, figure_6: Taxonomy) -> None:
        assert figure_6.types(G["ArnosPaper17"]) == {G["JacobsensPublication"], G["SIGMOD"]}

    def test_the_paper_is_a_descendant_of_publication_as_s2_wants(self, figure_6: Taxonomy) -> None:
        assert figure_6.holds(IS_A, G["ArnosPaper17"], G["Publication"], nothing)
        assert not figure_6.holds(DIRECT, G["ArnosPaper17"], G["Publication"], nothing)
        assert not figure_6.holds(IS_A, G["ArnosPaper17"], G["DepartmentPublication"], nothing)

    def test_publication_is_an_ancestor_of_sigmod(self, figure_6: Taxonomy) -> None:
        assert figure_6.holds(ANCESTOR_OF, G["Publication"], G["SIGMOD"], nothing)
        assert not figure_6.holds(ANCESTOR_OF, G["SIGMOD"], G["Publication"], nothing)


class TestDefinition:
    """ancestors(x) = superclasses*(types(x)) ∪ superclasses+(x) ∪ superproperties+(x)."""

    def test_is_strict(self) -> None:
        taxonomy = taxonomy_of((EX["A"], SUBCLASS, EX["B"]))
        assert not taxonomy.is_a(EX["A"], EX["A"])
        assert not taxonomy.is_a(EX["B"], EX["A"])
        assert taxonomy.is_a(EX["A"], EX["B"])

    def test_properties_have_ancestors_too(self) -> None:
        taxonomy = taxonomy_of((EX["p"], SUBPROPERTY, EX["q"]), (EX["q"], SUBPROPERTY, EX["r"]))
        assert taxonomy.ancestors(EX["p"]) == {EX["q"], EX["r"]}
        assert taxonomy.descendants(EX["r"]) == {EX["p"], EX["q"]}
        assert taxonomy.is_direct(EX["p"], EX["q"])
        assert not taxonomy.is_direct(EX["p"], EX["r"])

    def test_an_instance_does_not_climb_from_its_class_over_subproperties(self) -> None:
        taxonomy = taxonomy_of((EX["x"], TYPE, EX["C"]), (EX["C"], SUBPROPERTY, EX["D"]))
        assert taxonomy.ancestors(EX["x"]) == {EX["C"]}

    @pytest.mark.parametrize("declaration", [RDFS["Class"], OWL_CLASS, RDF["Property"]])
    def test_a_declaration_makes_known_and_nothing_else(self, declaration: NamedNode) -> None:
        taxonomy = taxonomy_of((EX["C"], TYPE, declaration))
        assert taxonomy.knows(EX["C"])
        assert not taxonomy.knows(declaration)
        assert taxonomy.types(EX["C"]) == frozenset()
        assert taxonomy.ancestors(EX["C"]) == frozenset()

    def test_classes_and_properties_are_known_instances_are_not(self) -> None:
        taxonomy = taxonomy_of((EX["A"], SUBCLASS, EX["B"]), (EX["p"], SUBPROPERTY, EX["q"]), (EX["x"], TYPE, EX["C"]))
        assert all(taxonomy.knows(EX[name]) for name in "ABpqC")
        assert not taxonomy.knows(EX["x"])
        assert not taxonomy.knows(EX["unheard"])

    def test_nodes_and_superclasses(self) -> None:
        taxonomy = taxonomy_of((EX["A"], SUBCLASS, EX["B"]), (EX["A"], SUBPROPERTY, EX["q"]), (EX["x"], TYPE, EX["A"]))
        assert taxonomy.nodes == {EX[name] for name in "ABqx"}
        assert taxonomy.superclasses(EX["A"]) == {EX["B"]}
        assert taxonomy.superclasses(EX["x"]) == frozenset()

    def test_a_class_below_itself_is_harmless(self) -> None:
        taxonomy = taxonomy_of((EX["A"], SUBCLASS, EX["A"]))
        assert taxonomy.knows(EX["A"])
        assert taxonomy.ancestors(EX["A"]) == frozenset()

    def test_anonymous_classes_are_seen_through(self) -> None:
        blank, inner = BlankNode("b"), BlankNode("c")
        taxonomy = taxonomy_of(
            (EX["A"], SUBCLASS, blank), (blank, SUBCLASS, inner), (inner, SUBCLASS, EX["B"]), (EX["x"], TYPE, blank)
        )
        assert taxonomy.ancestors(EX["A"]) == {EX["B"]}
        assert taxonomy.ancestors(EX["x"]) == {EX["B"]}

    def test_a_blank_node_of_an_event_is_not_one_of_the_taxonomy(self) -> None:
        taxonomy = taxonomy_of((BlankNode("b"), SUBCLASS, EX["B"]), (BlankNode("b"), TYPE, EX["C"]))
        assert not taxonomy.holds(IS_A, BlankNode("b"), EX["B"], nothing)
        assert not taxonomy.holds(IS_A, BlankNode("b"), EX["C"], nothing)


class TestEventTypes:
    """Instances may come with the event as rdf:type; both count."""

    taxonomy = taxonomy_of((EX["A"], SUBCLASS, EX["B"]), (EX["x"], TYPE, EX["Z"]))

    def test_a_type_in_the_event_counts_with_all_its_superclasses(self) -> None:
        types = {EX["x"]: (EX["A"],)}
        for cls in ("A", "B", "Z"):
            assert self.taxonomy.holds(IS_A, EX["x"], EX[cls], types)

    def test_a_type_in_the_event_is_direct_its_superclasses_are_not(self) -> None:
        types = {EX["x"]: (EX["A"],)}
        assert self.taxonomy.holds(DIRECT, EX["x"], EX["A"], types)
        assert not self.taxonomy.holds(DIRECT, EX["x"], EX["B"], types)
        assert self.taxonomy.holds(DIRECT_OR_SAME, EX["x"], EX["A"], types)

    def test_a_blank_node_has_the_types_that_the_event_gives_it(self) -> None:
        node = BlankNode("b")
        assert self.taxonomy.holds(IS_A, node, EX["B"], {node: (EX["A"],)})
        assert not self.taxonomy.holds(IS_A, node, EX["B"], {})

    def test_ancestor_of_asks_for_the_types_of_the_class(self) -> None:
        assert self.taxonomy.holds(ANCESTOR_OF, EX["B"], EX["new"], {EX["new"]: (EX["A"],)})
        assert not self.taxonomy.holds(ANCESTOR_OF, EX["B"], EX["new"], {EX["B"]: (EX["A"],)})

    def test_a_function_will_do_as_well_as_a_mapping(self) -> None:
        assert self.taxonomy.holds(IS_A, EX["y"], EX["B"], lambda _: iter([EX["A"]]))

    def test_without_a_taxonomy_only_the_event_counts(self) -> None:
        types = {EX["x"]: (EX["A"],)}
        assert EMPTY.holds(IS_A, EX["x"], EX["A"], types)
        assert EMPTY.holds(ANCESTOR_OF, EX["A"], EX["x"], types)
        assert EMPTY.holds(DIRECT, EX["x"], EX["A"], types)
        assert not EMPTY.holds(IS_A, EX["x"], EX["B"], types)

    @pytest.mark.parametrize("relation", list(TaxonomyRelation))
    @pytest.mark.parametrize("node", [Literal("A"), Literal(5), Triple(EX["a"], EX["b"], EX["c"])])
    def test_a_literal_is_false_never_an_error(self, relation: TaxonomyRelation, node: Term) -> None:
        types = {node: (EX["A"],), EX["A"]: (node,)}
        assert self.taxonomy.holds(relation, node, EX["A"], types) is False


class TestDirectOrSame:
    """The graph language's `=`: DIRECT where the taxonomy knows the class, else the very same term."""

    taxonomy = taxonomy_of((EX["A"], SUBCLASS, EX["B"]), (EX["x"], TYPE, EX["A"]))

    def test_a_known_class_is_not_equal_to_itself(self) -> None:
        assert not self.taxonomy.holds(DIRECT_OR_SAME, EX["A"], EX["A"], nothing)
        assert self.taxonomy.holds(DIRECT_OR_SAME, EX["x"], EX["A"], nothing)

    def test_an_instance_is_not_known_so_it_equals_itself(self) -> None:
        assert self.taxonomy.holds(DIRECT_OR_SAME, EX["x"], EX["x"], nothing)
        assert not self.taxonomy.holds(DIRECT_OR_SAME, EX["A"], EX["x"], nothing)

    def test_where_nothing_is_known_the_event_does_not_make_it_known(self) -> None:
        assert not EMPTY.holds(DIRECT_OR_SAME, EX["x"], EX["A"], {EX["x"]: (EX["A"],)})
        assert EMPTY.holds(DIRECT_OR_SAME, EX["A"], EX["A"], nothing)


class TestCycles:
    def test_a_cycle_is_an_error_that_names_it(self) -> None:
        with pytest.raises(TaxonomyCycle) as caught:
            taxonomy_of(
                (EX["A"], SUBCLASS, EX["B"]),
                (EX["B"], SUBCLASS, EX["C"]),
                (EX["C"], SUBCLASS, EX["B"]),
                (EX["C"], SUBCLASS, EX["D"]),
            )
        assert caught.value.cycle == (EX["B"].value, EX["C"].value, EX["B"].value)
        assert "<http://example.org/B> -> <http://example.org/C> -> <http://example.org/B>" in str(caught.value)

    def test_a_cycle_of_properties_is_one_too(self) -> None:
        with pytest.raises(TaxonomyCycle):
            taxonomy_of((EX["p"], SUBPROPERTY, EX["q"]), (EX["q"], SUBPROPERTY, EX["p"]))

    def test_a_class_that_is_an_instance_of_its_own_subclass_is_no_cycle(self) -> None:
        taxonomy = taxonomy_of((EX["A"], SUBCLASS, EX["B"]), (EX["B"], TYPE, EX["A"]))
        assert taxonomy.ancestors(EX["B"]) == {EX["A"], EX["B"]}

    def test_the_file_is_named(self, tmp_path: Path) -> None:
        path = tmp_path / "cyclic.ttl"
        path.write_text(
            "@prefix : <urn:x:> . @prefix r: <http://www.w3.org/2000/01/rdf-schema#> .\n"
            ":a r:subClassOf :b . :b r:subClassOf :a ."
        )
        with pytest.raises(TaxonomyCycle) as caught:
            Taxonomy.parse(path)
        assert str(caught.value).startswith(f"{path}:2: ")
        assert caught.value.line == 2

    def test_a_cycle_through_an_anonymous_class_is_one_too(self) -> None:
        with pytest.raises(TaxonomyCycle) as caught:
            taxonomy_of((EX["A"], SUBCLASS, BlankNode("x")), (BlankNode("x"), SUBCLASS, EX["A"]))
        assert str(caught.value).endswith("<http://example.org/A> -> _:x -> <http://example.org/A>")

    def test_the_line_is_that_of_the_edge_that_closes_it(self) -> None:
        lines = [f"<urn:{child}> {SUBCLASS} <urn:{parent}> ." for child, parent in ("ab", "bc", "xy", "ca", "yz")]
        with pytest.raises(TaxonomyCycle) as caught:
            Taxonomy.parse("\n".join(lines))
        assert caught.value.line == 4

    @given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=14))
    def test_found_exactly_where_there_is_one(self, pairs: list[tuple[int, int]]) -> None:
        edges = {(str(child), str(parent)) for child, parent in pairs if child != parent}
        reached = _closure(edges)
        triples = [Triple(EX[child], SUBCLASS, EX[parent]) for child, parent in edges]
        if not any((node, node) in reached for node, _ in edges):
            Taxonomy.from_triples(triples)
            return
        with pytest.raises(TaxonomyCycle) as caught:
            Taxonomy.from_triples(triples)
        names = [iri.removeprefix(EX) for iri in caught.value.cycle]
        assert names[0] == names[-1]
        assert set(itertools.pairwise(names)) <= edges


def _closure(edges: set[tuple[str, str]]) -> set[tuple[str, str]]:
    reached = set(edges)
    while more := {(a, d) for a, b in reached for c, d in edges if b == c} - reached:
        reached |= more
    return reached


class TestSize:
    """Deep hierarchies must not recurse."""

    LEVELS = 100_000

    def test_a_hundred_thousand_levels(self) -> None:
        classes = [EX[level] for level in range(self.LEVELS)]
        taxonomy = Taxonomy.from_triples(
            Triple(child, SUBCLASS, parent) for child, parent in itertools.pairwise(classes)
        )
        assert len(taxonomy.ancestors(classes[0])) == self.LEVELS - 1
        assert len(taxonomy.descendants(classes[-1])) == self.LEVELS - 1
        assert taxonomy.is_a(classes[0], classes[-1])

    def test_a_deep_cycle(self) -> None:
        classes = [EX[level] for level in range(self.LEVELS)]
        with pytest.raises(TaxonomyCycle) as caught:
            Taxonomy.from_triples(
                Triple(child, SUBCLASS, parent)
                for child, parent in zip(classes, [*classes[1:], classes[0]], strict=True)
            )
        assert len(caught.value.cycle) == self.LEVELS + 1
        assert len(str(caught.value)) < 1_000


class TestMemo:
    def test_forgetting_changes_no_answer(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(hierarchy, "_REMEMBERED_NODES", 3)
        taxonomy = Taxonomy.parse(FIGURE_6)
        nodes = sorted(taxonomy.nodes, key=str)
        first = [taxonomy.ancestors(node) for node in nodes]
        assert [taxonomy.ancestors(node) for node in nodes] == first


class TestVersion:
    def test_depends_on_content_not_on_order_or_format(self) -> None:
        turtle = "@prefix r: <http://www.w3.org/2000/01/rdf-schema#> . <urn:a> r:subClassOf <urn:b>, <urn:c> ."
        ntriples = f"<urn:a> {SUBCLASS} <urn:c> .\n<urn:a> {SUBCLASS} <urn:b> .\n<urn:a> {SUBCLASS} <urn:b> .\n"
        a, b = Taxonomy.parse(turtle), Taxonomy.parse(ntriples, format="ntriples")
        assert a.version == b.version
        assert a == b
        assert hash(a) == hash(b)

    def test_anonymous_classes_do_not_make_it_differ(self) -> None:
        turtle = "@prefix r: <http://www.w3.org/2000/01/rdf-schema#> . <urn:a> r:subClassOf [ r:subClassOf <urn:b> ] ."
        assert Taxonomy.parse(turtle).version == Taxonomy.parse(turtle).version

    @pytest.mark.parametrize(
        "other",
        [
            (EX["B"], SUBCLASS, EX["A"]),
            (EX["A"], SUBPROPERTY, EX["B"]),
            (EX["A"], TYPE, EX["B"]),
            (EX["A"], TYPE, RDFS["Class"]),
        ],
    )
    def test_other_content_has_another(self, other: tuple[Term, NamedNode, Term]) -> None:
        assert taxonomy_of(other) != taxonomy_of((EX["A"], SUBCLASS, EX["B"]))
        assert taxonomy_of(other) != EMPTY

    def test_survives_pickling(self) -> None:
        taxonomy = Taxonomy.parse(FIGURE_6)
        copy = pickle.loads(pickle.dumps(taxonomy))
        assert copy == taxonomy
        assert copy.ancestors(G["ArnosPaper17"]) == taxonomy.ancestors(G["ArnosPaper17"])


class TestBadInput:
    def test_malformed_turtle_has_line_and_column(self, tmp_path: Path) -> None:
        path = tmp_path / "bad.ttl"
        path.write_text("@prefix : <urn:x:> .\n:a :b :c, .")
        with pytest.raises(SyntaxProblem) as caught:
            Taxonomy.parse(path)
        assert caught.value.line == 2
        assert str(caught.value).startswith(f"{path}:2:")

    def test_a_literal_is_no_class(self) -> None:
        with pytest.raises(InvalidTerm, match='wants a class, a property or an instance, found "B"'):
            taxonomy_of((EX["A"], SUBCLASS, Literal("B")))

    def test_unknown_format(self) -> None:
        with pytest.raises(UnknownFormat, match="turtle"):
            Taxonomy.parse("", format="word")

    def test_missing_file(self, tmp_path: Path) -> None:
        with pytest.raises(InputError, match=r"none\.ttl"):
            Taxonomy.parse(tmp_path / "none.ttl")

    def test_a4_a_doctype_of_more_than_text_is_refused(self) -> None:
        bomb = '<?xml version="1.0"?><!DOCTYPE r [<!ENTITY a SYSTEM "aaaa">]><rdf:RDF/>'
        with pytest.raises(RefusedFeature):
            Taxonomy.parse(bomb, format="rdfxml")

    def test_a_suffix_tells_the_format(self, tmp_path: Path) -> None:
        path = tmp_path / "taxonomy.nt"
        path.write_text(f"<urn:a> {SUBCLASS} <urn:b> .\n")
        assert Taxonomy.parse(path).knows(NamedNode("urn:b"))


# The definition again, in SPARQL. All nodes, blank ones too, stand in one order, and subclass and subproperty edges
# point onwards in it, so there is no cycle.

_NODES = [EX[number] for number in range(7)] + [BlankNode(f"b{number}") for number in range(7)]
_ORDER = [_NODES[number // 2 + 7 * (number % 2)] for number in range(14)]


@st.composite
def _edges(draw: st.DrawFn) -> tuple[Term, NamedNode, Term]:
    predicate = draw(st.sampled_from([SUBCLASS, SUBPROPERTY, TYPE]))
    low, high = sorted([draw(st.integers(0, 13)), draw(st.integers(0, 13))])
    return _ORDER[low], predicate, _ORDER[high]


def _by_sparql(triples: Iterable[tuple[Term, NamedNode, Term]], node: NamedNode) -> set[Term]:
    store = Store()
    store.extend(Quad(*triple) for triple in triples)
    query = f"""SELECT ?c {{
        {{ {node} {TYPE}/{SUBCLASS}* ?c }} UNION {{ {node} {SUBCLASS}+ ?c }} UNION {{ {node} {SUBPROPERTY}+ ?c }}
        FILTER(isIRI(?c)) }}"""
    return {solution["c"] for solution in store.query(query)}


@given(st.lists(_edges(), max_size=12))
def test_ancestors_are_what_sparql_paths_say(triples: list[tuple[Term, NamedNode, Term]]) -> None:
    triples = [t for t in triples if t[0] != t[2] or t[1] == TYPE]
    taxonomy = taxonomy_of(*triples)
    for node in _NODES[:7]:
        assert taxonomy.ancestors(node) == _by_sparql(triples, node)


@given(st.lists(_edges(), max_size=12), st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=4))
def test_event_types_add_what_sparql_paths_say(
    triples: list[tuple[Term, NamedNode, Term]], typed: list[tuple[int, int]]
) -> None:
    triples = [t for t in triples if t[0] != t[2] or t[1] == TYPE]
    taxonomy = taxonomy_of(*triples)
    event = [(_NODES[x], TYPE, _NODES[cls]) for x, cls in typed]
    types = {node: [cls for x, _, cls in event if x == node] for node in _NODES}
    for node in _NODES[:7]:
        wanted = _by_sparql([*triples, *event], node)
        assert {cls for cls in _NODES[:7] if taxonomy.holds(IS_A, node, cls, types)} == wanted
        assert {cls for cls in _NODES[:7] if taxonomy.holds(ANCESTOR_OF, cls, node, types)} == wanted


@given(st.lists(_edges(), max_size=12))
def test_descendants_are_ancestors_read_backwards(triples: list[tuple[Term, NamedNode, Term]]) -> None:
    taxonomy = taxonomy_of(*(t for t in triples if t[0] != t[2] or t[1] == TYPE))
    for cls in _NODES[:7]:
        assert taxonomy.descendants(cls) == {node for node in _NODES[:7] if cls in taxonomy.ancestors(node)}
