"""The network between simulated processes: it delivers, traces, and injects faults."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random
from typing import Any, Generic, Protocol, TypeVar

import msgspec

from triplewire.testing.simulation.faults import DirectedLink, FaultModel, LinkModel, links_between, links_from
from triplewire.testing.simulation.history import FaultCleared, FaultInjected, History, Rec
from triplewire.testing.simulation.timeline import Timeline
from triplewire.testing.simulation.trace import Msg, Trace

_Received = TypeVar("_Received", contravariant=True)


class Cut(msgspec.Struct, frozen=True):
    """Links that were cut, to heal them."""

    what: str
    links: tuple[DirectedLink, ...]


class Receiver(Protocol[_Received]):
    """A process with an address."""

    id: str
    address: str

    def receive(self, sender: str, message: _Received) -> None: ...


class SimulatedNetwork(Timeline, Generic[Msg, Rec]):
    """Everything that happens by chance is drawn from `rng`; everything that happens is in `history` or `trace`.

    `active_faults` counts the faults that are not cleared.

    With `encoded_as` each message is encoded and decoded as that type, as on a real network.
    """

    def __init__(
        self, seed: int, fault_model: FaultModel, trace: Trace[Msg] | None = None, *, encoded_as: Any = None
    ) -> None:
        super().__init__()
        self.rng = Random(seed)
        self.links = LinkModel(self.rng, fault_model)
        self.history: History[Rec] = History(seed, [])
        self.trace: Trace[Msg] = trace or Trace()
        self.active_faults = 0
        self._receivers: dict[str, Receiver[Msg]] = {}
        self._encoder = msgspec.msgpack.Encoder()
        self._decoder = None if encoded_as is None else msgspec.msgpack.Decoder(encoded_as)

    def connect(self, receiver: Receiver[Msg]) -> None:
        self._receivers[receiver.address] = receiver

    def disconnect(self, receiver: Receiver[Msg]) -> None:
        del self._receivers[receiver.address]

    def post(self, sender: str, address: str, message: Msg) -> None:
        """Send a message; the fault model decides whether and when it arrives."""
        receiver = self._receivers.get(address)
        if receiver is None:
            return
        if self._decoder is not None:
            message = self._decoder.decode(self._encoder.encode(message))
        arrivals = self.links.arrivals(self.now, sender, receiver.id)
        self.trace.sent(self.now, sender, receiver.id, message, arrivals)
        for moment in arrivals:
            self.at(moment, receiver.receive, sender, message)

    def record(self, record: Rec | FaultInjected | FaultCleared) -> None:
        self.history.records.append(record)
        if isinstance(record, FaultInjected):
            self.active_faults += record.lasts
        elif isinstance(record, FaultCleared):
            self.active_faults -= 1
        self.trace.recorded(record)

    # Faults

    def cut(self, links: Iterable[DirectedLink], what: str) -> Cut:
        """Cut links."""
        cut = Cut(what, tuple(links))
        self.record(FaultInjected(self.now, what, lasts=True))
        self.links.cut(cut.links)
        return cut

    def isolate(self, one: str, *, hears: bool = False, is_heard: bool = False) -> Cut:
        """Cut a process off from all others, in both directions or one."""
        others = self._others([one])
        links = [] if hears else links_from(others, [one])
        links += [] if is_heard else links_from([one], others)
        words = {(False, False): "is cut off", (True, False): "is not heard", (False, True): "hears nobody"}
        return self.cut(links, f"{one} {words[hears, is_heard]}")

    def split(self, some: Sequence[str]) -> Cut:
        """Partition the network into two groups."""
        return self.cut(links_between(some, self._others(some)), f"{', '.join(some)} are apart")

    def heal(self, cut: Cut) -> None:
        self.links.heal(cut.links)
        self.record(FaultCleared(self.now, cut.what))

    def _others(self, some: Sequence[str]) -> list[str]:
        return [receiver.id for receiver in self._receivers.values() if receiver.id not in some]
