"""What a receiver is sent about a notification: as this API has it, as WebSub, or as Solid's notifications.

The identity is that of the notification, so that a repeat can be recognised, whatever the form.
"""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from urllib.parse import quote

import msgspec

from triplewire.errors import StoreError
from triplewire.node.delivery.addresses import target_of
from triplewire.node.delivery.streams import Gap
from triplewire.node.delivery.webhook_request import Message
from triplewire.node.matching.answers import Notification
from triplewire.store.tables.registry import Protocol, SubscriptionRecord

Item = Notification | Gap
ACTIVITY = "application/ld+json"
_CONTEXT = ("https://www.w3.org/ns/activitystreams", "https://www.w3.org/ns/solid/notification/v1")


def message_of(record: SubscriptionRecord, item: Item, now: datetime) -> Message:
    """The message for a subscription's receiver."""
    if record.options.callback is None:
        raise StoreError(wanted=f"a callback for {record.name!r}", found="none")
    return _ENVELOPES[record.options.protocol](record, item, now)


def _standard(record: SubscriptionRecord, item: Item, _: datetime) -> Message:
    kind = "gap" if isinstance(item, Gap) else "notification"
    head = msgspec.json.encode({"type": kind, "subscription": record.name})
    options = record.options
    if options.callback_secret is None:
        raise StoreError(wanted=f"a secret for the callback of {record.name!r}", found="none")
    body = head[:-1] + b"," + msgspec.json.encode(item)[1:]
    return Message(target_of(options.callback or ""), options.callback_secret, identity_of(record, item), body)


def _websub(record: SubscriptionRecord, item: Item, _: datetime) -> Message:
    """Content of the topic, which is what a page of it would have: one notification, or a gap."""
    options = record.options
    page: dict[str, object] = {"notifications": [] if isinstance(item, Gap) else [item], "next": None}
    if isinstance(item, Gap):
        page["gap"] = item.until
    return Message(
        target_of(options.callback or ""),
        options.callback_secret,
        identity_of(record, item),
        msgspec.json.encode(page),
        signing="hub",
        link=f'<{hub_of(options.topic or "")}>; rel="hub", <{options.topic}>; rel="self"',
    )


def _solid(record: SubscriptionRecord, item: Item, now: datetime) -> Message:
    options, identity = record.options, identity_of(record, item)
    body = msgspec.json.encode(activity(options.topic or "", item, identity, now))
    return Message(target_of(options.callback or ""), None, identity, body, ACTIVITY, signing="none")


def activity(topic: str, item: Item, identity: str, now: datetime) -> Mapping[str, object]:
    """A notification in Activity Streams: an event was added to what the topic has found.

    A gap is an update of the topic as a whole, since nothing can be said of what was lost.
    """
    about: dict[str, object] = {"@context": _CONTEXT, "id": uuid.UUID(hex=identity).urn}
    if isinstance(item, Gap):
        about |= {"type": "Update", "object": topic, "state": str(item.until)}
    else:
        base = topic.partition("/subscriptions/")[0]
        event = f"{base}/events/{quote(item.event, safe='')}"
        about |= {"type": "Add", "object": event, "target": topic, "state": str(item.position)}
    return about | {"published": now.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")}


def hub_of(topic: str) -> str:
    """The hub of a topic is at the same node."""
    return topic.partition("/subscriptions/")[0] + "/websub"


def identity_of(record: SubscriptionRecord, item: Item) -> str:
    """The same for each try, and another for each subscription."""
    name = f"gap {item.until}" if isinstance(item, Gap) else item.event
    return hashlib.sha256(f"{record.number}\0{name}".encode()).hexdigest()[:32]


_ENVELOPES: Mapping[Protocol, Callable[[SubscriptionRecord, Item, datetime], Message]] = {
    "standard": _standard,
    "websub": _websub,
    "solid": _solid,
}
