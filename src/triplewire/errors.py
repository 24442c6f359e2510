"""Every error that Triplewire raises on purpose.

TriplewireError
├── InputError                 something from outside is wrong
│   ├── SyntaxProblem          text that does not parse: carries line, column and the text around it
│   ├── RefusedFeature         well-formed, but not allowed here: SERVICE, FROM, LOAD, updates, DOCTYPE
│   ├── LimitExceeded          too large, too deep, too many
│   ├── UnknownFormat          a format or language that nobody here reads
│   ├── EmptyEvent             an event without triples
│   ├── EventConflict          one event IRI with two contents
│   ├── InvalidTerm            a term where it cannot stand, such as a blank node as an event's name
│   ├── TaxonomyCycle          a class or property that is its own ancestor
│   ├── UnknownName            a class or property that the schema lacks, or has more than once
│   ├── SchemaViolation        a change after which the repository would not conform: carries clause and triple
│   ├── UpdateRefused          an update that cannot be done, such as `seq++` where there is no container
│   ├── PrecedenceCycle        a rule that would precede itself
│   ├── TooSlow                a request that did not arrive in time
│   ├── AddressRefused         a webhook's address that leads where none may lead
│   └── SignatureMismatch      a message that was not signed with the secret, or too long ago
├── DuplicateSubscription      the identifier is taken by another query
├── UnknownSubscription        nobody subscribed under that identifier
├── BudgetExceeded             an evaluation needed more work than it was allowed
│   └── DepthExceeded          rules that trigger each other deeper than allowed: carries the cycle
├── DuplicateRule              the identifier is taken by another rule
├── UnknownRule                no rule is registered under that identifier
├── Cascaded                   a transaction that aborted because of another one
├── UnknownLetter              no dead letter has that number
├── DeliveryFailed             a receiver that could not be reached, or did not accept
├── NodeRefused                a node answered a request with a problem: carries status, title and detail
├── NodeUnreachable            no node answered
├── MissedNotifications        some were removed before they were read: carries after and until
├── SnapshotError              a snapshot that is damaged, of another format, or not there
├── MissingExtra               a package of an optional part is not installed: carries package and extra
├── UnknownAdvertisement       nobody advertised under that identifier
├── NetworkError               a network of super-peers that cannot be founded, joined or shown
│   ├── JoinFailed             no super-peer let this one in: the sentence says how far it came
│   ├── NotInNetwork           a node that is no super-peer
│   ├── MessageRefused         something that is no message between super-peers: carries what was wrong with it
│   ├── PeerRefused            an access point did not do what a peer asked: carries wanted, found and again
│   └── SessionRefused         a peer that is not who it says, or a message that is not of its session: carries reason
└── PipelineError              work on Spark that could not be done
    ├── SparkUnavailable       no Java, or a master that cannot be reached
    ├── LakeError              a lake that is damaged, is none, or is taken by another run
    └── BadInputRefused        a strict run met bad input

An error keeps its facts as fields; the sentence is built when it is shown.
"""
# ruff: noqa: N818  a name says what happened, and the tree that it is an error

from __future__ import annotations

from typing import Self

_AROUND = 60


class TriplewireError(Exception):
    """The root: catch this to catch everything that Triplewire raises on purpose."""


class InputError(TriplewireError):
    """Something from outside is wrong.

    `source` names the file or message, `line` and `column` the place in it, both from 1, as far as they are known.
    """

    line: int | None = None
    column: int | None = None

    def __init__(self, message: str, *, source: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.source = source

    def located_in(self, source: str) -> Self:
        """Name the file or message that the error came from, unless it is named already."""
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

    def __str__(self) -> str:
        # Editors and terminals know `file:line:column:` as a place to jump to.
        place = ":".join(str(part) for part in (self.source, self.line, self.column) if part is not None)
        return f"{place}: {self.message}" if place else self.message


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
        message: str,
        *,
        line: int,
        column: int,
        around: str = "",
        caret: int | None = None,
        source: str | None = None,
    ) -> None:
        super().__init__(message, source=source)
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
    def at(cls, text: str, offset: int, message: str) -> SyntaxProblem:
        """Build the error for a character offset in `text`."""
        line, column = place_in(text, offset)
        start = offset - column + 1
        end = text.find("\n", offset)
        line_text = text[start : end if end >= 0 else len(text)]
        # A line may be a megabyte long: show what stands near the place.
        cut = max(0, offset - start - _AROUND)
        return cls(
            message,
            line=line,
            column=column,
            around=line_text[cut : offset - start + _AROUND],
            caret=offset - start - cut,
        )


class RefusedFeature(InputError):
    """Well-formed, but not allowed here. `feature` is the word that was refused."""

    def __init__(self, feature: str, message: str, *, source: str | None = None) -> None:
        super().__init__(message, source=source)
        self.feature = feature


class LimitExceeded(InputError):
    """Too large, too deep or too many. `limit` is the name of the limit, `allowed` its value."""

    def __init__(self, limit: str, allowed: int, message: str, *, source: str | None = None) -> None:
        super().__init__(message, source=source)
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


class TaxonomyCycle(InputError):
    """A class or property that is its own ancestor. `cycle` lists the IRIs and blank nodes, first repeated last."""

    def __init__(self, cycle: tuple[str, ...], *, source: str | None = None) -> None:
        super().__init__(
            "the taxonomy must have no cycle, found " + " -> ".join(_shown(cycle)),
            source=source,
        )
        self.cycle = cycle


def _shown(cycle: tuple[str, ...]) -> list[str]:
    names = [name if name.startswith("_:") else f"<{name}>" for name in cycle]
    # A cycle may be a hundred thousand long; its field has all of it.
    return names if len(names) <= 12 else [*names[:6], f"... ({len(names) - 12} more) ...", *names[-6:]]


class DuplicateSubscription(TriplewireError):
    """The identifier is taken by another query."""


class UnknownSubscription(TriplewireError):
    """Nobody subscribed under that identifier."""


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
        shown = cascade if len(cascade) <= 12 else (*cascade[:6], f"... ({len(cascade) - 12} more) ...", *cascade[-6:])
        where = f", in {' -> '.join(shown)}" if shown else ""
        super().__init__(f"wanted a schedule of at most {seconds:g} s, found a longer one{where}")
        self.cascade = cascade
        self.fired = fired


class DuplicateRule(TriplewireError):
    """The identifier is taken by another rule."""


class UnknownRule(TriplewireError):
    """No rule is registered under that identifier."""


class Cascaded(TriplewireError):
    """A transaction that aborted because of another one."""


class SnapshotError(TriplewireError):
    """A snapshot that is damaged, of another format, or not there."""


class UnknownName(InputError):
    """A class or property that the schema lacks, or has more than once. `choices` are the IRIs that may be meant."""

    def __init__(
        self, kind: str, name: str, choices: tuple[str, ...], *, ambiguous: int = 0, source: str | None = None
    ) -> None:
        listed = ", ".join(f"<{iri}>" for iri in choices)
        if ambiguous:
            message = f"wanted one {kind} named {name!r} in the schema, found {ambiguous}: {listed}"
        else:
            nearest = f"; the nearest are {listed}" if choices else ""
            message = f"wanted a {kind} of the schema, found {name!r}{nearest}"
        super().__init__(message, source=source)
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


class UpdateRefused(InputError):
    """An update that cannot be done."""


class PrecedenceCycle(InputError):
    """A rule that would precede itself. `cycle` lists the rules, first repeated last."""

    def __init__(self, cycle: tuple[str, ...], *, source: str | None = None) -> None:
        super().__init__(f"wanted rules in a partial order, found the cycle {' -> '.join(cycle)}", source=source)
        self.cycle = cycle


class AddressRefused(InputError):
    """A webhook's address that leads where none may lead."""


class SignatureMismatch(InputError):
    """A message that was not signed with the secret, or too long ago."""


class UnknownLetter(TriplewireError):
    """No dead letter has that number."""


class DeliveryFailed(TriplewireError):
    """A receiver that could not be reached, or did not accept."""


class NodeRefused(TriplewireError):
    """A node answered a request with a problem (RFC 9457)."""

    def __init__(self, status: int, title: str, detail: str) -> None:
        super().__init__(status, title, detail)
        self.status = status
        self.title = title
        self.detail = detail

    def __str__(self) -> str:
        return f"the node refused with {self.status} {self.title}" + (f": {self.detail}" if self.detail else "")


class NodeUnreachable(TriplewireError):
    """No node answered."""


class MissedNotifications(TriplewireError):
    """Notifications after one position, up to another, were removed before they were read."""

    def __init__(self, after: int, until: int) -> None:
        super().__init__(after, until)
        self.after = after
        self.until = until

    def __str__(self) -> str:
        return f"notifications after {self.after}, up to {self.until}, were removed before they were read"


class MissingExtra(TriplewireError, ImportError):
    """A part of Triplewire was asked for whose packages are not installed."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(package, extra)
        self.package = package
        self.extra = extra

    def __str__(self) -> str:
        return f"wanted the package {self.package}, found none: pip install 'triplewire[{self.extra}]'"


class UnknownAdvertisement(TriplewireError):
    """Nobody advertised under that identifier."""


class NetworkError(TriplewireError):
    """A network of super-peers that cannot be founded, joined or shown."""


class JoinFailed(NetworkError):
    """No super-peer let this one in."""


class NotInNetwork(NetworkError):
    """A node that is no super-peer."""


class MessageRefused(NetworkError):
    """Something that is no message between super-peers. `fault` says in a word what was wrong with it."""

    def __init__(self, fault: str, message: str) -> None:
        super().__init__(message)
        self.fault = fault


class PeerRefused(NetworkError):
    """An access point did not do what a peer asked. `again`: it may be done later."""

    def __init__(self, wanted: str, found: str, *, again: bool = False) -> None:
        super().__init__(f"wanted {wanted}, found {found}")
        self.wanted = wanted
        self.found = found
        self.again = again


class SessionRefused(NetworkError):
    """A peer that is not who it says, or a message that is not of its session. `reason` is one word."""

    def __init__(self, reason: str, wanted: str, found: str) -> None:
        super().__init__(f"wanted {wanted}, found {found}")
        self.reason = reason
        self.wanted = wanted
        self.found = found


class PipelineError(TriplewireError):
    """Work on Spark that could not be done."""


class SparkUnavailable(PipelineError):
    """No PySpark, no Java, or a master that cannot be reached."""


class LakeError(PipelineError):
    """A lake that is damaged, is none, or is taken by another run."""


class BadInputRefused(PipelineError):
    """A strict run met bad input. `reasons` are the first of them."""

    def __init__(self, found: int, reasons: tuple[str, ...]) -> None:
        shown = "".join(f"\n  {reason}" for reason in reasons)
        super().__init__(f"wanted sound input only (strict), found {found:,} rejected:{shown}")
        self.found = found
        self.reasons = reasons


class StoreError(TriplewireError):
    """What must survive could not be written or read."""


class StoreFailed(StoreError):
    """The disk failed. Whoever sees this stops: a second fsync may say yes to what the first one lost."""


class DiskFull(StoreError):
    """No space left. Nothing of the request was written."""


class DamagedStore(StoreError):
    """A record that is not what was written, or that is missing. `position` is its place in the log, once known."""

    def __init__(self, message: str, *, position: int | None = None) -> None:
        super().__init__(message)
        self.position = position


class UnknownSchema(StoreError):
    """A data folder that a later version has written."""


class FolderInUse(StoreError):
    """Another process has the data folder."""


class Unauthenticated(TriplewireError):
    """No credentials, or wrong ones."""


class Forbidden(TriplewireError):
    """A client asked for what it was not granted."""


class QuotaExceeded(TriplewireError):
    """A client asked for more than its share. `retry_after` is in seconds, where waiting helps."""

    def __init__(self, quota: str, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.quota = quota
        self.retry_after = retry_after


class UnknownEvent(TriplewireError):
    """No event of that name is kept."""


class UnknownClient(TriplewireError):
    """Nobody registered under that identifier."""
