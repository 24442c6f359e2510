"""A repository: its closure, what conforms, and what an error leaves behind."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.rules.family import EX, FAMILY, strangers, triples, types
from tests.rules.naive import closure, conforms

from triplewire.errors import SchemaViolation
from triplewire.rdf.terms import RDF, XSD, BlankNode, Literal, NamedNode, Quad, Triple
from triplewire.rules.changes import Edits, NamedEdits
from triplewire.rules.repository import Repository
from triplewire.rules.schema import Schema
from triplewire.rules.vocabulary import TYPE, member

edits = st.builds(
    Edits,
    st.lists(st.one_of(triples, triples, triples, strangers), max_size=4).map(tuple),
    st.lists(triples, max_size=3).map(tuple),
)


def a(node: str, cls: str) -> Triple:
    return Triple(EX[node], TYPE, EX[cls])


def arc(source: str, name: str, target: str) -> Triple:
    return Triple(EX[source], EX[name], EX[target])


def holding(*asserted: Triple) -> Repository:
    repository = Repository(FAMILY)
    repository.load(asserted)
    return repository


# The closure


def test_an_inserted_instance_is_one_of_the_superclasses_and_a_deleted_one_is_not_left_behind() -> None:
    repository = holding(a("ann", "Nurse"))
    assert set(repository) == {a("ann", c) for c in ("Nurse", "Worker", "Parent", "Person", "Being")}
    changes = repository.apply(Edits(deleted=(a("ann", "Nurse"),)))
    assert set(changes.deleted) == {a("ann", c) for c in ("Nurse", "Worker", "Parent", "Person", "Being")}
    assert set(repository) == set()
    assert len(repository.store) == 0


def test_what_another_assertion_still_supports_stays() -> None:
    repository = holding(a("ann", "Nurse"), a("ann", "Parent"))
    changes = repository.apply(Edits(deleted=(a("ann", "Nurse"),)))
    assert set(changes.deleted) == {a("ann", "Nurse"), a("ann", "Worker")}
    assert set(repository.asserted) == {a("ann", "Parent")}


def test_subproperties_likewise() -> None:
    people = (a("ann", "Person"), a("bob", "Person"))
    repository = holding(*people, arc("ann", "loves", "bob"))
    assert {t.predicate for t in repository.match(EX["ann"], None, EX["bob"])} == {
        EX[name] for name in ("loves", "likes", "owes", "knows")
    }
    repository.apply(Edits(inserted=(arc("ann", "likes", "bob"),), deleted=(arc("ann", "loves", "bob"),)))
    assert {t.predicate for t in repository.match(EX["ann"], None, EX["bob"])} == {EX["likes"], EX["knows"]}


def test_asserting_what_was_derived_changes_no_triple_but_outlives_its_support() -> None:
    repository = holding(a("ann", "Nurse"))
    changes = repository.apply(Edits(inserted=(a("ann", "Person"),)))
    assert (changes.inserted, changes.deleted) == ((), ())
    assert changes.edits == Edits(inserted=(a("ann", "Person"),))
    repository.apply(Edits(deleted=(a("ann", "Nurse"),)))
    assert set(repository) == {a("ann", "Person"), a("ann", "Being")}


@given(st.lists(edits, max_size=12))
def test_the_incremental_closure_equals_recomputation(steps: list[Edits]) -> None:
    repository = Repository(FAMILY)
    asserted: set[Triple] = set()
    for step in steps:
        before = set(repository)
        try:
            changes = repository.apply(step)
        except SchemaViolation:
            assert set(repository) == before
            assert not conforms((asserted - set(step.deleted)) | set(step.inserted), FAMILY)
            continue
        asserted = (asserted - set(step.deleted)) | set(step.inserted)
        after = set(repository)
        assert after == closure(asserted, FAMILY)
        assert set(repository.asserted) == asserted
        assert conforms(asserted, FAMILY)
        assert set(changes.inserted) == after - before
        assert set(changes.deleted) == before - after


@given(st.lists(types, max_size=8), st.lists(st.lists(triples, max_size=3), max_size=6))
def test_reversed_edits_restore_the_graph_exactly(first: list[Triple], steps: list[list[Triple]]) -> None:
    repository = holding(*first)
    was, asserted_was = set(repository), set(repository.asserted)
    done: list[Edits] = []
    for step in steps:
        try:
            done.append(repository.apply(Edits(inserted=tuple(step[1:]), deleted=tuple(step[:1]))).edits)
        except SchemaViolation:
            continue
    for changed in reversed(done):
        repository.apply(changed.reversed())
    assert (set(repository), set(repository.asserted)) == (was, asserted_was)


@given(st.lists(types, max_size=10), st.lists(st.one_of(triples, triples, strangers), max_size=4))
def test_loading_an_empty_repository_is_the_same_as_changing_it(first: list[Triple], more: list[Triple]) -> None:
    loaded, changed = Repository(FAMILY), Repository(FAMILY)
    try:
        changed.apply(Edits(inserted=(*first, *more)))
    except SchemaViolation:
        with pytest.raises(SchemaViolation):
            loaded.load([*first, *more])
    else:
        loaded.load([*first, *more])
    assert set(loaded.store) == set(changed.store)


# Conformance


def refused(repository: Repository, *inserted: Triple, deleted: tuple[Triple, ...] = ()) -> SchemaViolation:
    was = set(repository.store)
    with pytest.raises(SchemaViolation) as caught:
        repository.apply(Edits(tuple(inserted), deleted))
    assert set(repository.store) == was
    return caught.value


def test_clause_a_names_a_resource_without_a_class() -> None:
    error = refused(holding(a("ann", "Person")), arc("ann", "likes", "bob"))
    assert (error.clause, error.triple) == ("a", str(arc("ann", "likes", "bob")))
    assert "http://example.org/bob" in error.problem
    assert refused(Repository(FAMILY), Triple(EX["ann"], TYPE, EX["unheard"])).clause == "a"


def test_clause_a_names_what_a_deletion_would_leave_dangling() -> None:
    repository = holding(a("ann", "Person"), a("bob", "Person"), arc("ann", "likes", "bob"))
    assert refused(repository, deleted=(a("bob", "Person"),)).clause == "a"
    repository.apply(Edits(deleted=(a("bob", "Person"), arc("ann", "likes", "bob"))))


def test_clause_b_names_a_property_that_is_not_declared_or_has_no_domain() -> None:
    repository = holding(a("ann", "Person"), a("bob", "Person"))
    assert refused(repository, arc("ann", "unheard", "bob")).clause == "b"
    error = refused(repository, arc("ann", "loose", "bob"))
    assert error.clause == "b"
    assert "domain" in error.problem


def test_clause_c_names_a_source_or_target_of_another_class() -> None:
    repository = holding(a("ann", "Person"), a("mug", "Thing"), a("cat", "Being"))
    assert "as the source" in refused(repository, arc("mug", "owns", "mug")).problem
    assert "as the target" in refused(repository, arc("ann", "owns", "cat")).problem
    # loves is also likes, which wants a person, though knows would take any being.
    assert refused(repository, arc("ann", "loves", "cat")).clause == "c"
    repository.apply(Edits(inserted=(arc("ann", "knows", "cat"),)))


@pytest.mark.parametrize(
    ("name", "value", "fits"),
    [
        ("name", Literal("Ann"), True),
        ("name", Literal("Ann", language="en"), False),
        ("name", Literal("5", datatype=XSD["integer"]), False),
        ("age", Literal("5", datatype=XSD["integer"]), True),
        ("age", Literal("5", datatype=XSD["int"]), True),
        ("age", Literal("5000000000", datatype=XSD["integer"]), False),
        ("age", Literal("abc", datatype=XSD["int"]), False),
        ("age", Literal("5"), False),
        ("knows", Literal("5"), False),
    ],
)
def test_clause_c_for_literals(name: str, value: Literal, fits: bool) -> None:
    repository = holding(a("ann", "Person"))
    triple = Triple(EX["ann"], EX[name], value)
    if fits:
        assert repository.apply(Edits(inserted=(triple,)))
    else:
        assert refused(repository, triple).clause == "c"


def test_a_literal_where_a_resource_is_wanted_and_the_other_way_round() -> None:
    repository = holding(a("ann", "Person"), a("bob", "Person"))
    assert refused(repository, arc("ann", "name", "bob")).clause == "c"


def test_a_class_that_an_arc_needs_cannot_be_taken_away() -> None:
    repository = holding(a("ann", "Worker"), a("ann", "Being"), a("mug", "Thing"), arc("ann", "owns", "mug"))
    assert refused(repository, deleted=(a("ann", "Worker"),)).clause == "c"
    repository.apply(Edits(inserted=(a("ann", "Parent"),), deleted=(a("ann", "Worker"),)))


# Containers


def test_only_containers_have_elements_and_they_hold_what_they_say() -> None:
    repository = holding(a("ann", "Person"), a("cat", "Being"), a("team", "People"), a("line", "Queue"))
    assert Triple(EX["team"], TYPE, RDF["Bag"]) in repository
    repository.apply(
        Edits(inserted=(Triple(EX["team"], member(1), EX["ann"]), Triple(EX["line"], member(9), EX["cat"])))
    )
    assert "container" in refused(repository, Triple(EX["ann"], member(1), EX["ann"])).problem
    assert refused(repository, Triple(EX["team"], member(2), EX["cat"])).clause == "c"
    assert refused(repository, Triple(EX["team"], member(2), Literal("ann"))).clause == "c"
    assert refused(repository, a("line", "People")).clause == "c"


def test_an_ambient_container_holds_anything_that_has_a_class() -> None:
    repository = Repository(FAMILY)
    repository.load([Triple(EX["s"], TYPE, RDF["Seq"]), Triple(EX["s"], member(1), Literal("x")), a("ann", "Thing")])
    repository.apply(Edits(inserted=(Triple(EX["s"], member(2), EX["ann"]),)))
    assert refused(repository, Triple(EX["s"], member(3), EX["bob"])).clause == "a"


# Stores


def test_literals_are_told_as_they_are_kept() -> None:
    repository = holding(a("ann", "Person"))
    changes = repository.apply(Edits(inserted=(Triple(EX["ann"], EX["age"], Literal("007", datatype=XSD["int"])),)))
    (inserted,) = changes.inserted
    assert inserted.object == Literal("7", datatype=XSD["integer"])
    assert not repository.apply(Edits(inserted=(Triple(EX["ann"], EX["age"], Literal("07", datatype=XSD["byte"])),)))
    repository.apply(Edits(deleted=(Triple(EX["ann"], EX["age"], Literal("0007", datatype=XSD["integer"])),)))
    assert set(repository.asserted) == {a("ann", "Person")}


def test_two_repositories_share_a_store_by_their_graphs() -> None:
    first = holding(a("ann", "Nurse"))
    second = Repository(FAMILY, first.store, graph=NamedNode("urn:g"))
    second.load([a("bob", "Worker")])
    assert not set(first) & set(second)
    assert set(second.asserted) == {a("bob", "Worker")}


def test_blank_nodes_are_resources_too() -> None:
    blank = BlankNode("b")
    repository = Repository(FAMILY)
    repository.load([Triple(blank, TYPE, EX["Person"]), Triple(blank, EX["likes"], blank)])
    assert len(set(repository)) == 4


def test_what_is_deleted_and_inserted_at_once_has_not_changed() -> None:
    repository = holding(a("ann", "Person"))
    assert repository.apply(Edits((a("ann", "Person"),), (a("ann", "Person"),))).edits == Edits()


def test_without_a_schema_nothing_has_to_conform_and_nothing_is_derived() -> None:
    repository = Repository(Schema(()))
    odd = [a("ann", "Person"), Triple(EX["ann"], TYPE, Literal("x")), Triple(BlankNode("b"), EX["p"], EX["ann"])]
    repository.load(odd[:1])
    changes = repository.apply(Edits(inserted=tuple(odd)))
    assert set(changes.inserted) == set(odd[1:])
    assert set(repository.asserted) == set(repository) == set(odd)
    assert set(repository.apply(Edits(deleted=tuple(odd))).deleted) == set(odd)
    assert not set(repository)


def in_graph(triple: Triple, name: str) -> Quad:
    return Quad(triple.subject, triple.predicate, triple.object, NamedNode(name))


def test_other_graphs_change_along_and_need_not_conform() -> None:
    repository = holding(a("ann", "Nurse"))
    odd = in_graph(Triple(EX["x"], EX["y"], Literal("01", datatype=XSD["int"])), "urn:g")
    kept = in_graph(Triple(EX["x"], EX["y"], Literal("1", datatype=XSD["integer"])), "urn:g")
    changes = repository.apply(Edits(named=NamedEdits(inserted=(odd,))))
    assert changes.edits.named == NamedEdits(inserted=(kept,))
    assert not changes
    assert not changes.is_nothing
    assert repository.apply(Edits(named=NamedEdits(inserted=(kept,)))).is_nothing
    assert repository.apply(Edits(named=NamedEdits(deleted=(odd,)))).edits.named == NamedEdits(deleted=(kept,))
    assert list(repository.store.named_graphs()) == []


def test_what_does_not_conform_takes_the_other_graphs_along() -> None:
    repository = holding(a("ann", "Nurse"))
    quad = in_graph(a("ann", "Person"), "urn:g")
    with pytest.raises(SchemaViolation):
        repository.apply(Edits((Triple(EX["ann"], EX["owns"], EX["ghost"]),), named=NamedEdits(inserted=(quad,))))
    assert quad not in repository.store


def test_triple_terms_are_told_as_they_are_kept() -> None:
    repository = Repository(Schema(()))
    inner = Triple(EX["s"], EX["p"], Literal("01", datatype=XSD["int"]))
    [inserted] = repository.apply(Edits(inserted=(Triple(EX["s"], EX["says"], inner),))).inserted
    assert inserted in repository
    assert inserted.object == Triple(EX["s"], EX["p"], Literal("1", datatype=XSD["integer"]))
