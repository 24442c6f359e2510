"""A small town to try rules on: everything that the schema of `family` has, and short ways to say it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from time import monotonic

from tests.rules.family import EX, FAMILY

from triplewire.languages.rdftl import parse_rules, parse_updates
from triplewire.rdf.terms import Literal, Term, Triple
from triplewire.rules.execution import Limits, Rulebook, Runner, ScheduleOutcome
from triplewire.rules.execution.context import Arrange, as_registered
from triplewire.rules.execution.units import Commutes, none_commutes
from triplewire.rules.repository import Repository
from triplewire.rules.vocabulary import TYPE, number_of

PREAMBLE = "USING NAMESPACE ex http://example.org/\n"


def a(node: str, cls: str) -> Triple:
    return Triple(EX[node], TYPE, EX[cls])


def arc(source: str, name: str, target: str | Literal) -> Triple:
    return Triple(EX[source], EX[name], target if isinstance(target, Literal) else EX[target])


def town(*more: Triple) -> Repository:
    """Ann, Bob and Cat are people, mug and cup are things, log is a queue."""
    repository = Repository(FAMILY)
    people = [a(name, "Person") for name in ("ann", "bob", "cat")]
    repository.load([*people, a("mug", "Thing"), a("cup", "Thing"), a("log", "Queue"), *more])
    return repository


def rulebook(rules: str) -> Rulebook:
    return Rulebook(FAMILY, parse_rules(PREAMBLE + rules) if rules else ())


def runner(
    repository: Repository,
    rules: str = "",
    *,
    limits: Limits | None = None,
    commutes: Commutes = none_commutes,
    arrange: Arrange = as_registered,
    clock: Callable[[], float] = monotonic,
) -> Runner:
    return Runner(repository, rulebook(rules), limits=limits, commutes=commutes, arrange=arrange, clock=clock)


def run(repository: Repository, rules: str, updates: str) -> ScheduleOutcome:
    return runner(repository, rules).run(parse_updates(PREAMBLE + updates))


def elements(repository: Repository, container: str) -> list[Term]:
    """The elements in their order."""
    numbered = [(number_of(t.predicate), t.object) for t in repository.match(EX[container], None, None)]
    return [element for number, element in sorted((n, e) for n, e in numbered if n is not None)]


def arcs(triples: Iterable[Triple]) -> set[Triple]:
    """Without classes."""
    return {triple for triple in triples if triple.predicate != TYPE}


def rules_of(outcome: ScheduleOutcome) -> list[str | None]:
    return [entry.rule for entry in outcome.firings]
