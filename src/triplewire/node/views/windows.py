"""What several changes mean together, said once: for views that join what changes for some seconds.

What a view will say is kept in the transactions of the changes, net of what came and went again. When its time has
come, that goes to the outbox as being about the last of them. All of it survives a crash.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future

from triplewire.errors import DiskFull
from triplewire.node.broker.state import BrokerState
from triplewire.node.views.answers import joined
from triplewire.store.disk import Connection
from triplewire.store.tables import log, outbox, registry, views
from triplewire.store.tables.outbox import OutboxEntry
from triplewire.store.tables.views import Pending

_AGAIN_SECONDS = 1.0


class Windows:
    """Used on the writer's thread. `note` is called with what goes to outboxes, after its commit."""

    def __init__(self, state: BrokerState, note: Callable[[Sequence[OutboxEntry]], None]) -> None:
        self._state = state
        self._note = note

    def begin(self, tx: Connection) -> None:
        """Go on with what was held back when the node stopped."""
        for number in views.due(tx):
            self._later(number, 0.0)

    def join(self, tx: Connection, number: int, seconds: float, position: int, said: bytes) -> None:
        """Hold back what a view has to say about a change; it is joined with what is held back already."""
        held = views.pending(tx, number)
        if held is None:
            views.put_pending(tx, number, Pending(self._state.date.time() + seconds, position, said))
            self._later(number, seconds)
            return
        both = joined(held.answer, said)
        if both is None:
            views.take_pending(tx, number)
        else:
            views.put_pending(tx, number, Pending(held.due, position, both))

    def _later(self, number: int, seconds: float) -> None:
        self._state.later(seconds, lambda: self._submit(number))

    def _submit(self, number: int) -> None:
        if self._state.is_open:
            told = self._state.store.submit(lambda tx: self._tell(tx, number), self._note)
            told.add_done_callback(lambda done: self._again(number, done))

    def _tell(self, tx: Connection, number: int) -> tuple[OutboxEntry, ...]:
        held = views.pending(tx, number)
        if held is None:
            return ()
        left = held.due - self._state.date.time()
        if left > 0:
            # Another window has begun meanwhile.
            self._later(number, left)
            return ()
        views.take_pending(tx, number)
        event = log.at(tx, held.position)
        if event is None:
            registry.set_gap(tx, number, held.position)
            return ()
        entry = OutboxEntry(number, held.position, event.graph, held.answer)
        outbox.put(tx, [entry])
        return (entry,)

    def _again(self, number: int, done: Future[tuple[OutboxEntry, ...]]) -> None:
        if isinstance(done.exception(), DiskFull):
            self._later(number, _AGAIN_SECONDS)
