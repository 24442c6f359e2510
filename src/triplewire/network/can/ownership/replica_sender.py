"""The replica of our own zones: what a node stores is kept by one neighbour, the holder, as well, part by part.

A generation begins with all that is stored, in chunks; what is stored later follows as further parts. It is complete
when the holder has all that there was at its beginning; only then others drop what they keep of earlier ones.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from triplewire.network.can.effects import Effect, Replicated, Send
from triplewire.network.can.geometry.space import Box, Zone
from triplewire.network.can.messages import Replica, ReplicaAck, ReplicaObsolete
from triplewire.network.can.ownership.neighbours import candidates
from triplewire.network.can.ownership.parts import PartSender
from triplewire.network.can.ownership.state import State

# A generation begins anew when what was added to it is more than so many times its beginning, and than so many bytes.
_MOST_GROWTH = 4
_LEAST_GROWTH = 16 << 20


class ReplicaSender:
    """The replica of our own zones, on its way to its holder."""

    def __init__(self, state: State) -> None:
        self._state = state
        self.holder: str | None = None
        self.generation = (0, 0)
        self._count = 0
        self._boxes: tuple[Box, ...] = ()
        self._parts: PartSender[Replica] = PartSender(state.timings.retry)
        self._tickets: defaultdict[int, list[int]] = defaultdict(list)
        self._later: list[int] = []
        """Tickets that wait for a holder."""
        self._reading: list[list[int]] = []
        """Tickets that wait for the end of what is being read, in the order of reading."""
        self._ready: list[int] = []
        self._complete_at: int | None = None
        self._bytes = [0, 0]

    @property
    def is_acknowledged(self) -> bool:
        """Whether the holder has everything; true if there is nobody else."""
        if self.holder is None:
            return self._state.is_alone or not self._boxes
        return self._parts.is_done and self.is_complete

    @property
    def is_complete(self) -> bool:
        return self._complete_at is not None and self._parts.acknowledged >= self._complete_at

    # Choosing the holder

    def renew(self, now: float, boxes: tuple[Box, ...]) -> list[Effect]:
        """See that somebody keeps a replica of what is in these boxes."""
        holder = self._choose(now)
        if holder != self.holder or self._has_outgrown():
            return self._begin(now, holder, boxes)
        if holder is None:
            return self._release() if self._state.is_alone else []
        if boxes != self._boxes:
            self._boxes = boxes
            self._describe()
        return self.send(now)

    def begin_anew(self, now: float, boxes: tuple[Box, ...]) -> list[Effect]:
        """Send everything again, as a new generation."""
        return self._begin(now, self._choose(now), boxes)

    def _choose(self, now: float) -> str | None:
        """The holder that we have, while it lives and stays; else the first of the neighbours that do."""
        if self._state.is_alone:
            return None
        table = self._state.table
        # Who is about to leave has no neighbours any more, but messages that have to arrive.
        around = table.known or {member.record.id: member for member in table.fresh(now)}
        if self.holder in around and self._is_fit(now, self.holder):
            return self.holder
        fit = [node for node in around if self._is_fit(now, node)]
        alive = fit or [node for node in around if table.is_alive(now, node)]
        if not alive and self.holder in around:
            return self.holder
        return next(iter(candidates(self._state.me.id, alive or around)), None)

    def _is_fit(self, now: float, node: str) -> bool:
        return self._state.table.is_alive(now, node) and not self._state.table.all[node].record.is_leaving

    def _has_outgrown(self) -> bool:
        begun, added = self._bytes
        return self.holder is not None and added > max(_LEAST_GROWTH, _MOST_GROWTH * begun)

    # Sending

    def add(self, now: float, chunk: bytes, ticket: int) -> list[Effect]:
        """Add to the replica; the ticket is for when the holder has it."""
        if self.holder is None:
            if self._state.is_alone:
                return [Replicated(ticket)]
            self._later.append(ticket)
            return []
        if chunk:
            self._bytes[1] += len(chunk)
            self._parts.add(lambda number: Replica(self.generation, number, chunk))
        if self._parts.acknowledged >= self._parts.next - 1:
            return [Replicated(ticket)]
        self._tickets[self._parts.next - 1].append(ticket)
        return self.send(now)

    def extend(self, now: float, zones: Sequence[Zone], ticket: int) -> list[Effect]:
        """Add what is stored in zones that have become ours."""
        if self.holder is None:
            return self.add(now, b"", ticket)
        # First where it lies: the holder may have to take over before all of it has come.
        self._boxes = (*self._boxes, *zones)
        self._describe()
        chunks = iter(self._state.contents.export(zones))
        self._reading.append([ticket])
        self._parts.export(chunks, self._end_reading)
        return self.send(now)

    def send(self, now: float) -> list[Effect]:
        address = self._state.table.members.get(self.holder or "")
        if address is None:
            return []
        self._parts.pump(self._read)
        ready, self._ready = self._ready, []
        return [*map(Replicated, ready), *(Send(address, part) for part in self._parts.due(now))]

    def acknowledged(self, now: float, sender: str, ack: ReplicaAck) -> list[Effect]:
        if sender != self.holder or ack.generation != self.generation:
            return []
        if ack.part < 0:
            # It has dropped what it had. If it has not begun, its first part is on its way.
            return [] if self._parts.acknowledged < 0 else self.begin_anew(now, self._boxes)
        was_complete = self.is_complete
        self._parts.acknowledge(ack.part)
        done = [number for number in self._tickets if number <= ack.part]
        effects: list[Effect] = [Replicated(ticket) for number in done for ticket in self._tickets.pop(number)]
        if self.is_complete and not was_complete:
            effects += self._complete()
        return [*effects, *self.send(now)]

    def _begin(self, now: float, holder: str | None, boxes: tuple[Box, ...]) -> list[Effect]:
        groups = [self._ready, self._later, *self._reading, *self._tickets.values()]
        waiting = [ticket for group in groups for ticket in group]
        self.holder, self._boxes = holder, boxes
        self._parts = PartSender(self._state.timings.retry)
        self._tickets.clear()
        self._ready, self._later, self._reading = [], [], [waiting]
        self._complete_at = None
        self._bytes = [0, 0]
        self._count += 1
        self.generation = (self._state.record.incarnation, self._count)
        if holder is None:
            self._later, self._reading = waiting, []
            return self._release() if self._state.is_alone else []
        self._describe()
        self._parts.export(iter(self._state.contents.export(boxes)), self._end_beginning)
        return self.send(now)

    def _release(self) -> list[Effect]:
        """There is nobody else: no ticket waits, and what others keep of ours is obsolete."""
        self._state.is_confirmed = True
        self._state.update(holder=None, generation=self.generation)
        tickets, self._later = self._later, []
        return [Replicated(ticket) for ticket in tickets]

    def _describe(self) -> None:
        record, boxes = self._state.record, self._boxes
        neighbours = self._state.table.records()
        self._parts.add(lambda number: Replica(self.generation, number, b"", record, boxes, neighbours))

    def _read(self, number: int, chunk: bytes) -> Replica:
        if self._complete_at is None:
            self._bytes[0] += len(chunk)
        return Replica(self.generation, number, chunk)

    def _end_beginning(self) -> None:
        self._complete_at = self._parts.add(lambda number: Replica(self.generation, number, is_complete=True))
        self._end_reading()

    def _end_reading(self) -> None:
        """What has waited for the end of this waits for the last part of it; there may be none."""
        tickets = self._reading.pop(0)
        if self._parts.acknowledged >= self._parts.next - 1:
            self._ready += tickets
        else:
            self._tickets[self._parts.next - 1] += tickets

    def _complete(self) -> list[Effect]:
        """From now on this neighbour is the first to take over: the one before may drop our replica."""
        before = self._state.table.members.get(self._state.record.holder or "")
        is_same = self._state.record.holder == self.holder
        self._state.is_confirmed = True
        self._state.update(holder=self.holder, generation=self.generation)
        return [] if before is None or is_same else [Send(before, ReplicaObsolete(self.generation))]
