"""Subscriptions of the node, issued into the space: those of its clients, and what its rules wait for.

In the space a subscription has the name that it has inside the node, which is never given to another one.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Iterable, Iterator

from triplewire.node.broker.broker import Broker
from triplewire.node.space.worker_messages import Request, Standing, Subscribe, Unsubscribe
from triplewire.store.tables.registry import SubscriptionRecord

_DIGEST_BYTES = 8


class SpaceSubscriptions:
    """Follows a broker's subscriptions and rules, on the event loop. `say` hands a request to the worker."""

    def __init__(self, broker: Broker, say: Callable[[Request], None], seconds: float) -> None:
        self._broker = broker
        self._say = say
        self._seconds = seconds
        self._loop = asyncio.get_running_loop()
        self._established: set[str] = set()
        self._waiting: dict[str, list[asyncio.Future[None]]] = {}
        self._rules: dict[str, Subscribe] = {}

    def begin(self) -> None:
        """Start to follow."""
        self._broker.subscriptions.followers.append(self._changed_elsewhere)
        self._broker.rules.followers.append(self._rules_changed)
        self._rules = {wanted.id: wanted for wanted in self._wanted_by_rules()}

    def end(self) -> None:
        """Stop following."""
        if self._changed_elsewhere in self._broker.subscriptions.followers:
            self._broker.subscriptions.followers.remove(self._changed_elsewhere)
        if self._rules_changed in self._broker.rules.followers:
            self._broker.rules.followers.remove(self._rules_changed)

    def again(self) -> Iterator[Request]:
        """All that stand, for a worker that was started again."""
        standing = [*map(_subscribe, self._broker.subscriptions.index.without_views), *self._rules.values()]
        yield Standing(tuple(one.id for one in standing))
        yield from standing

    def established(self, name: str) -> None:
        """A subscription stands wherever an event can match it."""
        self._established.add(name)
        for future in self._waiting.pop(name, ()):
            if not future.done():
                future.set_result(None)

    def is_established(self, number: int) -> bool:
        """Whether every event that is published from now on, anywhere, is matched against it."""
        return str(number) in self._established

    async def wait(self, record: SubscriptionRecord) -> None:
        """Wait until it is established, or for some seconds."""
        name = str(record.number)
        if name in self._established:
            return
        future: asyncio.Future[None] = self._loop.create_future()
        self._waiting.setdefault(name, []).append(future)
        try:
            async with asyncio.timeout(self._seconds):
                await future
        except TimeoutError:
            # The answer says so; it is established later.
            return

    # Private

    def _changed_elsewhere(self, record: SubscriptionRecord) -> None:
        """On the writer's thread."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._changed, record)

    def _changed(self, record: SubscriptionRecord) -> None:
        """A subscription was added or removed, whichever the index says."""
        if self._broker.subscriptions.index.get(record.number) is not None:
            self._say(_subscribe(record))
        else:
            self._forget(str(record.number))

    def _rules_changed(self) -> None:
        wanted = {one.id: one for one in self._wanted_by_rules()}
        for name in self._rules.keys() - wanted.keys():
            self._forget(name)
        for name in wanted.keys() - self._rules.keys():
            self._say(wanted[name])
        self._rules = wanted

    def _forget(self, name: str) -> None:
        self._established.discard(name)
        self._say(Unsubscribe(name))

    def _wanted_by_rules(self) -> Iterable[Subscribe]:
        for rule, texts in self._broker.rules.interests.items():
            for text in texts:
                digest = hashlib.blake2b(text.encode(), digest_size=_DIGEST_BYTES).hexdigest()
                yield Subscribe(f"rule {rule} {digest}", "sparql", text)


def _subscribe(record: SubscriptionRecord) -> Subscribe:
    return Subscribe(str(record.number), record.language, record.text)
