"""Signed tokens: for a short time, whoever holds one may do something in a client's name.

A token is signed and not stored; the key is the process's own, and each kind of token has another. So a restart ends
every token, and so does a new secret of the client (row A12).
"""

from __future__ import annotations

import base64
import binascii
import hmac
import secrets
from collections.abc import Callable

import msgspec
from msgspec import Struct

from triplewire.errors import Unauthenticated
from triplewire.store.clock import Clock

_KEY_BYTES = _MAC_BYTES = 32
SecretHash = Callable[[str], bytes | None]


class Claim(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """Who may do something, and with which subscription, until when, on the monotonic clock.

    `stamp` is of the client's secret.
    """

    client: str
    subscription: int
    expires: float
    stamp: bytes


class SignedTokens:
    """Gives out tokens and knows them again. `secret_hash` is that of a client, or None if there is no such client."""

    def __init__(self, clock: Clock, seconds: float, secret_hash: SecretHash, prefix: str, kind: str) -> None:
        self._clock = clock
        self._secret_hash = secret_hash
        self._prefix = prefix
        self._kind = kind
        self._key = secrets.token_bytes(_KEY_BYTES)
        self.seconds = seconds

    def sign(self, client_id: str, subscription: int) -> str:
        """A token in a client's name."""
        expires = self._clock.monotonic() + self.seconds
        written = msgspec.msgpack.encode(Claim(client_id, subscription, expires, self._stamp(client_id)))
        return self._prefix + base64.urlsafe_b64encode(written + self._mac(written)).decode().rstrip("=")

    def claim(self, token: str) -> Claim:
        """What a token is good for, or `Unauthenticated`."""
        data = self._bytes_of(token)
        written, mac = data[:-_MAC_BYTES], data[-_MAC_BYTES:]
        if not hmac.compare_digest(mac, self._mac(written)):
            raise Unauthenticated(wanted=f"{self._kind} of this node", found="another")
        found = msgspec.msgpack.decode(written, type=Claim)
        if self._clock.monotonic() > found.expires:
            raise Unauthenticated(wanted=f"{self._kind} that is at most {self.seconds:g} s old", found="an older one")
        if not hmac.compare_digest(found.stamp, self._stamp(found.client)):
            raise Unauthenticated(wanted=f"{self._kind} of a client's present secret", found="one of an earlier secret")
        return found

    def _stamp(self, client_id: str) -> bytes:
        kept = self._secret_hash(client_id)
        # A client that is gone has none, and so no token of its has.
        return secrets.token_bytes(_MAC_BYTES) if kept is None else self._mac(b"secret\n" + kept)

    def _mac(self, data: bytes) -> bytes:
        return hmac.digest(self._key, data, "sha256")

    def _bytes_of(self, token: str) -> bytes:
        text = token.removeprefix(self._prefix)
        try:
            return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        except (binascii.Error, ValueError):
            raise Unauthenticated(wanted=self._kind, found="something else") from None
