"""The node in its space: a worker process (`process`), and what ties it to the broker.

    publications   from the broker's log into the space; publishers wait until it has them
    subscriptions  from the broker and its rules into the space; subscribers wait until they are established
    arrivals       events of other nodes, into the broker's log, which matches them like any others
    queries        ask the whole space
    leaving        hand everything over to others, for good

Local subscriptions are matched by the broker at once; what the space finds for them is known then, and changes nothing.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from triplewire.errors import DiskFull, JoinFailed, LastNode, NotInSpace, SpaceUnavailable, StoreError
from triplewire.network.can.ownership.state import Stage
from triplewire.network.messages import Publication
from triplewire.node.broker.broker import Broker
from triplewire.node.overlay.inbound_events import InboundEvents
from triplewire.node.repository.following import Allowed
from triplewire.node.space.leaving import Leaving
from triplewire.node.space.process import WorkerProcess
from triplewire.node.space.publications import Publications
from triplewire.node.space.queries import SpaceQueries
from triplewire.node.space.space_settings import SpaceSettings
from triplewire.node.space.subscriptions import SpaceSubscriptions
from triplewire.node.space.view import node_view
from triplewire.node.space.worker_messages import (
    Accept,
    Answer,
    Arrived,
    Begin,
    Conflict,
    Fetched,
    Indexed,
    Report,
    Request,
    Stored,
    Survey,
    Surveyed,
)
from triplewire.node.transport.join_diagnosis import diagnose
from triplewire.node.transport.keys import KeyPair
from triplewire.store.tables import metadata
from triplewire.store.tables.registry import SubscriptionRecord
from triplewire.system.supervisor import Supervisor
from triplewire.wire.answers import Receipt
from triplewire.wire.spaces import SpaceDeparture, SpaceView

_log = logging.getLogger(__name__)

_KEY = "space key pair"
_SURVEY_SECONDS = 10.0
_IN, _LEAVING, _LEFT = (stage.value for stage in (Stage.IN, Stage.LEAVING, Stage.LEFT))


class Space:
    """Open it on an event loop with `await Space.open(…)`, `begin`, and `stop` it."""

    def __init__(
        self,
        broker: Broker,
        folder: Path,
        settings: SpaceSettings,
        allowed: Allowed,
        own: KeyPair,
        address: str,
    ) -> None:
        self.id = own.member
        self.settings = settings
        self.report: Report | None = None
        self.events: Counter[str] = Counter()
        self._broker = broker
        self._folder = folder
        self._own = own
        self._address = address
        self._tasks = Supervisor(reported_elsewhere=(StoreError,))
        self._reported = asyncio.Event()
        self._tickets = 0
        self._surveys: dict[int, asyncio.Future[Surveyed]] = {}
        self.worker = WorkerProcess(self._beginning, self._again, self._answered, self._room)
        space = settings.key.fingerprint
        self.publications = Publications(broker, space, self.worker.say, settings.seconds)
        self.subscriptions = SpaceSubscriptions(broker, self._say_while_staying, settings.seconds)
        self.leaving = Leaving(broker, space, self.publications, self.worker.say)
        self.queries = SpaceQueries(self.worker.say, allowed)
        self._has_room = asyncio.Event()
        self._has_room.set()
        self._arrivals = InboundEvents(broker, self.events, self._has_room.set, self._accepted)

    @classmethod
    async def open(cls, broker: Broker, folder: Path, settings: SpaceSettings, allowed: Allowed) -> Space:
        """Load the key pair, and the address where the node listened before."""
        secret = await broker.store.read(lambda tx: metadata.get(tx, _KEY))
        own = KeyPair.new() if secret is None else KeyPair.of(secret)
        if secret is None:
            await broker.store.write(lambda tx: metadata.put(tx, _KEY, own.secret))
        before = await broker.store.read(lambda tx: metadata.get(tx, _address_name(settings)))
        address = settings.address or before or f"tcp://{settings.host}:0"
        return cls(broker, folder, settings, allowed, own, address)

    # Beginning and end

    async def begin(self) -> None:
        """Start the worker, which joins, founds or resumes the space; `joined` waits until that is done."""
        await self.leaving.resume(self.settings.seeds)
        await self.publications.begin()
        self.subscriptions.begin()
        self._broker.events.replication = self
        self._broker.subscriptions.spread = self.subscriptions.wait
        for name, work in (
            ("worker", self.worker.run()),
            ("publishing", self.publications.run()),
            ("remembering", self.publications.save()),
            ("accepting", self._arrivals.run()),
            ("leaving", self.leaving.run()),
        ):
            self._tasks.start(f"space {name}", work)

    async def joined(self) -> None:
        """Wait until the node is in its space, or goes on leaving it; or `JoinFailed`."""
        try:
            async with asyncio.timeout(self.settings.join_seconds):
                report = await self._in_the_space()
        except TimeoutError:
            raise JoinFailed(await self._why_not()) from None
        await self._broker.store.write(lambda tx: metadata.put(tx, _address_name(self.settings), report.address))

    async def stop(self) -> None:
        """End the worker, which stays a member: whoever keeps its replica takes over if it does not come back."""
        self.publications.end()
        self.subscriptions.end()
        await self.worker.end()
        await self._tasks.stop()
        if self._broker.store.failure is None:
            try:
                await self.publications.save_now()
            except StoreError as problem:
                _log.warning("how far the space has come is not saved: %s", problem)

    # For publishers

    def require_room(self) -> None:
        """Before an event is taken: `DiskFull` if the space cannot store anything, `SpaceUnavailable` if we leave."""
        self.leaving.require_staying()
        if self.trouble is not None:
            raise DiskFull(self.trouble)

    async def stored(self, receipts: Sequence[Receipt]) -> None:
        """Wait until events are stored in the space, and in a replica."""
        await self.publications.wait([receipt.position for receipt in receipts])

    @property
    def trouble(self) -> str | None:
        """Why nothing is stored at present, if so."""
        return None if self.report is None else self.report.trouble

    # For people

    async def view(self) -> SpaceView:
        """The space, as all its nodes describe themselves."""
        if self.report is None:
            raise SpaceUnavailable(wanted="a node that is in its space", found="one that is on its way there")
        surveyed = await self._survey()
        report = self.report
        return SpaceView(
            id=self.id,
            address=report.address,
            space=self.settings.key.fingerprint,
            strategy=self.settings.strategy,
            nodes=tuple(map(node_view, surveyed.nodes)),
            silent=surveyed.silent,
            watermark=self.publications.watermark,
            under_way=self.publications.under_way,
            starts=self.worker.starts,
            worker=self.worker.pid,
            commits=report.commits,
            taken_over=report.taken_over,
            sent=report.sent,
            received=report.received,
            events=dict(self.events),
            refused=report.refused,
            dropped=report.dropped,
            trouble=report.trouble,
        )

    async def leave(self) -> SpaceDeparture:
        """Leave the space for good, or see how far that is: a repeat changes nothing."""
        report = self.report
        if report is None:
            raise SpaceUnavailable(wanted="a node that is in its space", found="one that is on its way there")
        described = report.description
        if not self.leaving.is_begun and not described.neighbours:
            raise LastNode(wanted="another node of the space that takes over", found="that this is the only one")
        await self.leaving.begin()
        stage = described.stage if described.stage == _LEFT else _LEAVING
        return SpaceDeparture(self.id, stage, sum(described.loads), self.publications.under_way)

    def is_established(self, record: SubscriptionRecord) -> bool:
        """Whether a subscription stands wherever an event can match it."""
        return self.subscriptions.is_established(record.number)

    async def _survey(self) -> Surveyed:
        self._tickets += 1
        ticket = self._tickets
        asked: asyncio.Future[Surveyed] = asyncio.get_running_loop().create_future()
        self._surveys[ticket] = asked
        self.worker.say(Survey(ticket))
        try:
            async with asyncio.timeout(_SURVEY_SECONDS):
                return await asked
        except TimeoutError:
            raise SpaceUnavailable(wanted="an answer of the space's worker", found="none in time") from None
        finally:
            del self._surveys[ticket]

    # What the worker says, and what it is told

    def _beginning(self) -> Begin:
        return Begin(
            str(self._folder),
            self.settings.key.space_server.secret,
            self._own.secret,
            self._address if self.report is None else self.report.address,
            self.settings.address is not None,
            self.settings.seeds,
            self.settings.strategy,
            self.settings.patience,
        )

    def _say_while_staying(self, request: Request) -> None:
        """Who leaves has no subscriptions in the space any more."""
        if not self.leaving.is_begun:
            self.worker.say(request)

    def _again(self) -> Iterator[Request]:
        yield from () if self.leaving.is_begun else self.subscriptions.again()
        yield from self.publications.again()
        yield from self.queries.again()
        yield from self.leaving.again()

    def _answered(self, answer: Answer) -> None:
        match answer:
            case Stored():
                self.publications.stored(answer.ticket)
            case Conflict():
                self.publications.refused(answer)
            case Indexed():
                self.subscriptions.established(answer.id)
            case Arrived():
                self._arrived(answer)
            case Surveyed():
                if (asked := self._surveys.get(answer.ticket)) is not None and not asked.done():
                    asked.set_result(answer)
            case Fetched():
                self.queries.fetched(answer)
            case Report():
                self.report = answer
                self.leaving.reported(answer.description.stage)
                self._reported.set()

    # Events of other nodes

    def _arrived(self, one: Arrived) -> None:
        publisher = one.source or one.origin
        self._arrivals.add(
            Publication(one.origin, one.position, one.event, publisher, one.time, one.source, one.nquads)
        )
        if self._arrivals.is_full:
            self._has_room.clear()

    async def _room(self) -> None:
        await self._has_room.wait()

    def _accepted(self, batch: Sequence[Publication]) -> None:
        self.worker.say(Accept(tuple(publication.event for publication in batch)))

    # Private

    async def _in_the_space(self) -> Report:
        stages = (_LEAVING, _LEFT) if self.leaving.is_begun else (_IN,)
        while self.report is None or self.report.description.stage not in stages:
            self._reported.clear()
            await self._reported.wait()
        return self.report

    async def _why_not(self) -> str:
        key = self.settings.key.space_server.public
        found = [f"{seed}: {await diagnose(key, self._own, seed, 'node')}" for seed in self.settings.seeds]
        where = f"; at {'; '.join(found)}" if found else ""
        return f"no node of the space let this one in within {self.settings.join_seconds:g} seconds{where}"


def _address_name(settings: SpaceSettings) -> str:
    return f"space {settings.key.fingerprint} address"


def require_space(space: Space | None) -> Space:
    """The node's space, or `NotInSpace`."""
    if space is None:
        raise NotInSpace(
            wanted="a node of an event space", found="one that is in none", hint="triplewire serve --space"
        )
    return space
