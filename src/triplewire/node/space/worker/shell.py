"""The shell around a member of the space: a batch of inputs in; after the commit, messages and answers out.

    call       the member, for each message and request of a batch, and for the time that has passed
    commit     what the calls changed, in one transaction
    do         what the calls asked for

Nothing leaves before the commit: if the process ends, the batch has never happened, and all that was in it comes again.

Error handling: a full disk is waited for, and the node is told (row F3). A failed one ends the process. A bug costs the
call that it happened in; what that was about is not acknowledged, so it comes again.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any

import msgspec

from triplewire.algebra.subscriptions import Subscription
from triplewire.errors import DiskFull, InputError, StoreError
from triplewire.network.can.effects import Refused, Send, TakenOver
from triplewire.network.can.messages import Address
from triplewire.network.eventspace.effects import Established, EventArrived, Published, PublishRefused
from triplewire.network.eventspace.fetches import Fetched
from triplewire.network.eventspace.member import Left, MemberEffect, SpaceMember
from triplewire.node.space import worker_messages as said
from triplewire.node.space.worker.inbox import Batch
from triplewire.node.space.worker.messages import NodeDescription, SpaceNodeMessage, SurveyAnswer, SurveyRequest
from triplewire.node.space.worker.surveys import Asking, Surveys
from triplewire.node.space.worker.transport import SpaceTransport
from triplewire.node.transport.rate_limited_log import RateLimitedLog
from triplewire.rdf.events import Event
from triplewire.rdf.limits import ANY_SIZE

_log = logging.getLogger(__name__)

_TICK_SECONDS = 0.1
_REPORT_SECONDS = 1.0
_FULL_SECONDS = 0.5
Answers = Callable[[list[said.Answer]], None]


class MemberShell:
    """Runs a member, one batch after the other. `tell` hands answers to the node."""

    def __init__(
        self,
        member: SpaceMember,
        transport: SpaceTransport,
        tell: Answers,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.has_left = False
        self._member = member
        self._transport = transport
        self._tell = tell
        self._clock = clock
        self._surveys = Surveys(member.me)
        self._limited_log = RateLimitedLog(_log)
        self._refused: Counter[str] = Counter()
        self._commits = 0
        self._taken_over = 0
        self._trouble: str | None = None
        self._next_tick = 0.0
        self._next_report = 0.0
        self._stage = ""
        self._outgoing: dict[str, list[SpaceNodeMessage]] = {}
        self._answers: list[said.Answer] = []
        self._callers: dict[type, Callable[[float, Any], Iterable[MemberEffect]]] = {
            said.Publish: self._publish,
            said.Subscribe: self._subscribe,
            said.Unsubscribe: lambda now, one: member.unsubscribe(now, one.id),
            said.Standing: self._standing,
            said.Accept: lambda now, one: [e for event in one.events for e in member.accepted(now, event)],
            said.Fetch: lambda now, one: member.fetch(now, one.ticket, one.boxes),
            said.CancelFetch: self._cancel_fetch,
            said.Leave: lambda now, _: member.leave(now),
        }

    @property
    def until_tick(self) -> float:
        """Seconds until something is due."""
        return self._next_tick - self._clock()

    async def start(self, seeds: Iterable[str]) -> None:
        """Join, found or resume."""
        await self._finish(list(self._member.start(self._clock(), tuple(seeds))))

    async def turn(self, batch: Batch) -> None:
        """Take a batch from its inputs to its effects."""
        now = self._clock()
        effects: list[MemberEffect] = []
        for sender, message in batch.messages:
            effects += self._received(now, sender, message)
        for request in batch.requests:
            effects += self._requested(now, request)
        # What has arrived is heard before anybody is suspected of silence.
        if now >= self._next_tick:
            self._next_tick = now + _TICK_SECONDS
            effects += self._called("tick", self._member.tick, now)
            self._ask(self._surveys.due(now))
        effects += self._called("flush", self._member.flush, now)
        await self._finish(effects)

    # Calls

    def _received(self, now: float, sender: str, message: SpaceNodeMessage) -> Iterable[MemberEffect]:
        if isinstance(message, SurveyRequest):
            self._send(message.asker.address, SurveyAnswer(message.number, self.description()))
        elif isinstance(message, SurveyAnswer):
            self._ask(self._surveys.answered(now, sender, message))
        else:
            return self._called("message", self._member.receive, now, sender, message)
        return ()

    def _requested(self, now: float, request: said.Request) -> Iterable[MemberEffect]:
        if isinstance(request, said.Survey):
            self._ask(self._surveys.begin(now, request.ticket, self.description()))
            return ()
        return self._called("request", self._callers[type(request)], now, request)

    def _called(self, what: str, call: Callable[..., Iterable[MemberEffect]], *arguments: Any) -> list[MemberEffect]:
        try:
            return list(call(*arguments))
        except StoreError:
            raise
        except Exception as bug:  # noqa: BLE001  whatever it is, the space has to go on
            self._refused["bug"] += 1
            self._limited_log.error("bug", "a bug: a %s: %s: %s", what, type(bug).__name__, bug, exc_info=bug)
            return []

    def _publish(self, now: float, request: said.Publish) -> Iterable[MemberEffect]:
        [event] = Event.parse(request.nquads, limits=ANY_SIZE)
        event = msgspec.structs.replace(event, time=datetime.fromisoformat(request.time), source=request.source)
        return self._member.publish(now, request.ticket, event)

    def _subscribe(self, now: float, request: said.Subscribe) -> Iterable[MemberEffect]:
        try:
            subscription = Subscription.parse(request.text, request.language, id=request.id)
        except InputError as problem:
            self._limited_log.warning(
                "subscription", "the subscription %s is not in the space: %s", request.id, problem
            )
            return ()
        return self._member.subscribe(now, subscription)

    def _standing(self, now: float, request: said.Standing) -> Iterable[MemberEffect]:
        """Withdraw what has ended while this process did not run."""
        ended = set(self._member.subscription_ids) - set(request.ids)
        return [effect for name in sorted(ended) for effect in self._member.unsubscribe(now, name)]

    def _cancel_fetch(self, _: float, request: said.CancelFetch) -> Iterable[MemberEffect]:
        self._member.cancel_fetch(request.ticket)
        return ()

    # Commit and effects

    async def _finish(self, effects: list[MemberEffect]) -> None:
        await self._commit()
        for effect in effects:
            self._do(effect)
        self._answers += self._surveys.finished()
        self._report_if_due()
        for address, messages in self._outgoing.items():
            self._transport.send(address, messages)
        self._outgoing = {}
        answers, self._answers = self._answers, []
        self._tell(answers)

    async def _commit(self) -> None:
        while True:
            try:
                self._member.storage.commit()
            except DiskFull as problem:
                self._limited_log.warning("full", "the space has to wait: %s", problem)
                self._trouble = str(problem)
                self._tell([self._report()])
                await asyncio.sleep(_FULL_SECONDS)
            else:
                break
        self._commits += 1
        if self._trouble is not None:
            self._trouble = None
            self._next_report = 0.0

    def _do(self, effect: MemberEffect) -> None:
        match effect:
            case Send():
                self._send(effect.to, effect.message)
            case Published():
                self._answers.append(said.Stored(effect.ticket))
            case PublishRefused():
                error = effect.error
                self._answers.append(said.Conflict(effect.ticket, error.wanted or "", error.found or ""))
            case Established():
                self._answers.append(said.Indexed(effect.subscription_id))
            case EventArrived():
                self._answers.append(_arrived(effect))
            case Fetched():
                self._answers.append(said.Fetched(effect.ticket, effect.quads, effect.is_last, effect.boxes))
            case Refused():
                self._refused[effect.fault] += 1
                self._limited_log.warning(effect.fault, "refused, from %s: %s", effect.sender, effect.reason)
            case TakenOver():
                self._taken_over += len(effect.zones)
                how = "with its replica" if effect.has_replica else "without a replica: what it stored alone is lost"
                _log.warning("took over %d zones of %s, %s", len(effect.zones), effect.owner, how)
            case Left():
                self.has_left = True

    def _send(self, address: str, message: SpaceNodeMessage) -> None:
        self._outgoing.setdefault(address, []).append(message)

    def _ask(self, asking: Asking) -> None:
        for address, message in asking:
            self._send(address, message)

    # Reports

    def description(self) -> NodeDescription:
        """How this node stands."""
        member = self._member
        loads = tuple(member.storage.count(claim.zone) for claim in member.record.claims)
        neighbours = tuple(Address(record.id, record.address) for record in member.neighbours)
        return NodeDescription(member.record, member.stage.value, loads, neighbours)

    def _report_if_due(self) -> None:
        now, stage = self._clock(), self._member.stage.value
        if now >= self._next_report or stage != self._stage:
            self._next_report = now + _REPORT_SECONDS
            self._stage = stage
            self._answers.append(self._report())

    def _report(self) -> said.Report:
        transport = self._transport
        return said.Report(
            transport.address,
            self.description(),
            dict(transport.sent),
            dict(transport.received),
            dict(transport.refused + self._refused),
            dict(transport.dropped),
            self._commits,
            self._taken_over,
            self._trouble,
        )


def _arrived(effect: EventArrived) -> said.Arrived:
    header = effect.header
    return said.Arrived(
        header.event, effect.nquads, header.time, header.source, header.stamp.origin, header.stamp.position
    )
