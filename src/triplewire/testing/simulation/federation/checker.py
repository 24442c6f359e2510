"""Whether a run was right, once it is quiet, judged from its history and from what lies where.

Eight rules:

    unfinished   everything that was scheduled has committed or aborted, and nothing waits
    sealed       what a peer has changed by itself has not aborted, and somebody has said so where it would have had to
    dependency   who has to abort with whom has aborted, as section 2.3 defines the four dependencies
    left         each peer has what it had, and what units that did not abort have written since, and nothing else
    privilege    nothing was written for another super-peer that its group does not let others write
    replica      each super-peer holds the rules that are e-relevant to what it has data of
    cycle        what has not aborted can be serialised
    one node     where all rules commute and nothing was out of reach, the merged repository is that of one node

Whoever reads this needs no knowledge of messages: dependencies come from the rules, what was written from the peers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from triplewire.federation.execution.effects import (
    CompensationRefused,
    ConditionFailed,
    NotCompensated,
    RulesMissing,
    SealedStays,
    UnitAborted,
    UnitCommitted,
    UnitScheduled,
)
from triplewire.federation.indexes.group_index import induced
from triplewire.federation.indexes.local_index import LocalIndex
from triplewire.federation.indexes.merging import merged as merged_schemas
from triplewire.federation.registration.records import RuleRecord, rule_of
from triplewire.federation.sites.privileges import Access, Privileges
from triplewire.languages.rdftl.syntax import Abort, Rule
from triplewire.rdf.terms import NamedNode, Triple
from triplewire.rules.analysis import e_relevant
from triplewire.rules.vocabulary import MEMBERSHIP, TYPE, number_of
from triplewire.testing.simulation.checking import HistoryChecker, Violation
from triplewire.testing.simulation.federation.history import Changed, Happened, Incomplete, Submitted, Wrote
from triplewire.testing.simulation.federation.one_node import merged, one_node
from triplewire.testing.simulation.federation.workload import commute
from triplewire.testing.simulation.federation.world import FederationWorld

_SHOWN = 6


class FederationChecker(HistoryChecker):
    """The rules over one world that has come to rest.

    `in_turn`: each transaction was submitted when all was quiet. `fails_together`: what fails takes everything along.
    """

    def __init__(self, world: FederationWorld, *, in_turn: bool, fails_together: bool = False) -> None:
        self._world = world
        self._in_turn = in_turn
        self._fails_together = fails_together
        records = world.history.records
        self.happened = [record for record in records if isinstance(record, Happened)]
        self.scheduled = {one.what.unit: one.what for one in self.happened if isinstance(one.what, UnitScheduled)}
        self.committed = {one.what.unit for one in self.happened if isinstance(one.what, UnitCommitted)}
        self.aborted = {one.what.unit: one.what.reason for one in self.happened if isinstance(one.what, UnitAborted)}
        self.sealed = {name for name, unit in self.scheduled.items() if unit.is_sealed}
        self.stayed = {one.what.unit for one in self.happened if isinstance(one.what, SealedStays)}
        self.written = [record for record in records if isinstance(record, Wrote)]
        self.changed = [record for record in records if isinstance(record, Changed)]
        self.asked = [record for record in records if isinstance(record, Submitted | Changed)]
        self._records = {record.id: record for host in world.hosts.values() for record in host.rules.registrar.base}
        self.was_compared = False

    def violations(self) -> Iterator[Violation]:
        """All violations."""
        yield from self._unfinished()
        yield from self._sealed()
        yield from self._dependencies()
        yield from self._left()
        yield from self._privileges()
        yield from self._replicas()
        yield from self._cycles()
        yield from self._one_node()

    @property
    def is_missing_replicas(self) -> bool:
        """Whether a rule has not come yet to where it belongs."""
        return next(self._replicas(), None) is not None

    # Ends

    def _unfinished(self) -> Iterator[Violation]:
        if not self._world.is_quiet:
            busy = [host.id for host in self._world.hosts.values() if not host.is_quiet]
            yield self._violation("unfinished", f"{', '.join(busy)} are busy still")
        for unit in self.scheduled:
            if unit not in self.committed and unit not in self.aborted:
                yield self._violation("unfinished", f"{unit} has neither committed nor aborted")
        for one in self.happened:
            if isinstance(one.what, CompensationRefused):
                yield self._violation("unfinished", f"nothing was compensated at {one.what.peer}: {one.what.reason}")

    def _sealed(self) -> Iterator[Violation]:
        for unit in sorted(self.sealed & self.aborted.keys()):
            yield self._violation("sealed", f"{unit} has aborted, which its peer had committed")
        if len(self.sealed) != len(self.changed):
            yield self._violation(
                "sealed", f"{len(self.changed)} changes of peers have become {len(self.sealed)} units"
            )

    def _dependencies(self) -> Iterator[Violation]:
        for child in self.scheduled.values():
            if child.parent is None or child.rule is None:
                continue
            dependency = _dependency(child.parent, child.unit, self._records[child.rule])
            parent_aborts = dependency in (Abort.PARENT_CHILD, Abort.MUTUAL) and child.parent in self.aborted
            child_aborts = dependency in (Abort.CHILD_PARENT, Abort.MUTUAL) and child.unit in self.aborted
            if parent_aborts and child.unit not in self.aborted:
                yield self._violation("dependency", f"{child.parent} aborted, and {child.unit} ({dependency}) did not")
            if child_aborts and child.parent in self.sealed:
                if child.parent not in self.stayed:
                    yield self._violation("sealed", f"{child.unit} aborted, and nobody says that {child.parent} stays")
            elif child_aborts and child.parent not in self.aborted:
                yield self._violation("dependency", f"{child.unit} aborted, and {child.parent} ({dependency}) did not")

    # What lies where

    def _left(self) -> Iterator[Violation]:
        for name, peer in self._world.peers.items():
            expected = self._expected(name, peer.start)
            found = set(peer.site.repository.asserted)
            if found != expected:
                more, less = _listed(found - expected), _listed(expected - found)
                yield self._violation("left", f"{name} has {more} too many, and lacks {less}")
            index, again = peer.site.index, LocalIndex(peer.site.repository)
            known = self._world.hosts[peer.super_peer].rules.group[name]
            if not index.nodes == again.nodes == known.nodes or set(known.references) != again.references:
                yield self._violation("left", f"the index of {name} is not that of its repository")

    def _expected(self, peer: str, start: frozenset[Triple]) -> set[Triple]:
        """What has aborted counts only where something sealed has built on it."""
        kept = [one.what for one in self.happened if isinstance(one.what, NotCompensated) and one.what.peer == peer]
        there = {triple for what in kept for triple in what.there}
        gone = {triple for what in kept for triple in what.gone}
        expected = set(start)
        for wrote in (record for record in self._world.history.records if isinstance(record, Wrote | Changed)):
            if wrote.peer == peer:
                is_undone = isinstance(wrote, Wrote) and wrote.unit in self.aborted
                expected -= set(wrote.deleted) & gone if is_undone else set(wrote.deleted)
                expected |= set(wrote.inserted) & there if is_undone else set(wrote.inserted)
        return expected

    def _privileges(self) -> Iterator[Violation]:
        for wrote in self.written:
            unit = self.scheduled[wrote.unit]
            here = wrote.unit.partition("/")[0]
            if unit.parent is None or unit.parent.partition("/")[0] == here:
                continue
            classes = {(node, cls) for node, cls in wrote.classes}
            for triple in (*wrote.inserted, *wrote.deleted):
                own = {cls for node, cls in classes if node == str(triple.subject)}
                if not _may_write(self._world.privileges(here), triple, own):
                    yield self._violation("privilege", f"{wrote.unit} of {unit.parent} wrote {triple} at {wrote.peer}")

    def _replicas(self) -> Iterator[Violation]:
        for host in self._world.hosts.values():
            has = frozenset(
                n for name in self._world.peers_of(host.id) for n in self._world.peers[name].site.index.nodes
            )
            declared = [
                (name, self._world.peers[name].site.repository.schema) for name in self._world.peers_of(host.id)
            ]
            schema = induced(merged_schemas(declared).schema, has)
            for record in self._records.values():
                if e_relevant(rule_of(record.text), schema) and record.id not in host.rules.registrar.base:
                    yield self._violation("replica", f"{host.id} has what {record.id} waits for, and not the rule")

    def _cycles(self) -> Iterator[Violation]:
        edges = {edge for host in self._world.hosts.values() for edge in host.rules.coordinator.state.order.edges}
        left = {edge for edge in edges if not self.aborted.keys() & edge}
        while True:
            ends = {second for _, second in left}
            kept = {(first, second) for first, second in left if first in ends}
            if kept == left:
                break
            left = kept
        # Where all are sealed, nobody could abort.
        loose = {node for node in _in_cycles(left) if node not in self.sealed}
        if loose:
            yield self._violation("cycle", f"{sorted(loose)} are in an order that goes round: {sorted(left)[:_SHOWN]}")

    # One node

    def _one_node(self) -> Iterator[Violation]:
        if not self._in_turn or not self._was_whole() or not commute(list(self._rules()), self._world.schema):
            return
        start = [triple for peer in self._world.peers.values() for triple in peer.start]
        schedule = [record.updates for record in self.asked]
        outcome = one_node(self._world.schema, start, list(self._rules()), schedule)
        if outcome.has_aborted and not (self._fails_together and outcome.on_purpose):
            return
        self.was_compared = True
        expected = outcome.merged
        failed = [isinstance(record, Submitted) and record.unit in self.aborted for record in self.asked]
        if failed != outcome.aborts:
            yield self._violation("one node", f"these have aborted: {failed}, and on one node {outcome.aborts}")
        found = merged(peer.site.repository.asserted for peer in self._world.peers.values())
        if found != expected:
            more, less = _listed(found[0] - expected[0]), _listed(expected[0] - found[0])
            elements = f"elements {found[1] - expected[1]} too many, {expected[1] - found[1]} too few"
            yield self._violation("one node", f"all together have {more} too many, and lack {less}; {elements}")

    def _was_whole(self) -> bool:
        """Whether nothing was undone, refused, or out of reach."""
        refused: tuple[type, ...] = (RulesMissing, ConditionFailed)
        if not self._fails_together:
            refused = (*refused, UnitAborted)
        if any(isinstance(one.what, refused) for one in self.happened):
            return False
        open_to_all = all(
            self._world.privileges(name) == Privileges(otherwise=Access.READ_WRITE) for name in self._world.hosts
        )
        return open_to_all and not any(isinstance(record, Incomplete) for record in self._world.history.records)

    def _rules(self) -> Iterator[Rule]:
        return (rule_of(record.text) for record in sorted(self._records.values(), key=lambda one: one.time))

    def _violation(self, rule: str, sentence: str) -> Violation:
        return Violation(self._world.now, rule, sentence)


def _in_cycles(edges: set[tuple[str, str]]) -> set[str]:
    after: dict[str, set[str]] = {}
    for first, second in edges:
        after.setdefault(first, set()).add(second)
    found = set()
    for start in after:
        reached = set(after[start])
        waiting = list(reached)
        while waiting:
            new = after.get(waiting.pop(), set()) - reached
            reached |= new
            waiting += new
        if start in reached:
            found.add(start)
    return found


def _dependency(parent: str, child: str, record: RuleRecord) -> Abort:
    """At the same super-peer what the rule says, at another one what its record says."""
    same = parent.partition("/")[0] == child.partition("/")[0]
    return rule_of(record.text).abort if same else record.abort


def _may_write(privileges: Privileges, triple: Triple, classes: Iterable[str]) -> bool:
    """Section 3's privileges once more, as a list of what is said of a triple, the most specific first."""
    node: object = triple.object if triple.predicate == TYPE else triple.predicate
    if isinstance(triple.predicate, NamedNode) and number_of(triple.predicate) is not None:
        node = MEMBERSHIP
    named = {str(cls): level for cls, level in privileges.nodes.items()}
    said = [
        [level for key, level in privileges.details.items() if key == (triple.subject, triple.predicate)],
        [level for key, level in privileges.resources.items() if key in (triple.subject, triple.object)],
        [named.get(str(node), privileges.otherwise), *(named[cls] for cls in classes if cls in named)],
    ]
    return min(next(levels for levels in said if levels)) >= Access.READ_WRITE


def _listed(triples: set[Triple] | frozenset[Triple]) -> str:
    return "nothing" if not triples else "; ".join(sorted(map(str, triples))[:_SHOWN])
