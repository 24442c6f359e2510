"""Delivery: how notifications reach whoever subscribed.

    addresses    where a webhook may lead
    challenges   does the receiver want this?
    courier      what to do next for one webhook: deliver, wait, give up, stop

    resolving    names to addresses, off the event loop
    posting      one signed request to one receiver
    webhooks     a task for each webhook
    streams      one subscription as a stream without end; server-sent events
    router       the routes

The first three decide and do no I/O. An app makes `Streams` and `Webhooks`, includes `delivery_router`, calls
`streams.stop()` when it is told to stop and `webhooks.close()` before it closes the broker.
"""

from triplewire.node.delivery.addresses import Loopback
from triplewire.node.delivery.router import delivery_router
from triplewire.node.delivery.streams import Streams
from triplewire.node.delivery.webhooks import Webhooks

__all__ = ["Loopback", "Streams", "Webhooks", "delivery_router"]
