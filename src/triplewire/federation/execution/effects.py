"""What happened, for whoever keeps a history, and requests to peers."""

from __future__ import annotations

from msgspec import Struct

from triplewire.federation.sites.requests import FromSuperPeer
from triplewire.rdf.terms import Triple
from triplewire.wire.network_rules import NetworkTrace, RuleRelevance


class ToPeer(Struct, frozen=True):
    """Send a request to a peer. It may get lost, and is repeated."""

    to: str
    request: FromSuperPeer


class UnitScheduled(Struct, frozen=True):
    """A transaction, or a copy of a rule's actions, is on the local schedule."""

    unit: str
    root: str
    parent: str | None
    rule: str | None
    peer: str
    is_sealed: bool = False


class UnitCommitted(Struct, frozen=True):
    """All that a unit had to do here is done. It may still be compensated."""

    unit: str


class UnitAborted(Struct, frozen=True):
    """A unit is undone."""

    unit: str
    reason: str


class SealedStays(Struct, frozen=True):
    """A unit would have to abort, but its peer had committed it before anybody heard of it. So it stays."""

    unit: str
    reason: str


class NotSerialisable(Struct, frozen=True):
    """These come before each other in a circle, and all of them are sealed."""

    units: tuple[str, ...]


class NotCompensated(Struct, frozen=True):
    """What a unit that has aborted had made of these stays so, because a sealed one has built on it."""

    peer: str
    unit: str
    there: tuple[Triple, ...]
    gone: tuple[Triple, ...]


class NotScheduled(Struct, frozen=True):
    """An instance of actions that the peers here may not execute, and why."""

    instance: str
    reason: str


class RulesMissing(Struct, frozen=True):
    """Rules that a unit's change needs may not be here: super-peers have not answered in time."""

    unit: str


class ConditionFailed(Struct, frozen=True):
    """A condition could not be evaluated, and why."""

    unit: str
    rule: str
    reason: str


class MessageDropped(Struct, frozen=True):
    """A message of another super-peer that says nothing that can be done."""

    sender: str
    reason: str


class SchemaLeftOut(Struct, frozen=True):
    """The schema of an own peer, or of another super-peer's group, does not fit: the whole goes on without it."""

    whose: str
    reason: str


class CompensationRefused(Struct, frozen=True):
    """What would be left does not conform, and nobody is left who could have caused it."""

    peer: str
    reason: str


class InquiryAnswered(Struct, frozen=True):
    """What others have answered to an inquiry of ours, as far as they have."""

    inquiry: str
    result: RuleRelevance | NetworkTrace


Happening = (
    UnitScheduled
    | UnitCommitted
    | UnitAborted
    | SealedStays
    | NotSerialisable
    | NotCompensated
    | NotScheduled
    | RulesMissing
    | ConditionFailed
    | MessageDropped
    | CompensationRefused
    | SchemaLeftOut
    | InquiryAnswered
)
