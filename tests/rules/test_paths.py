"""Paths and conditions by looking up triples: the same as Oxigraph says of their SPARQL translation."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from pyoxigraph import Quad, QueryBoolean, QuerySolutions
from tests.rules.family import CLASSES, EX, FAMILY, NODES, nodes, triples

from triplewire.errors import SchemaViolation
from triplewire.languages.rdftl import condition_query, path_query
from triplewire.languages.rdftl.syntax import (
    Always,
    Both,
    Compared,
    Comparison,
    Component,
    Condition,
    Delta,
    Either,
    Element,
    Exists,
    Let,
    Never,
    Not,
    Path,
    Resource,
    Source,
    Target,
    Variable,
    Where,
)
from triplewire.rdf.terms import Literal, NamedNode, Term, Triple
from triplewire.rules.changes import Edits
from triplewire.rules.graphs import PreviousGraph
from triplewire.rules.paths import Evaluation
from triplewire.rules.repository import Repository
from triplewire.rules.vocabulary import TYPE, member

LETS = (
    Let("ann", Path(Resource(EX["ann"]))),
    Let("known", Path(Resource(), (Target(EX["knows"]),))),
    Let("friends", Path(Variable("ann"), (Target(EX["likes"]), Where(Exists(Path(None, (Source(EX["knows"]),))))))),
)
DELTA: dict[Component, Term] = {
    Component.WHOLE: EX["bob"],
    Component.SOURCE: EX["bob"],
    Component.TARGET: Literal("Ann"),
    Component.NEW_TARGET: EX["mug"],
}

arcs = st.sampled_from([EX[name] for name in ("knows", "likes", "loves", "owes", "owns", "name", "team")] + [TYPE])
starts = st.one_of(
    st.just(Resource()),
    st.sampled_from([Resource(node) for node in NODES] + [Resource(EX["Person"]), Resource(EX["nobody"])]),
    st.sampled_from([Variable(let.name) for let in LETS]),
    st.sampled_from([Delta(component) for component in DELTA]),
)
literals = st.sampled_from([Literal("Ann"), Literal("Bob")])
plain_steps = st.one_of(
    st.builds(Target, arcs), st.builds(Source, arcs), st.builds(Element, st.sampled_from([None, 1, 2]))
)


def paths(start: st.SearchStrategy[object], conditions: st.SearchStrategy[Condition]) -> st.SearchStrategy[Path]:
    step = st.one_of(plain_steps, plain_steps, st.builds(Where, conditions))
    return st.builds(Path, start, st.lists(step, max_size=3).map(tuple))


def atoms(path: st.SearchStrategy[Path]) -> st.SearchStrategy[Condition]:
    comparison = st.sampled_from(list(Comparison))
    return st.one_of(
        st.builds(Exists, path),
        st.builds(Compared, path, comparison, literals),
        st.builds(Compared, path, comparison, path),
        st.sampled_from([Always(), Never()]),
    )


def compounds(parts: st.SearchStrategy[Condition]) -> st.SearchStrategy[Condition]:
    several = st.lists(parts, min_size=2, max_size=2).map(tuple)
    return st.one_of(st.builds(Not, parts), st.builds(Both, several), st.builds(Either, several))


simple: st.SearchStrategy[Path] = st.builds(Path, starts, st.lists(plain_steps, max_size=2).map(tuple))
simple_relative = st.builds(lambda step: Path(None, (step,)), plain_steps)
inner = st.recursive(atoms(st.one_of(simple, simple_relative)), compounds, max_leaves=3)
outer_paths = paths(starts, inner)
outer = st.recursive(atoms(outer_paths), compounds, max_leaves=3)


@st.composite
def repositories(draw: st.DrawFn) -> Repository:
    """What conforms of some triples; first come classes, without which nothing does."""
    repository = Repository(FAMILY)
    classes = draw(st.lists(st.sampled_from(CLASSES), min_size=5, max_size=5))
    repository.load([Triple(node, TYPE, EX[cls]) for node, cls in zip(NODES, classes, strict=True)])
    for triple in draw(st.lists(triples, max_size=15)):
        try:
            repository.apply(Edits(inserted=(triple,)))
        except SchemaViolation:
            continue
    return repository


def by_sparql(repository: Repository, path: Path) -> set[object]:
    found = repository.store.query(path_query(path, LETS, DELTA))
    assert isinstance(found, QuerySolutions)
    return {solution["node"] for solution in found}


@settings(max_examples=300)
@given(repositories(), outer_paths)
def test_the_nodes_of_a_path_are_those_of_its_translation(repository: Repository, path: Path) -> None:
    evaluation = Evaluation(repository, LETS, DELTA)
    expected = by_sparql(repository, path)
    assert evaluation.nodes(path) == expected
    for node in (*NODES, EX["Person"], EX["nobody"], Literal("Ann"), Literal("Bob")):
        assert evaluation.contains(path, node) == (node in expected), node


@settings(max_examples=300)
@given(repositories(), outer)
def test_a_condition_holds_where_its_translation_does(repository: Repository, condition: Condition) -> None:
    answer = repository.store.query(condition_query(condition, LETS, DELTA))
    assert isinstance(answer, QueryBoolean)
    assert Evaluation(repository, LETS, DELTA).holds(condition) == bool(answer)


@given(repositories(), st.lists(triples, min_size=1, max_size=3), st.lists(triples, max_size=3), outer_paths)
def test_before_is_the_graph_as_it_was(
    repository: Repository, inserted: list[Triple], deleted: list[Triple], path: Path
) -> None:
    was, nodes = set(repository), Evaluation(repository, LETS, DELTA).nodes(path)
    asserted = set(repository.asserted)
    try:
        changes = repository.apply(Edits(tuple(inserted), tuple(deleted)))
    except SchemaViolation:
        return
    before = PreviousGraph(repository, changes)
    assert set(before.match(None, None, None)) == was
    assert Evaluation(before, LETS, DELTA).nodes(path) == nodes
    assert {triple for triple in was if before.is_asserted(triple)} == asserted


@settings(max_examples=300)
@given(repositories(), st.lists(triples, min_size=1, max_size=4), st.lists(nodes, max_size=1), outer)
def test_a_condition_reads_what_begins_at_delta_before_where_its_translation_does(
    repository: Repository, inserted: list[Triple], gone: list[NamedNode], condition: Condition
) -> None:
    then = [Quad(*triple, EX["before"]) for triple in repository]
    touching = [t for t in repository.asserted for node in gone if node in (t.subject, t.object)]
    try:
        changes = repository.apply(Edits(tuple(inserted), tuple(touching)))
    except SchemaViolation:
        return
    evaluation = Evaluation(repository, LETS, DELTA, PreviousGraph(repository, changes))
    repository.store.extend(then)
    answer = repository.store.query(condition_query(condition, LETS, DELTA, before=EX["before"]))
    assert evaluation.holds(condition) == bool(answer)


def test_elements_by_number_and_all() -> None:
    repository = Repository(FAMILY)
    repository.load(
        [
            Triple(EX["line"], TYPE, EX["Queue"]),
            *(Triple(EX[name], TYPE, EX["Being"]) for name in ("ann", "bob")),
            Triple(EX["line"], member(1), EX["ann"]),
            Triple(EX["line"], member(10), EX["bob"]),
        ]
    )
    line = Resource(EX["line"])
    assert repository.nodes(Path(line, (Element(),))) == {EX["ann"], EX["bob"]}
    assert repository.nodes(Path(line, (Element(10),))) == {EX["bob"]}
    assert repository.nodes(Path(line, (Element(2),))) == set()
    assert repository.holds(Exists(Path(Resource(), (Element(10),))))
