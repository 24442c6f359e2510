"""Presence of peers: registration, sessions, absence. A peer that is off-line for a set time is forgotten.

The indices do not change while a peer is off-line (section 4.1). A peer has one connection: the newest.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from functools import partial

import msgspec

from triplewire.errors import SessionRefused
from triplewire.network.sessions.access_point.effects import (
    Effect,
    Failed,
    ForgetPeer,
    KeepPeer,
    Outcome,
    SendToPeer,
    Unwatch,
    Watch,
)
from triplewire.network.sessions.access_point.records import PeerRecord, Pointer
from triplewire.network.sessions.access_point.state import AccessPointState, RegisteredPeer, Session, ignore_outcome
from triplewire.network.sessions.envelopes import Reason, clear
from triplewire.network.sessions.handshake import HandshakeContext, Randomness, challenge, check
from triplewire.network.sessions.identity import public_identifier, secret_hash
from triplewire.network.sessions.peer_messages import Hello, Proof, Refusal, Welcome, encode

OnArrival = Callable[[float, Session], list[Effect]]
# Returns why a connection is rejected under a key; empty if it is not.
Guard = Callable[[str, bytes], str]
# Whether an invitation is valid for a new peer.
Invited = Callable[[str], bool]
ABSENCE, SILENCE, HANDSHAKE = "absence", "silence", "handshake"


class Presence:
    """Sessions of peers. `arrived` is called when a session has begun."""

    def __init__(
        self,
        state: AccessPointState,
        private_key: bytes,
        randomness: Randomness,
        arrived: OnArrival,
        guard: Guard,
        invited: Invited | None,
    ) -> None:
        self._arrived = arrived
        self._guard = guard
        self._invited = invited
        self._state = state
        self._private_key = private_key
        self._randomness = randomness
        self._handshakes: OrderedDict[str, HandshakeContext] = OrderedDict()

    # The handshake

    def send_challenge(self, now: float, connection: str, hello: Hello) -> list[Effect]:
        """Answer `Hello`: prove the access point's key, and challenge the peer."""
        message, context = challenge(self._private_key, hello, self._randomness)
        self._handshakes.pop(connection, None)
        self._handshakes[connection] = context
        if len(self._handshakes) > self._state.settings.handshakes:
            self._handshakes.popitem(last=False)
        self._state.deadlines.set((HANDSHAKE, connection), now + self._state.settings.handshake)
        return [SendToPeer(connection, clear(encode(message)))]

    def expire_handshake(self, connection: str) -> list[Effect]:
        """Drop a handshake that took too long."""
        self._handshakes.pop(connection, None)
        return []

    def admit(self, connection: str, proof: Proof) -> list[Effect]:
        """Authenticate a peer, or `SessionRefused`. One that is new is registered.

        The session begins when the record is saved.
        """
        # A challenge can be answered once, whatever the result.
        context = self._handshakes.pop(connection, None)
        if context is None:
            raise SessionRefused(Reason.STRANGER, "a proof after a challenge", "none that is open")
        problem = self._guard(connection, context.peer_key)
        if problem:
            raise SessionRefused(Reason.KEY, "a peer that may come in", problem)
        registered = self._state.peers.get(public_identifier(context.peer_key))
        channel = check(context, proof, None if registered is None else registered.record.secret_hash)
        if registered is None:
            registered = self._register(context, proof)
        session = Session(registered.id, connection, channel, proof.address)
        registered.record = msgspec.structs.replace(registered.record, gone=None)
        return [KeepPeer(self._state.ticket(partial(self._record_kept, session)), registered.record)]

    def _register(self, context: HandshakeContext, proof: Proof) -> RegisteredPeer:
        if proof.is_known:
            raise SessionRefused(Reason.UNKNOWN, "a peer of this access point", "one that it does not know")
        if self._invited is not None and not self._invited(proof.invitation):
            found = "another" if proof.invitation else "none"
            raise SessionRefused(Reason.INVITATION, "an invitation to this access point", found)
        if len(self._state.peers) >= self._state.settings.peers:
            raise SessionRefused(Reason.FULL, f"at most {self._state.settings.peers} peers", "one more")
        peer = public_identifier(context.peer_key)
        registered = RegisteredPeer(PeerRecord(peer, context.peer_key, secret_hash(proof.secret)), set())
        self._state.peers[peer] = registered
        self._state.pointers.pop(peer, None)
        return registered

    # Sessions

    def _record_kept(self, session: Session, now: float, outcome: Outcome) -> list[Effect]:
        registered = self._state.peers.get(session.peer)
        if registered is None:
            return []
        if isinstance(outcome, Failed):
            if registered.is_kept:
                self.start_absence(registered, now)
            else:
                del self._state.peers[session.peer]
            return [SendToPeer(session.connection, clear(encode(Refusal(Reason.FULL, outcome.wanted, outcome.found))))]
        registered.is_kept = True
        return [*self._begin_session(now, registered, session), *self._arrived(now, session)]

    def _begin_session(self, now: float, registered: RegisteredPeer, session: Session) -> list[Effect]:
        before = [] if registered.session is None else self._end_session(registered.session)
        registered.session = session
        known = self._state.sessions.get(session.connection)
        before += [] if known is None else self.go_offline(now, known)
        self._state.sessions[session.connection] = session
        self.touch(now, session)
        settings = self._state.settings
        welcome = Welcome(
            self._state.id, tuple(sorted(registered.names)), settings.registration_lasts, settings.file_bytes
        )
        return [*before, session.send(welcome), Watch(registered.id)]

    def touch(self, now: float, session: Session) -> None:
        """A message has come from a peer: restart the timer of its session."""
        self._state.deadlines.set((SILENCE, session.connection), now + self._state.settings.silence)

    def disconnected(self, now: float, connection: str) -> list[Effect]:
        """A connection was closed, or timed out."""
        self._handshakes.pop(connection, None)
        session = self._state.sessions.get(connection)
        return [] if session is None else self.go_offline(now, session)

    def go_offline(self, now: float, session: Session) -> list[Effect]:
        """End a peer's session; the peer stays registered."""
        effects = self._end_session(session)
        registered = self._state.peers.get(session.peer)
        if registered is None or registered.session is not session:
            return effects
        registered.session = None
        registered.record = msgspec.structs.replace(registered.record, gone=now)
        self.start_absence(registered, now)
        return [*effects, KeepPeer(self._state.ticket(ignore_outcome), registered.record)]

    def start_absence(self, registered: RegisteredPeer, since: float) -> None:
        """Start the timer after which a peer that is off-line is forgotten."""
        self._state.deadlines.set((ABSENCE, registered.id), since + self._state.settings.keep)

    def _end_session(self, session: Session) -> list[Effect]:
        if self._state.sessions.pop(session.connection, None) is None:
            return []
        self._state.deadlines.clear((SILENCE, session.connection))
        return [Unwatch(session.peer)]

    # Forgetting

    def expire(self, now: float, peer: str) -> list[Effect]:
        """Forget a peer that was off-line for the set time."""
        registered = self._state.peers.get(peer)
        if registered is None or registered.session is not None:
            return []
        del self._state.peers[peer]
        return [ForgetPeer(self._state.ticket(ignore_outcome), peer)]

    def expel(self, peer: str) -> list[Effect]:
        """Forget a peer at once."""
        registered = self._state.peers.pop(peer, None)
        if registered is None:
            return []
        ended = [] if registered.session is None else self._end_session(registered.session)
        return [*ended, ForgetPeer(self._state.ticket(ignore_outcome), peer)]

    def move(self, now: float, session: Session, to: str) -> Pointer:
        """Forget a peer that has moved to another access point, and keep a pointer to it."""
        self._state.peers.pop(session.peer, None)
        pointer = Pointer(session.peer, to, now)
        self._state.pointers[session.peer] = pointer
        return pointer
