"""Transfers, at the receiver: parts are put into the journal, and with the last one the zones are ours.

A zone is taken only from its owner, and by a newcomer only from somebody whom its request was led to (row A12).
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from triplewire.network.can.effects import Effect, Refused, Replicated, Send
from triplewire.network.can.messages import Address, Transfer, TransferAck, TransferRefused
from triplewire.network.can.ownership.claims import minus
from triplewire.network.can.ownership.giving import Giver
from triplewire.network.can.ownership.parts import PartOrder
from triplewire.network.can.ownership.replica_sender import ReplicaSender
from triplewire.network.can.ownership.state import Stage, State

_TABLE = "transfers"
# How many transfers that we took are remembered, to recognise repeats.
_MOST_TAKEN = 256


class _Taking(Struct):
    giver: Address
    order: PartOrder[Transfer]
    progress: float
    stored: int = 0


class Taker:
    """What others give us. Parts are in the journal until the last has come."""

    def __init__(self, state: State, replica: ReplicaSender, giver: Giver) -> None:
        self._state = state
        self._replica = replica
        self._giver = giver
        self._taking: dict[str, _Taking] = {}
        self._taken: dict[str, None] = {}
        self._acks: dict[int, tuple[str, TransferAck]] = {}
        self._tickets = 0
        self.nonce = ""
        for key, _ in list(state.journal.items(_TABLE, b"part ")):
            # Its giver has all of it, and begins again.
            state.journal.delete(_TABLE, key)
        for key, _ in state.journal.items(_TABLE, b"taken "):
            self._taken[key.removeprefix(b"taken ").decode()] = None

    def receive(self, now: float, sender: str, transfer: Transfer) -> list[Effect]:
        """Take a part, and with the last one the zones."""
        taking = self._taking.get(transfer.id)
        if taking is None:
            if transfer.id in self._taken:
                return self._acknowledge_again(sender, transfer)
            if transfer.part:
                # We had agreed to take it, and have forgotten that in a crash.
                address = self._state.table.members.get(sender)
                return [] if address is None else [Send(address, TransferRefused(transfer.id))]
            record = next((record for record in transfer.neighbours if record.id == sender), None)
            if record is None:
                return []
            reason = self._objection(sender, transfer)
            if reason is not None:
                return [Refused(sender, reason), Send(record.address, TransferRefused(transfer.id))]
            taking = self._taking[transfer.id] = _Taking(Address(sender, record.address), PartOrder(), now)
        if taking.giver.id != sender:
            return [Refused(sender, "speaks for another")]
        for part in taking.order.receive(transfer.part, transfer):
            if part.is_last:
                return self._take(now, taking, part)
            reason = self._state.contents.objection(part.contents)
            if reason is not None:
                self._drop(transfer.id, taking)
                return [Refused(sender, reason, "chunk"), Send(taking.giver.address, TransferRefused(transfer.id))]
            taking.stored, taking.progress = part.part + 1, now
            if part.contents:
                self._state.journal.put(_TABLE, _key(part.id, part.part), part.contents)
        return [Send(taking.giver.address, TransferAck(transfer.id, taking.order.next - 1))]

    def translate(self, effects: list[Effect]) -> list[Effect]:
        """Negative tickets are our own: transfers to acknowledge."""
        return [
            Send(*self._acks.pop(effect.ticket)) if isinstance(effect, Replicated) and effect.ticket < 0 else effect
            for effect in effects
        ]

    def prune(self, now: float) -> None:
        """Drop parts of transfers that have ended without us. Their givers have all of it."""
        limit = now - self._state.timings.remember
        for transfer_id, taking in list(self._taking.items()):
            if taking.progress < limit:
                self._drop(transfer_id, taking)

    # Private

    def _objection(self, sender: str, transfer: Transfer) -> str | None:
        """Why we do not take a zone; None if we do (row A12)."""
        known = self._state.table.record(sender)
        owned = [] if known is None else [claim.zone for claim in known.claims]
        if not transfer.nonce and (minus([claim.zone for claim in transfer.claims], owned) or not transfer.claims):
            return "gives what it does not own"
        return self._obstacle(sender, transfer)

    def _obstacle(self, sender: str, transfer: Transfer) -> str | None:
        """Why we do not take it, or not any more."""
        state = self._state
        if transfer.nonce:
            is_asked = state.stage is Stage.JOINING and transfer.nonce == self.nonce
            return None if is_asked else "gives what was not asked for"
        if state.stage is not Stage.IN and not self._is_last_leaver(sender):
            return "gives to a node that is not in"
        zones = [*state.zones, *state.orphans]
        is_taken = any(claim.zone.touches(zone) for claim in transfer.claims for zone in zones)
        return "gives what has another owner" if is_taken else None

    def _is_last_leaver(self, sender: str) -> bool:
        """Where all leave at once, the greatest of the leavers gets everything, and is the last to go."""
        state = self._state
        others = state.table.known.values()
        return (
            state.stage is Stage.LEAVING and state.me.id > sender and all(member.record.is_leaving for member in others)
        )

    def _acknowledge_again(self, sender: str, transfer: Transfer) -> list[Effect]:
        address = self._state.table.members.get(sender)
        waits = any(ack.id == transfer.id for _, ack in self._acks.values())
        if not transfer.is_last or waits or address is None or not self._replica.is_acknowledged:
            return []
        return [Send(address, TransferAck(transfer.id, transfer.part))]

    def _take(self, now: float, taking: _Taking, last: Transfer) -> list[Effect]:
        reason = self._obstacle(taking.giver.id, last)
        if reason is not None:
            self._drop(last.id, taking)
            return [Refused(taking.giver.id, reason), Send(taking.giver.address, TransferRefused(last.id))]
        state = self._state
        self._remember(last.id)
        effects = [effect for chunk in self._staged(last.id, taking) for effect in self._giver.merge(now, chunk)]
        self._drop(last.id, taking)
        state.unrest_at = max(state.unrest_at, now - last.calm_for)
        state.is_confirmed = True
        if state.stage is Stage.JOINING:
            state.enter(Stage.IN)
        for record in last.neighbours:
            state.table.introduce(now, record.id, record.address)
        state.own(now, [*state.claims, *last.claims])
        self._tickets += 1
        self._acks[-self._tickets] = (taking.giver.address, TransferAck(last.id, last.part))
        return [*effects, *self._learn_and_replicate(now, last)]

    def _learn_and_replicate(self, now: float, last: Transfer) -> list[Effect]:
        state = self._state
        for record in last.neighbours:
            known = state.table.record(record.id)
            if known is not None and record.age > known.age:
                state.table.accept(now, record, is_cut=False)
        return self._replica.extend(now, [claim.zone for claim in last.claims], -self._tickets)

    def _staged(self, transfer_id: str, taking: _Taking) -> Iterator[bytes]:
        for number in range(taking.stored):
            chunk = self._state.journal.get(_TABLE, _key(transfer_id, number))
            if chunk is not None:
                yield chunk

    def _drop(self, transfer_id: str, taking: _Taking) -> None:
        del self._taking[transfer_id]
        for number in range(taking.stored):
            self._state.journal.delete(_TABLE, _key(transfer_id, number))

    def _remember(self, transfer_id: str) -> None:
        self._taken[transfer_id] = None
        self._state.journal.put(_TABLE, b"taken " + transfer_id.encode(), b"")
        while len(self._taken) > _MOST_TAKEN:
            oldest = next(iter(self._taken))
            del self._taken[oldest]
            self._state.journal.delete(_TABLE, b"taken " + oldest.encode())


def _key(transfer_id: str, number: int) -> bytes:
    return b"part %s %016x" % (transfer_id.encode(), number)
