"""Whenever the analysis says that copies or rules commute, running them in either order gives the same graph.

Graphs are compared up to the numbers of a bag's elements; those of a list count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from hypothesis import assume, given
from hypothesis import strategies as st
from msgspec import Struct
from tests.rules.analysis.library import EX, LETS, SCHEMA

from triplewire.errors import BudgetExceeded
from triplewire.languages.rdftl import parse_rules, parse_updates
from triplewire.languages.rdftl.syntax import Rule, Update
from triplewire.rdf.terms import RDF, Literal, Triple
from triplewire.rules.analysis import Analysis
from triplewire.rules.execution import Limits, Rulebook, Runner, ScheduleOutcome
from triplewire.rules.execution.triggering.firing import Firing
from triplewire.rules.repository import Repository
from triplewire.rules.vocabulary import TYPE, number_of

ANN, BOB, BOOK, JOURNAL, NEW = (f"resource({EX}{name})" for name in ("ann", "bob", "b1", "j1", "new"))

# A work that comes to be on a path, by whatever change.
REACHED = [
    ("INSERT $shelf/element() AS INSTANCE OF Work", "$delta"),
    ("INSERT resource()[target(title)] AS INSTANCE OF Book", "$delta"),
    ("INSERT resource()[not target(note)] AS INSTANCE OF Work", "$delta"),
    ("INSERT resource()/target(likes)[target(by)] AS INSTANCE OF Work", "$delta"),
]
WORKS = ("b1", "b2", "j1")


class Scenario(Struct, frozen=True):
    """An update that changes several things at once, and events that it is, each with the work in their $delta."""

    update: str
    events: tuple[tuple[str, str], ...]


def _for_each(arc: str) -> str:
    return ", ".join(arc.replace("@", f"resource({EX}{work})") for work in WORKS)


SCENARIOS = [
    Scenario(
        "INSERT " + _for_each("(@, title, 'x'), (@, title, 'z')"),
        (
            ("INSERT (_, title, _)", "$delta"),
            ("INSERT (_, title, 'x')", "$delta"),
            ("INSERT (_, _, _)", "$delta"),
            ("INSERT resource()[target(title)] AS INSTANCE OF Work", "$delta"),
        ),
    ),
    Scenario(
        f"INSERT {_for_each(f'(@, editedBy, {BOB})')}",
        (
            ("INSERT (_, by, _)", "$delta"),
            ("INSERT (_, editedBy, _)", "$delta"),
            ("INSERT (_, by, _)", "$delta.source"),
        ),
    ),
    Scenario(
        f"INSERT {_for_each(f'({ANN}, likes, @)')}, {_for_each(f'({BOB}, likes, @)')}",
        (("INSERT (_, likes, _)", "$delta.target"), ("INSERT resource()/target(likes) AS INSTANCE OF Book", "$delta")),
    ),
    Scenario(
        ", ".join(
            ["INSERT (resource(http://example.org/new), rdf:type, resource(http://example.org/Book))"]
            + [f"(resource({EX}n{n}), rdf:type, resource({EX}{c}))" for n, c in enumerate(("Book", "Journal", "Work"))]
        ),
        (
            ("INSERT resource() AS INSTANCE OF Work", "$delta"),
            ("INSERT resource() AS INSTANCE OF Book", "$delta"),
            ("INSERT resource()", "$delta"),
        ),
    ),
    Scenario(
        "DELETE (_, title, _), (_, likes, _)",
        (("DELETE (_, title, _)", "$delta"), ("DELETE (_, likes, _)", "$delta.target")),
    ),
    Scenario("UPDATE (_, title, _ -> 'u')", (("UPDATE (_, title, _ -> _)", "$delta"),)),
    Scenario(
        f"INSERT {_for_each('($shelf, seq++, @)')}",
        (("INSERT ($shelf, _, _)", "$delta.target"), ("INSERT (_, rdf:_2, _)", "$delta.target")),
    ),
    Scenario(
        "DELETE resource()[target(title)] AS INSTANCE OF Work",
        (
            ("DELETE resource() AS INSTANCE OF Work", "$delta"),
            ("DELETE resource()", "$delta"),
            ("DELETE (_, title, _)", "$delta"),
        ),
    ),
]
FOLLOWING = [pair for scenario in SCENARIOS for pair in scenario.events] + [
    ("INSERT (_, note, _)", "$delta"),
    ("INSERT (_, knows, _)", "$delta"),
    ("DELETE (_, by, _)", "$delta"),
    ("INSERT ($queue, _, _)", "$delta.target"),
    ("UPDATE (_, by, _ -> _)", "$delta"),
    ("UPDATE (_, likes, _ -> _)", "$delta.new_target"),
    ("INSERT $shelf/element()", "$delta"),
    ("DELETE resource()", "$delta"),
    ("DELETE resource() AS INSTANCE OF Book", "$delta"),
    *REACHED,
]
CONDITIONS = [
    "@/target(title) = 'x'",
    "@/target(title)",
    "not @/target(note)",
    "@/target(by)",
    "@/source(likes)",
    f"{ANN}/target(likes)",
    f"not {ANN}/target(likes)",
    f"{NEW}",
    "$shelf/element()/target(title) = 'x'",
    "$queue/element()",
    "$shelf/element(1)",
]
# @ is the work in $delta. Some are wrong for some works: a refusal is an outcome too, and must not depend on order.
ACTIONS = [
    "INSERT (@, title, 'x')",
    "INSERT (@, note, 'n')",
    f"INSERT (@, by, {ANN})",
    f"INSERT (@, editedBy, {BOB})",
    f"INSERT ({ANN}, likes, @)",
    "INSERT (@/target(by), knows, @/target(by))",
    "INSERT ($shelf, seq++, @)",
    "INSERT ($shelf, seq++, @)",
    "INSERT ($queue, seq++, @)",
    f"INSERT ($shelf, seq++, {BOOK})",
    f"INSERT ($shelf, rdf:_1, {BOOK})",
    "INSERT ($shelf, rdf:_2, @)",
    f"INSERT {NEW} AS INSTANCE OF Book",
    f"INSERT ({NEW}, title, 'x')",
    f"INSERT ({NEW}, note, 'n')",
    "INSERT @ AS INSTANCE OF Journal",
    "INSERT @ AS INSTANCE OF Person",
    "INSERT (resource()[target(title) = 'x'], note, 'found')",
    "INSERT (resource()[not target(note)], note, 'none')",
    "INSERT (_, note, 'all')",
    f"INSERT ({ANN}/target(likes), note, 'liked')",
    f"INSERT ({BOOK}, title, 'x')",
    "DELETE (@, title, _)",
    "DELETE (@, note, _)",
    "DELETE (_, note, 'n')",
    "DELETE (@, by, _)",
    "DELETE (@, editedBy, _)",
    "DELETE (@, _, _)",
    f"DELETE ({ANN}, likes, @)",
    f"DELETE ({ANN}, likes, {BOOK})",
    f"DELETE ({ANN}, likes, _)",
    "DELETE ($shelf, _, @)",
    "DELETE @",
    "DELETE @ AS INSTANCE OF Book",
    "DELETE @ AS INSTANCE OF Work",
    f"DELETE {JOURNAL}",
    "UPDATE (@, title, _ -> 'y')",
    "UPDATE (_, note, _ -> 'y')",
    f"UPDATE (@, by, _ -> {BOB})",
    f"UPDATE ({ANN}, likes, _ -> @)",
    f"UPDATE ({ANN}, likes, _ -> {BOOK})",
]
ABORTS = [*[[]] * 7, ["ABORT 'no'"]]
COUPLINGS = ["", "", "", "COUPLING DEFERRED ", "COUPLING DEFERRED ", "COUPLING DETACHED ABORT MUTUAL "]
# What a transaction goes on to do, before deferred conditions are looked at.
LATER = [
    f"INSERT ({BOOK}, title, 'x')",
    "DELETE (_, title, _)",
    "DELETE (_, likes, _)",
    f"INSERT ({ANN}, likes, {JOURNAL})",
    f"DELETE ({ANN}, likes, {BOOK})",
    "UPDATE (_, title, 'x' -> 'z')",
    f"DELETE {NEW}",
    f"INSERT {NEW} AS INSTANCE OF Book",
    f"INSERT ($shelf, seq++, {BOOK})",
    "DELETE ($shelf, _, _)",
    f"DELETE (_, by, {BOB})",
]


def rule_texts(events: Sequence[tuple[str, str]]) -> st.SearchStrategy[str]:
    """Rules on one of the events."""
    return st.builds(
        lambda coupling, on, condition, actions, abort: (
            f"{coupling}ON {on[0]} IF {condition} DO {', '.join([*actions, *abort])};;\n".replace("@", on[1])
        ),
        st.sampled_from(COUPLINGS),
        st.sampled_from(events),
        st.one_of(st.just("True"), st.sampled_from(CONDITIONS)),
        st.lists(st.sampled_from(ACTIONS), min_size=1, max_size=2),
        st.sampled_from(ABORTS),
    )


@st.composite
def cases(draw) -> tuple[list[Triple], tuple[Rule, ...], tuple[Update, ...]]:
    """A graph; rules, of which the first update triggers the first two; and the updates of a transaction."""
    scenario = draw(st.sampled_from(SCENARIOS))
    triggered = draw(st.lists(rule_texts(scenario.events), min_size=2, max_size=2))
    others = draw(st.lists(rule_texts(FOLLOWING), max_size=2))
    loose = draw(st.lists(st.sampled_from(LOOSE), unique=True, max_size=8))
    rules = parse_rules(LETS + "".join(triggered + others))
    later = draw(st.lists(st.sampled_from(LATER), max_size=2))
    return [*FIRM, *loose], rules, parse_updates(f"{LETS} TRANSACTION t " + ";;".join([scenario.update, *later, ""]))


def _triple(text: str) -> Triple:
    subject, name, target = text.split()
    predicate = TYPE if name == "a" else RDF[name] if name.startswith("_") else EX[name]
    return Triple(EX[subject], predicate, Literal(target[1:-1]) if target.startswith("'") else EX[target])


FIRM = [
    _triple(text)
    for text in (
        "ann a Person", "bob a Person", "shelf a Shelf", "queue a Queue", "ann shelf shelf", "ann queue queue",
        "b1 a Book", "b2 a Book", "j1 a Journal",
    )
]  # fmt: skip
LOOSE = [
    _triple(text)
    for text in (
        "ann likes b1", "bob likes j1", "b1 by ann", "b2 editedBy ann", "b1 editedBy bob", "ann knows bob",
        "b1 title 'x'", "b2 title 'z'", "j1 title 'x'", "b2 note 'n'", "j1 note 'n'",
        "b2 a Work", "shelf _1 b2", "shelf _2 b1", "queue _1 b1",
    )
]  # fmt: skip
Order = Callable[[Sequence[Firing]], Sequence[Firing]]


def outcome(triples: list[Triple], rules: Sequence[Rule], updates: Sequence[Update], order: Order) -> Counter[object]:
    """The graph at the end; examples that do not end are no examples."""
    graph, done = executed(triples, rules, updates, order)
    assume(not any(isinstance(entry.error, BudgetExceeded) for entry in done.entries))
    return graph


def executed(
    triples: list[Triple], rules: Sequence[Rule], updates: Sequence[Update], order: Order
) -> tuple[Counter[object], ScheduleOutcome]:
    """The graph at the end, without the numbers of bags, and how it came to be."""
    repository = Repository(SCHEMA)
    repository.load(triples)
    runner = Runner(repository, Rulebook(SCHEMA, rules), limits=Limits(depth=12, updates=300), arrange=order)
    done = runner.run(updates)
    return Counter(_orderless(triple, repository) for triple in repository), done


def _orderless(triple: Triple, repository: Repository) -> object:
    if number_of(triple.predicate) is None or Triple(triple.subject, TYPE, RDF["Bag"]) not in repository:
        return triple
    return triple.subject, "element", triple.object


def last(*rules: str) -> Order:
    """Those of other rules first, then those of the rules in this order."""
    place = {rule: number for number, rule in enumerate(rules, start=1)}
    return lambda firings: sorted(firings, key=lambda firing: place.get(firing.rule.id, 0))


def turned(rule: str) -> Order:
    """The copies of one rule the other way round, in their places."""

    def order(firings: Sequence[Firing]) -> Sequence[Firing]:
        own = [firing for firing in firings if firing.rule.id == rule]
        return [own.pop() if firing.rule.id == rule else firing for firing in firings]

    return order


def test_a_book_that_becomes_a_person_first_is_not_the_same_as_one_that_is_deleted_first():
    """It has one class left or none when it is no work any more: its title is in the way, or goes with it."""
    on = "ON INSERT (_, title, _) IF True DO"
    rules = parse_rules(f"{LETS} {on} INSERT $delta AS INSTANCE OF Person;; {on} DELETE $delta AS INSTANCE OF Work;;")
    updates = parse_updates(f"{LETS} INSERT ({BOOK}, title, 'x');;")
    (first, _), (second, _) = (executed(FIRM, rules, updates, last(*order)) for order in (("r1", "r2"), ("r2", "r1")))
    assert first != second
    assert not Analysis(rules, SCHEMA).commutes("r1", "r2").holds


@given(cases())
def test_copies_of_a_well_defined_rule_may_run_in_any_order(case):
    triples, rules, updates = case
    analysis = Analysis(rules, SCHEMA)
    good = [rule.id for rule in rules if analysis.well_defined(rule.id).holds]
    assume(good)
    straight = outcome(triples, rules, updates, lambda firings: firings)
    for rule in good:
        assert outcome(triples, rules, updates, turned(rule)) == straight


@given(cases())
def test_rules_that_commute_may_run_in_any_order(case):
    triples, rules, updates = case
    analysis = Analysis(rules, SCHEMA)
    first, second = rules[0].id, rules[1].id
    assume(analysis.commutes(first, second).holds)
    straight = outcome(triples, rules, updates, last(first, second))
    assert outcome(triples, rules, updates, last(second, first)) == straight
