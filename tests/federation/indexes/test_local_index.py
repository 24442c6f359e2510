"""Section 3.1, peer indexes: a bit for each class and property, and the resources behind it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.rules.family import EX, FAMILY, triples

from triplewire.errors import SchemaViolation
from triplewire.federation.indexes.local_index import IndexChange, LocalIndex
from triplewire.rdf.terms import RDF, Literal, Triple
from triplewire.rules.changes import Changes, Edits
from triplewire.rules.repository import Repository
from triplewire.rules.vocabulary import MEMBERSHIP, TYPE, member

ANN_IS_A_NURSE = Triple(EX["ann"], TYPE, EX["Nurse"])
ANN_IS_CALLED = Triple(EX["ann"], EX["name"], Literal("Ann"))


def test_the_first_instance_sets_a_bit_and_the_last_one_clears_it():
    index = LocalIndex()
    change = index.follow(Changes(inserted=(ANN_IS_A_NURSE,)))
    assert change.grown == {EX["Nurse"]}
    assert change.referenced == {(EX["Nurse"], EX["ann"])}
    bob = Triple(EX["bob"], TYPE, EX["Nurse"])
    assert not index.follow(Changes(inserted=(bob,))).grown
    assert index.follow(Changes(deleted=(ANN_IS_A_NURSE,))) == IndexChange(
        dropped=frozenset({(EX["Nurse"], EX["ann"])})
    )
    assert index.follow(Changes(deleted=(bob,))).shrunk == {EX["Nurse"]}
    assert not index.nodes


def test_elements_of_a_container_are_one_property():
    index = LocalIndex([Triple(EX["log"], member(1), EX["ann"]), Triple(EX["log"], member(7), EX["bob"])])
    assert index.nodes == {MEMBERSHIP}
    assert index.references == {(MEMBERSHIP, EX[name]) for name in ("log", "ann", "bob")}


def test_a_literal_is_no_resource_and_a_class_is_no_resource_of_its_instances():
    assert LocalIndex([ANN_IS_CALLED, ANN_IS_A_NURSE]).references == {
        (EX["name"], EX["ann"]),
        (EX["Nurse"], EX["ann"]),
    }


@given(st.lists(st.tuples(st.booleans(), st.lists(triples, max_size=4)), max_size=6))
def test_the_index_that_follows_changes_is_that_of_the_repository(steps: list[tuple[bool, list[Triple]]]):
    repository = Repository(FAMILY)
    index = LocalIndex()
    nodes, references = set(index.nodes), set(index.references)
    for inserts, some in steps:
        edits = Edits(inserted=tuple(some)) if inserts else Edits(deleted=tuple(some))
        try:
            change = index.follow(repository.apply(edits))
        except SchemaViolation:
            continue
        nodes = nodes - change.shrunk | change.grown
        references = references - change.dropped | change.referenced
        again = LocalIndex(repository)
        assert (index.nodes, index.references) == (again.nodes, again.references)
        assert (nodes, references) == (again.nodes, again.references)


def test_the_bits_see_the_closure():
    repository = Repository(FAMILY)
    change = LocalIndex().follow(repository.apply(Edits(inserted=(ANN_IS_A_NURSE,))))
    assert {EX["Being"], EX["Person"], EX["Worker"], EX["Parent"], EX["Nurse"]} == change.grown
    assert RDF["type"] not in change.grown
