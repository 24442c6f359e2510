"""The state that the parts of an access point share: peers, sessions, deadlines, and continuations of effects."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
from msgspec import Struct

from triplewire.network.sessions import access_point_messages
from triplewire.network.sessions.access_point.effects import Effect, Failed, Outcome, SendToAccessPoint, SendToPeer
from triplewire.network.sessions.access_point.flow_control import NotificationFlow
from triplewire.network.sessions.access_point.records import AccessPointSettings, PeerRecord, Pointer
from triplewire.network.sessions.access_point_messages import Message
from triplewire.network.sessions.deadlines import Deadlines
from triplewire.network.sessions.handshake import SecureChannel
from triplewire.network.sessions.peer_messages import AccessPointMessage, RequestRefused, encode
from triplewire.network.sessions.rule_data import RuleDataAssembler, RuleDataSplitter

Continuation = Callable[[float, Outcome], list[Effect]]


class MigrationProgress(Struct):
    """The migration of a peer: what must be drained before it gets the watermarks."""

    request_id: int
    to: str
    watermarks_ticket: int = 0
    watermarks: dict[str, int] | None = None
    undrained: set[str] = msgspec.field(default_factory=set)
    is_reported: bool = False

    def drained(self, name: str, ticket: int) -> None:
        """A page was the last of its subscription; it counts if it was read after the watermarks."""
        if self.watermarks is not None and ticket > self.watermarks_ticket:
            self.undrained.discard(name)


class Session:
    """The session of a peer that is on-line, over one connection."""

    def __init__(self, peer: str, connection: str, channel: SecureChannel, address: str) -> None:
        self.peer = peer
        self.connection = connection
        self.channel = channel
        self.address = address
        self.flows: dict[str, NotificationFlow] = {}
        self.migration: MigrationProgress | None = None
        self.incoming_rules = RuleDataAssembler()
        self.outgoing_rules = RuleDataSplitter()

    def send(self, message: AccessPointMessage) -> SendToPeer:
        """Send a message in the next envelope of this session."""
        return SendToPeer(self.connection, self.channel.sealer.seal(encode(message)))

    def refuse(self, request_id: int, wanted: str, found: str, again: bool = False) -> list[Effect]:
        return [self.send(RequestRefused(request_id, wanted, found, again))]


class RegisteredPeer:
    """A peer that is registered at this access point, on-line or not."""

    def __init__(self, record: PeerRecord, names: set[str]) -> None:
        self.record = record
        self.names = names
        self.session: Session | None = None
        self.is_kept = False

    @property
    def id(self) -> str:
        return self.record.id


class AccessPointState:
    """The shared state. Outcomes without a continuation are ignored."""

    def __init__(self, id: str, settings: AccessPointSettings) -> None:  # noqa: A002  the domain's word
        self.id = id
        self.settings = settings
        self.deadlines = Deadlines()
        self.peers: dict[str, RegisteredPeer] = {}
        self.sessions: dict[str, Session] = {}
        self.pointers: dict[str, Pointer] = {}
        self._ticket = 0
        self._flows = 0
        self._waiting: dict[int, Continuation] = {}

    def ticket(self, then: Continuation) -> int:
        """A ticket for an effect, and the continuation of its outcome."""
        self._ticket += 1
        self._waiting[self._ticket] = then
        return self._ticket

    @property
    def last_ticket(self) -> int:
        return self._ticket

    def flow(self) -> NotificationFlow:
        """A new flow, with a number of its own."""
        self._flows += 1
        return NotificationFlow(self._flows, self.settings.window)

    def done(self, now: float, ticket: int, outcome: Outcome) -> list[Effect]:
        """Run the continuation of a ticket."""
        then = self._waiting.pop(ticket, None)
        return [] if then is None else then(now, outcome)

    def is_current(self, session: Session) -> bool:
        """Whether the session is still the one of its connection."""
        return self.sessions.get(session.connection) is session

    def session_of(self, peer: str) -> Session | None:
        """The session of a peer, if it is on-line."""
        registered = self.peers.get(peer)
        return None if registered is None else registered.session

    def on_success(self, session: Session, request_id: int, then: Callable[[float], list[Effect]]) -> Continuation:
        """A continuation for a success; after a failure the peer gets a refusal."""

        def outcome_came(now: float, outcome: Outcome) -> list[Effect]:
            if not isinstance(outcome, Failed):
                return then(now)
            return (
                session.refuse(request_id, outcome.wanted, outcome.found, outcome.again)
                if self.is_current(session)
                else []
            )

        return outcome_came

    def reply(self, session: Session, message: AccessPointMessage) -> list[Effect]:
        """Send a message to a peer, if its session is current."""
        return [session.send(message)] if self.is_current(session) else []


def to_access_point(to: str, message: Message) -> list[Effect]:
    """The effect that sends a message to another access point."""
    return [SendToAccessPoint(to, access_point_messages.encode(message))]


def ignore_outcome(now: float, outcome: Outcome) -> list[Effect]:
    """The continuation of an outcome that changes nothing."""
    return []
