"""What a super-peer asks of a peer, the answers, and what a peer reports by itself.

Whatever changes a repository, or depends on a change, is numbered: the peer answers one after the other, and a number
that comes again gets the same answer again. Answers and reports are one stream: each has a serial, without a gap and in
the order in which the repository has changed. The peer repeats what was not received. Sub-queries stand alone.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from triplewire.federation.indexes.local_index import IndexChange
from triplewire.federation.sites.privileges import Privileges
from triplewire.languages.rdftl.syntax import Action, Event, Let
from triplewire.rdf.terms import NamedNode, Term, Triple
from triplewire.rules.changes import Changes, Edits
from triplewire.rules.execution.actions import MovedArc
from triplewire.rules.graphs import Lookup
from triplewire.rules.paths import DeltaTerms

Lookups = tuple[Lookup, ...]
Classes = Mapping[Term, frozenset[NamedNode]]
"""The classes of resources that another site describes."""


class Execute(Struct, frozen=True):
    """Execute an action.

    `guard` are the privileges, if it is asked for by another super-peer; `owner` is the client of the own super-peer
    whose right it uses: the one who has submitted it, or whose rule it is.
    """

    unit: str
    action: Action
    lets: tuple[Let, ...] = ()
    delta: DeltaTerms | None = None
    classes: Classes = {}
    guard: Privileges | None = None
    owner: str = ""


class EventQuery(Struct, frozen=True):
    """The event part of a rule."""

    rule: str
    event: Event
    lets: tuple[Let, ...] = ()


class Detect(Struct, frozen=True):
    """Evaluate event queries over the change that was told as serial `of`, on the state right after that change."""

    of: int
    queries: tuple[EventQuery, ...]


class Compensate(Struct, frozen=True):
    """Make these edits. They trigger nothing."""

    edits: Edits


Request = Execute | Detect | Compensate


class Numbered(Struct, frozen=True):
    """A request with its number."""

    number: int
    request: Request


class Executed(Struct, frozen=True):
    """What an action has changed, what it wanted to be there or not, and what it has read."""

    wanted: Edits
    changes: Changes
    index: IndexChange
    reads: Lookups = ()
    checks: Lookups = ()


class Detected(Struct, frozen=True):
    """The rules that are triggered, each with its `$delta`s; the classes of resources in them; what was read."""

    deltas: Mapping[str, tuple[DeltaTerms, ...]]
    classes: Classes = {}
    reads: Lookups = ()


class Refused(Struct, frozen=True):
    """It could not be done, and nothing has changed. `violated` is the triple that breaks the schema, if one does."""

    reason: str
    violated: str | None = None


class Compensated(Struct, frozen=True):
    """The edits were made."""

    changes: Changes
    index: IndexChange


Reply = Executed | Detected | Refused | Compensated


class NumberedReply(Struct, frozen=True):
    """A reply with the number of its request."""

    number: int
    reply: Reply


class ReportedUpdate(Struct, frozen=True):
    """One update of a transaction, and the arcs that it moved."""

    changes: Changes
    moved: tuple[MovedArc, ...] = ()


class Report(Struct, frozen=True):
    """The peer has changed its repository by itself, in one transaction that is committed for good.

    `updates` are in their order; `changes` are what they come to together.
    """

    wanted: Edits
    updates: tuple[ReportedUpdate, ...]
    changes: Changes
    index: IndexChange
    reads: Lookups = ()
    checks: Lookups = ()
    author: str = ""
    name: str = ""


class Told(Struct, frozen=True):
    """What a peer has done, asked for or by itself, with its place in the order of what the peer has done."""

    serial: int
    what: Report | NumberedReply


class Received(Struct, frozen=True):
    """What was told up to this serial is on the super-peer's disk, and need not be repeated."""

    upto: int


class Forget(Struct, frozen=True):
    """Nobody will ask any more for the changes that were told up to this serial."""

    upto: int


class Match(Struct, frozen=True):
    """A sub-query: the triples for each lookup, other than those that the guard keeps from others."""

    query: str
    lookups: Lookups
    guard: Privileges | None = None


class Matched(Struct, frozen=True):
    """The triples for each lookup, in their order, as they were after everything up to the serial `after` was told."""

    query: str
    answers: tuple[tuple[Triple, ...], ...]
    after: int = 0


FromSuperPeer = Numbered | Match | Received | Forget
FromPeer = Told | Matched
