"""Admission: whose notifications are made now and whose later, decided before any is made (row A9).

To make notifications is what costs; to count them is cheap. A client that would get more than its rate has its busiest
subscriptions put off at once: they are not matched any further, and go on from the log where they stood before this
step, no faster than the rate. Everything here runs on the writer's thread.

What must hold: what was put off is behind the log from where it was held, whether or not the step that did it is
committed. So each step first writes down who is held; and as a commit that fails takes the end of the log back, never
beyond that end.
"""

from __future__ import annotations

from collections import Counter
from concurrent.futures import Future

from triplewire.errors import DiskFull
from triplewire.node.broker.state import BrokerState
from triplewire.node.matching.catch_up import CatchUp
from triplewire.store.disk import Connection
from triplewire.store.tables import log, registry

_AGAIN_SECONDS = 1.0


class Admission:
    """Who is held: a subscription, and the position after which it is behind."""

    def __init__(self, state: BrokerState, catch_up: CatchUp) -> None:
        self._state = state
        self._catch_up = catch_up
        self._held: dict[int, int] = {}
        self._is_settling = False

    def begin(self, tx: Connection, head: int) -> None:
        """Before a step adds to the log: write down who is held."""
        self._write(tx, head)

    def choose(self, counts: Counter[int]) -> set[int]:
        """Whom to put off: of each client the busiest, until the rest is within its rate. The rest is spent."""
        by_owner: dict[str, list[int]] = {}
        for number, _ in counts.most_common():
            client = self._state.owner_of(number)
            if client is not None and client.rights.quotas.notifications_per_second is not None:
                by_owner.setdefault(client.id, []).append(number)
        return {number for owner, numbers in by_owner.items() for number in self._beyond(owner, numbers, counts)}

    def put_off(self, tx: Connection, numbers: set[int], head: int) -> None:
        """Match some subscriptions no further than where the log ended before this step."""
        if not numbers:
            return
        self._held |= dict.fromkeys(numbers, head)
        for number in numbers:
            self._state.matchers.remove(str(number))
        # First: if the disk is full, the next line does not come to its end.
        self._settle()
        self._write(tx, head)

    # Private

    def _beyond(self, owner: str, busiest: list[int], counts: Counter[int]) -> list[int]:
        client = self._state.clients[owner]
        left = sum(counts[number] for number in busiest)
        beyond = []
        for number in busiest:
            if left <= self._state.rates.available(client):
                break
            beyond.append(number)
            left -= counts[number]
        self._state.rates.spend(client, left)
        return beyond

    def _write(self, tx: Connection, head: int) -> dict[int, int]:
        for number, position in self._held.items():
            self._held[number] = min(position, head)
            registry.set_frontier(tx, number, self._held[number])
        return dict(self._held)

    def _settle(self) -> None:
        """Make it known, in a commit of its own: from then on those that are held may catch up."""
        if not self._is_settling:
            self._is_settling = True
            settled = self._state.store.submit_alone(lambda tx: self._write(tx, log.head(tx)), self._settled)
            settled.add_done_callback(self._again)

    def _settled(self, frontiers: dict[int, int]) -> None:
        self._is_settling = False
        self._held.clear()
        for number, frontier in frontiers.items():
            self._catch_up.put_off(number, frontier)

    def _again(self, done: Future[dict[int, int]]) -> None:
        if isinstance(done.exception(), DiskFull):
            self._is_settling = False
            self._state.later(_AGAIN_SECONDS, self._settle)
