"""A condition over the fragments of many sites (section 3.2): sub-queries, round by round.

What a path means across sites: the graph that it is followed in is the union of the fragments of all sites that the
condition may read, each with its closure. One step may stand at one site and the next one at another.

The condition is evaluated over what is known so far. Every lookup that it makes and that nobody has answered yet goes
into one round of sub-queries, each to the sites that may have triples for it; then it is evaluated again, until it asks
for nothing that is not known. There are as many rounds as the longest path has steps, more or less. Lookups that turn
out to be needless, since something was not known yet, do no harm.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct, field

from triplewire.federation.execution.units import Firing
from triplewire.federation.registration.records import RuleRecord, rule_of
from triplewire.federation.sites.requests import Classes
from triplewire.rdf.terms import Literal, NamedNode, Term, Triple
from triplewire.rules.graphs import Lookup
from triplewire.rules.paths import DeltaTerms, Evaluation

Instances = tuple[DeltaTerms | None, ...]


class KnownGraph:
    """A graph of which some lookups are answered. Those that are not are noted, and find nothing."""

    def __init__(self, known: dict[Lookup, frozenset[Triple]]) -> None:
        self._known = known
        self.missing: dict[Lookup, None] = {}

    def match(self, subject: Term | None, predicate: NamedNode | None, target: Term | None) -> Iterator[Triple]:
        if isinstance(subject, Literal | Triple):
            return
        lookup = Lookup(subject, predicate, target)
        found = self._known.get(lookup)
        if found is None:
            self.missing[lookup] = None
        else:
            yield from found

    def is_asserted(self, triple: Triple) -> bool:
        """Conditions do not ask that."""
        raise NotImplementedError

    def last_element(self, container: Term) -> int:
        """Conditions do not ask that."""
        raise NotImplementedError


class ConditionEvaluation(Struct):
    """A condition that is being evaluated for some `$delta`s; None stands for a rule that does not mention it.

    `waiting` are the sub-queries that are out, each with its lookups and its site.
    """

    id: str
    unit: str
    root: str
    group: str
    record: RuleRecord
    instances: Instances
    classes: Classes
    until: float
    known: dict[Lookup, frozenset[Triple]] = field(default_factory=dict)
    waiting: dict[str, tuple[Lookup, ...]] = field(default_factory=dict)
    holding: Instances | None = None
    failure: str | None = None

    @property
    def is_decided(self) -> bool:
        return self.holding is not None or self.failure is not None

    def is_late(self, now: float) -> bool:
        """Whether the sites that it waits for have had their time."""
        return not self.is_decided and self.until <= now

    @property
    def firings(self) -> list[Firing]:
        return [Firing(self.record, delta, self.classes, self.id) for delta in self.holding or ()]

    def evaluate(self) -> tuple[Lookup, ...]:
        """Evaluate over what is known; returns what is missing. Nothing is missing: it is decided."""
        rule = rule_of(self.record.text)
        graph = KnownGraph(self.known)
        holding = [d for d in self.instances if Evaluation(graph, rule.lets, d).holds(rule.condition)]
        if not graph.missing:
            self.holding = tuple(holding)
        return tuple(sorted(graph.missing, key=str))

    def answer(self, query: str, answers: Sequence[Iterable[Triple]]) -> bool:
        """A site has answered a sub-query; whether the round is over."""
        lookups = self.waiting.pop(query, None)
        if lookups is None:
            return False
        for lookup, triples in zip(lookups, answers, strict=True):
            self.known[lookup] = self.known.get(lookup, frozenset()) | frozenset(triples)
        return not self.waiting

    def fail(self, reason: str) -> None:
        """It cannot be decided: a failure of what it would have led to."""
        self.waiting.clear()
        self.holding, self.failure = None, reason

    def expect_nothing(self, lookups: Iterable[Lookup]) -> None:
        """These are answered as far as nobody else knows anything."""
        for lookup in lookups:
            self.known.setdefault(lookup, frozenset())


class ServedQuery(Struct):
    """A sub-query of another super-peer, which peers of our group are answering."""

    query: str
    sender: str
    lookups: tuple[Lookup, ...]
    until: float
    waiting: dict[str, str]
    found: list[set[Triple]]
    is_complete: bool = True
