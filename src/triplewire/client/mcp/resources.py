"""Subscriptions as resources: their addresses, and what is read there.

A resource shows what has not been acknowledged. The cursor is kept by the node, so an agent that is started anew finds
what it has not dealt with yet, and nothing that it has.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import quote, unquote

from triplewire.client.asynchronous import AsyncClient
from triplewire.client.follower import NotificationPage
from triplewire.errors import InputError

PREFIX = "triplewire://subscriptions/"
TEMPLATE = f"{PREFIX}{{name}}"
MOST = 100


def uri_of(name: str) -> str:
    """
    >>> uri_of("new papers")
    'triplewire://subscriptions/new%20papers'
    """
    return PREFIX + quote(name, safe="")


def name_of(uri: str) -> str:
    """
    >>> name_of("triplewire://subscriptions/new%20papers")
    'new papers'
    """
    if not uri.startswith(PREFIX) or uri == PREFIX:
        raise InputError(wanted=f"a resource {TEMPLATE}", found=repr(uri))
    return unquote(uri.removeprefix(PREFIX))


async def matches(client: AsyncClient, name: str, after: int | None = None, limit: int = MOST) -> dict[str, Any]:
    """What a subscription has found after a position, by default after what was acknowledged."""
    return written(name, await client.read_subscription(name, after, limit))


def written(name: str, page: NotificationPage) -> dict[str, Any]:
    """A page as an agent reads it: `next` is where there is more, `gap` the last that was lost unread."""
    found: dict[str, Any] = {"subscription": name, "notifications": [one.json for one in page.notifications]}
    more = {"next": page.next, "gap": page.gap}
    return found | {key: value for key, value in more.items() if value is not None}
