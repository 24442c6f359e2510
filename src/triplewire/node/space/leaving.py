"""Leaving: a node hands all that it has in its space over to others, for good.

From then on it takes no more events. First everything in its log is stored in the space; then the worker withdraws the
node's subscriptions and gives its zones away. That a node leaves is in its store, so a restart goes on with it. One
that has left joins again only if it is started with addresses to join at.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence

from triplewire.errors import NotInSpace, SpaceUnavailable
from triplewire.network.can.ownership.state import Stage
from triplewire.node.broker.broker import Broker
from triplewire.node.space.publications import Publications
from triplewire.node.space.worker_messages import Leave, Request
from triplewire.store.tables import metadata


class Leaving:
    """Used on the event loop. `say` hands a request to the worker."""

    def __init__(self, broker: Broker, space: str, publications: Publications, say: Callable[[Request], None]) -> None:
        self._store = broker.store
        self._name = f"space {space} leaving"
        self._publications = publications
        self._say = say
        self._begun = asyncio.Event()
        self._left = asyncio.Event()
        self._is_said = False

    @property
    def is_begun(self) -> bool:
        return self._begun.is_set()

    async def resume(self, seeds: Sequence[str]) -> None:
        """Go on with what an earlier process has begun. With seeds, one that has left is a newcomer."""
        stage = await self._store.read(lambda tx: metadata.get(tx, self._name))
        if stage == Stage.LEFT.value and not seeds:
            raise NotInSpace(
                wanted="a node of the space", found="one that has left it for good", hint="--join joins it again"
            )
        if stage == Stage.LEFT.value:
            await self._save(Stage.JOINING)
        elif stage == Stage.LEAVING.value:
            self._begun.set()

    async def begin(self) -> None:
        """Leave. What is asked of the worker waits until the log is in the space."""
        if not self.is_begun:
            await self._save(Stage.LEAVING)
            self._begun.set()

    async def run(self) -> None:
        """See it through, once it is begun."""
        await self._begun.wait()
        await self._publications.caught_up()
        self._is_said = True
        self._say(Leave())
        await self._left.wait()
        await self._save(Stage.LEFT)

    def again(self) -> Iterator[Request]:
        """What a worker that was started again has to be told."""
        if self._is_said:
            yield Leave()

    def reported(self, stage: str) -> None:
        """The worker has told its stage."""
        if self._is_said and stage == Stage.LEFT.value:
            self._left.set()

    def require_staying(self) -> None:
        """Before an event is taken: `SpaceUnavailable` if nobody would store it."""
        if self.is_begun:
            raise SpaceUnavailable(
                wanted="a node that stays in its space",
                found="one that leaves it for good",
                hint="publish at another node of the space",
            )

    async def _save(self, stage: Stage) -> None:
        await self._store.write(lambda tx: metadata.put(tx, self._name, stage.value))
