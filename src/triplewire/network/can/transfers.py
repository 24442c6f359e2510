"""Transfers of zones that the receiver has not acknowledged yet."""

from __future__ import annotations

from msgspec import Struct

from triplewire.network.can.messages import Address, Transfer


class PendingTransfer(Struct):
    """A transfer on its way. Until it is acknowledged, the giver keeps the contents."""

    to: Address
    transfer: Transfer
    since: float
    sent: float


class Transfers:
    """What we give away, repeated until it is acknowledged; and what we were given, to recognise repeats."""

    def __init__(self, retry: float, remember: float) -> None:
        self._retry = retry
        self._remember = remember
        self.pending: dict[str, PendingTransfer] = {}
        self._received: dict[str, float] = {}

    def add(self, now: float, to: Address, transfer: Transfer) -> None:
        self.pending[transfer.id] = PendingTransfer(to, transfer, now, now)

    def to(self, node: str) -> PendingTransfer | None:
        """A transfer that is on its way to a node."""
        return next((pending for pending in self.pending.values() if pending.to.id == node), None)

    def due(self, now: float) -> list[PendingTransfer]:
        found = [pending for pending in self.pending.values() if now - pending.sent >= self._retry]
        for pending in found:
            pending.sent = now
        return found

    def finish(self, transfer_id: str, node: str) -> Transfer | None:
        """End a transfer that a node has answered; None if it is not under way."""
        pending = self.pending.get(transfer_id)
        if pending is None or pending.to.id != node:
            return None
        return self.pending.pop(transfer_id).transfer

    def receive(self, now: float, transfer_id: str) -> None:
        self._received[transfer_id] = now

    def was_received(self, transfer_id: str) -> bool:
        return transfer_id in self._received

    def prune(self, now: float) -> None:
        limit = now - self._remember
        self._received = {transfer_id: at for transfer_id, at in self._received.items() if at >= limit}
