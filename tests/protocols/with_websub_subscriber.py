"""`pubsubhubbub` from npm, unchanged, as a subscriber of a real node. Run by `make test-protocols`."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

from tests.node.processes import Process, free_port, running
from tests.protocols.clients import FOLDER, Driver, driver

from triplewire.client import Client

DRIVER = Path(__file__).with_name("websub_subscriber.js")
EVENT = '<urn:s> <urn:p> "{n}" <urn:event:{n}> .\n'


def subscriber(node: Process, topic: str) -> AbstractContextManager[Driver]:
    secret = f"Bearer {node.secret}" if node.secret else ""
    return driver(DRIVER, str(FOLDER), str(free_port()), f"{node.url}/websub", topic, secret)


def test_it_subscribes_is_told_and_unsubscribes(tmp_path: Path) -> None:
    with running(tmp_path / "node", "--allow-loopback-webhooks") as node:
        node.secret = next(line for line in node.words().splitlines() if "secret" in line).rpartition(" ")[2]
        topic = f"{node.url}/subscriptions/all/notifications"
        with Client(node.url, node.secret) as client:
            client.put_subscription("SELECT ?o { ?s <urn:p> ?o }", name="all")
        with Client(node.url, node.secret) as client, subscriber(node, topic) as found:
            told = found.said("subscribe")
            assert told["topic"] == topic
            until(lambda: len(client.subscriptions()) == 2)
            for n in (1, 2, 3):
                client.publish(EVENT.format(n=n))
                [notification] = found.said("feed")["body"]["notifications"]
                assert notification["event"] == f"urn:event:{n}"
                assert notification["solutions"][0]["o"]["value"] == str(n)
            assert found.process.stdin is not None
            found.process.stdin.write("leave\n")
            found.process.stdin.flush()
            assert found.said("unsubscribe")["topic"] == topic
            until(lambda: len(client.subscriptions()) == 1)


def until(condition: Callable[[], bool]) -> None:
    """The hub does it after its answer: ask until it is so."""
    for _ in range(10_000):
        if condition():
            return
    raise AssertionError("it did not come to that")
