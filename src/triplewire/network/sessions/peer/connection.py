"""One connection of a peer with an access point, at the peer's end: the handshake, then envelopes.

A missing message, a refusal and a timeout each end the connection. The next one begins with a new handshake, and the
access point sends again what was not acknowledged.
"""

from __future__ import annotations

from triplewire.errors import SessionRefused
from triplewire.network.sessions import peer_messages
from triplewire.network.sessions.envelopes import MessageKind, Reason, clear, clear_body, kind_of
from triplewire.network.sessions.handshake import PeerHandshake, Randomness, SecureChannel
from triplewire.network.sessions.peer.saved_state import AccessPointInfo, PeerKeys
from triplewire.network.sessions.rule_data import RuleDataAssembler, RuleDataSplitter


class Connection:
    """The peer's end. `outgoing` is what to send; the caller takes it."""

    def __init__(
        self,
        name: str,
        access_point: AccessPointInfo,
        keys: PeerKeys,
        randomness: Randomness,
        address: str,
        is_known: bool,
    ) -> None:
        self.name = name
        self.access_point = access_point
        self.outgoing: list[bytes] = []
        self._address, self._is_known = address, is_known
        self._handshake = PeerHandshake(keys.private_key, keys.secret, access_point.public_key, randomness)
        self._channel: SecureChannel | None = None
        self.is_open = False
        self.incoming_rules = RuleDataAssembler()
        self.outgoing_rules = RuleDataSplitter()
        self.received_at = self.sent_at = 0.0

    def begin(self, now: float) -> None:
        """Send `Hello`."""
        self.received_at = self.sent_at = now
        self.outgoing.append(clear(peer_messages.encode(self._handshake.hello)))

    def receive(self, now: float, data: bytes) -> peer_messages.AccessPointMessage | None:
        """A message of the access point; None for those of the handshake. `SessionRefused` ends the connection."""
        if kind_of(data) is MessageKind.CLEAR:
            self._receive_handshake(now, peer_messages.decode_handshake_message(clear_body(data)))
            return None
        if self._channel is None:
            raise SessionRefused(Reason.STRANGER, "a challenge", "an envelope")
        opener = self._channel.opener
        message = peer_messages.decode_access_point_message(opener.open(data))
        if opener.skipped:
            raise SessionRefused(Reason.LOST, "every message", "a gap before this one")
        self.received_at = now
        self.is_open = True
        return message

    def _receive_handshake(self, now: float, message: peer_messages.HandshakeMessage) -> None:
        if isinstance(message, peer_messages.Refusal):
            raise SessionRefused(message.reason, message.wanted, message.found)
        if not isinstance(message, peer_messages.Challenge) or self._channel is not None:
            raise SessionRefused(Reason.MALFORMED, "a challenge", type(message).__name__)
        proof, self._channel = self._handshake.answer(
            message, self._address, self._is_known, self.access_point.invitation
        )
        self.received_at = now
        self.outgoing.append(clear(peer_messages.encode(proof)))

    def send(self, now: float, message: peer_messages.PeerMessage) -> None:
        """Send a message, once the session has begun."""
        if self._channel is not None and self.is_open:
            self.sent_at = now
            self.outgoing.append(self._channel.sealer.seal(peer_messages.encode(message)))
