"""What super-peers say to each other about transactions. Terms, triples and rules travel as text."""

from __future__ import annotations

from msgspec import Struct

from triplewire.federation.registration.records import RuleRecord
from triplewire.federation.sites.terms import LookupText


class ActionInstance(Struct, frozen=True, tag="instance", array_like=True):
    """One instance of a rule's actions, for every peer of the receiver that they concern.

    `parent` is the unit that has triggered the rule, `root` its transaction, `group` what aborts with it. A parent that
    is sealed takes nobody along.
    """

    id: str
    record: RuleRecord
    delta: dict[str, str] | None
    classes: dict[str, tuple[str, ...]]
    parent: str
    root: str
    group: str
    depth: int
    is_sealed: bool = False


class ChildScheduled(Struct, frozen=True, tag="child", array_like=True):
    """A subtransaction has begun at the sender that aborts with its parent (`ParentChild`, `Mutual`)."""

    parent: str
    child: str


class AbortWanted(Struct, frozen=True, tag="abort", array_like=True):
    """A unit, or all that came of an instance or of a condition, is to abort. `upward`: and whatever caused it."""

    target: str
    reason: str
    upward: bool = False


class SubQuery(Struct, frozen=True, tag="subquery", array_like=True):
    """Part of a condition: the triples that the receiver's group has for each lookup. `reader` depends on them.

    `rule` is the text of the rule, so that the receiver can say what commutes with it.
    """

    query: str
    reader: str
    rule: str
    root: str
    group: str
    lookups: tuple[LookupText, ...]


class SubAnswer(Struct, frozen=True, tag="subanswer", array_like=True):
    """The triples for each lookup; whether every peer of the group has answered."""

    query: str
    answers: tuple[str, ...]
    is_complete: bool


class Conflicts(Struct, frozen=True, tag="conflicts", array_like=True):
    """Edges of the serialisation graph: the first of each pair comes before the second. Nothing can undo the sealed."""

    edges: tuple[tuple[str, str], ...]
    sealed: tuple[str, ...] = ()


class Withdrawn(Struct, frozen=True, tag="withdrawn", array_like=True):
    """This has aborted, and is in the serialisation graph no more."""

    group: str
