"""Section 3: privileges by class, property and resource."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.federation.federation import arc, called
from tests.rules.family import EX, FAMILY

from triplewire.federation.indexes.group_index import PeerView
from triplewire.federation.indexes.local_index import Reference
from triplewire.federation.sites.privileges import Access, Privileges
from triplewire.rdf.terms import NamedNode, Triple
from triplewire.rules.vocabulary import TYPE

ANN, BOB, NAME, PERSON = EX["ann"], EX["bob"], EX["name"], EX["Person"]
READ_WRITE, READ_ONLY, PRIVATE = Access.READ_WRITE, Access.READ_ONLY, Access.PRIVATE


@pytest.mark.parametrize(
    ("privileges", "expected"),
    [
        (Privileges(), PRIVATE),
        (Privileges({NAME: READ_WRITE}), READ_WRITE),
        (Privileges({NAME: READ_ONLY}, otherwise=READ_WRITE), READ_ONLY),
        # The class of the subject counts as well as the property: the strictest of them.
        (Privileges({NAME: READ_WRITE, PERSON: PRIVATE}), PRIVATE),
        # A resource says more than its class, and one property of it more than that.
        (Privileges({NAME: PRIVATE, PERSON: PRIVATE}, {ANN: READ_WRITE}), READ_WRITE),
        (Privileges({NAME: READ_WRITE}, {ANN: PRIVATE}), PRIVATE),
        (Privileges({NAME: READ_WRITE}, {ANN: READ_WRITE}, {(ANN, NAME): READ_ONLY}), READ_ONLY),
        (Privileges({NAME: READ_WRITE}, {BOB: PRIVATE}), READ_WRITE),
    ],
)
def test_the_most_specific_privilege_decides(privileges: Privileges, expected: Access):
    assert privileges.of_triple(called("ann", "Ann"), [PERSON]) is expected


def test_the_target_of_an_arc_is_a_resource_too():
    assert Privileges({}, {BOB: PRIVATE}, otherwise=READ_WRITE).of_triple(arc("ann", "knows", "bob"), []) is PRIVATE


def test_a_class_is_written_by_those_who_write_its_instances():
    assert Privileges({PERSON: READ_ONLY}, otherwise=READ_WRITE).of_triple(Triple(ANN, TYPE, PERSON), []) is READ_ONLY


class TestReadable:
    """A peer as others see it who want to read."""

    VIEW = PeerView(
        FAMILY,
        frozenset({PERSON, NAME, EX["Worker"]}),
        [(PERSON, ANN), (NAME, ANN), (PERSON, BOB), (EX["Worker"], BOB), (NAME, BOB), (NAME, EX["cat"])],
    )

    @pytest.mark.parametrize(
        ("privileges", "nodes", "resources"),
        [
            (Privileges(), set(), set()),
            (Privileges(otherwise=READ_ONLY), {PERSON, NAME, EX["Worker"]}, {ANN, BOB}),
            (Privileges({PERSON: READ_ONLY}), {PERSON}, {ANN, BOB}),
            # What is of a class that is closed is not there, not even as of another class.
            (Privileges({PERSON: READ_ONLY, EX["Worker"]: PRIVATE}), {PERSON}, {ANN}),
            (Privileges({NAME: READ_WRITE}), {NAME}, set()),
            (Privileges(resources={ANN: READ_ONLY}), {PERSON, NAME}, {ANN}),
            (Privileges(resources={EX["dan"]: READ_ONLY}), set(), set()),
            (Privileges(resources={ANN: PRIVATE}, otherwise=READ_ONLY), {PERSON, NAME, EX["Worker"]}, {BOB}),
            (Privileges(details={(BOB, NAME): READ_ONLY}), {NAME}, set()),
            (Privileges(details={(EX["dan"], NAME): READ_ONLY}), set(), set()),
        ],
    )
    def test_only_what_is_open_is_there(self, privileges: Privileges, nodes: set[NamedNode], resources: set[NamedNode]):
        seen = privileges.readable(self.VIEW, [ANN, BOB, EX["cat"]])
        assert seen.nodes == nodes
        assert {resource for resource in (ANN, BOB, EX["cat"]) if seen.has(resource)} == resources


class TestWritable:
    """A peer as others see it who want to write."""

    def test_a_resource_that_is_closed_is_not_there(self):
        seen = Privileges(resources={ANN: READ_ONLY}, otherwise=READ_WRITE).writable(TestReadable.VIEW)
        assert (seen.has(ANN), seen.describes(ANN), seen.nodes_of(ANN)) == (False, False, frozenset())
        assert seen.has(BOB)
        assert seen.describes(BOB)
        assert {resource for _, resource in seen.references} == {BOB, EX["cat"]}

    def test_its_resources_are_not_walked_for_every_instance(self):
        class Large(PeerView):
            @property
            def references(self) -> Iterator[Reference]:
                raise AssertionError("nobody walks a million resources")

        large = Large(FAMILY, frozenset({PERSON}), [(PERSON, ANN)])
        seen = Privileges(otherwise=READ_WRITE).writable(large)
        assert seen.describes(ANN)
        assert not seen.describes(BOB)
