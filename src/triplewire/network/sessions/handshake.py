"""The handshake: challenge and response both ways, as in section 4.2.

    peer           Hello      its public key, a random number
    access point   Challenge  its public key, a random number, a signature over both numbers and both keys
    peer           Proof      a signature over the same, and its private identifier
    access point   Welcome    in the first envelope of the session

The peer knows the access point's key beforehand, and sends nothing secret before that key was proven. Both then
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
from triplewire.network.sessions.envelopes import SESSION_BYTES, Opener, Reason, Sealer
from triplewire.network.sessions.identity import is_signed, public_key_of, secret_hash, sign
from triplewire.network.sessions.peer_messages import Challenge, Hello, Proof

NONCE_BYTES = 32
SIGNATURE_BYTES = 64
_KEY_BYTES = 32
_CONTEXT = b"triplewire session 1\n"
Randomness = Callable[[int], bytes]


class SecureChannel(Struct, frozen=True):
    """The two directions of a session, at one end."""

    sealer: Sealer
    opener: Opener


class HandshakeContext(Struct, frozen=True):
    """What both ends know of each other during a handshake; `statement` is what they sign."""

    access_point_key: bytes
    peer_key: bytes
    peer_nonce: bytes
    nonce: bytes

    @property
    def statement(self) -> bytes:
        return _CONTEXT + self.access_point_key + self.peer_key + self.peer_nonce + self.nonce


class PeerHandshake:
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

    def answer(
        self, challenge: Challenge, address: str, is_known: bool, invitation: str = ""
    ) -> tuple[Proof, SecureChannel]:
        """The proof for an access point that has proven its key; or `SessionRefused`."""
        context = HandshakeContext(self._access_point_key, self._public_key, self._nonce, challenge.nonce)
        if challenge.public_key != self._access_point_key or not is_signed(
            self._access_point_key, challenge.signature, _of_access_point(context)
        ):
            raise SessionRefused(Reason.KEY, "the access point whose key is known", "another")
        unsigned = Proof(bytes(SIGNATURE_BYTES), self._secret, address, is_known, invitation)
        signature = sign(self._private_key, _of_peer(context, unsigned))
        proof = msgspec.structs.replace(unsigned, signature=signature)
        session, upward, downward = _keys(context, self._secret)
        return proof, SecureChannel(Sealer(session, upward), Opener(session, downward))


def challenge(private_key: bytes, hello: Hello, randomness: Randomness) -> tuple[Challenge, HandshakeContext]:
    """The access point's answer to `Hello`."""
    context = HandshakeContext(public_key_of(private_key), hello.public_key, hello.nonce, randomness(NONCE_BYTES))
    signature = sign(private_key, _of_access_point(context))
    return Challenge(context.access_point_key, context.nonce, signature), context


def check(context: HandshakeContext, proof: Proof, known_hash: bytes | None) -> SecureChannel:
    """The channel of a peer that has proven its key, and its secret if that is known; or `SessionRefused`."""
    if not is_signed(context.peer_key, proof.signature, _of_peer(context, proof)):
        raise SessionRefused(Reason.KEY, "a proof signed with the peer's key", "another signature")
    if known_hash is not None and not hmac.compare_digest(known_hash, secret_hash(proof.secret)):
        raise SessionRefused(Reason.SECRET, "the private identifier of this peer", "another")
    session, upward, downward = _keys(context, proof.secret)
    return SecureChannel(Sealer(session, downward), Opener(session, upward))


def _of_access_point(context: HandshakeContext) -> bytes:
    return b"access point\n" + context.statement


def _of_peer(context: HandshakeContext, proof: Proof) -> bytes:
    """What a peer signs: everything that it sends, its secrets as hashes."""
    secrets = secret_hash(proof.secret) + secret_hash(proof.invitation)
    return b"peer\n" + context.statement + secrets + bytes([proof.is_known]) + proof.address.encode()


def _keys(context: HandshakeContext, secret: str) -> tuple[bytes, bytes, bytes]:
    """The session's name, and a key for each direction."""
    length = SESSION_BYTES + 2 * _KEY_BYTES
    hkdf = HKDF(SHA256(), length, salt=context.peer_nonce + context.nonce, info=context.statement)
    made = hkdf.derive(secret.encode())
    return made[:SESSION_BYTES], made[SESSION_BYTES:-_KEY_BYTES], made[-_KEY_BYTES:]
