"""A condition over many sites is what it is over the union of the fragments that it may read."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest
from tests.federation.federation import Federation, a, arc, called
from tests.rules.family import EX

from triplewire.federation.execution.messages import SubQuery
from triplewire.federation.execution.units import Status
from triplewire.federation.registration.records import rule_of
from triplewire.federation.sites.privileges import Access, Privileges
from triplewire.languages.rdftl.syntax import Component
from triplewire.rdf.terms import NamedNode, Term, Triple
from triplewire.rules.paths import Evaluation
from triplewire.rules.vocabulary import TYPE

NAMES = ("ann", "bob", "cat", "dan")
PROPERTIES = ("knows", "likes", "loves", "owes")


class NaiveUnion:
    """All triples in one list, with those that are kept from others left out."""

    def __init__(self, town: Federation, at: str) -> None:
        self.triples = []
        for name, site in town.sites.items():
            where = town.super_peer_of[name]
            privileges = town.super_peers[where].privileges
            for triple in site.repository:
                classes = [t.object for t in site.repository.match(triple.subject, TYPE, None)]
                if where == at or privileges.of_triple(triple, classes) >= Access.READ_ONLY:
                    self.triples.append(triple)

    def match(self, subject: Term | None, predicate: NamedNode | None, target: Term | None) -> Iterator[Triple]:
        for triple in self.triples:
            wanted = ((subject, triple.subject), (predicate, triple.predicate), (target, triple.object))
            if all(one in (None, other) for one, other in wanted):
                yield triple

    def is_asserted(self, triple: Triple) -> bool:
        raise NotImplementedError

    def last_element(self, container: Term) -> int:
        raise NotImplementedError


def random_path(rng: Random) -> str:
    start = rng.choice(("$delta", "resource()", f"resource({EX[rng.choice(NAMES)].value})"))
    steps = [random_step(rng) for _ in range(rng.randint(0, 3))]
    return start + "".join(steps)


def random_step(rng: Random) -> str:
    arc_name = f"ex:{rng.choice(PROPERTIES)}"
    match rng.randrange(5):
        case 0 | 1:
            return f"/target({arc_name})"
        case 2:
            return f"/source({arc_name})"
        case 3:
            return f"[target({arc_name})]"
    return f"[not source({arc_name})]"


def random_condition(rng: Random) -> str:
    match rng.randrange(6):
        case 0:
            return f"not {random_path(rng)}"
        case 1:
            return f"({random_path(rng)} and {random_path(rng)})"
        case 2:
            return f"({random_path(rng)} or not {random_path(rng)})"
        case 3:
            return f"{random_path(rng)} = {random_path(rng)}"
        case 4:
            return f"{random_path(rng)}/target(ex:name) = 'Ann'"
    return random_path(rng)


def random_privileges(rng: Random) -> Privileges:
    levels = [Access.PRIVATE, Access.READ_ONLY, Access.READ_WRITE]
    nodes = {EX[name]: rng.choice(levels) for name in (*PROPERTIES, "Person") if rng.random() < 0.3}
    resources = {EX[name]: rng.choice(levels) for name in NAMES if rng.random() < 0.2}
    details = {(EX[rng.choice(NAMES)], EX["knows"]): rng.choice(levels)} if rng.random() < 0.3 else {}
    return Privileges(nodes, resources, details, rng.choice(levels))


@pytest.mark.parametrize("seed", range(120))
def test_the_answer_is_that_of_the_naive_union(seed: int):
    rng = Random(seed)
    town = Federation(rng.randint(1, 4))
    supers = list(town.super_peers)
    for number in range(rng.randint(1, 5)):
        people = [a(name, "Person") for name in NAMES]
        arcs = [arc(rng.choice(NAMES), rng.choice(PROPERTIES), rng.choice(NAMES)) for _ in range(rng.randint(0, 4))]
        names = [called(rng.choice(NAMES), rng.choice(("Ann", "Bob")))] if rng.random() < 0.5 else []
        town.peer(rng.choice(supers), f"p{number}", *people, *arcs, *names)
    for at in supers:
        town.privileges(at, random_privileges(rng))
    rule = town.rule(
        rng.choice(supers),
        f"ON INSERT resource() AS INSTANCE OF Nurse IF {random_condition(rng)} DO DELETE ($delta, ex:age, _)",
    )
    triggered_at = rng.choice(sorted(town.sites))
    at = town.super_peer_of[triggered_at]
    node = rng.choice(NAMES)
    town.submit(triggered_at, f"INSERT resource({EX[node].value}) AS INSTANCE OF Nurse;;")
    town.run()
    text = rule_of(next(one for one in town.super_peers[at].registrar.base if one.id == rule).text)
    oracle = Evaluation(NaiveUnion(town, at), text.lets, {Component.WHOLE: EX[node]})
    decided = town.super_peers[at].coordinator.state.dispatched
    assert len(decided) == 1
    (come_of_it,) = decided.values()
    # What does not fire is charged to the unit that has triggered it; what fires has nobody here to act on.
    assert (come_of_it.units == []) is oracle.holds(text.condition)


def test_a_path_goes_from_site_to_site():
    town = Federation(3)
    town.peer("SP1", "one", a("ann", "Person"), a("bob", "Person"), arc("ann", "knows", "bob"))
    town.peer("SP2", "two", a("bob", "Person"), a("cat", "Person"), arc("bob", "knows", "cat"))
    town.peer("SP3", "three", a("cat", "Person"), called("cat", "Cat"))
    rule = town.rule(
        "SP1",
        "ON INSERT resource() AS INSTANCE OF Nurse "
        "IF $delta/target(ex:knows)/target(ex:knows)/target(ex:name) = 'Cat' DO INSERT ($delta, ex:name, 'yes')",
    )
    town.submit("one", "INSERT resource(http://example.org/ann) AS INSTANCE OF Nurse;;")
    town.run()
    assert town.status(rule) == [Status.COMMITTED]


def test_sub_queries_go_only_where_such_data_is():
    town = Federation(5)
    for number in range(1, 6):
        town.peer(f"SP{number}", f"p{number}", a("ann", "Person"))
    town.peer("SP4", "friends", a("ann", "Person"), arc("ann", "knows", "ann"))
    town.rule(
        "SP1", "ON INSERT resource() AS INSTANCE OF Nurse IF $delta/target(ex:knows) DO DELETE ($delta, ex:age, _)"
    )
    asked: set[str] = set()
    town.holds = lambda step: bool(isinstance(step[2], SubQuery) and asked.add(step[1]))
    town.submit("p1", "INSERT resource(http://example.org/ann) AS INSTANCE OF Nurse;;")
    town.run()
    assert asked == {"SP4"}


class TestFailure:
    """A condition that cannot be evaluated is a failure of what it would have led to."""

    def town(self, clauses: str) -> tuple[Federation, str]:
        town = Federation(2)
        town.peer("SP1", "one", a("ann", "Person"))
        town.peer("SP2", "two", a("ann", "Person"), arc("ann", "knows", "ann"))
        town.preamble = f"{clauses} {town.preamble}"
        town.rule(
            "SP1",
            "ON INSERT resource() AS INSTANCE OF Nurse IF $delta/target(ex:knows) DO INSERT ($delta, ex:name, 'x')",
        )
        town.preamble = town.preamble.removeprefix(clauses)
        town.holds = lambda step: isinstance(step[2], SubQuery)
        unit = town.submit("one", "INSERT resource(http://example.org/ann) AS INSTANCE OF Nurse;;")
        town.run()
        assert town.unit(unit).status is Status.ACTIVE
        town.wait(12)
        return town, unit

    def test_of_an_independent_rule_nobody_else_hears(self):
        town, unit = self.town("ABORT INDEPENDENT")
        assert town.unit(unit).status is Status.COMMITTED

    def test_a_rule_that_binds_its_parent_takes_it_along(self):
        town, unit = self.town("ABORT CHILDPARENT")
        assert town.unit(unit).status is Status.ABORTED
        assert "have not answered in time" in town.unit(unit).reason
        assert a("ann", "Nurse") not in town.merged
