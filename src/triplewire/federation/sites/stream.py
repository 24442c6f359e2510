"""What is durable of a peer: what it has told its super-peer and what of that is still needed.

A shell saves it with the repository: a change and what is told of it, in one transaction. What was not received is
repeated, and a change is kept until nobody can ask for its events any more.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct, field

from triplewire.federation.sites.requests import (
    Compensated,
    Executed,
    Forget,
    NumberedReply,
    Received,
    Report,
    ReportedUpdate,
    Told,
)
from triplewire.rdf.terms import NamedNode, Term
from triplewire.rules.changes import Changes
from triplewire.rules.execution.actions import MovedArc


class KeptChange(Struct, frozen=True):
    """A change whose events may be asked for, or that has to be reversed to see the state before it."""

    updates: tuple[ReportedUpdate, ...]
    changes: Changes


class PeerStream(Struct):
    """The peer's side of the stream. `serial` is the last one; `answered` is the answer to the last numbered request.

    `foreign` are the classes of resources that other sites describe and to which there are arcs here.
    """

    serial: int = 0
    answered: Told | None = None
    unreceived: dict[int, Told] = field(default_factory=dict)
    kept: dict[int, KeptChange] = field(default_factory=dict)
    foreign: dict[Term, frozenset[NamedNode]] = field(default_factory=dict)

    def report(self, report: Report) -> Told:
        """The peer has changed its repository by itself."""
        updates = report.updates or (ReportedUpdate(report.changes),)
        return self._tell(report, KeptChange(updates, report.changes))

    def answer(
        self, reply: NumberedReply, moved: tuple[MovedArc, ...] = (), updates: tuple[ReportedUpdate, ...] = ()
    ) -> Told:
        """The peer has done what it was asked for; an action may have moved arcs, or led to more updates than one."""
        kept = None
        if isinstance(reply.reply, Executed | Compensated):
            changes = reply.reply.changes
            kept = KeptChange(updates or (ReportedUpdate(changes, moved),), changes)
        self.answered = self._tell(reply, kept)
        return self.answered

    @property
    def last_number(self) -> int:
        """The number of the last request that was answered."""
        if self.answered is None:
            return 0
        assert isinstance(self.answered.what, NumberedReply), "a report answers nothing"
        return self.answered.what.number

    def take(self, message: Received | Forget) -> None:
        """The super-peer needs some of it no more."""
        told: dict[int, Told] | dict[int, KeptChange] = self.unreceived if isinstance(message, Received) else self.kept
        # In their order: what is left is not looked at.
        while told and (first := next(iter(told))) <= message.upto:
            del told[first]

    @property
    def to_repeat(self) -> Iterator[Told]:
        """What was not received, in its order: to be told again on joining, and now and then."""
        return iter(self.unreceived.values())

    @property
    def next_serial(self) -> int:
        """The first serial that the super-peer may not have: for it to know when it is told that the peer is here."""
        return next(iter(self.unreceived), self.serial + 1)

    def _tell(self, what: Report | NumberedReply, kept: KeptChange | None) -> Told:
        self.serial += 1
        told = self.unreceived[self.serial] = Told(self.serial, what)
        if kept is not None and (kept.changes.edits or any(update.changes for update in kept.updates)):
            self.kept[self.serial] = kept
        return told
