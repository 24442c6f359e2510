"""The living graph in memory: a dataset, the rules over its default graph, what triggers them, and who owns them.

It holds no lock and knows no database: `store` keeps it as the database has it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice

from pyoxigraph import Store

from triplewire.evaluation.datasets import Dataset, OxigraphDataset
from triplewire.languages.rdftl.syntax import Rule
from triplewire.node.living.changes import Follower, NoFollower
from triplewire.node.living.reporting import NoReporter, Reporter
from triplewire.rdf.terms import DefaultGraph, NamedNode, Quad, Term, Triple
from triplewire.rules.changes import Changes
from triplewire.rules.commutativity import by_rules
from triplewire.rules.event_triggers import EventTriggers
from triplewire.rules.execution import AnyUpdate, Limits, Principals, Rulebook, Runner, ScheduleOutcome
from triplewire.rules.execution.deadline import Interrupt, never
from triplewire.rules.repository import Repository
from triplewire.rules.schema import Schema

_CHUNK = 50_000


class LivingGraph:
    """A dataset whose default graph conforms to a schema, if there is one, and rules over it.

    `owners` is by rule, those in quarantine included. `position` is that of the last change, `size` how many quads
    hold. `follower` and `reporter` are told of each change in the transaction that keeps it. `elsewhere` are the
    classes of resources that other sites describe, and to which there are arcs.
    """

    def __init__(
        self,
        schema: Schema,
        quads: Iterable[Quad],
        limits: Limits,
        position: int = 0,
        elsewhere: Mapping[Term, frozenset[NamedNode]] | None = None,
    ) -> None:
        self.repository = Repository(schema, elsewhere=elsewhere)
        self.size = self._load(quads)
        self.position = position
        self.follower: Follower = NoFollower()
        self.reporter: Reporter = NoReporter()
        self.rules = Rulebook(schema)
        self.triggers = EventTriggers(schema)
        self.owners: dict[str, str] = {}
        self._limits = limits
        self._uncommitted: list[Changes] = []
        self._recorded: list[Changes] | None = None
        # How many quads the store has that were removed from it: it never lets go of them.
        self.removed = 0
        self._committed_position = position
        self._refresh()

    @property
    def schema(self) -> Schema:
        return self.repository.schema

    @property
    def dataset(self) -> Dataset:
        """What holds now."""
        return OxigraphDataset(self.repository.store)

    def _load(self, quads: Iterable[Quad]) -> int:
        """Quads as they were kept. What a schema has to be asked about waits until all of it is there."""
        store, rest = self.repository.store, iter(quads)
        asserted: list[Triple] = []
        while chunk := list(islice(rest, _CHUNK)):
            if self.schema.is_empty:
                store.bulk_extend(chunk)
                continue
            asserted += [quad.triple for quad in chunk if quad.graph_name == DefaultGraph()]
            store.bulk_extend(quad for quad in chunk if quad.graph_name != DefaultGraph())
        self.repository.load(asserted)
        return len(store)

    # Rules

    def put(self, rule: Rule, owner: str, since: int | None) -> Rule:
        """Register a rule, or replace the one of that name; it is triggered by events after `since`, None: by none.

        Gives it back with its names resolved. One that is refused changes nothing.
        """
        known = self.rules.replace(rule)
        self.triggers.put(known, since)
        self.owners[rule.id] = owner
        self._refresh()
        return known

    def disable(self, rule: str) -> None:
        """Let a rule fire no longer."""
        if rule in self.rules:
            self.rules.remove(rule)
        self.triggers.remove(rule)
        self._refresh()

    def remove(self, rule: str) -> None:
        """Forget a rule."""
        self.disable(rule)
        self.owners.pop(rule, None)

    def _refresh(self) -> None:
        """What the analysis says of the rules holds until they change."""
        self._runner = Runner(self.repository, self.rules, limits=self._limits, commutes=by_rules(self.rules))

    # Transactions

    def begin(self) -> None:
        """Begin a transaction: what was executed before is not rolled back any more."""
        self._uncommitted.clear()
        self._committed_position = self.position

    def run(
        self, updates: Sequence[AnyUpdate], principals: Principals | None = None, interrupt: Interrupt = never
    ) -> ScheduleOutcome:
        """Execute a schedule; without principals every rule is the author's."""
        outcome = self._runner.run(updates, principals, interrupt)
        self._uncommitted.append(outcome.changes)
        self._note(outcome.changes)
        return outcome

    def roll_back(self) -> None:
        """Undo what was executed since the transaction began."""
        while self._uncommitted:
            self._note(self.repository.apply(self._uncommitted.pop().edits.reversed()))
        if self.position != self._committed_position:
            self.position = self._committed_position
            self.follower.rolled_back(self.position, self.dataset)
            self.reporter.rolled_back()

    def _note(self, changes: Changes) -> None:
        named = changes.edits.named
        removed = len(changes.deleted) + len(named.deleted)
        self.size += len(changes.inserted) + len(named.inserted) - removed
        self.removed += removed
        if self._recorded is not None and not changes.is_nothing:
            self._recorded.append(changes)

    # Its store made anew, between two transactions

    def record(self) -> None:
        """Record what changes from now on, for a copy of what holds now."""
        self._recorded = []

    def take_recorded(self) -> list[Changes] | None:
        """What was recorded since it was last taken; None if nothing is."""
        if self._recorded is None:
            return None
        recorded, self._recorded = self._recorded, []
        return recorded

    def stop_recording(self) -> None:
        """Record no longer."""
        self._recorded = None

    def use_store(self, store: Store) -> None:
        """Go on with a store that holds the same."""
        self.repository.store = store
        self.removed = 0
        self._recorded = None
