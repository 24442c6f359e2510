"""Units of work: transactions, and the subtransactions that rules add to them.

A unit remembers what it changed and what it asked for, with the time of each, because both decide who has to be undone
with whom.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum

from msgspec import Struct

from triplewire.errors import TriplewireError
from triplewire.languages.rdftl.syntax import Abort, Coupling, Let, Rule
from triplewire.rules.changes import Changes
from triplewire.rules.execution.dataset_updates import AnyAction, AnyUpdate
from triplewire.rules.graphs import Lookup
from triplewire.rules.paths import DeltaTerms


class Status(StrEnum):
    ACTIVE = "active"
    COMMITTED = "committed"
    ABORTED = "aborted"


class WriteSet(Struct, frozen=True):
    """One update that a unit has executed."""

    time: int
    changes: Changes


class ReadSet(Struct, frozen=True):
    """What a unit asked of the graph at one time."""

    time: int
    lookups: tuple[Lookup, ...]


class Unit(Struct, frozen=True, kw_only=True):
    """A transaction or subtransaction. `rule` fired because of what `parent` did; a transaction has neither.

    `checks` is what it read, too: what was asked to see whether what it did conforms to the schema. A rule that does
    not bind its parent cannot make it fail; what is done because of such a rule is foreign to the transaction's author.
    """

    number: int
    transaction: str
    updates: tuple[AnyUpdate, ...] = ()
    rule: Rule | None = None
    parent: int | None = None
    depth: int = 0
    binds_parent: bool = True
    is_foreign: bool = False
    status: Status = Status.ACTIVE
    writes: tuple[WriteSet, ...] = ()
    reads: tuple[ReadSet, ...] = ()
    checks: tuple[ReadSet, ...] = ()
    error: TriplewireError | None = None

    @property
    def begins_transaction(self) -> bool:
        """Whether it is executed on its own: everything but what an immediate or deferred rule does."""
        return self.rule is None or self.rule.coupling is Coupling.DETACHED

    @property
    def abort_dependency(self) -> Abort | None:
        """Who aborts with whom; a rule that does not bind its parent cannot make it abort."""
        if self.rule is None:
            return None
        if self.aborts_parent:
            return Abort.MUTUAL if self.aborts_with_parent else Abort.CHILD_PARENT
        return Abort.PARENT_CHILD if self.aborts_with_parent else Abort.INDEPENDENT

    @property
    def aborts_parent(self) -> bool:
        return self.rule is not None and self.binds_parent and self.rule.abort in (Abort.CHILD_PARENT, Abort.MUTUAL)

    @property
    def aborts_with_parent(self) -> bool:
        return self.rule is not None and self.rule.abort in (Abort.PARENT_CHILD, Abort.MUTUAL)


class Work(Struct, frozen=True):
    """What a unit does, for those who know whether two such things commute: a rule's actions, or somebody's updates."""

    rule: Rule | None
    updates: tuple[AnyUpdate, ...]


Commutes = Callable[[Work, Work], bool]


def none_commutes(_compensated: Work, _reader: Work) -> bool:
    """The careful answer."""
    return False


class Pending(Struct, frozen=True):
    """One action of a unit that is to be executed."""

    unit: int
    action: AnyAction
    lets: tuple[Let, ...] = ()
    delta: DeltaTerms | None = None


Units = Mapping[int, Unit]
# The units that abort, each with the reason.
Aborts = dict[int, TriplewireError]


def root_of(units: Units, unit: Unit) -> Unit:
    """The transaction that a unit is executed in."""
    while not unit.begins_transaction and unit.parent is not None:
        unit = units[unit.parent]
    return unit


def lineage(units: Units, unit: Unit) -> list[Unit]:
    """The unit and everything that led to it, first cause first."""
    line = [unit]
    while line[-1].parent is not None:
        line.append(units[line[-1].parent])
    return line[::-1]


def with_units(units: Units, *changed: Unit) -> Units:
    """The units, some of them changed or new."""
    return {**units, **{unit.number: unit for unit in changed}}
