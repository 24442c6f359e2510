"""Questions and answers between super-peers. The asker knows from whom an answer is, so that it says nobody's name."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from triplewire.languages.rdftl.syntax import Abort

Part = Literal["event", "condition", "actions"]
StatusName = Literal["active", "committed", "aborted"]


class RelevanceWanted(Struct, frozen=True, tag="concerns?", array_like=True):
    """Asks what each part of a rule concerns in the receiver's group. `rule` is its text, with resolved names."""

    inquiry: str
    rule: str


class PartConcern(Struct, frozen=True, array_like=True):
    """Whether a part concerns a peer, or the sender as a whole (`peer` is empty), and why, or why not."""

    peer: str
    part: Part
    is_concerned: bool
    reason: str


class RelevanceFound(Struct, frozen=True, tag="concerns", array_like=True):
    """Answers `RelevanceWanted`."""

    inquiry: str
    concerns: tuple[PartConcern, ...]


class TraceWanted(Struct, frozen=True, tag="trace?", array_like=True):
    """Asks for the units of a transaction, and for those that instances sent by one of `parents` have led to.

    The receiver may know the transaction by one of its units, if that is the receiver's.
    """

    inquiry: str
    transaction: str
    parents: tuple[str, ...]


class TracedUnit(Struct, frozen=True, array_like=True):
    """A unit of the sender, as far as the receiver may know it."""

    id: str
    peer: str
    parent: str | None
    rule: str | None
    depth: int
    abort: Abort | None
    status: StatusName
    reason: str
    is_sealed: bool
    delta: dict[str, str]


class TraceFound(Struct, frozen=True, tag="trace", array_like=True):
    """Answers `TraceWanted`: units, the arcs of the abort graph that begin at them, what was not scheduled and why.

    `transaction` is what the sender knows as the transaction; empty: it does not know it. `onward` are the super-peers
    that were sent instances, each with the unit that sent them.
    """

    inquiry: str
    transaction: str
    units: tuple[TracedUnit, ...] = ()
    arcs: tuple[tuple[str, str], ...] = ()
    not_scheduled: tuple[str, ...] = ()
    onward: tuple[tuple[str, str], ...] = ()


Said = RelevanceWanted | RelevanceFound | TraceWanted | TraceFound
