"""Every error that Triplewire raises on purpose.

TriplewireError
├── InputError                 something from outside is wrong: carries source, line and column
│   ├── SyntaxProblem          text that does not parse: carries the text around the place
│   ├── RefusedFeature         well-formed, but not allowed here: SERVICE, FROM, LOAD, updates, DOCTYPE
│   ├── LimitExceeded          too large, too deep, too many: carries limit and allowed
│   ├── TooSlow                a request that did not arrive in time
│   ├── UnknownFormat          a format or language that nobody here reads
│   ├── EmptyEvent             an event without triples
│   ├── EventConflict          one event IRI with two contents
│   ├── InvalidTerm            a term where it cannot stand, such as a blank node as an event's name
│   │   └── BlankGraph         a graph whose name is a blank node, which cannot be an event's
│   ├── TaxonomyCycle          a class or property that is its own ancestor: carries the cycle
│   ├── UnknownName            a class or property that the schema lacks, or has more than once: carries choices
│   ├── SchemaViolation        a change after which the repository would not conform: carries clause and triple
│   ├── HomeInUse              a peer's home that another program uses
│   ├── UpdateRefused          an update that cannot be done, such as `seq++` where there is no container
│   ├── PrecedenceCycle        a rule that would precede itself: carries the cycle
│   ├── AddressRefused         a webhook's address that leads where none may lead
│   └── SignatureMismatch      a message that was not signed with the secret, or too long ago
├── DuplicateSubscription      the identifier is taken by another query
├── UnknownSubscription        nobody subscribed under that identifier
├── UnknownAdvertisement       nobody advertised under that identifier
├── UnknownEvent               no event of that name is kept
├── UnknownGraph               no graph of that name is in the living graph
├── UnknownClient              nobody registered under that identifier
├── UnknownLetter              no dead letter has that number
├── DuplicateRule              the identifier is taken by another rule
├── UnknownRule                no rule is registered under that identifier
├── UnknownSchedule            no schedule of that position, or with that transaction, is kept
├── UnknownUpdate              no update under that key is under way, nor was answered
├── UpdateEnded                an update that was to be withdrawn, and has ended
├── UpdateWithdrawn            an update that its client has withdrawn: nothing of it is kept
├── AbortedByRule              what a rule has aborted on purpose: carries rule and reason
├── Cascaded                   a transaction that aborted because of another one
├── BudgetExceeded             an evaluation needed more work than it was allowed
│   ├── DepthExceeded          rules that trigger each other deeper than allowed: carries the cycle
│   └── CascadeTooLong         a schedule that took longer than allowed: carries its cascade and what fired
├── Unauthenticated            no credentials, or wrong ones
├── Forbidden                  a client asked for what it was not granted
├── QuotaExceeded              a client asked for more than its share: carries quota and retry_after
├── StoreError                 what must survive could not be written or read
│   ├── StoreFailed            the disk failed; a process that gets this stops
│   ├── DiskFull               no space left, and nothing of the request was written
│   ├── DamagedStore           a record that is not what was written, or that is missing: carries position
│   ├── UnknownSchema          a data folder that a later version has written
│   └── FolderInUse            another process has the data folder
├── SnapshotError              a snapshot that is damaged, of another format, or not there
├── DeliveryFailed             a receiver that could not be reached, or did not accept
├── NodeRefused                a node answered a request with a problem: carries status, title and detail
├── NodeUnreachable            no node answered
├── MissedNotifications        some were removed before they were read: carries after and until
├── MissingExtra               a package of an optional part is not installed: carries package and extra
├── NetworkError               a network of super-peers that cannot be founded, joined or shown
│   ├── JoinFailed             no super-peer let this one in: the sentence says how far it came
│   ├── NotInNetwork           a node that is no super-peer
│   ├── NotInSpace             a node that is in no event space
│   ├── LastNode               the only node of an event space, which cannot leave: nobody would have what it has
│   ├── SpaceUnavailable       the space has not done yet what it was asked for; it may help to ask again
│   ├── MessageRefused         something that is no message between super-peers: carries what was wrong with it
│   ├── PeerRefused            an access point did not do what a peer asked: carries again
│   └── SessionRefused         a peer that is not who it says, or a message that is not of its session: carries reason
└── PipelineError              work on Spark that could not be done
    ├── SparkUnavailable       no Java, or a master that cannot be reached
    ├── LakeError              a lake that is damaged, is none, or is taken by another run
    ├── StorageError           a storage that could not be reached, or that refused what was asked of it
    ├── StreamStopped          a micro-batch that was not begun because the stream stops
    └── BadInputRefused        a strict run met bad input: carries how many were rejected, and the first reasons

An error keeps its facts as fields, `wanted` and `found` above all; the sentence is built when it is shown. Who needs a
fact asks the field, never the sentence.
"""
# ruff: noqa: N818  a name says what happened, and the tree that it is an error

from __future__ import annotations

import copyreg
from collections.abc import Sequence
from typing import Any, Self, TypedDict, Unpack

_AROUND = 60
# Request Timeout, Too Early, Too Many Requests
_BUSY = (408, 425, 429)


class Facts(TypedDict, total=False):
    """The fields that every error takes; `TriplewireError` says what they are."""

    subject: str | None
    wanted: str | None
    found: str | None
    hint: str | None
    source: str | None


class TriplewireError(Exception):
    """The root: catch this to catch everything that Triplewire raises on purpose.

    `wanted` and `found` are what was wanted and what was found instead, `subject` is who wants it, `hint` what to do
    about it, and `source` names the file, folder or message that is wrong; each is None where it is not known.
    `summary` opens the sentence, or is all of it.

    >>> str(TriplewireError(wanted="an event lake", found="no lake.json in it", source="lake"))
    'lake: wanted an event lake, found no lake.json in it'
    >>> str(TriplewireError("the snapshot is damaged", subject="it", wanted="3 files", found="2", hint="write it anew"))
    'the snapshot is damaged: it wants 3 files, found 2; write it anew'

    An error can be pickled and copied, whatever its constructor asks for: it travels as its fields.
    """

    def __init__(
        self,
        summary: str | None = None,
        *,
        subject: str | None = None,
        wanted: str | None = None,
        found: str | None = None,
        hint: str | None = None,
        source: str | None = None,
    ) -> None:
        super().__init__()
        self.summary = summary
        self.subject = subject
        self.wanted = wanted
        self.found = found
        self.hint = hint
        self.source = source

    @property
    def message(self) -> str:
        """The sentence, without the place that is wrong."""
        sentence = f"{self.summary or ''}{self._difference()}"
        return f"{sentence}; {self.hint}" if self.hint else sentence

    def _difference(self) -> str:
        wanted = f"{self.subject} wants" if self.subject else "wanted"
        parts = ((wanted, self.wanted), ("found", self.found))
        pair = ", ".join(f"{verb} {what}" for verb, what in parts if what is not None)
        if not (self.summary and pair):
            return pair
        return f", {pair}" if self.wanted is None else f"; {pair}" if self.found is None else f": {pair}"

    @property
    def place(self) -> str:
        """Where it is wrong, as far as that is known: `file:line:column`, which editors and terminals can jump to."""
        return self.source or ""

    def __str__(self) -> str:
        return f"{self.place}: {self.message}" if self.place else self.message

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self)!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        # An exception is pickled as a call of its class with `args`, which knows no keywords.
        return copyreg.__newobj__, (type(self),), self.__dict__  # type: ignore[attr-defined]


class InputError(TriplewireError):
    """Something from outside is wrong.

    `source` names the file or message, `line` and `column` the place in it, both from 1, as far as they are known.
    """

    line: int | None = None
    column: int | None = None

    def located_in(self, source: str | None) -> Self:
        """Name the file or message that the error came from, if it is known and not named already."""
        if self.source is None:
            self.source = source
        return self

    def standing_at(self, line: int, column: int | None = None) -> Self:
        """Name the place in the text, unless it is named already."""
        if self.line is None:
            self.line, self.column = line, column
        return self

    def standing_in(self, text: str, offset: int) -> Self:
        """Name the place by a character offset in the text."""
        return self.standing_at(*place_in(text, offset))

    @property
    def place(self) -> str:
        return ":".join(str(part) for part in (self.source, self.line, self.column) if part is not None)


def place_in(text: str, offset: int) -> tuple[int, int]:
    """Line and column of a character, both from 1.

    >>> place_in("one\\ntwo", 5)
    (2, 2)
    """
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)


class SyntaxProblem(InputError):
    """Text that does not parse."""

    line: int
    column: int

    def __init__(
        self,
        summary: str | None = None,
        *,
        line: int,
        column: int,
        around: str = "",
        caret: int | None = None,
        **facts: Unpack[Facts],
    ) -> None:
        super().__init__(summary, **facts)
        self.line = line
        self.column = column
        self.around = around
        self.caret = column - 1 if caret is None else caret

    def __str__(self) -> str:
        sentence = super().__str__()
        if not self.around:
            return sentence
        return f"{sentence}\n    {self.around}\n    {' ' * self.caret}^"

    @classmethod
    def at(cls, text: str, offset: int, summary: str | None = None, **facts: Unpack[Facts]) -> SyntaxProblem:
        """Build the error for a character offset in `text`."""
        line, column = place_in(text, offset)
        start = offset - column + 1
        end = text.find("\n", offset)
        line_text = text[start : end if end >= 0 else len(text)]
        # A line may be a megabyte long: show what stands near the place.
        cut = max(0, offset - start - _AROUND)
        return cls(
            summary,
            line=line,
            column=column,
            around=line_text[cut : offset - start + _AROUND],
            caret=offset - start - cut,
            **facts,
        )


class RefusedFeature(InputError):
    """Well-formed, but not allowed here. `feature` is the word that was refused."""

    def __init__(self, feature: str, summary: str | None = None, **facts: Unpack[Facts]) -> None:
        super().__init__(summary, **facts)
        self.feature = feature


class LimitExceeded(InputError):
    """Too large, too deep or too many. `limit` is the name of the limit, `allowed` its value."""

    def __init__(self, limit: str, allowed: int, summary: str | None = None, **facts: Unpack[Facts]) -> None:
        super().__init__(summary, **facts)
        self.limit = limit
        self.allowed = allowed


class TooSlow(InputError):
    """A request that did not arrive in time."""


class UnknownFormat(InputError):
    """A format or language that nobody here reads."""


class EmptyEvent(InputError):
    """An event without triples."""


class EventConflict(InputError):
    """One event IRI with two contents."""


class InvalidTerm(InputError):
    """A term where it cannot stand."""


class BlankGraph(InvalidTerm):
    """A graph whose name is a blank node, which cannot be an event's."""


class TaxonomyCycle(InputError):
    """A class or property that is its own ancestor. `cycle` lists the IRIs and blank nodes, first repeated last."""

    def __init__(self, cycle: tuple[str, ...], *, source: str | None = None) -> None:
        names = [name if name.startswith("_:") else f"<{name}>" for name in cycle]
        super().__init__(wanted="a taxonomy without a cycle", found=_chain(names), source=source)
        self.cycle = cycle


class UnknownName(InputError):
    """A class or property that the schema lacks, or has more than once. `choices` are the IRIs that may be meant."""

    def __init__(
        self, kind: str, name: str, choices: tuple[str, ...], *, ambiguous: int = 0, source: str | None = None
    ) -> None:
        listed = ", ".join(f"<{iri}>" for iri in choices)
        if ambiguous:
            wanted, found, hint = f"one {kind} named {name!r} in the schema", f"{ambiguous}: {listed}", None
        else:
            nearest = f"the nearest are {listed}" if choices else None
            wanted, found, hint = f"a {kind} of the schema", repr(name), nearest
        super().__init__(wanted=wanted, found=found, hint=hint, source=source)
        self.kind = kind
        self.name = name
        self.choices = choices


class SchemaViolation(InputError):
    """A change after which the repository would not conform. `clause` is a, b or c of the paper's section 2.1."""

    def __init__(self, clause: str, triple: str, problem: str, *, source: str | None = None) -> None:
        super().__init__(f"the triple {triple} breaks clause ({clause}): {problem}", source=source)
        self.clause = clause
        self.triple = triple
        self.problem = problem


class HomeInUse(InputError):
    """A peer's home that another program uses."""


class UpdateRefused(InputError):
    """An update that cannot be done."""


class PrecedenceCycle(InputError):
    """A rule that would precede itself. `cycle` lists the rules, first repeated last."""

    def __init__(self, cycle: tuple[str, ...], *, source: str | None = None) -> None:
        found = f"the cycle {' -> '.join(cycle)}"
        super().__init__(wanted="rules in a partial order", found=found, source=source)
        self.cycle = cycle


class AddressRefused(InputError):
    """A webhook's address that leads where none may lead."""


class SignatureMismatch(InputError):
    """A message that was not signed with the secret, or too long ago."""


class DuplicateSubscription(TriplewireError):
    """The identifier is taken by another query."""


class UnknownSubscription(TriplewireError):
    """Nobody subscribed under that identifier."""


class UnknownAdvertisement(TriplewireError):
    """Nobody advertised under that identifier."""


class UnknownEvent(TriplewireError):
    """No event of that name is kept."""


class UnknownGraph(TriplewireError):
    """No graph of that name is in the living graph."""


class UnknownClient(TriplewireError):
    """Nobody registered under that identifier."""


class UnknownLetter(TriplewireError):
    """No dead letter has that number."""


class DuplicateRule(TriplewireError):
    """The identifier is taken by another rule."""


class UnknownRule(TriplewireError):
    """No rule is registered under that identifier."""


class UnknownSchedule(TriplewireError):
    """No schedule of that position, or with that transaction, is kept."""


class UnknownUpdate(TriplewireError):
    """No update under that key is under way, nor was answered."""


class UpdateEnded(TriplewireError):
    """An update that was to be withdrawn, and has ended."""


class UpdateWithdrawn(TriplewireError):
    """An update that its client has withdrawn. Nothing of it is kept."""


class AbortedByRule(TriplewireError):
    """A rule has aborted it on purpose."""

    def __init__(self, rule: str, reason: str) -> None:
        super().__init__(f"the rule {rule} has aborted it: {reason}")
        self.rule = rule
        self.reason = reason


class Cascaded(TriplewireError):
    """A transaction that aborted because of another one."""


class BudgetExceeded(TriplewireError):
    """An evaluation needed more work than it was allowed."""


class DepthExceeded(BudgetExceeded):
    """Rules that trigger each other deeper than allowed. `cycle` lists them, first repeated last."""

    def __init__(self, allowed: int, cycle: tuple[str, ...]) -> None:
        super().__init__(f"rules triggered each other more than {allowed} deep: {' -> '.join(cycle)}")
        self.allowed = allowed
        self.cycle = cycle


class CascadeTooLong(BudgetExceeded):
    """A schedule that took longer than allowed. `cascade` has its transaction and the rules that had led on from it.

    `fired` has every rule that had fired so far.
    """

    def __init__(self, seconds: float, cascade: tuple[str, ...], fired: frozenset[str] = frozenset()) -> None:
        where = f", in {_chain(cascade)}" if cascade else ""
        super().__init__(wanted=f"a schedule of at most {seconds:g} s", found=f"a longer one{where}")
        self.cascade = cascade
        self.fired = fired


class Unauthenticated(TriplewireError):
    """No credentials, or wrong ones."""


class Forbidden(TriplewireError):
    """A client asked for what it was not granted."""


class QuotaExceeded(TriplewireError):
    """A client asked for more than its share. `retry_after` is in seconds, where waiting helps."""

    def __init__(
        self, quota: str, summary: str | None = None, *, retry_after: float | None = None, **facts: Unpack[Facts]
    ) -> None:
        super().__init__(summary, **facts)
        self.quota = quota
        self.retry_after = retry_after


class StoreError(TriplewireError):
    """What must survive could not be written or read."""


class StoreFailed(StoreError):
    """The disk failed. Whoever sees this stops: a second fsync may say yes to what the first one lost."""


class DiskFull(StoreError):
    """No space left. Nothing of the request was written."""


class DamagedStore(StoreError):
    """A record that is not what was written, or that is missing. `position` is its place in the log, once known."""

    def __init__(self, summary: str | None = None, *, position: int | None = None, **facts: Unpack[Facts]) -> None:
        super().__init__(summary, **facts)
        self.position = position


class UnknownSchema(StoreError):
    """A data folder that a later version has written."""


class FolderInUse(StoreError):
    """Another process has the data folder."""


class SnapshotError(TriplewireError):
    """A snapshot that is damaged, of another format, or not there."""


class DeliveryFailed(TriplewireError):
    """A receiver that could not be reached, or did not accept."""


class NodeRefused(TriplewireError):
    """A node answered a request with a problem (RFC 9457), whose `detail` is its sentence."""

    def __init__(self, status: int, title: str, detail: str, **facts: Unpack[Facts]) -> None:
        super().__init__(**facts)
        self.status = status
        self.title = title
        self.detail = detail

    @property
    def is_retryable(self) -> bool:
        """Whether asking again may help: the moment is wrong, rather than the request."""
        return self.status >= 500 or self.status in _BUSY

    @property
    def message(self) -> str:
        told = f": {self.detail}" if self.detail not in ("", self.title) else ""
        return f"the node refused with {self.status} {self.title}{told}"


class NodeUnreachable(TriplewireError):
    """No node answered."""

    is_retryable = True


class MissedNotifications(TriplewireError):
    """Notifications after one position, up to another, were removed before they were read."""

    def __init__(self, after: int, until: int) -> None:
        super().__init__(f"notifications after {after}, up to {until}, were removed before they were read")
        self.after = after
        self.until = until


class MissingExtra(TriplewireError, ImportError):
    """A part of Triplewire was asked for whose packages are not installed."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(wanted=f"the package {package}", found="none", hint=f"pip install 'triplewire[{extra}]'")
        self.package = package
        self.extra = extra


class NetworkError(TriplewireError):
    """A network of super-peers that cannot be founded, joined or shown."""


class JoinFailed(NetworkError):
    """No super-peer let this one in."""


class NotInNetwork(NetworkError):
    """A node that is no super-peer."""


class NotInSpace(NetworkError):
    """A node that is in no event space."""


class LastNode(NetworkError):
    """The only node of an event space cannot leave: nobody would have what it has."""


class SpaceUnavailable(NetworkError):
    """The space has not done yet what it was asked for. It may help to ask again."""


class MessageRefused(NetworkError):
    """Something that is no message between super-peers. `fault` says in a word what was wrong with it."""

    def __init__(self, fault: str, summary: str | None = None, **facts: Unpack[Facts]) -> None:
        super().__init__(summary, **facts)
        self.fault = fault


class PeerRefused(NetworkError):
    """An access point did not do what a peer asked. `again`: it may be done later."""

    def __init__(self, wanted: str, found: str, *, again: bool = False) -> None:
        super().__init__(wanted=wanted, found=found)
        self.again = again


class SessionRefused(NetworkError):
    """A peer that is not who it says, or a message that is not of its session. `reason` is one word."""

    wanted: str
    found: str

    def __init__(self, reason: str, wanted: str, found: str) -> None:
        super().__init__(wanted=wanted, found=found)
        self.reason = reason


class PipelineError(TriplewireError):
    """Work on Spark that could not be done."""


class SparkUnavailable(PipelineError):
    """No PySpark, no Java, or a master that cannot be reached."""


class LakeError(PipelineError):
    """A lake that is damaged, is none, or is taken by another run."""


class StorageError(PipelineError):
    """A storage that could not be reached, or that refused what was asked of it."""


class StreamStopped(PipelineError):
    """A micro-batch that was not begun because the stream stops."""


class BadInputRefused(PipelineError):
    """A strict run met bad input. `rejected` is how much of it, `reasons` are the first."""

    def __init__(self, rejected: int, reasons: tuple[str, ...]) -> None:
        shown = "".join(f"\n  {reason}" for reason in reasons)
        super().__init__(wanted="sound input only (strict)", found=f"{rejected:,} rejected:{shown}")
        self.rejected = rejected
        self.reasons = reasons


def _chain(names: Sequence[str]) -> str:
    # A cycle may be a hundred thousand long; its field has all of it.
    shown = names if len(names) <= 12 else [*names[:6], f"... ({len(names) - 12} more) ...", *names[-6:]]
    return " -> ".join(shown)
