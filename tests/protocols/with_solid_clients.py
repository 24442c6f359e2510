"""Solid's clients from npm, unchanged: `@solid-notifications/subscription` finds a channel and asks for it, and
`@inrupt/solid-client-notifications` listens to it. Run by `make test-protocols`.
"""

from __future__ import annotations

from pathlib import Path

from tests.node.delivery.receiving import eventually, receiver
from tests.node.processes import running
from tests.protocols.clients import FOLDER, driver

from triplewire.client import Client

DRIVER = Path(__file__).with_name("solid_subscriber.js")
EVENT = '<urn:s> <urn:p> "{n}" <urn:event:{n}> .\n'
QUERY = "SELECT ?o { ?s <urn:p> ?o }"


def test_a_websocket_channel_is_found_and_told(tmp_path: Path) -> None:
    with running(tmp_path / "node", "--open") as node, Client(node.url) as client:
        client.put_subscription(QUERY, name="all")
        topic = f"{node.url}/subscriptions/all/notifications"
        with driver(DRIVER, str(FOLDER), topic, "WebSocketChannel2023") as found:
            assert found.said("channel")["channel"]["topic"] == topic
            found.said("connected")
            for n in (1, 2):
                client.publish(EVENT.format(n=n))
                told = found.said("message")["told"]
                assert (told["type"], told["target"], told["state"]) == ("Add", topic, str(n))


async def test_a_webhook_channel_is_found_and_told(tmp_path: Path) -> None:
    async with receiver(lambda _headers, _body: (200, {}, b"")) as hook:
        flags = ("--open", "--allow-loopback-webhooks", "--solid-receivers", f"http://127.0.0.1:{hook.port}")
        with running(tmp_path / "node", *flags) as node, Client(node.url) as client:
            client.put_subscription(QUERY, name="all")
            topic = f"{node.url}/subscriptions/all/notifications"
            with driver(DRIVER, str(FOLDER), topic, "WebhookChannel2023", hook.url) as found:
                channel = found.said("channel")["channel"]
                assert (channel["topic"], channel["sendTo"]) == (topic, hook.url)
            client.publish(EVENT.format(n=1))
            await eventually(lambda: len(hook.bodies) == 1, "a notification")
            assert hook.bodies[0]["target"] == topic
