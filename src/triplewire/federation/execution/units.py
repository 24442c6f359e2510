"""Transactions and subtransactions. A unit is executed at one peer; a copy of a rule's actions is a unit."""

from __future__ import annotations

import re
from enum import Enum

from msgspec import Struct, field

from triplewire.errors import MessageRefused
from triplewire.federation.registration.records import RuleRecord
from triplewire.federation.sites.privileges import Privileges
from triplewire.federation.sites.requests import Classes
from triplewire.languages.rdftl.syntax import Abort, Let, RuleAction
from triplewire.rules.changes import Changes
from triplewire.rules.paths import DeltaTerms

_NAME = re.compile(r".+/[0-9]{1,18}", re.ASCII)


class Status(Enum):
    ACTIVE = "active"
    COMMITTED = "committed"
    ABORTED = "aborted"


class PendingAction(Struct, frozen=True):
    """An action that is to be executed."""

    action: RuleAction
    lets: tuple[Let, ...] = ()
    delta: DeltaTerms | None = None
    classes: Classes = {}


class Firing(Struct, frozen=True):
    """A rule whose condition holds for a `$delta`. `reader` is the condition, which has read what it has read."""

    record: RuleRecord
    delta: DeltaTerms | None
    classes: Classes
    reader: str


class Trigger(Struct, frozen=True):
    """A rule that a unit, the cause, has triggered, for each `$delta`. `id` is the name of its condition."""

    id: str
    record: RuleRecord
    deltas: tuple[DeltaTerms, ...]
    classes: Classes
    cause: str


class Cause(Struct, frozen=True):
    """What a unit was triggered by: its parent, the transaction, and what would abort together if it is not sealed."""

    parent: str | None
    root: str
    group: str
    depth: int
    is_sealed: bool = False


class Unit(Struct):
    """A unit at its own super-peer. `id` is `SP/n`; `group` is the unit whose abort takes this one along, or itself.

    `waiting` are subtransactions at the same super-peer that come before the rest; their `waited_for_by` says so.
    `top` is the unit at this super-peer at whose end comes what this one defers; that one has `members`, itself
    included, and the rules that wait, `deferred`. `changed` is what it has changed at its peer, each with its place in
    the journal.

    `sent_to` are the super-peers that were sent instances because of it; `not_scheduled` says what did not come of it,
    and why.

    It is sealed if its peer had committed it before anybody here heard of it: it never aborts.
    """

    id: str
    root: str
    group: str
    parent: str | None
    rule: RuleRecord | None
    depth: int
    peer: str
    top: str
    pending: list[PendingAction]
    guard: Privileges | None = None
    status: Status = Status.ACTIVE
    reason: str = ""
    waiting: set[str] = field(default_factory=set)
    waited_for_by: str | None = None
    deferred: list[Trigger] = field(default_factory=list)
    members: list[str] = field(default_factory=list)
    changed: list[tuple[int, Changes]] = field(default_factory=list)
    since: float = 0.0
    ended_at: float = 0.0
    delta: dict[str, str] = field(default_factory=dict)
    sent_to: list[str] = field(default_factory=list)
    not_scheduled: list[str] = field(default_factory=list)
    is_sealed: bool = False
    author: str = ""
    name: str = ""

    @property
    def is_aborted(self) -> bool:
        return self.status is Status.ABORTED

    def lacks(self, reason: str) -> None:
        """Something did not come of it."""
        if reason not in self.not_scheduled:
            self.not_scheduled.append(reason)

    @property
    def owner(self) -> str:
        """The client of this super-peer whose right it uses. Elsewhere another one may have that identifier."""
        if self.rule is None:
            return self.author
        return self.rule.owner if self.rule.origin == super_peer_of(self.id) else ""

    @property
    def cause(self) -> Cause:
        """What this unit is to those that it triggers."""
        return Cause(self.id, self.root, self.group, self.depth + 1, self.is_sealed)


def super_peer_of(name: str) -> str:
    """Where a unit, an instance or a condition is: names begin with it.

    >>> super_peer_of("SP2/17")
    'SP2'
    """
    return name.rpartition("/")[0]


def check_names(*names: str) -> None:
    """Raise `MessageRefused` if one of these is no name of a unit, an instance or a condition."""
    for name in names:
        if not _NAME.fullmatch(name):
            raise MessageRefused("name", wanted="a name such as SP1/7", found=repr(name))


def aborts_with_parent(abort: Abort) -> bool:
    return abort in (Abort.PARENT_CHILD, Abort.MUTUAL)


def aborts_parent(abort: Abort) -> bool:
    return abort in (Abort.CHILD_PARENT, Abort.MUTUAL)


def age(name: str) -> tuple[int, str]:
    """An order of units that everybody agrees on: the later one is greater, more or less."""
    before, _, number = name.rpartition("/")
    return int(number), before
