"""Checks that a subscriber means it, and then lets it have a webhook, or ends that.

The check comes after the answer: a subscriber need not be able to do two things at once. What fails is in the log; the
subscriber asks again.
"""

from __future__ import annotations

import logging
import secrets

from fastapi import Request

from triplewire.errors import QuotaExceeded, TriplewireError
from triplewire.node.http.authentication import node_of
from triplewire.node.http.protocols.topics import channel_name, close_channel, open_channel
from triplewire.node.http.protocols.websub.requests import HubRequest
from triplewire.store.tables.identities import Client
from triplewire.store.tables.registry import SubscriptionOptions, SubscriptionRecord

_log = logging.getLogger(__name__)
_MOST_CHECKS = 256


def begin(request: Request, client: Client, source: SubscriptionRecord, asked: HubRequest) -> None:
    """Check and do what was asked, in the background."""
    node = node_of(request)
    name = channel_name("websub", asked.topic, asked.callback)
    if len(node.checks) >= _MOST_CHECKS:
        raise QuotaExceeded(
            "checks", wanted=f"at most {_MOST_CHECKS} subscribers that are being asked", retry_after=5.0
        )
    # Who asks twice at once is asked once, about the last of the two.
    node.checks.cancel(name)
    node.checks.start(name, _done(request, client, source, asked))


async def _done(request: Request, client: Client, source: SubscriptionRecord, asked: HubRequest) -> None:
    try:
        word = secrets.token_urlsafe(32)
        await node_of(request).webhooks.ask(asked.intent(word), word)
        if asked.mode == "subscribe":
            await open_channel(request, client, source, _options(request, asked))
        else:
            await _close(request, client, asked)
    except TriplewireError as problem:
        _log.warning("%s to %s: %s", asked.mode, asked.topic, problem)


def _options(request: Request, asked: HubRequest) -> SubscriptionOptions:
    return SubscriptionOptions(
        delivery="webhook",
        callback=asked.callback,
        callback_secret=asked.secret,
        lease_ends=node_of(request).webhooks.lease_end(asked.lease_seconds),
        protocol="websub",
        topic=asked.topic,
    )


async def _close(request: Request, client: Client, asked: HubRequest) -> None:
    index = node_of(request).broker.subscriptions.index
    record = index.named(client.id, channel_name("websub", asked.topic, asked.callback))
    if record is not None:
        await close_channel(request, record)
