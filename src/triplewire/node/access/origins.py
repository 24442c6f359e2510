"""Which web pages may talk to a node: those that come from it, and those of origins that `--allow-origin` names.

A browser sends the Origin of the page with every WebSocket handshake and every request that changes something. A page
from elsewhere could otherwise read, through its visitor's browser, what a node on that machine gives to whoever asks.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from triplewire.errors import InputError

ANY = "*"
_DEFAULT_PORTS = {"http": ":80", "https": ":443"}


def is_welcome(origin: str | None, host: str | None, allowed: frozenset[str]) -> bool:
    """Whether a request comes from no page at all, from one of this host, or from one that is allowed.

    >>> is_welcome("https://app.example", "n.example", frozenset({"https://app.example"}))
    True
    >>> is_welcome("https://evil.example", "n.example", frozenset({"https://app.example"}))
    False
    """
    return is_same_origin(origin, host) or ANY in allowed or origin in allowed


def is_same_origin(origin: str | None, host: str | None) -> bool:
    """Whether a request comes from no page at all, or from one of this host.

    >>> is_same_origin(None, "127.0.0.1:8080"), is_same_origin("http://127.0.0.1:8080", "127.0.0.1:8080")
    (True, True)
    >>> is_same_origin("https://evil.example", "127.0.0.1:8080"), is_same_origin("null", "127.0.0.1:8080")
    (False, False)
    """
    if origin is None:
        return True
    parts = urlsplit(origin)
    return bool(host) and parts.scheme in ("http", "https") and parts.netloc.lower() == (host or "").lower()


def origins_of(text: str) -> frozenset[str]:
    """Origins with commas between them, as browsers spell them; or `InputError`.

    >>> sorted(origins_of("https://app.example:443, http://LOCALHOST:3000"))
    ['http://localhost:3000', 'https://app.example']
    """
    return frozenset(_origin(part.strip()) for part in text.split(",") if part.strip())


def _origin(text: str) -> str:
    if text == ANY:
        return ANY
    parts = urlsplit(text.lower())
    if parts.scheme not in _DEFAULT_PORTS or not parts.hostname or text.lower() != f"{parts.scheme}://{parts.netloc}":
        raise InputError(wanted="an origin as https://app.example or http://localhost:3000, or *", found=repr(text))
    return f"{parts.scheme}://{parts.netloc.removesuffix(_DEFAULT_PORTS[parts.scheme])}"
