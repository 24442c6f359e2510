"""Delivery: how notifications reach subscribers.

    addresses        where a webhook may lead (row A13)
    delivery_step    what to do next for one webhook: a pure step, with time and chance handed in
    envelopes        what a receiver is sent: as this API has it, as WebSub, or as Solid's notifications
    streams          one subscription as a stream without end, whatever carries it: notifications, gaps, and keep-alives
                     in between
    webhook_request  one signed request to one receiver: resolve once, check the address, connect to it, follow
                     nothing
    webhooks         a task for each, which asks `delivery_step` what to do and does it

A node makes `Streams` and `Webhooks`, calls `streams.stop()` when it begins to shut down, and `webhooks.close()`
before it closes the broker.
"""

from triplewire.node.delivery.addresses import Loopback
from triplewire.node.delivery.streams import Streams
from triplewire.node.delivery.webhooks import Webhooks

__all__ = ["Loopback", "Streams", "Webhooks"]
