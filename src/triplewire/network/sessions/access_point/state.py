"""What the parts of an access point share: who the peers are, what waits for the store, what is due."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
from msgspec import Struct

from triplewire.network.sessions.access_point.effects import Effect, Failed, Outcome, Pass, Tell
from triplewire.network.sessions.access_point.flow_control import Flow
from triplewire.network.sessions.access_point.records import PeerRecord, Pointer, Terms
from triplewire.network.sessions.access_point_messages import Between, write
from triplewire.network.sessions.deadlines import Deadlines
from triplewire.network.sessions.handshake import Session
from triplewire.network.sessions.peer_messages import Refused, Told, encode

Then = Callable[[float, Outcome], list[Effect]]


class Leaving(Struct):
    """A peer that moves: what must still be drained before it is told how far it got."""

    ask: int
    to: str
    tide_ticket: int = 0
    tide: dict[str, int] | None = None
    undrained: set[str] = msgspec.field(default_factory=set)
    is_told: bool = False

    def drained(self, name: str, ticket: int) -> None:
        """A page was the last of its subscription; it counts if it was read after the tide."""
        if self.tide is not None and ticket > self.tide_ticket:
            self.undrained.discard(name)


class Visit:
    """A peer while it is on-line: one connection, one session."""

    def __init__(self, peer: str, connection: str, session: Session, address: str) -> None:
        self.peer = peer
        self.connection = connection
        self.session = session
        self.address = address
        self.flows: dict[str, Flow] = {}
        self.leaving: Leaving | None = None

    def tell(self, word: Told) -> Tell:
        """A word in the next envelope of this session."""
        return Tell(self.connection, self.session.sealing.seal(encode(word)))

    def refuse(self, ask: int, wanted: str, found: str, again: bool = False) -> list[Effect]:
        return [self.tell(Refused(ask, wanted, found, again))]


class Guest:
    """A peer of this access point, on-line or not."""

    def __init__(self, record: PeerRecord, names: set[str]) -> None:
        self.record = record
        self.names = names
        self.visit: Visit | None = None
        self.is_kept = False

    @property
    def id(self) -> str:
        return self.record.id


class Desk:
    """The shared state. Outcomes that nobody waits for any more are passed over."""

    def __init__(self, id: str, terms: Terms) -> None:  # noqa: A002  the domain's word
        self.id = id
        self.terms = terms
        self.deadlines = Deadlines()
        self.guests: dict[str, Guest] = {}
        self.visits: dict[str, Visit] = {}
        self.pointers: dict[str, Pointer] = {}
        self._ticket = 0
        self._flows = 0
        self._waiting: dict[int, Then] = {}

    def ticket(self, then: Then) -> int:
        """A number for an effect, and what to do with its outcome."""
        self._ticket += 1
        self._waiting[self._ticket] = then
        return self._ticket

    @property
    def last_ticket(self) -> int:
        return self._ticket

    def flow(self) -> Flow:
        """A new flow, told from all others by its number."""
        self._flows += 1
        return Flow(self._flows, self.terms.window)

    def done(self, now: float, ticket: int, outcome: Outcome) -> list[Effect]:
        """Go on where a ticket was waited for."""
        then = self._waiting.pop(ticket, None)
        return [] if then is None else then(now, outcome)

    def is_current(self, visit: Visit) -> bool:
        """Whether the peer is still here, over that connection."""
        return self.visits.get(visit.connection) is visit

    def visit_of(self, peer: str) -> Visit | None:
        """The peer's visit, if it is on-line."""
        guest = self.guests.get(peer)
        return None if guest is None else guest.visit

    def after(self, visit: Visit, ask: int, then: Callable[[float], list[Effect]]) -> Then:
        """Go on after a success; after a failure tell the peer what was wanted and found."""

        def outcome_came(now: float, outcome: Outcome) -> list[Effect]:
            if not isinstance(outcome, Failed):
                return then(now)
            return visit.refuse(ask, outcome.wanted, outcome.found, outcome.again) if self.is_current(visit) else []

        return outcome_came

    def answer(self, visit: Visit, word: Told) -> list[Effect]:
        """Tell a peer, if it is still here."""
        return [visit.tell(word)] if self.is_current(visit) else []


def passed(to: str, word: Between) -> list[Effect]:
    """A word to another access point."""
    return [Pass(to, write(word))]


def nothing(now: float, outcome: Outcome) -> list[Effect]:
    """What is done with an outcome that changes nothing."""
    return []
