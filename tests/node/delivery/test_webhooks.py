"""Webhooks end to end, with a broker on disk and receivers on loopback: A13, A14, F5, F8, order, dead letters."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import pytest
from tests.node.delivery.receiving import Receiver, agreeable, eventually, receiver

from triplewire.errors import AddressRefused, DeliveryFailed, InputError
from triplewire.node.broker.broker import Broker
from triplewire.node.delivery.addresses import Loopback, target_of
from triplewire.node.delivery.delivery_step import RetryPolicy
from triplewire.node.delivery.webhook_request import Message, Poster
from triplewire.node.delivery.webhooks import LEASE_SECONDS, Webhooks
from triplewire.rdf.events import Event
from triplewire.store.tables.identities import Client, Rights
from triplewire.store.tables.registry import Payload, SubscriptionOptions, SubscriptionRecord
from triplewire.testing import VirtualClock
from triplewire.wire.signatures import secret_of

ALICE = Client("alice", "Alice", None, Rights())
SECRET = secret_of(b"s" * 32)
ALL = "SELECT ?o WHERE { ?s <urn:p> ?o }"
PATIENT = RetryPolicy(first_delay=600.0, longest_delay=600.0)
HASTY = RetryPolicy(first_delay=0.01, longest_delay=0.02, tries=3, timeout=30.0)
IMPATIENT = RetryPolicy(first_delay=0.01, longest_delay=0.02, tries=3, timeout=1.0)


class Node:
    """A broker with webhooks, and short words for what tests do."""

    def __init__(self, broker: Broker, webhooks: Webhooks, clock: VirtualClock) -> None:
        self.broker, self.webhooks, self.clock = broker, webhooks, clock

    async def publish(self, *numbers: int) -> None:
        events = [Event.parse(f'<urn:s> <urn:p> "{n}" <urn:event:{n}> .')[0] for n in numbers]
        await self.broker.events.publish(ALICE, events)

    async def hook(
        self, name: str, url: str, *, payload: Payload = "solutions", why: bool = False
    ) -> SubscriptionRecord:
        ends = self.webhooks.lease_end()
        options = SubscriptionOptions(
            delivery="webhook", callback=url, callback_secret=SECRET, lease_ends=ends, payload=payload, why=why
        )
        record = await self.broker.subscriptions.subscribe(ALICE, name, "sparql", ALL, options)
        self.webhooks.attend(record)
        return record


@asynccontextmanager
async def node(
    folder: Path,
    *,
    loopback: Loopback = Loopback.ALLOWED,
    width: int = 256,
    clock: VirtualClock | None = None,
    retry: RetryPolicy = HASTY,
) -> AsyncIterator[Node]:
    clock = clock or VirtualClock(flow=time.monotonic)
    broker = await Broker.open(folder, clock=clock)
    webhooks = Webhooks(broker, loopback=loopback, retry=retry, width=width)
    try:
        yield Node(broker, webhooks, clock)
    finally:
        await webhooks.close()
        await broker.close()


def iris(numbers: range) -> list[str]:
    return [f"urn:event:{n}" for n in numbers]


async def test_notifications_arrive_signed_and_in_order(tmp_path):
    async with receiver() as hook, node(tmp_path) as here:
        record = await here.hook("all", hook.url)
        await here.publish(*range(50))
        await eventually(lambda: len(hook.events) >= 50, "fifty notifications")
        assert hook.events == iris(range(50))
        assert hook.bodies[0]["subscription"] == "all"
        assert hook.bodies[0]["solutions"] == [{"o": {"type": "literal", "value": "0"}}]
        identities = hook.verified(SECRET, here.clock.now().timestamp())
        assert len(set(identities)) == 50
        await eventually(lambda: here.broker.subscriptions.index.require(record.number).cursor == 50, "acknowledgement")


async def test_a_receiver_that_asks_why_is_told(tmp_path):
    async with node(tmp_path) as here, receiver(agreeable) as there:
        await here.hook("one", there.url, why=True)
        await here.publish(1)
        await eventually(lambda: there.events, "a notification")
        [body] = [body for body in there.bodies if body["type"] == "notification"]
        assert body["why"] == [{"quads": [{"quad": '<urn:s> <urn:p> "1" <urn:event:1>', "kind": "asserted"}]}]


async def test_f5_a_receiver_that_keeps_up_does_not_read_the_disk(tmp_path):
    async with receiver() as hook, node(tmp_path) as here:
        record = await here.hook("all", hook.url)
        await here.publish(0)
        index = here.broker.subscriptions.index
        await eventually(lambda: index.require(record.number).cursor == 1, "the first acknowledgement")
        here.broker.store._database.read = None  # type: ignore[method-assign,assignment]
        await here.publish(*range(1, 40))
        await eventually(lambda: index.require(record.number).cursor == 40, "the last acknowledgement")
        del here.broker.store._database.read
        assert hook.events == iris(range(40))


async def test_f5_a_receiver_that_is_down_takes_no_memory(tmp_path):
    async with receiver(lambda *_: (503, {}, b"")) as hook, node(tmp_path, retry=PATIENT) as here:
        record = await here.hook("all", hook.url)
        await here.publish(*range(5))
        recent = here.broker.state.recent
        await eventually(lambda: hook.requests and record.number not in recent, "a wait without a tail")


async def test_order_a_receiver_that_fails_now_and_then_still_gets_them_in_order(tmp_path):
    calls = iter(range(1000))

    def moody(headers: dict[str, str], body: bytes):
        return (503, {}, b"") if next(calls) % 3 else agreeable(headers, body)

    async with receiver(moody) as hook, node(tmp_path) as here:
        record = await here.hook("all", hook.url)
        await here.publish(*range(10))
        index = here.broker.subscriptions.index
        await eventually(lambda: index.require(record.number).cursor == 10, "all ten acknowledged")
        tries = [1] + [3] * 9
        assert hook.events == [event for event, count in zip(iris(range(10)), tries, strict=True) for _ in range(count)]
        assert await here.broker.dead_letters.after("alice") == []
        identities = {
            (event, headers["webhook-id"]) for event, (headers, _) in zip(hook.events, hook.requests, strict=True)
        }
        assert len(identities) == len({identity for _, identity in identities}) == 10


async def test_f9_a_repeat_has_the_identity_of_the_first(tmp_path):
    calls = iter(range(1000))

    def second_time(headers: dict[str, str], body: bytes):
        return agreeable(headers, body) if next(calls) else (500, {}, b"")

    async with receiver(second_time) as hook, node(tmp_path) as here:
        await here.hook("all", hook.url)
        await here.publish(1)
        await eventually(lambda: len(hook.requests) == 2, "a second try")
        assert len({headers["webhook-id"] for headers, _ in hook.requests}) == 1


async def test_dead_letters_are_kept_listed_and_sent_again(tmp_path):
    down = True

    def sometimes(headers: dict[str, str], body: bytes):
        return (500, {}, b"") if down else agreeable(headers, body)

    async with receiver(sometimes) as hook, node(tmp_path) as here:
        record = await here.hook("all", hook.url, payload="event")
        await here.publish(1)
        await eventually(lambda: here.broker.subscriptions.index.require(record.number).cursor == 1, "a dead letter")
        [letter] = await here.broker.dead_letters.after("alice")
        assert (letter.event, letter.attempts) == ("urn:event:1", HASTY.tries)
        assert "500" in letter.reason
        with pytest.raises(DeliveryFailed):
            await here.webhooks.send_again(letter)
        assert await here.broker.dead_letters.after("alice") == [letter]
        down = False
        await here.webhooks.send_again(letter)
        assert await here.broker.dead_letters.after("alice") == []
        assert len({headers["webhook-id"] for headers, _ in hook.requests}) == 1
        assert {body["data"] for body in hook.bodies} == {'<urn:s> <urn:p> "1" <urn:event:1> .\n'}
        await here.publish(2)
        await eventually(lambda: hook.events[-1] == "urn:event:2", "what came after")


async def test_f5_silent_receivers_do_not_hold_up_another(tmp_path):
    async with (
        receiver(lambda *_: 5.0) as silent,
        receiver() as quick,
        node(tmp_path, width=8, retry=IMPATIENT) as here,
    ):
        for number in range(7):
            await here.hook(f"silent-{number}", silent.url)
        await here.hook("quick", quick.url)
        await here.publish(*range(30))
        await eventually(lambda: len(quick.events) == 30, "everything at the quick one")
        # Each silent receiver has been asked a few times at most, and holds one request at a time.
        assert quick.events == iris(range(30))
        assert max(silent.events.count(event) for event in silent.events) <= 7 * IMPATIENT.tries


async def test_what_was_not_delivered_before_a_stop_is_delivered_after_the_next_start(tmp_path):
    async with receiver() as hook:
        async with node(tmp_path) as here:
            record = await here.hook("all", hook.url)
            here.webhooks.forget(record.number)
            await here.publish(1, 2)
        async with node(tmp_path) as here:
            here.webhooks.start()
            await eventually(lambda: len(hook.events) == 2, "both")
            assert hook.events == iris(range(1, 3))


async def test_a14_the_challenge_must_be_answered(tmp_path):
    async with (
        receiver() as good,
        receiver(lambda *_: (200, {}, b'{"challenge":"guess"}')) as forger,
        receiver(lambda *_: (404, {}, b"")) as stranger,
        node(tmp_path) as here,
    ):
        assert await here.webhooks.prove("all", good.url, SECRET) == SECRET
        assert good.bodies[0]["type"] == "challenge"
        assert (await here.webhooks.prove("all", good.url)).startswith("whsec_")
        for other in (forger, stranger):
            with pytest.raises(DeliveryFailed):
                await here.webhooks.prove("all", other.url, SECRET)
        with pytest.raises(InputError, match="webhook secret"):
            await here.webhooks.prove("all", good.url, "weak")


async def test_a14_after_the_lease_nothing_is_sent_until_it_is_renewed(tmp_path):
    async with receiver() as hook, receiver() as other, node(tmp_path) as here:
        await here.hook("all", hook.url)
        await here.publish(1)
        await eventually(lambda: len(hook.events) == 1, "the first")
        here.clock.advance(LEASE_SECONDS + 1)
        await here.hook("other", other.url)
        for number in (2, 3):
            await here.publish(number)
            await eventually(lambda number=number: f"urn:event:{number}" in other.events, "what another still gets")
        assert hook.events == ["urn:event:1"]
        await here.hook("all", hook.url)
        await eventually(lambda: len(hook.events) == 3, "the others, after renewal")


async def test_a14_a_lease_has_an_upper_bound(tmp_path):
    async with node(tmp_path) as here:
        for seconds in (0.0, -1.0, LEASE_SECONDS + 1, float("nan")):
            with pytest.raises(InputError, match="lease"):
                here.webhooks.lease_end(seconds)


@pytest.mark.parametrize("hours", [-1, 1])
async def test_f8_a_clock_that_jumps_while_the_node_is_down_moves_no_lease(tmp_path, hours):
    async with receiver() as hook:
        async with node(tmp_path) as here:
            record = await here.hook("all", hook.url)
            here.webhooks.forget(record.number)
            await here.publish(1)
            here.clock.advance(LEASE_SECONDS - 1800)
            left = record.options.lease_ends - here.broker.date.time()
        here.clock.jump(3600 * hours)
        async with node(tmp_path, clock=here.clock) as here:
            ends = here.broker.subscriptions.index.require(record.number).options.lease_ends
            assert ends - here.broker.date.time() == pytest.approx(left, abs=300)
            here.webhooks.start()
            await eventually(lambda: hook.events == ["urn:event:1"], "what waited, since the lease is not over")


@pytest.mark.parametrize("hours", [-1, 1, 24 * 365])
async def test_f8_a_clock_that_jumps_moves_neither_leases_nor_retries(tmp_path, hours):
    calls = iter(range(1000))

    def third_time(headers: dict[str, str], body: bytes):
        return agreeable(headers, body) if next(calls) >= 2 else (500, {}, b"")

    async with receiver(third_time) as hook, node(tmp_path) as here:
        await here.hook("all", hook.url)
        here.clock.jump(3600 * hours)
        await here.publish(1)
        await eventually(lambda: len(hook.events) == 3, "the third try")
        assert await here.broker.dead_letters.after("alice") == []


async def test_a13_loopback_is_refused_unless_allowed_and_nothing_connects(tmp_path):
    async with receiver() as hook, node(tmp_path, loopback=Loopback.REFUSED) as here:
        for host in ("127.0.0.1", "localhost", "0x7f.1", "2130706433", "[::1]", "[::ffff:127.0.0.1]", "0"):
            with pytest.raises(AddressRefused):
                await here.webhooks.prove("all", f"http://{host}:{hook.port}/", SECRET)
        assert hook.connections == 0


async def test_a13_a_webhook_that_turns_private_after_registration_becomes_a_dead_letter_and_is_never_reached(tmp_path):
    async with receiver() as hook, node(tmp_path, loopback=Loopback.REFUSED) as here:
        record = await here.hook("all", hook.url)
        await here.publish(1)
        await eventually(lambda: here.broker.subscriptions.index.require(record.number).cursor == 1, "a dead letter")
        [letter] = await here.broker.dead_letters.after("alice")
        assert "global" in letter.reason
        assert hook.connections == 0


def poster(resolve: Callable[[str, int], Awaitable[list[str]]], loopback: Loopback = Loopback.ALLOWED) -> Poster:
    return Poster(resolve=resolve, wall_clock=lambda: 0.0, loopback=loopback, timeout=30.0)


async def posted(sender: Poster, hook: Receiver, host: str) -> bytes:
    try:
        return await sender.post(Message(target_of(f"http://{host}:{hook.port}/in?x=1"), SECRET, "n-1", b"{}"))
    finally:
        await sender.close()


async def test_a13_dns_rebinding_a_name_is_resolved_once_and_the_checked_address_is_the_one_that_is_connected_to():
    asked: list[str] = []

    async def rebinding(host: str, _port: int) -> list[str]:
        asked.append(host)
        return ["127.0.0.1"] if len(asked) == 1 else ["10.0.0.1"]

    async with receiver() as hook:
        await posted(poster(rebinding), hook, "rebind.example")
        assert asked == ["rebind.example"]
        assert hook.requests[0][0]["host"] == f"rebind.example:{hook.port}"


async def test_a13_dns_rebinding_to_a_private_address_is_refused_before_a_connection():
    async def private(_host: str, _port: int) -> list[str]:
        return ["127.0.0.1"]

    async with receiver() as hook:
        with pytest.raises(AddressRefused):
            await posted(poster(private, Loopback.REFUSED), hook, "rebind.example")
        assert hook.connections == 0


async def test_a13_redirects_are_not_followed():
    async def here(_host: str, _port: int) -> list[str]:
        return ["127.0.0.1"]

    async with receiver() as inner:
        elsewhere = {"location": inner.url}
        async with receiver(lambda *_: (307, elsewhere, b"")) as hook:
            with pytest.raises(DeliveryFailed, match="redirects are not followed"):
                await posted(poster(here), hook, "hook.example")
        assert inner.connections == 0


async def test_a13_a_proxy_in_the_environment_is_not_asked(monkeypatch):
    async def here(_host: str, _port: int) -> list[str]:
        return ["127.0.0.1"]

    async with receiver() as proxy, receiver() as hook:
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{proxy.port}")
        await posted(poster(here), hook, "hook.example")
        assert proxy.connections == 0
        assert len(hook.requests) == 1


@pytest.mark.parametrize(
    "answer", [(500, {}, b""), (404, {}, b""), (301, {}, b""), 5.0, (200, {"content-length": "99"}, b"short")]
)
async def test_whatever_is_not_a_whole_2xx_in_time_is_a_failure_with_a_reason(answer):
    async def here(_host: str, _port: int) -> list[str]:
        return ["127.0.0.1"]

    async with receiver(lambda *_: answer) as hook:
        sender = Poster(resolve=here, wall_clock=lambda: 0.0, loopback=Loopback.ALLOWED, timeout=0.2)
        with pytest.raises(DeliveryFailed):
            await posted(sender, hook, "hook.example")


async def test_an_endless_answer_is_cut():
    async def here(_host: str, _port: int) -> list[str]:
        return ["127.0.0.1"]

    async with receiver(lambda *_: (200, {}, b"x" * 1_000_000)) as hook:
        assert len(await posted(poster(here), hook, "hook.example")) == 16 * 1024


async def test_the_message_is_one_json_object(tmp_path):
    async with receiver() as hook, node(tmp_path) as here:
        await here.hook("né", hook.url)
        await here.publish(1)
        await eventually(lambda: bool(hook.requests), "one")
        assert set(msgspec.json.decode(hook.requests[0][1])) == {
            "type", "subscription", "event", "solutions", "position",
        }  # fmt: skip


async def test_stopping_a_webhook_while_it_acknowledges_does_not_stop_the_writer(tmp_path):
    async with node(tmp_path) as here:
        record = await here.broker.subscriptions.subscribe(ALICE, "all", "sparql", ALL, SubscriptionOptions())
        for number in range(50):
            waiting = asyncio.create_task(here.broker.notifications.acknowledge(record.number, number))
            await asyncio.sleep(0)
            waiting.cancel()
        await here.publish(1)
        assert here.broker.store.failure is None
