"""What Oxigraph answers to the SPARQL of a path or condition is what a walk over every triple finds."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from pyoxigraph import Quad, RdfFormat, Store, parse
from tests.languages.rdftl.naive import World

from triplewire.errors import InputError, InvalidTerm, LimitExceeded
from triplewire.languages.rdftl import condition_query, parse_rule, path_query
from triplewire.languages.rdftl.expanded_size import MAX_DEPTH, MAX_SIZE, Extent, condition_extent, defined, path_extent
from triplewire.languages.rdftl.syntax import (
    BareName,
    Compared,
    Comparison,
    Component,
    Condition,
    Delta,
    Exists,
    Let,
    Path,
    Resource,
    ResourceEvent,
    Source,
    Target,
    Variable,
    Where,
)
from triplewire.rdf.terms import RDF, BlankNode, Literal, Term, Triple
from triplewire.testing.strategies.rdftl import Vocabulary, conditions, paths
from triplewire.testing.strategies.vocabulary import EX, TYPE

MANY = settings().max_examples > 100

A, B, P, Q = EX["a"], EX["b"], EX["p"], EX["q"]
# Few of everything, so that most paths lead somewhere.
RESOURCES = (A, B)
NODES = (*RESOURCES, BlankNode("n0"))
ARCS = (P, Q, RDF["_1"])
LITERALS = (Literal("Logic"), Literal("Logic", language="en"), Literal(1), Literal("1"))
CLASSES = (EX["C0"], EX["C1"])
SMALL = Vocabulary(
    arcs=(P, P, Q, RDF["_1"], TYPE), classes=CLASSES, resources=RESOURCES, literals=st.sampled_from(LITERALS)
)
STARTS = (Variable("a"), Variable("b"), Delta(Component.SOURCE), Delta(Component.TARGET))


@st.composite
def graphs(draw: st.DrawFn) -> frozenset[Triple]:
    """Graphs in which every subject has a class: clause (a) of section 2.1."""
    # `rdf:_01` looks like a membership property and is none.
    arc = st.sampled_from((*ARCS, *ARCS, RDF["_01"]))
    target = st.one_of(st.sampled_from(NODES), st.sampled_from(LITERALS))
    rows = draw(st.lists(st.builds(Triple, st.sampled_from(NODES), arc, target), min_size=6, max_size=16))
    types = st.lists(st.sampled_from(CLASSES), min_size=1, max_size=2)
    return frozenset((*rows, *(Triple(row.subject, TYPE, of_class) for row in rows for of_class in draw(types))))


@st.composite
def worlds(draw: st.DrawFn) -> World:
    first = Let("a", draw(paths(SMALL, (), 1)))
    second = Let("b", draw(paths(SMALL, (Variable("a"),), 1)))
    delta: dict[Component, Term] = {
        Component.SOURCE: draw(st.sampled_from(RESOURCES)),
        Component.TARGET: draw(st.sampled_from((*RESOURCES, *LITERALS))),
    }
    return World(draw(graphs()), (first, second), delta)


def stored(world: World) -> Store:
    store = Store()
    store.extend(Quad(*triple) for triple in world.graph)
    return store


def nodes(world: World, path: Path) -> list[Term]:
    return [row["node"] for row in stored(world).query(path_query(path, world.lets, world.delta))]


def holds(world: World, condition: Condition) -> bool:
    return bool(stored(world).query(condition_query(condition, world.lets, world.delta)))


def is_too_large(extent: Extent) -> bool:
    """What is refused has tests of its own, below."""
    return extent.size > MAX_SIZE or extent.depth > MAX_DEPTH


@settings(max_examples=3000 if MANY else 300)
@given(worlds(), paths(SMALL, STARTS))
def test_paths(world: World, path: Path) -> None:
    assume(not is_too_large(path_extent(path, defined(world.lets))))
    assert Counter(nodes(world, path)) == Counter(world.nodes(path))


@settings(max_examples=3000 if MANY else 300)
@given(worlds(), conditions(SMALL, STARTS))
def test_conditions(world: World, condition: Condition) -> None:
    assume(not is_too_large(condition_extent(condition, defined(world.lets))))
    assert holds(world, condition) is world.holds(condition)


@settings(max_examples=3000 if MANY else 300)
@given(worlds(), graphs(), conditions(SMALL, STARTS))
def test_conditions_that_read_what_begins_at_delta_before(
    world: World, before: frozenset[Triple], condition: Condition
) -> None:
    assume(not is_too_large(condition_extent(condition, defined(world.lets))))
    store, name = stored(world), EX["before"]
    store.extend(Quad(*triple, name) for triple in before)
    found = store.query(condition_query(condition, world.lets, world.delta, before=name))
    assert bool(found) is replace(world, before=before).holds(condition)


# One by one, what chance may leave out


def graph(text: str) -> World:
    rows = (Triple(quad.subject, quad.predicate, quad.object) for quad in parse(PREFIXES + text, RdfFormat.TURTLE))
    return World(frozenset(rows))


PREFIXES = f"@prefix : <{EX}> . @prefix rdf: <{RDF}> . "
CLASSED = ":a a :C0 . :b a :C0 . "


def path_of(text: str, lets: str = "") -> tuple[Path, tuple[Let, ...]]:
    rule = parse_rule(f"USING NAMESPACE ex {EX} {lets} ON INSERT {text} IF True DO DELETE $delta")
    assert isinstance(rule.event, ResourceEvent)
    return rule.event.path, rule.lets


@pytest.mark.parametrize(
    ("text", "data", "found"),
    [
        (
            "resource(ex:a)/element()",
            ":a rdf:_1 :x; rdf:_12 :y; rdf:_01 :z; rdf:_ :z; rdf:_1x :z; :_1 :z .",
            ["x", "y"],
        ),
        ("resource(ex:a)/element(12)", ":a rdf:_1 :x; rdf:_12 :y .", ["y"]),
        # Every resource: what has a class, so neither a class itself nor a string.
        ("resource()", CLASSED + ":a a :C1; :p 'x' .", ["a", "b"]),
        ("resource()/source(ex:p)", CLASSED + ":a :p :b, 'x' . :b :p 'x' .", ["a"]),
        ("resource(ex:C0)/source(rdf:type)", CLASSED, ["a", "b"]),
        # A resource that the graph does not mention is no node of it.
        ("resource(ex:a)", CLASSED, ["a"]),
        ("resource(ex:x)", CLASSED, []),
        ("resource(ex:x)[not target(ex:p)]", CLASSED, []),
        ("resource()[target(ex:p) = 'x' and not target(ex:q)]", CLASSED + ":a :p 'x'; :q 'y'. :b :p 'x' .", ["b"]),
        ("resource()[target(ex:p)[target(ex:q)/target(ex:q) = 'x']]", ":a a :C; :p [ :q [ :q 'x' ] ] .", ["a"]),
        ("resource()[target(ex:p) = target(ex:q)]", CLASSED + ":a :p 1, 2; :q 2, 3 . :b :p 1; :q 2 .", ["a"]),
        # Existential, both: one of two differs, and one of two is the same.
        ("resource()[target(ex:p) != 'x']", CLASSED + ":a :p 'x', 'y' . :b :p 'x' .", ["a"]),
        ("resource()[target(ex:p) = 'Logic']", CLASSED + ":a :p 'Logic'@en, 'Logics' . :b :p 'Logic' .", ["b"]),
        ("resource()[source(ex:p) = 'x']", CLASSED + ":a :p :b .", []),
        ("resource()[target(ex:p)[target(ex:p)] = 'x']", CLASSED + ":a :p 'x' .", []),
    ],
)
def test_what_a_path_means(text: str, data: str, found: list[str]) -> None:
    path, _ = path_of(text)
    world = graph(data)
    assert sorted(term.value.removeprefix(EX) for term in nodes(world, path)) == found
    assert world.nodes(path) == {EX[name] for name in found}


def test_a_variable_stands_for_its_path() -> None:
    path, lets = path_of("$b/target(ex:q)", "LET $a := resource(ex:a)/target(ex:p) LET $b := $a/target(ex:p)")
    world = World(graph(":a :p :b; :q :x . :b :p :c; :q :y . :c :q :z .").graph, lets)
    assert nodes(world, path) == [EX["z"]]


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_any_string_is_found_as_it_is(text: str) -> None:
    literal = Literal(text)
    world = World(
        frozenset({Triple(A, P, literal), Triple(B, P, Literal(text + "."))}), (), {Component.TARGET: literal}
    )
    assert nodes(world, Path(Delta(Component.TARGET), (Source(P),))) == [A]
    condition = Compared(Path(Resource(B), (Target(P),)), Comparison.EQUAL, literal)
    assert not holds(world, condition)


def test_a_filter_stands_behind_what_it_asks_for() -> None:
    text = "resource()[resource()/source(<urn:q>)/target(<urn:p>) = 'x']"
    condition = parse_rule(f"ON DELETE resource() IF {text} DO DELETE $delta").condition
    world = graph(":a a :C; <urn:q> 'no resource'; <urn:p> 'x' .")
    assert not world.holds(condition)
    assert not holds(world, condition)


def test_a_literal_leads_nowhere_and_can_be_what_delta_is() -> None:
    world = World(graph(CLASSED).graph, (), {Component.TARGET: Literal("x")})
    target = Path(Delta(Component.TARGET))
    assert nodes(world, target) == [Literal("x")]
    assert nodes(world, Path(target.start, (Target(P),))) == []
    assert holds(world, Exists(target))
    assert holds(world, Compared(target, Comparison.EQUAL, Literal("x")))
    assert not holds(world, Compared(target, Comparison.EQUAL, Literal("y")))


# What cannot be asked


def test_what_is_not_resolved_is_refused() -> None:
    with pytest.raises(InputError, match="wanted a name that a schema has resolved, found knows"):
        path_query(Path(Resource(), (Target(BareName("knows")),)))
    with pytest.raises(InputError, match=r"wanted a value for \$delta.source, found none"):
        condition_query(Exists(Path(Delta(Component.SOURCE))))
    with pytest.raises(InputError, match=r"wanted a variable that a LET has defined, found \$x"):
        path_query(Path(Variable("x")))
    with pytest.raises(InputError, match="found one without a start"):
        condition_query(Exists(Path(None, (Target(P),))))


def test_a_blank_node_has_no_name_in_a_query() -> None:
    with pytest.raises(InvalidTerm, match=r"wanted an IRI or a literal for \$delta, found _:b"):
        path_query(Path(Delta()), (), {Component.WHOLE: BlankNode("b")})


def test_variables_that_double_are_refused_before_they_are_written_out() -> None:
    lets = [Let("x0", Path(Resource(A)))]
    for number in range(40):
        twice = Path(Variable(f"x{number}"))
        lets.append(Let(f"x{number + 1}", Path(Resource(A), (Where(Compared(twice, Comparison.EQUAL, twice)),))))
    with pytest.raises(LimitExceeded, match="250 steps and conditions"):
        path_query(Path(Variable("x40")), lets)


def test_the_deepest_condition_that_is_read_is_one_that_the_store_answers() -> None:
    """Row A2: what nests too deep would end the process."""
    inside = "target(ex:p)"
    for _ in range(MAX_DEPTH - 1):
        inside = f"target(ex:p)[{inside}]"
    path, _ = path_of(f"resource(ex:a)[{inside}]")
    assert nodes(graph(":a :p :a ."), path) == [A]


def test_the_longest_path_that_is_read_is_one_that_the_store_answers() -> None:
    """Row A2: EXISTS nests with each arc."""
    loop = graph(":a :p :a .")
    longest = Path(Resource(A), (Target(P),) * (MAX_SIZE - 1))
    assert nodes(loop, longest) == [A]
    assert holds(loop, Exists(longest))
    with pytest.raises(LimitExceeded, match="250 steps"):
        condition_query(Exists(Path(Resource(A), (Target(P),) * MAX_SIZE)))
