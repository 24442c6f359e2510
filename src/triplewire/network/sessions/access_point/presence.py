"""Peers come and go. One that goes is remembered, with everything that is its own, for a set time; then forgotten.

Nothing changes in the indices while it is away (section 4.1). A peer has one connection: the newest.
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
    Tell,
    Unwatch,
    Watch,
)
from triplewire.network.sessions.access_point.records import PeerRecord, Pointer
from triplewire.network.sessions.access_point.state import Desk, Guest, Visit, nothing
from triplewire.network.sessions.envelopes import Reason, clear
from triplewire.network.sessions.handshake import Meeting, Randomness, challenge, check
from triplewire.network.sessions.identity import public_identifier, secret_hash
from triplewire.network.sessions.peer_messages import Hello, Proof, Refusal, Welcome, encode

Arrived = Callable[[float, Visit], list[Effect]]
# Why whoever is at the other end of a connection is not let in under a key; empty if it is.
Guard = Callable[[str, bytes], str]
# Whether an invitation lets a new peer in.
Invited = Callable[[str], bool]
ABSENCE, SILENCE, HANDSHAKE = "absence", "silence", "handshake"


class Presence:
    """Who is on-line. `arrived` says what is done when somebody has come."""

    def __init__(
        self,
        desk: Desk,
        private_key: bytes,
        randomness: Randomness,
        arrived: Arrived,
        guard: Guard,
        invited: Invited | None,
    ) -> None:
        self._arrived = arrived
        self._guard = guard
        self._invited = invited
        self._desk = desk
        self._private_key = private_key
        self._randomness = randomness
        self._meetings: OrderedDict[str, Meeting] = OrderedDict()

    # The handshake

    def greet(self, now: float, connection: str, hello: Hello) -> list[Effect]:
        """Prove who this access point is, and ask the same."""
        word, meeting = challenge(self._private_key, hello, self._randomness)
        self._meetings.pop(connection, None)
        self._meetings[connection] = meeting
        if len(self._meetings) > self._desk.terms.handshakes:
            self._meetings.popitem(last=False)
        self._desk.deadlines.set((HANDSHAKE, connection), now + self._desk.terms.handshake)
        return [Tell(connection, clear(encode(word)))]

    def give_up(self, connection: str) -> list[Effect]:
        """A handshake took too long."""
        self._meetings.pop(connection, None)
        return []

    def admit(self, connection: str, proof: Proof) -> list[Effect]:
        """Let in a peer that has proven who it is, or `SessionRefused`. One that is new is registered.

        It is in when its record is kept.
        """
        # A random number is answered once, whatever comes of it.
        meeting = self._meetings.pop(connection, None)
        if meeting is None:
            raise SessionRefused(Reason.STRANGER, "a proof after a challenge", "none that is open")
        problem = self._guard(connection, meeting.peer_key)
        if problem:
            raise SessionRefused(Reason.KEY, "a peer that may come in", problem)
        guest = self._desk.guests.get(public_identifier(meeting.peer_key))
        session = check(meeting, proof, None if guest is None else guest.record.secret_hash)
        if guest is None:
            guest = self._register(meeting, proof)
        visit = Visit(guest.id, connection, session, proof.address)
        guest.record = msgspec.structs.replace(guest.record, gone=None)
        return [KeepPeer(self._desk.ticket(partial(self._kept, visit)), guest.record)]

    def _register(self, meeting: Meeting, proof: Proof) -> Guest:
        if proof.is_known:
            raise SessionRefused(Reason.UNKNOWN, "a peer of this access point", "one that it does not know")
        if self._invited is not None and not self._invited(proof.invitation):
            found = "another" if proof.invitation else "none"
            raise SessionRefused(Reason.INVITATION, "an invitation to this access point", found)
        if len(self._desk.guests) >= self._desk.terms.peers:
            raise SessionRefused(Reason.FULL, f"at most {self._desk.terms.peers} peers", "one more")
        peer = public_identifier(meeting.peer_key)
        guest = Guest(PeerRecord(peer, meeting.peer_key, secret_hash(proof.secret)), set())
        self._desk.guests[peer] = guest
        self._desk.pointers.pop(peer, None)
        return guest

    # Coming and going

    def _kept(self, visit: Visit, now: float, outcome: Outcome) -> list[Effect]:
        guest = self._desk.guests.get(visit.peer)
        if guest is None:
            return []
        if isinstance(outcome, Failed):
            if guest.is_kept:
                self.remember(guest, now)
            else:
                del self._desk.guests[visit.peer]
            return [Tell(visit.connection, clear(encode(Refusal(Reason.FULL, outcome.wanted, outcome.found))))]
        guest.is_kept = True
        return [*self._enter(now, guest, visit), *self._arrived(now, visit)]

    def _enter(self, now: float, guest: Guest, visit: Visit) -> list[Effect]:
        before = [] if guest.visit is None else self._end(guest.visit)
        guest.visit = visit
        known = self._desk.visits.get(visit.connection)
        before += [] if known is None else self.depart(now, known)
        self._desk.visits[visit.connection] = visit
        self.hear(now, visit)
        terms = self._desk.terms
        welcome = Welcome(self._desk.id, tuple(sorted(guest.names)), terms.registration_lasts, terms.file_bytes)
        return [*before, visit.tell(welcome), Watch(guest.id)]

    def hear(self, now: float, visit: Visit) -> None:
        """A word has come from a peer: it is here."""
        self._desk.deadlines.set((SILENCE, visit.connection), now + self._desk.terms.silence)

    def disconnected(self, now: float, connection: str) -> list[Effect]:
        """A connection is gone, or has been silent for too long."""
        self._meetings.pop(connection, None)
        visit = self._desk.visits.get(connection)
        return [] if visit is None else self.depart(now, visit)

    def depart(self, now: float, visit: Visit) -> list[Effect]:
        """A peer is off-line from now on."""
        effects = self._end(visit)
        guest = self._desk.guests.get(visit.peer)
        if guest is None or guest.visit is not visit:
            return effects
        guest.visit = None
        guest.record = msgspec.structs.replace(guest.record, gone=now)
        self.remember(guest, now)
        return [*effects, KeepPeer(self._desk.ticket(nothing), guest.record)]

    def remember(self, guest: Guest, since: float) -> None:
        """Keep what is known of a peer that is off-line for the set time."""
        self._desk.deadlines.set((ABSENCE, guest.id), since + self._desk.terms.keep)

    def _end(self, visit: Visit) -> list[Effect]:
        if self._desk.visits.pop(visit.connection, None) is None:
            return []
        self._desk.deadlines.clear((SILENCE, visit.connection))
        return [Unwatch(visit.peer)]

    # Forgetting

    def expire(self, now: float, peer: str) -> list[Effect]:
        """A peer has been away for the set time."""
        guest = self._desk.guests.get(peer)
        if guest is None or guest.visit is not None:
            return []
        del self._desk.guests[peer]
        return [ForgetPeer(self._desk.ticket(nothing), peer)]

    def expel(self, peer: str) -> list[Effect]:
        """Somebody else has decided that a peer is none any more."""
        guest = self._desk.guests.pop(peer, None)
        if guest is None:
            return []
        ended = [] if guest.visit is None else self._end(guest.visit)
        return [*ended, ForgetPeer(self._desk.ticket(nothing), peer)]

    def move(self, now: float, visit: Visit, to: str) -> Pointer:
        """A peer has moved to another access point; what remains here is where it went."""
        self._desk.guests.pop(visit.peer, None)
        pointer = Pointer(visit.peer, to, now)
        self._desk.pointers[visit.peer] = pointer
        return pointer
