"""One connection of a peer with an access point, at the peer's end: the handshake, then envelopes.

A message that is missing, a refusal, silence: each ends the connection. The next one begins with a new handshake, and
the access point sends again what was not acknowledged.
"""

from __future__ import annotations

from triplewire.errors import SessionRefused
from triplewire.network.sessions import peer_messages
from triplewire.network.sessions.envelopes import Kind, Reason, clear, clear_body, kind_of
from triplewire.network.sessions.handshake import Approach, Randomness, Session
from triplewire.network.sessions.peer.memory import Keys, Place


class Line:
    """The peer's end. `outgoing` is what to send; whoever drives the line takes it."""

    def __init__(
        self, name: str, place: Place, keys: Keys, randomness: Randomness, address: str, is_known: bool
    ) -> None:
        self.name = name
        self.place = place
        self.outgoing: list[bytes] = []
        self._address, self._is_known = address, is_known
        self._approach = Approach(keys.private_key, keys.secret, place.public_key, randomness)
        self._session: Session | None = None
        self.is_open = False
        self.heard = self.said = 0.0

    def begin(self, now: float) -> None:
        """Say who is calling."""
        self.heard = self.said = now
        self.outgoing.append(clear(peer_messages.encode(self._approach.hello)))

    def receive(self, now: float, data: bytes) -> peer_messages.Told | None:
        """A word of the access point; None for those of the handshake. `SessionRefused` ends the line."""
        if kind_of(data) is Kind.CLEAR:
            self._shake_hands(now, peer_messages.read_clear(clear_body(data)))
            return None
        if self._session is None:
            raise SessionRefused(Reason.STRANGER, "a challenge", "an envelope")
        opening = self._session.opening
        word = peer_messages.read_told(opening.open(data))
        if opening.skipped:
            raise SessionRefused(Reason.LOST, "every message", "a gap before this one")
        self.heard = now
        self.is_open = True
        return word

    def _shake_hands(self, now: float, word: peer_messages.Clear) -> None:
        if isinstance(word, peer_messages.Refusal):
            raise SessionRefused(word.reason, word.wanted, word.found)
        if not isinstance(word, peer_messages.Challenge) or self._session is not None:
            raise SessionRefused(Reason.MALFORMED, "a challenge", type(word).__name__)
        proof, self._session = self._approach.answer(word, self._address, self._is_known, self.place.invitation)
        self.heard = now
        self.outgoing.append(clear(peer_messages.encode(proof)))

    def say(self, now: float, word: peer_messages.Said) -> None:
        """Say something, once the session has begun."""
        if self._session is not None and self.is_open:
            self.said = now
            self.outgoing.append(self._session.sealing.seal(peer_messages.encode(word)))
