"""The rule engine in memory: a repository, the rules over it, what triggers them, and who owns them.

It holds no lock and knows no database: `store` keeps it as the database has it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from triplewire.languages.rdftl.syntax import Rule, Update
from triplewire.node.rules.event_triggers import EventTriggers
from triplewire.rdf.terms import Triple
from triplewire.rules.changes import Edits
from triplewire.rules.commutativity import by_rules
from triplewire.rules.execution import Limits, Principals, Rulebook, Runner, ScheduleOutcome
from triplewire.rules.repository import Repository
from triplewire.rules.schema import Schema


class RuleEngine:
    """Rules over one schema. `owners` is by rule, those in quarantine included."""

    def __init__(self, schema: Schema, assertions: Iterable[Triple], limits: Limits) -> None:
        self.repository = Repository(schema)
        self.repository.load(assertions)
        self.rules = Rulebook(schema)
        self.triggers = EventTriggers(schema)
        self.owners: dict[str, str] = {}
        self._limits = limits
        self._uncommitted: list[Edits] = []
        self._refresh()

    @property
    def schema(self) -> Schema:
        return self.repository.schema

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

    # Schedules

    def begin(self) -> None:
        """Begin a transaction: what was executed before is not rolled back any more."""
        self._uncommitted.clear()

    def run(self, updates: Sequence[Update], principals: Principals | None = None) -> ScheduleOutcome:
        """Execute a schedule; without principals every rule is the author's."""
        outcome = self._runner.run(updates, principals)
        self._uncommitted.append(outcome.changes.edits)
        return outcome

    def roll_back(self) -> None:
        """Undo what was executed since the transaction began."""
        while self._uncommitted:
            self.repository.apply(self._uncommitted.pop().reversed())
