"""A node of the space: its zones, its neighbours and its multicasts put together, without I/O.

Every method takes the time first, in monotonic seconds, and returns effects; the shell around it carries them out.

    node = CanNode("n-1", "tcp://…", contents, rng)
    effects = node.join(now, seeds=["tcp://…"])
    effects = node.receive(now, sender, message)
    effects = node.tick(now)                       # a few times a second
    effects = node.cast(now, "c-1", [point, …], b"…")
    effects = node.multicast(now, "c-2", [bounds_of(predicate=exactly(…))], b"…")
    effects = node.send_direct(now, "c-3", address, b"…")

Messages are repeated until everybody whom they are for has receipted them: `Completed`. One that arrives is `Received`.
What is stored in answer to it is handed to `replicate`, and is safe when `Replicated` comes back; then `receipt` says
so to the origin, with the next `flush` or `tick`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from random import Random

from triplewire.network.can import messages
from triplewire.network.can.contents import Contents
from triplewire.network.can.effects import Completed, Deposit, Deposited, Effect, Received, Refused, TakenOver
from triplewire.network.can.geometry.space import Bounds, Point, Zone
from triplewire.network.can.journal import Journal
from triplewire.network.can.message_boxes import has_empty_boxes
from triplewire.network.can.messages import Address, Claim, Message, Record
from triplewire.network.can.messaging.messenger import Messenger
from triplewire.network.can.messaging.multicasts import HandledMulticasts
from triplewire.network.can.messaging.outgoing import KeptCast
from triplewire.network.can.ownership.deposits import DEPOSIT
from triplewire.network.can.ownership.ownership import Ownership, Stage
from triplewire.network.can.timings import Timings


class CanNode:
    """One node. Over a journal that an earlier process of it has written, it goes on where that one was."""

    def __init__(
        self,
        node_id: str,
        address: str,
        contents: Contents,
        journal: Journal,
        rng: Random,
        timings: Timings = Timings(),  # noqa: B008  frozen
    ) -> None:
        self.id = node_id
        self._me = Address(node_id, address)
        handled = HandledMulticasts(timings.remember)
        self._ownership = Ownership(self._me, contents, journal, rng, timings)
        self._messenger = Messenger(self._me, self._ownership, handled, journal, timings)

    # Reading

    @property
    def stage(self) -> Stage:
        """LEFT when all zones have other owners and every durable message has arrived."""
        stage = self._ownership.stage
        return Stage.LEAVING if stage is Stage.LEFT and self._messenger.has_durable else stage

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The zones that this node owns, with their epochs."""
        return self._ownership.claims

    @property
    def zones(self) -> tuple[Zone, ...]:
        return self._ownership.zones

    @property
    def record(self) -> Record:
        return self._ownership.record

    @property
    def neighbours(self) -> tuple[Record, ...]:
        return tuple(neighbour.record for neighbour in self._ownership.table.known.values())

    @property
    def is_settled(self) -> bool:
        """Whether nothing is under way: no transfer, no message, no deposit, no unacknowledged part of the replica."""
        return self._ownership.is_settled and self._messenger.is_idle

    @property
    def is_done_sending(self) -> bool:
        """Whether no message of ours is under way, but for those to nodes that do not answer."""
        return self._messenger.is_idle

    def serves(self, now: float) -> bool:
        """Whether this node answers for its zones: after a restart, once somebody has confirmed that it may."""
        return self._ownership.serves(now)

    @property
    def is_stranger(self) -> bool:
        """Whether nobody has let us in yet, so that no message of ours reaches anybody."""
        return not self.zones and not self._ownership.table.members

    def is_calm(self, now: float) -> bool:
        """Whether nobody has failed or come back for a while, so that nobody else can own what we do."""
        return self._ownership.is_calm(now)

    def owns(self, point: Point) -> bool:
        return any(point in zone for zone in self.zones)

    def replica_of(self, owner: str) -> tuple[bytes, ...]:
        """The parts of another node's replica that are kept here."""
        return self._ownership.replica_of(owner)

    # Joining and leaving

    def found(self, now: float) -> list[Effect]:
        """Found a space of one node."""
        self._ownership.found(now)
        return self._settled(now, [])

    def join(self, now: float, seeds: Sequence[str], point: Point | None = None) -> list[Effect]:
        """Ask at these addresses for a zone: near a point, or near a random one, or wherever more is stored."""
        return self._settled(now, self._ownership.join(now, seeds, point))

    def leave(self, now: float) -> list[Effect]:
        """Hand everything over to neighbours. Go on with ticks and messages until `stage` is LEFT."""
        return self._settled(now, self._ownership.leave(now))

    # Messages and time

    def receive(self, now: float, sender: str, message: Message) -> list[Effect]:
        """Handle a message from a node whose identity the transport has verified."""
        if has_empty_boxes(message):
            return [Refused(sender, "has a box without points", "box")]
        self._messenger.heard(sender)
        match message:
            case messages.Cast():
                return self._with_deposits(now, self._messenger.cast(now, message))
            case messages.Receipts():
                return self._with_deposits(now, self._messenger.receipted(now, sender, message))
            case messages.Multicast():
                return self._with_deposits(now, self._messenger.multicast(now, message))
            case _:
                return self._settled(now, self._ownership.receive(now, sender, message))

    def tick(self, now: float) -> list[Effect]:
        """Do what is due."""
        return self._settled(now, [*self._ownership.tick(now), *self._messenger.tick(now)])

    def cast(
        self, now: float, cast_id: str, points: Sequence[Point], body: bytes, durable: bool = False
    ) -> list[Effect]:
        """Send to the owner of each point; an owner of several gets one message. `Completed` follows.

        The identifier must be new; while the message is under way, the same again changes nothing. A durable one is
        kept in the journal until it is complete.
        """
        return self._messenger.send(now, cast_id, KeptCast(body, points=tuple(points)), durable)

    def multicast(
        self, now: float, cast_id: str, bounds: Sequence[Bounds], body: bytes, durable: bool = False
    ) -> list[Effect]:
        """Send to every zone that one of the bounds touches. `Completed` follows."""
        boxes = tuple(box for box in bounds if not box.is_empty)
        return self._messenger.send(now, cast_id, KeptCast(body, boxes=boxes), durable)

    def send_direct(self, now: float, cast_id: str, to: Address, body: bytes, durable: bool = False) -> list[Effect]:
        """Send to a node, which may be this one. `Completed` follows."""
        return self._messenger.send(now, cast_id, KeptCast(body, to=to), durable)

    def cancel(self, cast_id: str) -> None:
        """Stop repeating a message of ours."""
        self._messenger.cancel(cast_id)

    def adopt(self, now: float) -> list[Effect]:
        """Send the durable messages that have come into the journal with the contents of others."""
        return self._messenger.adopt(now)

    def unanswered(self) -> list[tuple[str, Address, bytes]]:
        """Durable messages to nodes that have not receipted them: identifier, receiver and body."""
        return self._messenger.unanswered()

    def cancel_to(self, node: str) -> None:
        """Stop repeating messages to a node that has left for good."""
        self._messenger.cancel_to(node)

    def receipt(self, now: float, cast_id: str) -> list[Effect]:
        """What was received of a message is durable and replicated. Its origin is told with the next `flush`."""
        return self._with_deposits(now, self._messenger.receipt(now, cast_id))

    def drop(self, cast_id: str) -> None:
        """What was received of a message is not taken: there is no receipt, and a repeat is received again."""
        self._messenger.drop(cast_id)

    def answer(self, cast_id: str, to: Address, body: bytes) -> list[Effect]:
        """Send to a node what takes the place of a receipt. It is not repeated: the message that it answers is."""
        return self._messenger.answer(cast_id, to, body)

    def answered(self, cast_id: str, boxes: Sequence[Bounds]) -> None:
        """An answer has come for these boxes of a message of ours: it need not be repeated there."""
        self._messenger.answered(cast_id, boxes)

    def flush(self) -> list[Effect]:
        """Send the receipts that have gathered, those for one origin in one message. A tick does so, too."""
        return self._messenger.flush()

    def replicate(self, now: float, contents: bytes, ticket: int) -> list[Effect]:
        """What was just stored, as `Contents.merge` would read it. Tickets are not negative."""
        return self._settled(now, self._ownership.replicate(now, contents, ticket))

    # Private

    def _settled(self, now: float, effects: list[Effect]) -> list[Effect]:
        effects = self._ownership.settle(now, effects)
        if any(isinstance(effect, TakenOver) for effect in effects):
            effects += self._messenger.adopt(now)
        return self._with_deposits(now, effects)

    def _with_deposits(self, now: float, effects: list[Effect]) -> list[Effect]:
        """Send deposits, hand out those that arrive, and tell the ownership of those that are complete."""
        if not any(isinstance(effect, Deposit | Received | Completed) for effect in effects):
            return effects
        found: list[Effect] = []
        waiting = deque(effects)
        while waiting:
            effect = waiting.popleft()
            if isinstance(effect, Deposit):
                waiting.extend(self._messenger.send(now, effect.cast_id, _kept(effect), is_durable=False))
            elif isinstance(effect, Completed) and effect.cast_id.startswith(DEPOSIT):
                waiting.extend(self._ownership.deposited(effect.cast_id))
            elif isinstance(effect, Received) and effect.cast_id.startswith(DEPOSIT):
                found.append(Deposited(effect.cast_id, effect.origin, effect.boxes, effect.body))
            else:
                found.append(effect)
        return found


def _kept(deposit: Deposit) -> KeptCast:
    return KeptCast(deposit.chunk, boxes=tuple(box for box in deposit.boxes if not box.is_empty))
