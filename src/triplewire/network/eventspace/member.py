"""A member of the event space: its node of the overlay, the holder of its zones and the gateway of its clients in one.

Without I/O. Every method takes the time first, in monotonic seconds, and returns effects for the shell around it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from random import Random
from types import MappingProxyType
from typing import Any

import msgspec

from triplewire.algebra.subscriptions import Subscription
from triplewire.errors import MessageRefused
from triplewire.network.can.effects import Completed, Deposited, Effect, Received, Refused, Replicated, Send, TakenOver
from triplewire.network.can.geometry.space import SPACE, Bounds, Point, Zone
from triplewire.network.can.messages import (
    Address,
    Cast,
    Claim,
    Heartbeat,
    Message,
    Multicast,
    Receipts,
    Record,
    Replica,
    ReplicaAck,
)
from triplewire.network.can.node import CanNode
from triplewire.network.can.ownership.ownership import Stage
from triplewire.network.can.timings import Timings
from triplewire.network.eventspace.chunks import RecordingStorage
from triplewire.network.eventspace.effects import (
    Established,
    EventArrived,
    Published,
    PublishRefused,
    Refuse,
    SpaceEffect,
    ToNode,
    ToOwners,
    ToZones,
    Withdraw,
)
from triplewire.network.eventspace.fetches import PAGE, Fetched, Fetches, FetchQuads, QuadsRead, read
from triplewire.network.eventspace.member_contents import MemberContents
from triplewire.network.eventspace.messages import NodeLeft, Relay
from triplewire.network.eventspace.node import SpaceNode
from triplewire.network.eventspace.screening.bodies import body_in
from triplewire.network.eventspace.storage import SpaceStorage
from triplewire.network.eventspace.strategy import PublicationStrategy
from triplewire.rdf.events import Event

_NOTHING_SEEN: Mapping[str, int] = MappingProxyType({})
_ENCODER = msgspec.msgpack.Encoder()
# Messages with which no zone that we own goes to another whom we give it to.
_KEEPING = (Cast, Multicast, Receipts, Replica, ReplicaAck, Heartbeat)
_FAREWELL = "farewell"
# What the identifiers of our messages begin with after our name: sent under a gateway's key, or a question of a fetch.
_KEYED, _FETCH = "/", "?"


class Left(msgspec.Struct, frozen=True):
    """All zones have other owners, and every message has arrived: the process may end."""


MemberEffect = Send | Published | PublishRefused | Established | EventArrived | Fetched | Refused | TakenOver | Left


class SpaceMember:
    """One member, over a storage that may have what it did before.

        member = SpaceMember(Address("n1", "tcp://…"), storage, rng)
        effects = member.start(now, seeds=["tcp://…"])
        effects = member.receive(now, sender_id, message)     # any number of them
        effects = member.publish(now, ticket, event)
        effects = member.tick(now)                            # a few times a second
        effects = member.flush(now)                           # at the end of a batch

    **A batch.** The shell calls any of these any number of times, then `flush`, then `member.storage.commit()`. Only
    after the commit it does the effects of all these calls, in their order; if that fails it keeps them and commits
    again. `flush` gives what the batch changed to the replica, in one part, and sends receipts, one message to each
    destination; without it that waits for the next tick.

    **Safety.** What the batch changed in the tables that zones share, messages that have to go out among it, goes to
    the replica. A message is receipted when the replica has what the message changed, and everything before. So
    whoever takes over has both, the contents and what is still to be sent.
    """

    def __init__(
        self,
        me: Address,
        storage: SpaceStorage,
        rng: Random,
        timings: Timings = Timings(),  # noqa: B008  frozen
        strategy: PublicationStrategy = PublicationStrategy.AUTO,
    ) -> None:
        self.me = me
        self.storage = RecordingStorage(storage)
        self._node = SpaceNode(me, self.storage, strategy=strategy)
        self._contents = MemberContents(self._node, self.storage)
        self._can = CanNode(me.id, me.address, self._contents, self.storage, rng, timings)
        self._contents.zones = lambda: self._can.zones
        self._fetches = Fetches()
        self._undone: deque[Any] = deque()
        self._told: list[MemberEffect] = []
        self._handled: list[str] = []
        self._tickets: dict[int, list[str]] = {}
        self._last_ticket = 0
        self._last_cast = 0
        self._is_farewell_said = False
        self._has_left = False
        self._doers: dict[type, Callable[[float, Any], Iterable[Any]]] = {
            Received: self._received,
            Deposited: self._deposited,
            Completed: self._completed,
            Replicated: self._replicated,
            ToOwners: self._to_owners,
            ToZones: self._to_zones,
            ToNode: self._to_node,
            Withdraw: self._withdraw,
        }

    # Reading

    @property
    def stage(self) -> Stage:
        """LEFT when all zones have other owners, every message has arrived, and everybody knows that we are gone."""
        stage = self._can.stage
        return Stage.LEAVING if stage is Stage.LEFT and not self._has_left else stage

    @property
    def zones(self) -> tuple[Zone, ...]:
        return self._can.zones

    @property
    def claims(self) -> tuple[Claim, ...]:
        return self._can.claims

    @property
    def record(self) -> Record:
        return self._can.record

    @property
    def neighbours(self) -> tuple[Record, ...]:
        return self._can.neighbours

    @property
    def position(self) -> int:
        """The end of this node's log: how many publications and subscriptions it has numbered."""
        return self._node.gateway.position

    @property
    def subscription_ids(self) -> tuple[str, ...]:
        """The subscriptions that were issued here and not withdrawn, also before a restart."""
        return self._node.gateway.subscription_ids

    @property
    def waiting(self) -> int:
        """How many rewritten subscriptions and collectors wait here for quadruples that are still to come."""
        return self._node.holder.waiting

    @property
    def is_settled(self) -> bool:
        """Whether no zone is on its way, and the replica has everything."""
        return self._can.is_settled

    @property
    def is_idle(self) -> bool:
        """Whether there is nothing to do but heartbeats: no message is under way or waits for its receipt."""
        return self._can.is_settled and not self._handled and not self._tickets and not len(self._fetches)

    def serves(self, now: float) -> bool:
        """Whether this node may answer for its zones."""
        return self._can.serves(now)

    # Membership and time

    def start(self, now: float, seeds: Sequence[str] = ()) -> list[MemberEffect]:
        """Go on if the storage has zones; else join at these addresses; without any, found a space.

        One that has left joins again, as a newcomer, if there are addresses. The last of all took everything along.
        """
        stage, effects = self._can.stage, list[Effect]()
        if stage is Stage.LEFT and self.zones:
            effects = self._can.found(now)
        elif seeds and stage in (Stage.OUTSIDE, Stage.LEFT):
            effects = self._can.join(now, seeds)
        elif stage is Stage.OUTSIDE:
            effects = self._can.found(now)
        return self._do(now, [*effects, *self._node.start()])

    def leave(self, now: float) -> list[MemberEffect]:
        """Withdraw all subscriptions and give all zones away. Go on with messages and ticks until `Left`."""
        withdrawn = [effect for known in self.subscription_ids for effect in self._node.unsubscribe(known)]
        return [*self._do(now, withdrawn), *self._replicate(now), *self._do(now, self._can.leave(now))]

    def receive(self, now: float, sender_id: str, message: Message) -> list[MemberEffect]:
        """Handle a message from a node whose identity the transport has verified."""
        # A zone that is given away takes along what was replicated before: nothing may be left to be.
        effects = [] if isinstance(message, _KEEPING) else self._replicate(now)
        return [*effects, *self._do(now, self._can.receive(now, sender_id, message))]

    def tick(self, now: float) -> list[MemberEffect]:
        """Do what is due."""
        # First what is noted: with a tick a zone may get another owner, who has to have it.
        effects = [*self._replicate(now), *self._do(now, self._can.tick(now)), *self._replicate(now), *self.flush(now)]
        self._node.holder.note_unrest(self._can.is_calm(now))
        return [*effects, *self._say_farewell(now)] if self._can.stage is Stage.LEFT else effects

    def flush(self, now: float) -> list[MemberEffect]:
        """End a batch: give what was handled to the replica, and send the receipts that are due."""
        effects = self._replicate(now) if self._handled else []
        return [*effects, *self._do(now, self._can.flush())]

    # For clients

    def publish(
        self, now: float, ticket: int, event: Event, seen: Mapping[str, int] = _NOTHING_SEEN
    ) -> list[MemberEffect]:
        """Publish an event for a client that has come so far in the logs of other nodes.

        `Published` or `PublishRefused` follows, unless this process ends before: then it is to be published again.
        """
        _, effects = self._node.publish(ticket, event, seen)
        return self._do(now, effects)

    def subscribe(
        self, now: float, subscription: Subscription, seen: Mapping[str, int] = _NOTHING_SEEN
    ) -> list[MemberEffect]:
        """Issue a subscription; `Established` follows. To be repeated after a restart; the first stamp stays."""
        _, effects = self._node.subscribe(subscription, seen)
        return self._do(now, effects)

    def unsubscribe(self, now: float, subscription_id: str) -> list[MemberEffect]:
        """Withdraw a subscription, if it is there."""
        known = subscription_id in self.subscription_ids
        return self._do(now, self._node.unsubscribe(subscription_id) if known else ())

    def accepted(self, now: float, event: str) -> list[MemberEffect]:
        """The shell has what it needs of an event that has arrived: it is not told again."""
        self._node.gateway.accepted(event)
        return self._do(now, ())

    def fetch(
        self, now: float, ticket: int, boxes: Sequence[Bounds], after: Point | None = None, limit: int = PAGE
    ) -> list[MemberEffect]:
        """Read the quadruples in boxes, which must not overlap, from all their owners: those behind a point.

        `Fetched` follows for each page; pages have at most `limit` quadruples, and are in no order among each other.
        """
        asked = tuple(box for box in boxes if not box.is_empty)
        if not asked:
            return [Fetched(ticket, (), is_last=True, boxes=())]
        return self._do(now, self._ask(now, ticket, asked, after, limit))

    def cancel_fetch(self, ticket: int) -> None:
        """Nobody waits for the rest of a fetch."""
        for name in self._fetches.cancel(ticket):
            self._can.cancel(self._question_id(name))

    # Private: leaving

    def _say_farewell(self, now: float) -> list[MemberEffect]:
        """All zones have other owners, who have a replica: nothing of ours has to wait for one any more."""
        tickets = [Replicated(ticket) for ticket in self._tickets]
        effects = [*self._do(now, tickets), *self._do(now, self._relay(now)), *self._do(now, self._can.flush())]
        if self._is_farewell_said or not self._can.is_done_sending:
            return effects
        self._is_farewell_said = True
        if self._can.is_stranger:
            self._has_left = True
            return [*effects, Left()]
        body = _ENCODER.encode(NodeLeft(self.me.id))
        return [*effects, *self._do(now, self._can.multicast(now, self._cast_id(_FAREWELL), [SPACE], body))]

    def _relay(self, now: float) -> list[Effect]:
        """Leave to others, whoever owns the first point of all, what we have for nodes that do not answer."""
        effects: list[Effect] = []
        for cast_id, to, body in self._can.unanswered():
            self._can.cancel(cast_id)
            relay = _ENCODER.encode(Relay(cast_id, to, body))
            effects += self._can.cast(now, f"{cast_id} relayed", [SPACE.lower], relay, durable=True)
        return effects

    def _relayed(self, now: float, received: Received, message: Relay) -> list[Effect]:
        self._handled.append(received.cast_id)
        return self._can.send_direct(now, message.cast_id, message.to, message.body, durable=True)

    def _left(self, received: Received, message: NodeLeft) -> tuple[()]:
        self._can.cancel_to(message.node)
        self._handled.append(received.cast_id)
        return ()

    # Private: effects of the overlay

    def _do(self, now: float, effects: Iterable[Any]) -> list[MemberEffect]:
        """Carry out what is ours to do, and what follows from it; the rest is the shell's."""
        queue, out = self._undone, self._told
        queue.extend(effects)
        while queue:
            effect = queue.popleft()
            doer = self._doers.get(type(effect))
            if doer is None:
                out.append(effect)
            else:
                # If it raises, what is left is done, and told, with the next call.
                queue.extend(doer(now, effect))
            if self._contents.has_merged:
                self._contents.has_merged = False
                queue.extend([*self._node.holder.ask_again(), *self._can.adopt(now)])
        self._told = []
        refused, self._contents.refused = self._contents.refused, []
        return [*out, *(Refused("another member", str(problem), problem.fault) for problem in refused)]

    def _received(self, now: float, received: Received) -> Iterable[Any]:
        try:
            message = body_in(received.body)
        except MessageRefused as problem:
            # Without a receipt it comes again, later and later.
            self._can.drop(received.cast_id)
            return [Refused(received.origin.id, str(problem), problem.fault)]
        if isinstance(message, FetchQuads):
            return self._read(received, message)
        if isinstance(message, QuadsRead):
            return self._was_read(now, received, message)
        if isinstance(message, NodeLeft):
            return self._left(received, message)
        if isinstance(message, Relay):
            return self._relayed(now, received, message)
        self._node.holder.zones = self._can.zones
        try:
            effects = self._node.receive(message)
        except Exception:
            # It has no receipt, and is handled when it comes again.
            self._can.drop(received.cast_id)
            raise
        if any(isinstance(effect, Refuse) for effect in effects):
            return self._refused(now, received, effects)
        self._handled.append(received.cast_id)
        return effects

    def _refused(self, now: float, received: Received, effects: list[SpaceEffect]) -> list[Any]:
        """What is refused is not receipted: its origin repeats it until it hears of the refusal."""
        self._can.drop(received.cast_id)
        return [
            ToNode(effect.to, effect.message, is_lasting=False) if isinstance(effect, Refuse) else effect
            for effect in effects
        ]

    def _deposited(self, now: float, deposited: Deposited) -> Iterable[SpaceEffect]:
        self._node.holder.zones = self._can.zones
        effects = list(self._node.holder.deposit(self._contents.screened(deposited.chunk)))
        self._handled.append(deposited.cast_id)
        return effects

    def _completed(self, now: float, completed: Completed) -> Iterable[Any]:
        key = completed.cast_id.removeprefix(self.me.id + _KEYED)
        if key == _FAREWELL:
            self._has_left = True
            return [Left()]
        return () if key == completed.cast_id else self._node.completed(key)

    def _replicated(self, now: float, replicated: Replicated) -> list[Effect]:
        cast_ids = self._tickets.pop(replicated.ticket, ())
        return [effect for cast_id in cast_ids for effect in self._can.receipt(now, cast_id)]

    def _replicate(self, now: float) -> list[MemberEffect]:
        """Give what was noted since the last time to the replica; what was handled is receipted when it is there."""
        chunks = self._contents.take()
        if not chunks and not self._handled:
            return []
        *before, last = chunks or [b""]
        effects: list[Effect] = []
        for chunk in before:
            effects += self._can.replicate(now, chunk, self._ticket(()))
        ticket = self._ticket(self._handled)
        self._handled = []
        effects += self._can.replicate(now, last, ticket)
        return self._do(now, effects)

    def _ticket(self, cast_ids: Iterable[str]) -> int:
        self._last_ticket += 1
        self._tickets[self._last_ticket] = list(cast_ids)
        return self._last_ticket

    # Private: effects of holder and gateway

    def _to_owners(self, now: float, effect: ToOwners) -> list[Effect]:
        cast_id, body = self._cast_id(effect.key), _ENCODER.encode(effect.message)
        return self._can.cast(now, cast_id, effect.points, body, durable=not effect.key)

    def _to_zones(self, now: float, effect: ToZones) -> list[Effect]:
        cast_id, body = self._cast_id(effect.key), _ENCODER.encode(effect.message)
        return self._can.multicast(now, cast_id, effect.bounds, body, durable=not effect.key)

    def _to_node(self, now: float, effect: ToNode) -> Iterable[Any]:
        if effect.to.id == self.me.id:
            # In the same step, and so in the same commit: nothing has to be kept for it.
            self._node.holder.zones = self._can.zones
            return self._node.receive(effect.message)
        body = _ENCODER.encode(effect.message)
        return self._can.send_direct(now, self._cast_id(""), effect.to, body, durable=effect.is_lasting)

    def _withdraw(self, now: float, effect: Withdraw) -> tuple[()]:
        self._can.cancel(self._cast_id(effect.key))
        return ()

    def _cast_id(self, key: str) -> str:
        """What is sent under a key has the same identifier each time; everything else one of its own."""
        if key:
            return f"{self.me.id}{_KEYED}{key}"
        self._last_cast += 1
        return f"{self.me.id} {self._can.record.incarnation}.{self._last_cast}"

    # Private: fetches

    def _ask(self, now: float, ticket: int, boxes: Sequence[Bounds], after: Point | None, limit: int) -> list[Effect]:
        name = self._fetches.ask(ticket, boxes, limit)
        body = _ENCODER.encode(FetchQuads(self.me, name, after, limit))
        return self._can.multicast(now, self._question_id(name), boxes, body)

    def _read(self, received: Received, message: FetchQuads) -> Iterable[Any]:
        """Answer for our part of the boxes. The answer is the receipt: if it gets lost, the question comes again."""
        self._can.drop(received.cast_id)
        answer = read(self.storage, message, received.boxes)
        if message.asker.id == self.me.id:
            return [Received(received.cast_id, self.me, (), (), _ENCODER.encode(answer))]
        return self._can.answer(received.cast_id, message.asker, _ENCODER.encode(answer))

    def _was_read(self, now: float, received: Received, message: QuadsRead) -> list[Any]:
        self._can.drop(received.cast_id)
        answer = self._fetches.answered(message)
        if answer is None:
            return []
        question, effects = answer.question, list[Any]()
        if answer.more_after is not None:
            effects += self._ask(now, question.ticket, answer.boxes, answer.more_after, question.limit)
        self._can.answered(self._question_id(message.question), answer.boxes)
        if not question.missing:
            self._fetches.end(message.question)
        if answer.boxes:
            is_last = self._fetches.is_complete(question.ticket)
            effects.insert(0, Fetched(question.ticket, answer.quads, is_last, answer.boxes))
        return effects

    def _question_id(self, name: str) -> str:
        return f"{self.me.id}{_FETCH}{self._can.record.incarnation}.{name}"
