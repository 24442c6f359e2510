"""What each form of action does to a repository (section 2.1), without rules."""

from __future__ import annotations

import pytest
from tests.rules.execution.town import a, arc, arcs, elements, run, town
from tests.rules.family import EX

from triplewire.errors import SchemaViolation, UnknownName, UpdateRefused
from triplewire.rdf.terms import Literal
from triplewire.rules.repository import Repository


def after(updates: str, *more: object) -> Repository:
    repository = town(*more)  # type: ignore[arg-type]
    outcome = run(repository, "", updates)
    for entry in outcome.aborted:
        assert entry.error is not None
        raise entry.error
    return repository


def test_inserting_a_resource_gives_it_the_class_and_those_above() -> None:
    repository = after("INSERT resource(ex:dan) AS INSTANCE OF Nurse;;")
    assert {a("dan", c) for c in ("Nurse", "Worker", "Parent", "Person", "Being")} <= set(repository)


def test_inserting_what_a_path_leads_to_gives_each_node_the_class() -> None:
    repository = after(
        "INSERT resource(ex:ann)/target(ex:knows) AS INSTANCE OF Parent;;",
        arc("ann", "likes", "bob"),
        arc("ann", "knows", "cat"),
    )
    assert {a("bob", "Parent"), a("cat", "Parent")} <= set(repository.asserted)
    assert a("ann", "Parent") not in repository


def test_deleting_a_resource_as_an_instance_takes_the_class_and_those_below() -> None:
    repository = after("DELETE resource(ex:dan) AS INSTANCE OF Worker;;", a("dan", "Nurse"), a("dan", "Parent"))
    assert {t.object for t in repository.match(EX["dan"], None, None)} == {EX["Parent"], EX["Person"], EX["Being"]}


def test_deleting_a_resource_deletes_the_arcs_from_it_and_to_it() -> None:
    repository = after(
        "DELETE resource(ex:bob);;",
        arc("ann", "likes", "bob"),
        arc("bob", "owns", "mug"),
        arc("ann", "likes", "cat"),
        a("team", "People"),
    )
    assert arcs(repository.asserted) == {arc("ann", "likes", "cat")}
    assert not list(repository.match(EX["bob"], None, None))


def test_deleting_a_class_that_an_arc_needs_is_refused() -> None:
    with pytest.raises(SchemaViolation, match=r"clause \(c\)"):
        after(
            "DELETE resource(ex:dan) AS INSTANCE OF Person;;",
            a("dan", "Being"),
            a("dan", "Person"),
            arc("dan", "owns", "mug"),
        )


def test_inserting_arcs_combines_each_source_with_each_target() -> None:
    repository = after(
        "LET $all := resource()[target(ex:name) = 'x']\nINSERT ($all, ex:likes, $all);;",
        arc("ann", "name", Literal("x")),
        arc("bob", "name", Literal("x")),
    )
    likes = {(t.subject, t.object) for t in repository.match(None, EX["likes"], None)}
    assert likes == {(EX[s], EX[t]) for s in ("ann", "bob") for t in ("ann", "bob")}


def test_wildcard_source_of_an_insertion_is_every_resource_that_the_domain_allows() -> None:
    repository = after("INSERT (_, ex:owns, resource(ex:mug));;")
    assert {t.subject for t in repository.match(None, EX["owns"], None)} == {EX["ann"], EX["bob"], EX["cat"]}


LINKS = (arc("ann", "likes", "bob"), arc("ann", "owes", "bob"), arc("ann", "likes", "cat"), arc("bob", "likes", "cat"))


@pytest.mark.parametrize(
    ("action", "left"),
    [
        ("DELETE (resource(ex:ann), ex:likes, resource(ex:bob))", LINKS[1:]),
        ("DELETE (resource(ex:ann), _, resource(ex:bob))", LINKS[2:]),
        ("DELETE (_, ex:likes, resource(ex:cat))", LINKS[:2]),
        ("DELETE (resource(ex:ann), ex:likes, _)", (LINKS[1], LINKS[3])),
        ("DELETE (_, ex:likes, _)", LINKS[1:2]),
        ("DELETE (resource(ex:ann), _, _)", LINKS[3:]),
        ("DELETE (_, _, _)", ()),
        ("DELETE (resource(ex:ann), ex:likes, _), (resource(ex:bob), ex:likes, _)", LINKS[1:2]),
        ("DELETE (resource(ex:bob), ex:likes, resource(ex:ann))", LINKS),
        ("DELETE (_, ex:knows, resource(ex:bob))", LINKS[1:]),
    ],
)
def test_deleting_arcs_with_wildcards(action: str, left: tuple[object, ...]) -> None:
    repository = after(f"{action};;", *LINKS)
    assert arcs(repository.asserted) == set(left)
    assert a("ann", "Person") in repository


@pytest.mark.parametrize(
    ("action", "left"),
    [
        (
            "(resource(ex:ann), ex:likes, resource(ex:bob) -> resource(ex:ann))",
            {arc("ann", "likes", "ann"), *LINKS[1:]},
        ),
        ("(resource(ex:ann), ex:likes, _ -> resource(ex:ann))", {arc("ann", "likes", "ann"), LINKS[1], LINKS[3]}),
        (
            "(_, ex:likes, resource(ex:cat) -> resource(ex:ann))",
            {arc("ann", "likes", "ann"), arc("bob", "likes", "ann"), *LINKS[:2]},
        ),
        ("(resource(ex:cat), ex:likes, _ -> resource(ex:ann))", set(LINKS)),
        (
            "(resource(ex:ann), ex:knows, resource(ex:bob) -> resource(ex:ann))",
            {arc("ann", "likes", "ann"), *LINKS[1:]},
        ),
        ("(resource(ex:ann), ex:likes, _ -> resource(ex:cat))", {LINKS[1], LINKS[2], LINKS[3]}),
    ],
)
def test_updating_arcs_changes_their_target(action: str, left: set[object]) -> None:
    assert arcs(after(f"UPDATE {action};;", *LINKS).asserted) == left


def test_seq_appends_after_the_highest_element() -> None:
    repository = after(
        "INSERT (resource(ex:log), seq++, resource(ex:ann)), (resource(ex:log), seq++, resource(ex:bob));;"
        "DELETE (resource(ex:log), rdf:_1, _);;"
        "INSERT (resource(ex:log), seq++, resource(ex:ann));;"
        "DELETE (resource(ex:log), rdf:_3, _);;"
        "INSERT (resource(ex:log), seq++, resource(ex:cat));;"
    )
    assert {t.predicate.value.rsplit("_")[-1]: t.object for t in arcs(repository)} == {"2": EX["bob"], "3": EX["cat"]}
    assert elements(repository, "log") == [EX["bob"], EX["cat"]]


def test_seq_wants_a_container() -> None:
    with pytest.raises(UpdateRefused, match=r"wanted a container .* found <http://example.org/ann>"):
        after("INSERT (resource(ex:ann), seq++, resource(ex:bob));;")


def test_a_literal_cannot_be_a_source() -> None:
    with pytest.raises(UpdateRefused, match="wanted a resource"):
        after(
            "INSERT (resource(ex:ann)/target(ex:name), ex:likes, resource(ex:bob));;", arc("ann", "name", Literal("x"))
        )


def test_an_unknown_name_is_refused_before_anything_has_changed() -> None:
    repository = town()
    was = set(repository)
    with pytest.raises(UnknownName, match="likes"):
        run(
            repository,
            "",
            "INSERT resource(ex:dan) AS INSTANCE OF Person;; INSERT (resource(ex:ann), ex:like, resource(ex:bob));;",
        )
    assert set(repository) == was


def test_updates_that_break_the_schema_change_nothing() -> None:
    repository = town()
    was = set(repository)
    outcome = run(repository, "", "INSERT (resource(ex:ann), ex:owns, resource(ex:bob));;")
    assert set(repository) == was
    (entry,) = outcome.entries
    assert isinstance(entry.error, SchemaViolation)
    assert entry.error.clause == "c"
    assert not outcome.changes
