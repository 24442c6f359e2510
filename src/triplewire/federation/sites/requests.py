"""What a super-peer asks of a peer, and the answers.

Whatever changes a repository, or depends on the last change, is numbered: the peer answers one after the other, and a
number that comes again gets the same answer again. Sub-queries of conditions stand alone.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from triplewire.federation.indexes.local_index import IndexChange
from triplewire.federation.sites.privileges import Privileges
from triplewire.languages.rdftl.syntax import Action, Event, Let
from triplewire.rdf.terms import NamedNode, Term, Triple
from triplewire.rules.changes import Changes, Edits
from triplewire.rules.graphs import Lookup
from triplewire.rules.paths import DeltaTerms

Lookups = tuple[Lookup, ...]
Classes = Mapping[Term, frozenset[NamedNode]]
"""The classes of resources that another site describes."""


class Execute(Struct, frozen=True):
    """Execute an action. `guard` are the privileges, if it is asked for by another super-peer."""

    unit: str
    action: Action
    lets: tuple[Let, ...] = ()
    delta: DeltaTerms | None = None
    classes: Classes = {}
    guard: Privileges | None = None


class EventQuery(Struct, frozen=True):
    """The event part of a rule."""

    rule: str
    event: Event
    lets: tuple[Let, ...] = ()


class Detect(Struct, frozen=True):
    """Evaluate event queries over the last change."""

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


class Match(Struct, frozen=True):
    """A sub-query: the triples for each lookup, other than those that the guard keeps from others."""

    query: str
    lookups: Lookups
    guard: Privileges | None = None


class Matched(Struct, frozen=True):
    """The triples for each lookup, in their order."""

    query: str
    answers: tuple[tuple[Triple, ...], ...]


FromSuperPeer = Numbered | Match
FromPeer = NumberedReply | Matched
