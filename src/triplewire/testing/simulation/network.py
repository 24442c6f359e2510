"""The network between simulated processes: it delivers, counts, and can be cut."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random
from typing import Protocol

import msgspec

from triplewire.network.messages import Packet
from triplewire.testing.simulation.faults import Way, Weather, Wires, both_ways, one_way
from triplewire.testing.simulation.histories.history import History, Mended, Record, Troubled
from triplewire.testing.simulation.timeline import Timeline
from triplewire.testing.simulation.trace import Trace


class Cut(msgspec.Struct, frozen=True):
    """Something that was cut, to mend it by."""

    what: str
    ways: tuple[Way, ...]


class Receiver(Protocol):
    """Whoever has an address."""

    id: str
    address: str

    def receive(self, sender: str, packet: Packet) -> None: ...


class Network(Timeline):
    """Everything that happens by chance is drawn from `rng`; everything that happens is in `history` or `trace`.

    `lasting` counts the troubles that are not mended.

    With `encoded` each message is written and read again on its way, as on a wire.
    """

    def __init__(self, seed: int, weather: Weather, *, encoded: bool = False) -> None:
        super().__init__()
        self.rng = Random(seed)
        self.wires = Wires(self.rng, weather)
        self.history = History(seed, [])
        self.trace = Trace()
        self.lasting = 0
        self._receivers: dict[str, Receiver] = {}
        self._encoder = msgspec.msgpack.Encoder() if encoded else None
        self._decoder = msgspec.msgpack.Decoder(Packet)

    def connect(self, receiver: Receiver) -> None:
        self._receivers[receiver.address] = receiver

    def disconnect(self, receiver: Receiver) -> None:
        del self._receivers[receiver.address]

    def post(self, sender: str, address: str, packet: Packet) -> None:
        """Send something; what becomes of it is for the weather to say."""
        receiver = self._receivers.get(address)
        if receiver is None:
            return
        if self._encoder is not None:
            packet = self._decoder.decode(self._encoder.encode(packet))
        arrivals = self.wires.arrivals(self.now, sender, receiver.id)
        self.trace.sent(self.now, sender, receiver.id, packet, arrivals)
        for moment in arrivals:
            self.at(moment, receiver.receive, sender, packet)

    def record(self, record: Record) -> None:
        self.history.records.append(record)
        if isinstance(record, Troubled):
            self.lasting += record.lasts
        elif isinstance(record, Mended):
            self.lasting -= 1
        self.trace.recorded(record)

    # Troubles

    def cut(self, ways: Iterable[Way], what: str) -> Cut:
        """Let nothing through on these ways."""
        cut = Cut(what, tuple(ways))
        self.record(Troubled(self.now, what, lasts=True))
        self.wires.cut(cut.ways)
        return cut

    def isolate(self, one: str, *, hears: bool = False, is_heard: bool = False) -> Cut:
        """Cut one off from all others, wholly or one way."""
        others = self._others([one])
        ways = [] if hears else one_way(others, [one])
        ways += [] if is_heard else one_way([one], others)
        words = {(False, False): "is cut off", (True, False): "is not heard", (False, True): "hears nobody"}
        return self.cut(ways, f"{one} {words[hears, is_heard]}")

    def split(self, some: Sequence[str]) -> Cut:
        """Two groups that do not reach each other."""
        return self.cut(both_ways(some, self._others(some)), f"{', '.join(some)} are apart")

    def mend(self, cut: Cut) -> None:
        self.wires.mend(cut.ways)
        self.record(Mended(self.now, cut.what))

    def _others(self, some: Sequence[str]) -> list[str]:
        return [receiver.id for receiver in self._receivers.values() if receiver.id not in some]
