"""What the parts of a broker share: the store, what is known of it in memory, and who waits to be woken.

What is in memory changes after a commit, on the writer's thread; readers that wait are woken on the event loop.
"""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import Callable, Iterable

from msgspec import Struct

from triplewire.algebra.taxonomy import Taxonomy
from triplewire.errors import DiskFull, Forbidden
from triplewire.node.access.rate_limits import NOTIFICATIONS_BURST, Buckets
from triplewire.node.broker.recent_notifications import Recent
from triplewire.node.broker.subscription_index import SubscriptionIndex
from triplewire.node.matching.live_matchers import LiveMatchers
from triplewire.node.store import Store
from triplewire.store.clock import Clock, MonotonicDate
from triplewire.store.tables.identities import Client, Grant
from triplewire.store.tables.living_graph import CHANGE_QUADS
from triplewire.store.tables.registry import SubscriptionRecord

_log = logging.getLogger(__name__)


class Counters(Struct):
    """What the broker has done since it started."""

    published: int = 0
    repeated: int = 0
    candidates: int = 0
    matched: int = 0
    delivered: int = 0
    acknowledged: int = 0


class Wakeups:
    """Who waits for a subscription's next notification, to be woken. Used on the event loop only."""

    def __init__(self) -> None:
        self._waiting: defaultdict[int, set[asyncio.Future[None]]] = defaultdict(set)

    async def wait(self, number: int, timeout: float | None) -> bool:
        """Wait to be woken. False if the time ran out first."""
        waiter = asyncio.get_running_loop().create_future()
        self._waiting[number].add(waiter)
        try:
            async with asyncio.timeout(timeout):
                await waiter
        except TimeoutError:
            return False
        finally:
            self._forget(number, waiter)
        return True

    def __contains__(self, number: object) -> bool:
        """Whether somebody waits."""
        return number in self._waiting

    def wake(self, numbers: Iterable[int]) -> None:
        """Wake everybody who waits for one of these."""
        for number in numbers:
            for waiter in self._waiting.pop(number, ()):
                if not waiter.done():
                    waiter.set_result(None)

    def wake_all(self) -> None:
        """Wake everybody: the node stops."""
        self.wake(list(self._waiting))

    def _forget(self, number: int, waiter: asyncio.Future[None]) -> None:
        waiting = self._waiting.get(number)
        if waiting is not None:
            waiting.discard(waiter)
            if not waiting:
                del self._waiting[number]


class BrokerState:
    """The store and its copy in memory. Made on an event loop."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self.store = store
        self.change_quads = CHANGE_QUADS
        self.clock = clock
        self.date = MonotonicDate(clock)
        self.counters = Counters()
        self.index = SubscriptionIndex()
        self.recent = Recent(self.index)
        self.rates = Buckets(clock, NOTIFICATIONS_BURST)
        self.clients: dict[str, Client] = {}
        self.taxonomy: Taxonomy | None = None
        self.log_bytes = 0
        self.matchers = LiveMatchers(asks_why=self.asks_why)
        self.wakeups = Wakeups()
        self.is_open = True
        self._loop = asyncio.get_running_loop()

    async def save_date(self) -> None:
        """Let the next process go on with this one's date; on a full disk it does without."""
        try:
            await self.store.write(self.date.save)
        except DiskFull as problem:
            _log.warning("the date is not kept: %s", problem)

    def wake(self, numbers: set[int]) -> None:
        """Wake readers that wait for one of these subscriptions; from any thread."""
        if numbers and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self.wakeups.wake, numbers)

    def soon(self, action: Callable[[], object]) -> None:
        """Do something on the event loop, in the order of calls; from any thread."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(action)

    def later(self, seconds: float, action: Callable[[], None]) -> None:
        """Do something on the event loop after a while; from any thread."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._loop.call_later, seconds, action)

    def know(self, client: Client) -> None:
        """Take a client's rights into account."""
        self.clients[client.id] = client

    def grant(self, owner: str) -> Grant:
        """What an owner may read."""
        client = self.clients.get(owner)
        # A client that is gone reads nothing: no IRI begins with one of no prefixes.
        return Grant(graphs=()) if client is None or client.rights.subscribe is None else client.rights.subscribe

    def require_readable(self, record: SubscriptionRecord) -> None:
        """Raise `Forbidden` for a view whose owner may not read everything any more: nothing of it goes out (A15)."""
        if record.is_view and not self.grant(record.owner).is_everything:
            raise Forbidden(wanted="a view whose owner may read everything", found="one with a limited grant")

    def asks_why(self, name: str) -> bool:
        """Whether a subscription or view, by its number as text, asks for what its solutions stand on."""
        return bool(self.index.asking_why) and int(name) in self.index.asking_why

    def is_over_quota(self, number: int) -> bool:
        """Whether more waits for a subscription's owner than may."""
        client = self.owner_of(number)
        if client is None or client.rights.quotas.outbox_bytes is None:
            return False
        return self.index.bytes_of(client.id) > client.rights.quotas.outbox_bytes

    def owner_of(self, number: int) -> Client | None:
        """Whose subscription it is, as far as that is known."""
        record = self.index.get(number)
        return None if record is None else self.clients.get(record.owner)
