"""Identity of section 4.2 in today's primitives: a key pair names a peer, a secret authenticates it.

The public identifier is derived from an Ed25519 public key; it is public, and all that other peers ever see. The
private identifier is a bearer secret of 256 random bits; an access point keeps its hash.

A super-peer has one key pair for everything. Its key for CURVE is the same point in Montgomery form, as libsodium
derives it, so its public key serves both to encrypt to it and to check its signatures.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import secrets
from collections.abc import Callable

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from triplewire.errors import InputError

KEY_BYTES = 32
SECRET_PREFIX = "tws_"
_ID_PREFIX = "tw-"
_ID_BYTES = 20
_SECRET_BYTES = 32
_PRIME = (1 << 255) - 19


def public_identifier(public_key: bytes) -> str:
    """The identifier of the holder of the key.

    >>> public_identifier(bytes(32))
    'tw-mzuhvlpymk6xo3epygfy5h4oeaejofef'
    """
    digest = hashlib.sha256(public_key).digest()[:_ID_BYTES]
    return _ID_PREFIX + base64.b32encode(digest).decode().lower().rstrip("=")


def new_secret(randomness: Callable[[int], bytes] = secrets.token_bytes) -> str:
    """A private identifier."""
    return SECRET_PREFIX + base64.urlsafe_b64encode(randomness(_SECRET_BYTES)).decode().rstrip("=")


def secret_hash(secret: str) -> bytes:
    """What is kept of a private identifier. It is random, so a plain hash is enough: there is nothing to guess."""
    return hashlib.sha256(secret.encode(errors="surrogatepass")).digest()


def new_private_key() -> bytes:
    """A fresh Ed25519 private key, as its 32 bytes."""
    return Ed25519PrivateKey.generate().private_bytes_raw()


def public_key_of(private_key: bytes) -> bytes:
    """The public key that belongs to a private one."""
    return Ed25519PrivateKey.from_private_bytes(private_key).public_key().public_bytes_raw()


def sign(private_key: bytes, statement: bytes) -> bytes:
    """A signature of 64 bytes."""
    return Ed25519PrivateKey.from_private_bytes(private_key).sign(statement)


def is_signed(public_key: bytes, signature: bytes, statement: bytes) -> bool:
    """Whether the holder of the key signed this statement."""
    try:
        Ed25519PublicKey.from_public_bytes(public_key).verify(signature, statement)
    except (InvalidSignature, ValueError):
        return False
    return True


# Keys as people write them


def key_text(public_key: bytes) -> str:
    """A public key as people copy it.

    >>> key_of_text(key_text(bytes(range(32)))) == bytes(range(32))
    True
    """
    return base64.urlsafe_b64encode(public_key).decode().rstrip("=")


def key_of_text(text: str) -> bytes:
    """The key in a text, or `InputError`."""
    try:
        key = base64.b64decode(text.strip() + "=", altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if len(key) != KEY_BYTES:
        raise InputError(wanted=f"a public key of {KEY_BYTES} bytes in base64", found=repr(text))
    return key


# Keys for CURVE


def curve_public_key(public_key: bytes) -> bytes:
    """The X25519 key of the holder of this Ed25519 key: the same point on the other form of the curve."""
    y = int.from_bytes(public_key, "little") & ((1 << 255) - 1)
    if len(public_key) != KEY_BYTES or y % _PRIME == 1:
        raise InputError(wanted="an Ed25519 public key", found="bytes that are none")
    u = (1 + y) * pow(1 - y, -1, _PRIME) % _PRIME
    return u.to_bytes(KEY_BYTES, "little")


def curve_private_key(private_key: bytes) -> bytes:
    """The X25519 private key that belongs to an Ed25519 private key."""
    scalar = bytearray(hashlib.sha512(private_key).digest()[:KEY_BYTES])
    scalar[0] &= 248
    scalar[31] = scalar[31] & 127 | 64
    return bytes(scalar)
