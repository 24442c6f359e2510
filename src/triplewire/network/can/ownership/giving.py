"""Transfers, at the giver: zones on their way from one owner to another.

The giver serves a zone while it sends what is stored there, in chunks, and forwards what is stored in the meantime.
When the receiver has all of it, the giver ceases to own the zone and says so with the last part. From then on the
receiver owns it, and acknowledges when a neighbour keeps its replica. Only then the giver discards what it has. If
the receiver refuses or fails, the giver owns the zone again, with a higher epoch; should the receiver have taken it
after all, it learns so, yields and deposits.
"""

from __future__ import annotations

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from triplewire.network.can.effects import Effect, Send
from triplewire.network.can.messages import Address, Claim, Transfer, TransferAck, TransferRefused
from triplewire.network.can.ownership.claims import adjoin, minus, overlap, without
from triplewire.network.can.ownership.parts import PartSender
from triplewire.network.can.ownership.state import State

_TABLE = "transfers"
_NEVER = float("-inf")


class _Given(Struct, frozen=True, array_like=True):
    to: Address
    claim: Claim


_GIVEN = msgspec.msgpack.Decoder(_Given)


class Giving:
    """A zone that we give away. `last` is the number of its last part, once we do not own it any more."""

    def __init__(self, now: float, transfer_id: str, to: Address, claim: Claim, nonce: str, retry: float) -> None:
        self.id = transfer_id
        self.to = to
        self.claim = claim
        self.nonce = nonce
        self.parts: PartSender[Transfer] = PartSender(retry)
        self.last: int | None = None
        self.is_read = False
        self.progress = now


class Giver:
    """What we give away."""

    def __init__(self, state: State) -> None:
        self._state = state
        self.under_way: dict[str, Giving] = {}
        self.refused_at: dict[str, float] = {}

    @property
    def zones(self) -> list[Claim]:
        """What others are about to own and we still store."""
        return [giving.claim for giving in self.under_way.values() if giving.last is not None]

    def to(self, node: str) -> Giving | None:
        """A transfer that is on its way to a node."""
        return next((giving for giving in self.under_way.values() if giving.to.id == node), None)

    def is_giving(self, claim: Claim) -> bool:
        return overlap([claim], [giving.claim for giving in self.under_way.values()])

    def resume(self, now: float) -> None:
        """After a restart: own again what was not acknowledged. Who has taken it yields."""
        for key, value in list(self._state.journal.items(_TABLE, b"given ")):
            given = _GIVEN.decode(value)
            self._state.journal.delete(_TABLE, key)
            self._state.own(now, [*self._state.claims, *without([_raised(given.claim)], self._state.zones)])

    def give(self, now: float, to: Address, claim: Claim, nonce: str = "") -> list[Effect]:
        """Begin to give a zone, or a part of one, away."""
        state = self._state
        state.table.introduce(now, to.id, to.address)
        giving = Giving(now, state.number(), to, _raised(claim), nonce, state.timings.retry)
        self.under_way[giving.id] = giving
        offer = self._offer(now, giving)
        giving.parts.add(lambda number: replace(offer, part=number))
        giving.parts.export(iter(state.contents.export([claim.zone])), lambda: setattr(giving, "is_read", True))
        return self._send(now, giving)

    def forward(self, now: float, chunk: bytes) -> list[Effect]:
        """Send along what was just stored in zones that are on their way."""
        effects: list[Effect] = []
        for giving in self.under_way.values():
            part = b"" if giving.last is not None else self._state.contents.restrict(chunk, [giving.claim.zone])
            if part:
                giving.parts.add(lambda number, at=giving, part=part: Transfer(at.id, number, part))  # type: ignore[misc]
                effects += self._send(now, giving)
        return effects

    def merge(self, now: float, chunk: bytes) -> list[Effect]:
        """Add what another has exported to our store. What of it concerns zones that are on their way goes along.

        It may come where reading has passed; and what comes again as a message is no news then, and not forwarded.
        """
        self._state.contents.merge(chunk)
        return self.forward(now, chunk)

    def acknowledged(self, now: float, sender: str, ack: TransferAck) -> list[Effect]:
        giving = self.under_way.get(ack.id)
        if giving is None or giving.to.id != sender:
            return []
        if giving.parts.acknowledge(ack.part):
            giving.progress = now
        if giving.last is not None and ack.part >= giving.last:
            self._finish(giving)
            return []
        return self._send(now, giving)

    def refused(self, now: float, sender: str, refusal: TransferRefused) -> None:
        giving = self.under_way.get(refusal.id)
        if giving is not None and giving.to.id == sender:
            self.refused_at[sender] = now
            self._take_back(now, giving)

    def tick(self, now: float) -> list[Effect]:
        """Go on. Zones are ceded here only: all that was stored has been handed to `forward` before a tick."""
        effects: list[Effect] = []
        for giving in list(self.under_way.values()):
            member = self._state.table.all.get(giving.to.id)
            heard = member.heard if member is not None and giving.last is not None else _NEVER
            if now - max(giving.progress, heard) > self._state.timings.fail_after:
                self.refused_at[giving.to.id] = now
                self._take_back(now, giving)
            elif not self._still_ours(giving):
                del self.under_way[giving.id]
            else:
                if giving.last is None and giving.is_read and giving.parts.is_done:
                    self._cede(now, giving)
                effects += self._send(now, giving)
        return effects

    # Private

    def _still_ours(self, giving: Giving) -> bool:
        """Whether we have not lost a zone that we are giving away."""
        return giving.last is not None or not minus([giving.claim.zone], self._state.zones)

    def _offer(self, now: float, giving: Giving) -> Transfer:
        state = self._state
        around = [record for record in state.table.records() if adjoin([giving.claim], record.claims)]
        calm_for = now - max(state.last_unrest(now), now - 10 * state.timings.remember)
        return Transfer(giving.id, 0, b"", (giving.claim,), (state.record, *around), giving.nonce, calm_for)

    def _send(self, now: float, giving: Giving) -> list[Effect]:
        giving.parts.pump(lambda number, chunk: Transfer(giving.id, number, chunk))
        return [Send(giving.to.address, part) for part in giving.parts.due(now)]

    def _cede(self, now: float, giving: Giving) -> None:
        """The receiver has all of it: do not own it any more, and say so."""
        state = self._state
        state.own(now, without(state.claims, [giving.claim.zone]))
        key = b"given " + giving.id.encode()
        state.journal.put(_TABLE, key, msgspec.msgpack.encode(_Given(giving.to, giving.claim)))
        offer = self._offer(now, giving)
        giving.last = giving.parts.add(lambda number: replace(offer, part=number, is_last=True))
        giving.progress = now
        self._note(now, giving)

    def _note(self, now: float, giving: Giving) -> None:
        """Until it speaks for itself, others learn of the new owner from us."""
        known = self._state.table.record(giving.to.id)
        assert known is not None
        record = replace(known, address=giving.to.address, claims=(*known.claims, giving.claim))
        self._state.table.accept(now, record, is_cut=True)
        self._state.table.saw(now, giving.to.id, heard=False)
        self._state.table.all[giving.to.id].changed = now

    def _finish(self, giving: Giving) -> None:
        """It has an owner and a replica elsewhere."""
        state = self._state
        del self.under_way[giving.id]
        state.journal.delete(_TABLE, b"given " + giving.id.encode())
        for zone in minus([giving.claim.zone], [*state.zones, *state.orphans]):
            state.contents.discard(zone)

    def _take_back(self, now: float, giving: Giving) -> None:
        state = self._state
        del self.under_way[giving.id]
        if giving.last is None:
            return
        state.journal.delete(_TABLE, b"given " + giving.id.encode())
        known = state.table.record(giving.to.id)
        if known is not None:
            left = without(known.claims, [giving.claim.zone])
            state.table.accept(now, replace(known, claims=left), is_cut=True)
        state.unrest_at = now
        state.own(now, [*state.claims, *without([_raised(giving.claim)], state.zones)])


def _raised(claim: Claim) -> Claim:
    return replace(claim, epoch=claim.epoch + 1)
