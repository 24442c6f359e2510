"""Which web pages may talk to a node: those that come from it, and no other.

A browser sends the Origin of the page with every WebSocket handshake and every request that changes something. A page
from elsewhere could otherwise read, through its visitor's browser, what a node on that machine gives to whoever asks.
"""

from __future__ import annotations

from urllib.parse import urlsplit


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
