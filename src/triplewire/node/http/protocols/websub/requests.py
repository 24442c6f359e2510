"""What a subscriber asks for, out of a form (WebSub, section 5.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal
from urllib.parse import urlencode

from msgspec import Struct

from triplewire.errors import InputError
from triplewire.node.delivery.addresses import target_of
from triplewire.node.delivery.webhooks import DAY, LEASE_SECONDS

_LEASE_SECONDS = 10 * DAY
_SECRET_BYTES = 200


class HubRequest(Struct, frozen=True):
    """A subscription that somebody wants, renews, or does not want any more."""

    mode: Literal["subscribe", "unsubscribe"]
    topic: str
    callback: str
    lease_seconds: float = _LEASE_SECONDS
    secret: str | None = None

    def intent(self, word: str) -> str:
        """The address at which the subscriber is asked whether it means it."""
        fields = {"hub.mode": self.mode, "hub.topic": self.topic, "hub.challenge": word}
        if self.mode == "subscribe":
            fields["hub.lease_seconds"] = str(int(self.lease_seconds))
        return f"{self.callback}{'&' if '?' in self.callback else '?'}{urlencode(fields)}"


def hub_request(fields: Mapping[str, Sequence[str]]) -> HubRequest:
    """Read the fields of a form, or raise `InputError`.

    >>> hub_request({"hub.mode": ["unsubscribe"], "hub.topic": ["t"], "hub.callback": ["http://a.example/"]}).mode
    'unsubscribe'
    """
    mode, topic, callback = (_one(fields, name) for name in ("hub.mode", "hub.topic", "hub.callback"))
    if topic is None or callback is None:
        raise InputError(wanted="hub.topic and hub.callback", found="a request without")
    target_of(callback)
    secret = _one(fields, "hub.secret") or None
    if secret is not None and len(secret.encode()) >= _SECRET_BYTES:
        raise InputError(wanted=f"hub.secret of less than {_SECRET_BYTES} bytes", found=f"{len(secret.encode())}")
    match mode:
        case "subscribe":
            return HubRequest("subscribe", topic, callback, _lease(_one(fields, "hub.lease_seconds")), secret)
        case "unsubscribe":
            return HubRequest("unsubscribe", topic, callback)
        case _:
            raise InputError(wanted="hub.mode subscribe or unsubscribe", found=repr(mode))


def _lease(given: str | None) -> float:
    """What is asked for, up to what a node gives."""
    if given is None or given == "":
        return _LEASE_SECONDS
    if not given.isascii() or not given.isdigit() or int(given[:12]) < 1:
        raise InputError(wanted="hub.lease_seconds as a number of seconds", found=repr(given[:100]))
    return min(float(given[:12]), LEASE_SECONDS)


def _one(fields: Mapping[str, Sequence[str]], name: str) -> str | None:
    found = fields.get(name, ())
    if len(found) > 1:
        raise InputError(wanted=f"one {name}", found=str(len(found)))
    return found[0] if found else None
