"""Webhooks: a task for each, which asks `delivery_step` what to do and does it.

One slow receiver never holds up others (row F5): each has its own task and at most one request on its way; requests are
counted in two lanes, and a receiver that failed last time waits in the other one, so those that work never queue behind
those that may not. Names are resolved by threads of the lane.

A receiver that keeps up gets what was just committed from memory, as a stream does; one that is behind gets it from the
disk.

What is not delivered stays in the outbox; what was given up is a dead letter that can be sent again.
"""

from __future__ import annotations

import asyncio
import hmac
import logging
import random
import secrets
from collections.abc import Callable

from triplewire.errors import DeliveryFailed, InputError, TriplewireError, UnknownSubscription
from triplewire.node.broker.broker import Broker
from triplewire.node.delivery.addresses import Loopback, target_of
from triplewire.node.delivery.delivery_step import Expire, RetryPolicy, Wait, WebhookState, accepted, next_step, refused
from triplewire.node.delivery.envelopes import message_of
from triplewire.node.delivery.streams import Gap, items_of, position_of
from triplewire.node.delivery.webhook_request import Message, Poster, Resolver, challenge_body, check_answer
from triplewire.node.matching.answers import Notification
from triplewire.store.tables.dead_letters import DeadLetter
from triplewire.store.tables.registry import SubscriptionRecord
from triplewire.system.supervisor import Supervisor
from triplewire.wire.signatures import key_of, secret_of

DAY = 86_400.0
LEASE_SECONDS = 30 * DAY
PAGE = 32
_log = logging.getLogger(__name__)


class Lane:
    """Room for so many requests at a time, with a resolver of its own."""

    def __init__(self, width: int, make_poster: Callable[[Resolver], Poster]) -> None:
        self._room = asyncio.Semaphore(width)
        self._resolver = Resolver(min(width, 32))
        self._poster = make_poster(self._resolver)

    async def post(self, message: Message) -> bytes:
        async with self._room:
            return await self._poster.post(message)

    async def close(self) -> None:
        await self._poster.close()
        self._resolver.close()


class Webhooks:
    """Delivers for every subscription that has a callback. Make it on the event loop; `close` it before the broker."""

    def __init__(
        self,
        broker: Broker,
        *,
        loopback: Loopback = Loopback.REFUSED,
        retry: RetryPolicy = RetryPolicy(),  # noqa: B008  immutable
        width: int = 256,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self._broker = broker
        self._loopback = loopback
        self._retry = retry
        self._chance = chance
        self._tasks = Supervisor()
        self._trusted = Lane(width, self._poster)
        self._suspect = Lane(max(1, width // 4), self._poster)

    def _poster(self, resolver: Resolver) -> Poster:
        # Signatures carry the date; the receiver compares it with its own clock, so here the wall clock is right.
        return Poster(
            resolve=resolver,
            wall_clock=lambda: self._broker.clock.now().timestamp(),
            loopback=self._loopback,
            timeout=self._retry.timeout,
        )

    # Registering

    async def prove(self, name: str, url: str, secret: str | None = None) -> str:
        """Challenge a receiver before its subscription is stored (row A14); returns the secret that signs for it."""
        secret = secret_of(secrets.token_bytes(32)) if secret is None else secret
        key_of(secret)
        word = secrets.token_urlsafe(32)
        message = Message(target_of(url), secret, f"challenge-{secrets.token_hex(8)}", challenge_body(name, word))
        check_answer(word, await self._suspect.post(message))
        return secret

    async def ask(self, url: str, word: str) -> None:
        """Whether a receiver means it: it is asked by GET, and answers with the word (WebSub, section 5.3)."""
        message = Message(target_of(url), None, f"intent-{secrets.token_hex(8)}", b"", signing="none", method="GET")
        answer = await self._suspect.post(message)
        if not hmac.compare_digest(word.encode(), answer):
            raise DeliveryFailed(wanted="the challenge's word as the whole answer", found="something else")

    def lease_end(self, seconds: float | None = None) -> float:
        """When a webhook that is proven now must be proven again, in Unix seconds that do not jump (row F8)."""
        wanted = LEASE_SECONDS if seconds is None else seconds
        if not 0 < wanted <= LEASE_SECONDS:
            raise InputError(wanted=f"a lease of up to {LEASE_SECONDS:g} seconds", found=f"{wanted:g}")
        return self._broker.date.time() + wanted

    # Delivering

    def start(self) -> None:
        """Attend to every webhook that the broker knows."""
        for record in self._broker.subscriptions.index:
            self.attend(record)

    def attend(self, record: SubscriptionRecord) -> None:
        """Deliver for a subscription from now on, by its present options; or stop, if it has no webhook any more."""
        self.forget(record.number)
        if record.options.delivery == "webhook" and record.options.callback:
            self._tasks.start(f"webhook {record.number}", self._run(record))

    def forget(self, number: int) -> None:
        """Deliver no more; one that is not there is fine."""
        self._tasks.cancel(f"webhook {number}")

    async def close(self) -> None:
        """Stop all. What was on its way and not answered will be sent again after the next start."""
        await self._tasks.stop()
        await self._trusted.close()
        await self._suspect.close()

    async def _run(self, record: SubscriptionRecord) -> None:
        try:
            await self._deliver_all(record)
        except UnknownSubscription:
            return
        except (TriplewireError, OSError) as problem:
            _log.error("webhook of subscription %d stopped: %s", record.number, problem)

    async def _deliver_all(self, record: SubscriptionRecord) -> None:
        ends = record.options.lease_ends
        state = WebhookState(cursor=record.cursor, lease_ends=self._now() + LEASE_SECONDS if ends is None else ends)
        notifications = self._broker.notifications
        with notifications.following(record.number):
            while self._broker.state.is_open:
                page = await notifications.page(record.number, after=state.cursor, limit=PAGE)
                for item in items_of(page, state.cursor):
                    after = await self._deliver(record, state, item)
                    if after is None:
                        return
                    state = after
                if not page.notifications:
                    await notifications.wait(record.number, state.cursor)

    async def _deliver(
        self, record: SubscriptionRecord, state: WebhookState, item: Notification | Gap
    ) -> WebhookState | None:
        """Try one item until it is accepted or given up. None: the lease is over."""
        message = message_of(record, item, self._broker.clock.now())
        position = position_of(item)
        while state.cursor < position:
            step = next_step(state, self._now())
            if isinstance(step, Expire):
                _log.warning("the lease of the webhook of subscription %d is over", record.number)
                if record.options.protocol != "standard":
                    # Made by a protocol in which it ends with the lease: nobody renews or reads it.
                    await self._broker.subscriptions.unsubscribe(record.number)
                return None
            if isinstance(step, Wait):
                # What comes meanwhile is left to the disk: a receiver that is down takes no memory (row F5).
                with self._broker.notifications.not_following(record.number):
                    await asyncio.sleep(max(0.0, step.until - self._now()))
                continue
            state = await self._try(record, state, item, message)
        return state

    async def _try(
        self, record: SubscriptionRecord, state: WebhookState, item: Notification | Gap, message: Message
    ) -> WebhookState:
        position = position_of(item)
        lane = self._suspect if state.suspect else self._trusted
        # Between two tries a grant may have been taken away.
        self._broker.state.require_readable(record)
        try:
            await lane.post(message)
        except (DeliveryFailed, InputError) as problem:
            state, given_up = refused(state, position, self._retry, now=self._now(), chance=self._chance())
            if given_up is None:
                return state
            if isinstance(item, Notification):
                await self._broker.dead_letters.add(record.number, position, str(problem), given_up.tries)
        else:
            state = accepted(state, position)
        await self._broker.notifications.acknowledge(record.number, position)
        return state

    def _now(self) -> float:
        return self._broker.date.time()

    # Dead letters

    async def send_again(self, letter: DeadLetter) -> None:
        """Send a dead letter now, once; it is forgotten when the receiver accepts it."""
        record = self._broker.subscriptions.index.require(letter.subscription)
        if not record.options.callback:
            raise InputError(wanted="a subscription with a webhook", found=f"{record.name!r} without")
        notification = self._broker.dead_letters.notification(letter)
        await self._suspect.post(message_of(record, notification, self._broker.clock.now()))
        await self._broker.dead_letters.remove(letter.id)
