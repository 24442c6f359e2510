"""Challenge and response both ways, as section 4.2 asks for.

    peer           Hello      its public key, a random number
    access point   Challenge  its public key, a random number, a signature over both numbers and both keys
    peer           Proof      a signature over the same, and its private identifier
    access point   Welcome    in the first envelope of the session

The peer knows the access point's key beforehand, and says nothing that is secret before that key was proven. Both then
derive the session's keys from the secret and both numbers (HKDF), so the first envelope either way proves the secret.

The secret is sent, as in the paper, over a transport that encrypts: the access point keeps its hash alone.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable

import msgspec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from msgspec import Struct

from triplewire.errors import SessionRefused
from triplewire.network.sessions.envelopes import SESSION_BYTES, Opening, Reason, Sealing
from triplewire.network.sessions.identity import is_signed, public_key_of, secret_hash, sign
from triplewire.network.sessions.peer_messages import Challenge, Hello, Proof

NONCE_BYTES = 32
SIGNATURE_BYTES = 64
_KEY_BYTES = 32
_CONTEXT = b"triplewire session 1\n"
Randomness = Callable[[int], bytes]


class Session(Struct, frozen=True):
    """The two directions, as one end sees them."""

    sealing: Sealing
    opening: Opening


class Meeting(Struct, frozen=True):
    """What both ends know of each other during a handshake."""

    access_point_key: bytes
    peer_key: bytes
    peer_nonce: bytes
    nonce: bytes

    @property
    def statement(self) -> bytes:
        return _CONTEXT + self.access_point_key + self.peer_key + self.peer_nonce + self.nonce


class Approach:
    """The peer's side of one handshake."""

    def __init__(self, private_key: bytes, secret: str, access_point_key: bytes, randomness: Randomness) -> None:
        self._private_key = private_key
        self._secret = secret
        self._access_point_key = access_point_key
        self._public_key = public_key_of(private_key)
        self._nonce = randomness(NONCE_BYTES)

    @property
    def hello(self) -> Hello:
        return Hello(self._public_key, self._nonce)

    def answer(self, challenge: Challenge, address: str, is_known: bool, invitation: str = "") -> tuple[Proof, Session]:
        """Prove who this is to an access point that has proven who it is; or `SessionRefused`."""
        meeting = Meeting(self._access_point_key, self._public_key, self._nonce, challenge.nonce)
        if challenge.public_key != self._access_point_key or not is_signed(
            self._access_point_key, challenge.signature, _of_access_point(meeting)
        ):
            raise SessionRefused(Reason.KEY, "the access point whose key is known", "another")
        unsigned = Proof(bytes(SIGNATURE_BYTES), self._secret, address, is_known, invitation)
        signature = sign(self._private_key, _of_peer(meeting, unsigned))
        proof = msgspec.structs.replace(unsigned, signature=signature)
        session, upward, downward = _keys(meeting, self._secret)
        return proof, Session(Sealing(session, upward), Opening(session, downward))


def challenge(private_key: bytes, hello: Hello, randomness: Randomness) -> tuple[Challenge, Meeting]:
    """The access point's answer to a peer that begins."""
    meeting = Meeting(public_key_of(private_key), hello.public_key, hello.nonce, randomness(NONCE_BYTES))
    signature = sign(private_key, _of_access_point(meeting))
    return Challenge(meeting.access_point_key, meeting.nonce, signature), meeting


def check(meeting: Meeting, proof: Proof, known_hash: bytes | None) -> Session:
    """The session of a peer that holds its key, and its secret where that is known; or `SessionRefused`."""
    if not is_signed(meeting.peer_key, proof.signature, _of_peer(meeting, proof)):
        raise SessionRefused(Reason.KEY, "a proof signed with the peer's key", "another signature")
    if known_hash is not None and not hmac.compare_digest(known_hash, secret_hash(proof.secret)):
        raise SessionRefused(Reason.SECRET, "the private identifier of this peer", "another")
    session, upward, downward = _keys(meeting, proof.secret)
    return Session(Sealing(session, downward), Opening(session, upward))


def _of_access_point(meeting: Meeting) -> bytes:
    return b"access point\n" + meeting.statement


def _of_peer(meeting: Meeting, proof: Proof) -> bytes:
    """What a peer signs: everything that it says, its secrets as hashes."""
    secrets = secret_hash(proof.secret) + secret_hash(proof.invitation)
    return b"peer\n" + meeting.statement + secrets + bytes([proof.is_known]) + proof.address.encode()


def _keys(meeting: Meeting, secret: str) -> tuple[bytes, bytes, bytes]:
    """The session's name, and a key for each direction."""
    length = SESSION_BYTES + 2 * _KEY_BYTES
    hkdf = HKDF(SHA256(), length, salt=meeting.peer_nonce + meeting.nonce, info=meeting.statement)
    made = hkdf.derive(secret.encode())
    return made[:SESSION_BYTES], made[SESSION_BYTES:-_KEY_BYTES], made[-_KEY_BYTES:]
