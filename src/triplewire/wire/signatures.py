"""Signed webhooks (row A14), in the form of the Standard Webhooks specification, so that its libraries verify ours.

What is signed is `identity.timestamp.body`. The identity stays the same when a message is sent again; the time does
not, and a receiver refuses one that is too old, so that a recorded message cannot be played back later.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from collections.abc import Mapping

from triplewire.errors import InputError, SignatureMismatch

ID_HEADER = "webhook-id"
TIME_HEADER = "webhook-timestamp"
SIGNATURE_HEADER = "webhook-signature"
PREFIX = "whsec_"
TOLERANCE_SECONDS = 300
_SHORTEST, _LONGEST = 24, 64


def secret_of(random_bytes: bytes) -> str:
    """A secret as people see it. The bytes must come from a source fit for keys.

    >>> secret_of(bytes(24))
    'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'
    """
    return PREFIX + base64.b64encode(random_bytes).decode()


def key_of(secret: str) -> bytes:
    """The key in a secret of 24 to 64 bytes."""
    try:
        key = base64.b64decode(secret.removeprefix(PREFIX), validate=True)
    except (binascii.Error, ValueError):
        raise InputError(wanted=f"a webhook secret as base64 after {PREFIX!r}", found="something else") from None
    if not _SHORTEST <= len(key) <= _LONGEST:
        raise InputError(wanted=f"a webhook secret of {_SHORTEST} to {_LONGEST} bytes", found=str(len(key)))
    return key


def signed_headers(secret: str, identity: str, timestamp: int, body: bytes) -> dict[str, str]:
    """The three headers of a message, with its signature."""
    return {
        ID_HEADER: identity,
        TIME_HEADER: str(timestamp),
        SIGNATURE_HEADER: f"v1,{_signature(key_of(secret), identity, str(timestamp), body)}",
    }


def hub_signature(secret: str, body: bytes) -> dict[str, str]:
    """The header of a message as WebSub has it (section 7.1 there).

    >>> hub_signature("s", b"")["x-hub-signature"][:15]
    'sha256=64eca07c'
    """
    return {"x-hub-signature": f"sha256={hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()}"}


def verify(secret: str, headers: Mapping[str, str], body: bytes, now: float) -> str:
    """The identity of a message that is genuine and fresh, or `SignatureMismatch`. Header names in lower case."""
    try:
        identity, sent, signatures = headers[ID_HEADER], headers[TIME_HEADER], headers[SIGNATURE_HEADER]
    except KeyError as missing:
        raise SignatureMismatch(wanted=f"the header {missing}", found="none") from None
    wanted = _signature(key_of(secret), identity, sent, body)
    if not any(_same(wanted, given) for given in signatures.split()):
        raise SignatureMismatch(wanted="a signature made with the secret of this webhook", found="another")
    if not sent.isascii() or not sent.isdigit() or abs(now - int(sent)) > TOLERANCE_SECONDS:
        raise SignatureMismatch(wanted=f"a time within {TOLERANCE_SECONDS} s of now", found=repr(sent))
    return identity


def _signature(key: bytes, identity: str, timestamp: str, body: bytes) -> str:
    content = f"{identity}.{timestamp}.".encode() + body
    return base64.b64encode(hmac.new(key, content, hashlib.sha256).digest()).decode()


def _same(wanted: str, given: str) -> bool:
    version, _, signature = given.partition(",")
    return version == "v1" and hmac.compare_digest(wanted.encode(), signature.encode())
