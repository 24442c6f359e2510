"""Who a client of the node is: a key pair names it, a secret authenticates it (`network.sessions.identity`).

Whoever registers proves to hold the private key by signing the registration, so that nobody registers under another's
name. The secret that the node gives out in return is 256 random bits; the node keeps its hash only.
"""

from __future__ import annotations

from triplewire.errors import InputError, Unauthenticated
from triplewire.network.sessions.identity import (
    KEY_BYTES,
    SECRET_PREFIX,
    is_signed,
    new_private_key,
    new_secret,
    public_identifier,
    public_key_of,
    sign,
)

__all__ = [
    "SECRET_PREFIX",
    "check_proof",
    "new_private_key",
    "new_secret",
    "proof_of",
    "public_identifier",
    "public_key_of",
]

_CONTEXT = b"triplewire registration\n"


def proof_of(private_key: bytes, node: str) -> bytes:
    """The signature that a registration at this node carries."""
    return sign(private_key, _statement(public_key_of(private_key), node))


def check_proof(public_key: bytes, proof: bytes, node: str) -> None:
    """Raise `Unauthenticated` unless whoever made the proof holds the private key, and meant this node."""
    if len(public_key) != KEY_BYTES:
        raise InputError(wanted=f"an Ed25519 public key of {KEY_BYTES} bytes", found=str(len(public_key)))
    if not is_signed(public_key, proof, _statement(public_key, node)):
        raise Unauthenticated(wanted="a registration signed with the private key", found="another signature")


def _statement(public_key: bytes, node: str) -> bytes:
    return _CONTEXT + node.encode() + b"\n" + public_key
