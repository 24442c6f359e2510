"""A condition over the fragments of many sites (section 3.2): sub-queries, round by round.

What a path means across sites: the graph that it is followed in is the union of the fragments of all sites that the
condition may read, each with its closure. One step may stand at one site and the next one at another.

The condition is evaluated over what is known so far. Every lookup that it makes and that nobody has answered yet goes
into one round of sub-queries, each to the sites that may have triples for it; then it is evaluated again, until it asks
for nothing that is not known. There are as many rounds as the longest path has steps, more or less. Lookups that turn
out to be needless, since something was not known yet, do no harm.

What the peer has answered where the event was, the condition's *home*, is known apart. There a deferred rule's event
has to stand still at the end of its transaction, and there the state before the change is read by rules that wait for
the deletion of a resource: what home has, without what the change has inserted and with what it has deleted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct, field

from triplewire.federation.execution.units import Firing, Trigger
from triplewire.federation.registration.records import RuleRecord, rule_of
from triplewire.rdf.terms import Literal, NamedNode, Term, Triple
from triplewire.rules.changes import Changes
from triplewire.rules.execution.rulebook import ResolvedRule, is_set_oriented
from triplewire.rules.execution.triggering.deferral import Standing
from triplewire.rules.execution.triggering.firing import holding
from triplewire.rules.graphs import Graph, Lookup, PreviousGraph
from triplewire.rules.paths import DeltaTerms

Instances = tuple[DeltaTerms | None, ...]
Answers = dict[Lookup, frozenset[Triple]]


class KnownGraph:
    """A graph of which some lookups are answered. Those that are not are noted, and find nothing."""

    def __init__(self, known: Mapping[Lookup, frozenset[Triple]]) -> None:
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


class UnionGraph:
    """What is in one of two graphs."""

    def __init__(self, one: Graph, other: Graph) -> None:
        self._graphs = one, other

    def match(self, subject: Term | None, predicate: NamedNode | None, target: Term | None) -> Iterator[Triple]:
        found = (triple for graph in self._graphs for triple in graph.match(subject, predicate, target))
        return iter(dict.fromkeys(found))

    def is_asserted(self, triple: Triple) -> bool:
        """Conditions do not ask that."""
        raise NotImplementedError

    def last_element(self, container: Term) -> int:
        """Conditions do not ask that."""
        raise NotImplementedError


class ConditionEvaluation(Struct):
    """A condition that is being evaluated, for what has triggered its rule at `home`.

    `changes` is what has changed there: by the update, or, of a deferred rule, by the whole transaction. `standing` are
    the `$delta`s of which that still tells; None: nobody knows yet. `waiting` are the sub-queries that are out, each
    with its lookups; those in `asked_home` went home.
    """

    trigger: Trigger
    root: str
    group: str
    home: str
    changes: Changes
    until: float
    standing: tuple[DeltaTerms, ...] | None
    at_home: Answers = field(default_factory=dict)
    elsewhere: Answers = field(default_factory=dict)
    waiting: dict[str, tuple[Lookup, ...]] = field(default_factory=dict)
    asked_home: set[str] = field(default_factory=set)
    holding: Instances | None = None
    failure: str | None = None

    @property
    def id(self) -> str:
        return self.trigger.id

    @property
    def unit(self) -> str:
        """The unit that has triggered the rule."""
        return self.trigger.cause

    @property
    def record(self) -> RuleRecord:
        return self.trigger.record

    @property
    def is_decided(self) -> bool:
        return self.holding is not None or self.failure is not None

    def is_late(self, now: float) -> bool:
        """Whether the sites that it waits for have had their time."""
        return not self.is_decided and self.until <= now

    @property
    def firings(self) -> list[Firing]:
        return [Firing(self.record, delta, self.trigger.classes, self.id) for delta in self.holding or ()]

    def evaluate(self) -> tuple[Lookup, ...]:
        """Evaluate over what is known; returns what is missing: at home, as long as nobody knows what still stands.

        Nothing is missing: it is decided, or it is known what stands.
        """
        here = KnownGraph(self.at_home)
        before = PreviousGraph(here, self.changes)
        rule = rule_of(self.record.text)
        if self.standing is None:
            standing = Standing(rule.event, rule.lets, here, before)
            found = tuple(delta for delta in self.trigger.deltas if standing.holds(delta))
            if not here.missing:
                self.standing = found
            return tuple(sorted(here.missing, key=str))
        others = KnownGraph(self.elsewhere)
        resolved = ResolvedRule(rule, 0, is_set_oriented(rule))
        holds = tuple(holding(resolved, self.standing, UnionGraph(here, others), UnionGraph(before, others)))
        missing = {**here.missing, **others.missing}
        if not missing:
            self.holding = holds
        return tuple(sorted(missing, key=str))

    def not_known_at_home(self, lookups: Iterable[Lookup]) -> tuple[Lookup, ...]:
        return tuple(lookup for lookup in lookups if lookup not in self.at_home)

    def not_known_elsewhere(self, lookups: Iterable[Lookup]) -> tuple[Lookup, ...]:
        return tuple(lookup for lookup in lookups if lookup not in self.elsewhere)

    def wait(self, query: str, lookups: tuple[Lookup, ...], *, is_home: bool = False) -> None:
        """A sub-query is out."""
        self.waiting[query] = lookups
        if is_home:
            self.asked_home.add(query)

    def answer(self, query: str, answers: Sequence[Iterable[Triple]]) -> bool:
        """A site has answered a sub-query; whether the round is over."""
        lookups = self.waiting.pop(query, None)
        if lookups is None:
            return False
        known = self.at_home if query in self.asked_home else self.elsewhere
        for lookup, triples in zip(lookups, answers, strict=True):
            known[lookup] = known.get(lookup, frozenset()) | frozenset(triples)
        return not self.waiting

    def fail(self, reason: str) -> None:
        """It cannot be decided: a failure of what it would have led to."""
        self.waiting.clear()
        self.holding, self.failure = None, reason

    def expect_nothing(self, lookups: Iterable[Lookup], *, elsewhere: bool) -> None:
        """These are answered as far as nobody else knows anything."""
        for lookup in lookups:
            self.at_home.setdefault(lookup, frozenset())
            if elsewhere:
                self.elsewhere.setdefault(lookup, frozenset())


class ServedQuery(Struct):
    """A sub-query of another super-peer, which peers of our group are answering."""

    query: str
    sender: str
    lookups: tuple[Lookup, ...]
    until: float
    waiting: dict[str, str]
    found: list[set[Triple]]
    is_complete: bool = True
