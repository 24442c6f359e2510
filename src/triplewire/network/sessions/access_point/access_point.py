"""An access point: what a super-peer does for its peers, as one state machine.

    receive(now, connection, data)       bytes from a peer
    disconnected(now, connection)        a connection is gone
    relayed(now, sender, body)           a word of another access point (effect `Relay` of `SuperPeer`)
    noticed(now, peer, name)             there is something new in the outbox of a subscription
    done(now, ticket, outcome)           the store has done what an effect asked for
    tick(now)                            time passes; every second or so

Each returns effects, to be done in order. `now` is in seconds that do not jump and go on after a restart. Everything
that must survive goes through effects; `memory` gives it back.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from triplewire.errors import SessionRefused
from triplewire.network.sessions import access_point_messages, peer_messages
from triplewire.network.sessions.access_point.agreements import AGREEMENT, Agreements
from triplewire.network.sessions.access_point.effects import Advertise, Effect, ForgetPointer, Outcome, Pass, Tell
from triplewire.network.sessions.access_point.migration import POINTER, Migration
from triplewire.network.sessions.access_point.notifications import Notifying
from triplewire.network.sessions.access_point.pending_requests import ERRAND, Errands
from triplewire.network.sessions.access_point.presence import ABSENCE, HANDSHAKE, SILENCE, Guard, Invited, Presence
from triplewire.network.sessions.access_point.records import Memory, Terms
from triplewire.network.sessions.access_point.registrations import ADVERTISEMENT, Standing
from triplewire.network.sessions.access_point.rendezvous import FILE, WISH, Rendezvous
from triplewire.network.sessions.access_point.state import Desk, Guest, Visit, nothing
from triplewire.network.sessions.envelopes import Kind, Reason, clear, clear_body, kind_of
from triplewire.network.sessions.handshake import Randomness
from triplewire.network.sessions.identity import public_identifier, public_key_of

_CLEAR_BYTES = 4096


def _anybody(connection: str, public_key: bytes) -> str:
    return ""


class AccessPoint:
    """`id` is its name among super-peers, `refusals` counts by reason.

    `guard` may keep peers out. `invited` says which invitations let new ones in; without it nobody needs one.
    """

    def __init__(
        self,
        private_key: bytes,
        randomness: Randomness,
        terms: Terms | None = None,
        memory: Memory | None = None,
        *,
        id: str | None = None,  # noqa: A002  the domain's word
        guard: Guard = _anybody,
        invited: Invited | None = None,
    ) -> None:
        self.id = id or public_identifier(public_key_of(private_key))
        self.refusals: Counter[str] = Counter()
        self._desk = Desk(self.id, terms or Terms())
        self._memory = memory or Memory()
        errands = Errands(self._desk)
        self._presence = Presence(self._desk, private_key, randomness, self._arrived, guard, invited)
        self._notifying = Notifying(self._desk)
        self._standing = Standing(self._desk, self._notifying)
        self._rendezvous = Rendezvous(self._desk, errands)
        self._agreements = Agreements(self._desk, errands)
        self._migration = Migration(self._desk, self._presence, self._notifying, self._rendezvous, self._agreements)
        self._heard_words = self._handlers()
        self._reminders: dict[str, Callable[..., list[Effect]]] = {
            ABSENCE: self._forget,
            SILENCE: self._presence.disconnected,
            HANDSHAKE: lambda now, connection: self._presence.give_up(connection),
            ADVERTISEMENT: lambda now, peer: self._standing.expire(peer),
            WISH: self._rendezvous.expire_wish,
            FILE: lambda now, *key: self._rendezvous.expire_file(*key),
            AGREEMENT: lambda now, *key: self._agreements.drop(*key),
            POINTER: lambda now, peer: self._forget_pointer(peer),
            ERRAND: lambda now, *key: errands.give_up(key),
        }

    # To look at

    @property
    def peers(self) -> list[str]:
        """Every peer that is remembered."""
        return sorted(self._desk.guests)

    @property
    def online(self) -> list[str]:
        """Those who are here."""
        return sorted(visit.peer for visit in self._desk.visits.values())

    # Inputs

    def start(self, now: float) -> list[Effect]:
        """Go on where an earlier process stopped: everybody is off-line, and the indices are as they were."""
        memory = self._memory
        for known in memory.peers:
            guest = Guest(known.record, set(known.subscriptions))
            guest.is_kept = True
            self._desk.guests[guest.id] = guest
            self._presence.remember(guest, now if known.record.gone is None else known.record.gone)
        self._rendezvous.load(memory.wishes, memory.files)
        self._agreements.load(memory.agreements)
        for pointer in memory.pointers:
            self._desk.pointers[pointer.peer] = pointer
            self._desk.deadlines.set((POINTER, pointer.peer), pointer.since + self._desk.terms.keep)
        advertised = [known.record for known in memory.peers if known.record.registration is not None]
        return [Advertise(self._desk.ticket(nothing), one.id, one.registration or "") for one in advertised]

    def receive(self, now: float, connection: str, data: bytes) -> list[Effect]:
        """Bytes have come over a connection. What is not genuine is refused, and never parsed."""
        try:
            effects = self._open(now, connection, data)
        except SessionRefused as refusal:
            self.refusals[refusal.reason] += 1
            word = peer_messages.Refusal(refusal.reason, refusal.wanted, refusal.found[:200])
            return [Tell(connection, clear(peer_messages.encode(word)))]
        return self._settled(now, effects)

    def disconnected(self, now: float, connection: str) -> list[Effect]:
        """A connection is gone."""
        return self._presence.disconnected(now, connection)

    def relayed(self, now: float, sender: str, body: bytes) -> list[Effect]:
        """Another access point says something."""
        try:
            word = access_point_messages.read(body)
        except SessionRefused as refusal:
            self.refusals[refusal.reason] += 1
            return []
        return self._settled(now, self._said_between(now, sender, word))

    def noticed(self, now: float, peer: str, name: str) -> list[Effect]:
        """There is something new for a peer's subscription."""
        return self._settled(now, self._notifying.noticed(peer, name))

    def done(self, now: float, ticket: int, outcome: Outcome) -> list[Effect]:
        """The store has done something."""
        return self._settled(now, self._desk.done(now, ticket, outcome))

    def tick(self, now: float) -> list[Effect]:
        """Whatever is due."""
        effects: list[Effect] = []
        for kind, *key in self._desk.deadlines.due(now):
            effects += self._reminders[kind](now, *key)
        return self._settled(now, effects)

    # From bytes to words

    def _open(self, now: float, connection: str, data: bytes) -> list[Effect]:
        if kind_of(data) is Kind.CLEAR:
            return self._shake_hands(now, connection, clear_body(data))
        visit = self._desk.visits.get(connection)
        if visit is None:
            raise SessionRefused(Reason.STRANGER, "a session on this connection", "none")
        word = peer_messages.read_said(visit.session.opening.open(data))
        self._presence.hear(now, visit)
        if visit.peer not in self._desk.guests:
            raise SessionRefused(Reason.UNKNOWN, "a peer of this access point", "one that has moved")
        return self._heard_words[type(word)](now, visit, word)

    def _shake_hands(self, now: float, connection: str, body: bytes) -> list[Effect]:
        if len(body) > _CLEAR_BYTES:
            raise SessionRefused(Reason.MALFORMED, f"at most {_CLEAR_BYTES} bytes of a handshake", f"{len(body)}")
        word = peer_messages.read_clear(body)
        if isinstance(word, peer_messages.Hello):
            return self._presence.greet(now, connection, word)
        if isinstance(word, peer_messages.Proof):
            return self._presence.admit(connection, word)
        raise SessionRefused(Reason.MALFORMED, "a word that a peer begins with", type(word).__name__)

    def _handlers(self) -> dict[type, Callable[[float, Visit, peer_messages.Said], list[Effect]]]:
        standing, rendezvous, agreements = self._standing, self._rendezvous, self._agreements
        handlers: dict[type, Callable[..., list[Effect]]] = {
            peer_messages.Present: lambda now, visit, word: [visit.tell(word)],
            peer_messages.Farewell: lambda now, visit, word: self._presence.depart(now, visit),
            peer_messages.Register: standing.register,
            peer_messages.Withdraw: lambda now, visit, word: standing.withdraw(visit, word),
            peer_messages.Subscribe: lambda now, visit, word: standing.subscribe(visit, word),
            peer_messages.Unsubscribe: lambda now, visit, word: standing.unsubscribe(visit, word),
            peer_messages.Publish: lambda now, visit, word: standing.publish(visit, word),
            peer_messages.Received: lambda now, visit, word: self._notifying.received(visit, word),
            peer_messages.Locate: agreements.locate,
            peer_messages.Request: rendezvous.request,
            peer_messages.Collect: lambda now, visit, word: rendezvous.collect(visit, word),
            peer_messages.Collected: lambda now, visit, word: rendezvous.collected(visit, word),
            peer_messages.Upload: agreements.upload,
            peer_messages.Migrate: lambda now, visit, word: self._migration.migrate(visit, word),
            peer_messages.Moved: self._migration.moved,
        }
        return handlers

    def _said_between(self, now: float, sender: str, word: access_point_messages.Between) -> list[Effect]:
        match word:
            case access_point_messages.Where():
                return self._agreements.where(word)
            case access_point_messages.There():
                return self._agreements.there(word)
            case access_point_messages.RendezvousAsked():
                return self._agreements.asked(now, word)
            case access_point_messages.RendezvousAnswered():
                return self._rendezvous.answered(word)
            case access_point_messages.ResourceUploaded():
                return self._rendezvous.uploaded(now, sender, word)
            case access_point_messages.UploadAnswered():
                return self._agreements.uploaded(word)

    # Coming, forgetting

    def _arrived(self, now: float, visit: Visit) -> list[Effect]:
        """Somebody is back: what waits, what is wanted, and the advertisement counts from now."""
        guest = self._desk.guests[visit.peer]
        self._standing.renew(now, guest)
        pending = [effect for name in sorted(guest.names) for effect in self._notifying.begin(visit, name)]
        return [*pending, *self._rendezvous.arrived(visit), *self._agreements.arrived(visit)]

    def expel(self, now: float, peer: str) -> list[Effect]:
        """Forget a peer at once, on-line or not."""
        return self._forgotten(peer, self._presence.expel(peer))

    def _forget(self, now: float, peer: str) -> list[Effect]:
        return self._forgotten(peer, self._presence.expire(now, peer))

    def _forgotten(self, peer: str, effects: list[Effect]) -> list[Effect]:
        if effects:
            self._rendezvous.forget(peer)
            self._agreements.forget(peer)
        return effects

    def _forget_pointer(self, peer: str) -> list[Effect]:
        return [] if self._desk.pointers.pop(peer, None) is None else [ForgetPointer(peer)]

    def _settled(self, now: float, effects: list[Effect]) -> list[Effect]:
        """See who has everything that was pending; and what is passed to this access point itself, comes in at once."""
        effects = [*effects, *self._migration.progress()]
        settled: list[Effect] = []
        for effect in effects:
            if isinstance(effect, Pass) and effect.to == self.id:
                settled += self.relayed(now, self.id, effect.body)
            else:
                settled.append(effect)
        return settled
