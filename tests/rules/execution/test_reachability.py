"""`INSERT path AS INSTANCE OF c` happens when a node of the class comes to be on the path, whatever put it there."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.rules.execution.reference import Snapshot
from tests.rules.execution.town import PREAMBLE, a, arc, elements, run, town
from tests.rules.family import CLASSES, EX, triples
from tests.rules.test_paths import LETS, inner, paths, repositories

from triplewire.errors import SchemaViolation
from triplewire.languages.rdftl import parse_rule
from triplewire.languages.rdftl.parts import uses_delta
from triplewire.languages.rdftl.syntax import (
    Always,
    Change,
    Path,
    Resource,
    ResourceAction,
    ResourceEvent,
    Rule,
    Variable,
)
from triplewire.rdf.terms import Literal, Term, Triple
from triplewire.rules.changes import Changes, Edits
from triplewire.rules.execution.triggering.reachability import ReachIndex, is_reached, newly_reached
from triplewire.rules.graphs import PreviousGraph
from triplewire.rules.paths import Evaluation
from triplewire.rules.repository import Repository
from triplewire.rules.vocabulary import TYPE

NAMED_X = "INSERT resource()[target(ex:name) = 'x'] AS INSTANCE OF Being"
LOG = "DO INSERT (resource(ex:log), seq++, $delta);;"
LIKED = "INSERT resource(ex:ann)/target(ex:likes) AS INSTANCE OF {}"
LIKE = "INSERT (resource(ex:ann), ex:likes, resource(ex:bob));;\n"


def logged(event: str, updates: str, *more: Triple, clauses: str = "", condition: str = "True") -> list[object]:
    repository = town(*more)
    assert not run(repository, f"{clauses} ON {event} IF {condition} {LOG}", updates).aborted
    return list(elements(repository, "log"))


@pytest.mark.parametrize(
    ("event", "updates", "before", "found"),
    [
        (LIKED.format("Person"), LIKE, (), ["bob"]),
        (LIKED.format("Person"), LIKE, (arc("ann", "likes", "bob"),), []),
        (LIKED.format("Person"), LIKE.replace("likes", "loves"), (), ["bob"]),
        (LIKED.format("Person"), LIKE.replace("likes", "loves"), (arc("ann", "likes", "bob"),), []),
        (LIKED.format("Nurse"), LIKE, (), []),
        # The class may come last.
        (
            LIKED.format("Nurse"),
            "INSERT resource(ex:bob) AS INSTANCE OF Nurse;;",
            (arc("ann", "likes", "bob"),),
            ["bob"],
        ),
        (
            LIKED.format("Person"),
            "UPDATE (_, ex:likes, _ -> resource(ex:cat));;",
            (arc("ann", "likes", "bob"),),
            ["cat"],
        ),
        (NAMED_X, "INSERT (resource(ex:bob), ex:name, 'x');;", (), ["bob"]),
        (NAMED_X, "INSERT (resource(ex:bob), ex:name, 'y');;", (), []),
        # What goes may make a qualifier hold.
        (
            "INSERT resource()[target(ex:name) and not target(ex:likes)] AS INSTANCE OF Person",
            "DELETE (_, ex:likes, _);;",
            (arc("ann", "likes", "bob"), arc("ann", "name", Literal("x")), arc("bob", "name", Literal("y"))),
            ["ann"],
        ),
        # A change far away: Cat is liked by somebody who knows somebody with a name.
        (
            "INSERT resource()[target(ex:knows)/target(ex:name)]/target(ex:likes) AS INSTANCE OF Person",
            "INSERT (resource(ex:bob), ex:name, 'x');;",
            (arc("ann", "knows", "bob"), arc("ann", "likes", "cat")),
            ["cat"],
        ),
        # Or somewhere else: what a qualifier asks of a place of its own.
        (
            "INSERT resource()[resource(ex:ann)/target(ex:name)]/target(ex:likes) AS INSTANCE OF Person",
            "INSERT (resource(ex:ann), ex:name, 'x');;",
            (arc("bob", "likes", "cat"),),
            ["cat"],
        ),
        (
            "INSERT resource(ex:log)/element() AS INSTANCE OF Person",
            "INSERT (resource(ex:log), seq++, resource(ex:cat));;",
            (),
            ["cat", "cat"],
        ),
        # Without a class it is the insertion of a resource, as before.
        ("INSERT resource(ex:ann)/target(ex:likes)", LIKE, (), []),
    ],
)
def test_what_makes_a_node_reachable(event: str, updates: str, before: tuple[Triple, ...], found: list[str]) -> None:
    assert logged(event, updates, *before) == [EX[name] for name in found]


def test_deferred_it_is_what_the_transaction_makes_reachable() -> None:
    event, back = LIKED.format("Person"), "DELETE (resource(ex:ann), ex:likes, resource(ex:bob));;\n"
    clauses = "COUPLING DEFERRED"
    assert logged(event, "TRANSACTION t\n" + LIKE, clauses=clauses) == [EX["bob"]]
    assert logged(event, "TRANSACTION t\n" + LIKE + back, clauses=clauses) == []
    assert logged(event, "TRANSACTION t\n" + back + LIKE, arc("ann", "likes", "bob"), clauses=clauses) == []


def test_a_new_learning_object_with_a_subject_is_an_event_in_either_order() -> None:
    event = "INSERT resource()[target(ex:name) = 'Logic'] AS INSTANCE OF Being"
    being, named = "INSERT resource(ex:dan) AS INSTANCE OF Being;;", "INSERT (resource(ex:dan), ex:name, 'Logic');;"
    assert logged(event, being + named) == [EX["dan"]]


def in_class_and_on_path(graph: Snapshot, event: ResourceEvent) -> set[Term]:
    found = Evaluation(graph, LETS).nodes(event.path)
    return {node for node in found if Triple(node, TYPE, event.of_class) in graph.triples}  # type: ignore[arg-type]


starts = st.sampled_from([Resource(), Resource(), Resource(EX["ann"]), *(Variable(let.name) for let in LETS)])
events = st.builds(
    ResourceEvent, st.just(Change.INSERT), paths(starts, inner), st.sampled_from([EX[cls] for cls in CLASSES])
).filter(lambda event: not uses_delta(event))


@settings(max_examples=400)
@given(repositories(), st.lists(triples, max_size=3), st.lists(triples, max_size=3), events)
def test_what_is_found_along_changed_triples_is_what_following_the_whole_path_finds(
    repository: Repository, inserted: list[Triple], deleted: list[Triple], event: ResourceEvent
) -> None:
    was = Snapshot(set(repository))
    try:
        changes = repository.apply(Edits(tuple(inserted), tuple(deleted)))
    except SchemaViolation:
        return
    now = Snapshot(set(repository))
    expected = in_class_and_on_path(now, event) - in_class_and_on_path(was, event)
    found = newly_reached(event, LETS, changes, repository, PreviousGraph(repository, changes))
    assert set(found) == expected
    assert len(found) == len(expected)
    came = any(t.predicate == TYPE and t.object == event.of_class for t in changes.inserted)
    if expected and is_reached(event, LETS) and not came:
        assert indexed(event).of(changes) != []


def indexed(event: ResourceEvent) -> ReachIndex:
    index = ReachIndex()
    action = ResourceAction(Change.DELETE, Path(Resource(EX["ann"])))
    index.add(Rule(id="r", event=event, condition=Always(), actions=(action,), lets=LETS))
    return index


def test_an_index_forgets_rules_and_asks_nobody_without_a_reason() -> None:
    rule = parse_rule(
        f"{PREAMBLE} ON INSERT resource()/target(<{EX['likes'].value}>) AS INSTANCE OF <urn:C> IF True {LOG}"
    )
    index = ReachIndex()
    index.add(rule)
    assert index.of(Changes(inserted=(arc("ann", "likes", "bob"),))) == ["r1"]
    assert index.of(Changes(deleted=(arc("ann", "likes", "bob"),))) == []
    assert index.of(Changes(inserted=(arc("ann", "owes", "bob"),))) == []
    index.remove(rule)
    assert index.of(Changes(inserted=(arc("ann", "likes", "bob"), a("bob", "Person")))) == []
