"""Topics: what others' protocols call a subscription, by the address of its notifications."""

from __future__ import annotations

import hashlib
import re
from urllib.parse import quote, unquote, urlsplit

from msgspec.structs import replace
from starlette.requests import HTTPConnection

from triplewire.errors import InputError
from triplewire.node.http.authentication import client_of, node_of
from triplewire.node.http.protocols.addresses import base_url
from triplewire.store.tables.identities import Client
from triplewire.store.tables.registry import Protocol, SubscriptionOptions, SubscriptionRecord

_PATH = re.compile(r"/subscriptions/([^/]+)/notifications")


def topic_of(base: str, name: str) -> str:
    """The address of what a subscription finds.

    >>> topic_of("http://localhost", "new papers")
    'http://localhost/subscriptions/new%20papers/notifications'
    """
    return f"{base}/subscriptions/{quote(name, safe='')}/notifications"


def subscription_at(connection: HTTPConnection, topic: str) -> SubscriptionRecord:
    """The client's subscription at an address. That of another client is not there."""
    base, parts = base_url(connection), urlsplit(topic)
    found = _PATH.fullmatch(parts.path)
    if f"{parts.scheme}://{parts.netloc}" != base or parts.query or parts.fragment or found is None:
        raise InputError(wanted=f"a topic of this node, {topic_of(base, 'NAME')}", found=repr(topic))
    node = node_of(connection)
    return node.broker.subscriptions.require(client_of(connection).id, unquote(found[1]))


def channel_name(protocol: Protocol, topic: str, callback: str) -> str:
    """The name of the subscription that delivers a topic to a callback: the same each time, so that it is renewed."""
    both = hashlib.sha256(f"{topic} {callback}".encode())
    return f"{protocol}-{both.hexdigest()[:24]}"


def links(connection: HTTPConnection, name: str) -> str:
    """The header by which others' clients find what serves them (WebSub's hub, Solid's description)."""
    base = base_url(connection)
    return (
        f'<{base}/websub>; rel="hub", <{topic_of(base, name)}>; rel="self", '
        f'<{base}/.well-known/solid>; rel="http://www.w3.org/ns/solid/terms#storageDescription"'
    )


async def open_channel(
    connection: HTTPConnection, client: Client, source: SubscriptionRecord, options: SubscriptionOptions
) -> SubscriptionRecord:
    """A subscription of the client's own, to the same query, that delivers as these options say."""
    node = node_of(connection)
    options = replace(options, delivery="webhook", payload=source.options.payload, why=source.options.why)
    name = channel_name(options.protocol, options.topic or "", options.callback or "")
    record = await node.broker.subscriptions.subscribe(client, name, source.language, source.text, options, None)
    node.webhooks.attend(record)
    return record


async def close_channel(connection: HTTPConnection, record: SubscriptionRecord) -> None:
    """End it, with what waits for it."""
    node = node_of(connection)
    node.webhooks.forget(record.number)
    await node.broker.subscriptions.unsubscribe(record.number)
