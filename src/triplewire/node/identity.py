"""Identity: a key pair names a client, a secret authenticates it.

The public identifier is derived from an Ed25519 public key; anybody may know it. Whoever registers proves to hold the
private key by signing the registration, so that nobody registers under another's name. The secret that the node gives
out in return is 256 random bits; the node keeps its hash only.
"""

from __future__ import annotations

import base64
import hashlib
import secrets

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from triplewire.errors import InputError, Unauthenticated

_ID_BYTES = 20
_KEY_BYTES = 32
_SECRET_BYTES = 32
_CONTEXT = b"triplewire registration\n"
SECRET_PREFIX = "tws_"


def public_identifier(public_key: bytes) -> str:
    """The identifier of whoever holds the key.

    >>> public_identifier(bytes(32))
    'tw-mzuhvlpymk6xo3epygfy5h4oeaejofef'
    """
    digest = hashlib.sha256(public_key).digest()[:_ID_BYTES]
    return "tw-" + base64.b32encode(digest).decode().lower().rstrip("=")


def new_secret() -> str:
    """A private bearer secret."""
    return SECRET_PREFIX + secrets.token_urlsafe(_SECRET_BYTES)


def new_private_key() -> bytes:
    """A fresh Ed25519 private key, as its 32 bytes."""
    return Ed25519PrivateKey.generate().private_bytes_raw()


def public_key_of(private_key: bytes) -> bytes:
    """The public key that belongs to a private one."""
    return Ed25519PrivateKey.from_private_bytes(private_key).public_key().public_bytes_raw()


def proof_of(private_key: bytes, node: str) -> bytes:
    """The signature that a registration at this node carries."""
    return Ed25519PrivateKey.from_private_bytes(private_key).sign(_statement(public_key_of(private_key), node))


def check_proof(public_key: bytes, proof: bytes, node: str) -> None:
    """Raise `Unauthenticated` unless whoever made the proof holds the private key, and meant this node."""
    if len(public_key) != _KEY_BYTES:
        raise InputError(f"wanted an Ed25519 public key of {_KEY_BYTES} bytes, found {len(public_key)}")
    try:
        Ed25519PublicKey.from_public_bytes(public_key).verify(proof, _statement(public_key, node))
    except InvalidSignature:
        raise Unauthenticated("wanted a registration signed with the private key, found another signature") from None


def _statement(public_key: bytes, node: str) -> bytes:
    return _CONTEXT + node.encode() + b"\n" + public_key
