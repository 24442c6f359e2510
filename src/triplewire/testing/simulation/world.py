"""A simulated world: virtual time, a network with faults, and processes that crash, stall and come back.

Everything that happens by chance is drawn from one generator: a seed gives the same run again, message by message.
"""

from __future__ import annotations

from typing import Any, Generic, TypeVar

from triplewire.testing.simulation.faults import FaultModel
from triplewire.testing.simulation.history import FaultCleared, FaultInjected, Rec
from triplewire.testing.simulation.network import SimulatedNetwork
from triplewire.testing.simulation.process import Process
from triplewire.testing.simulation.trace import Msg, Trace

_HOUR = 3600.0

Host = TypeVar("Host", bound=Process[Any])


class SimulatedWorld(SimulatedNetwork[Msg, Rec], Generic[Msg, Rec, Host]):
    """Time, the network, and the processes. `clocks_differ` lets each process find its clock anywhere."""

    def __init__(
        self,
        seed: int,
        fault_model: FaultModel,
        trace: Trace[Msg] | None = None,
        *,
        tick: float = 0.2,
        encoded_as: Any = None,
    ) -> None:
        super().__init__(seed, fault_model, trace, encoded_as=encoded_as)
        self.tick = tick
        self.hosts: dict[str, Host] = {}
        self.clocks_differ = True

    def clock_offset(self) -> float:
        """The initial value of a process's monotonic clock: anything."""
        return self.rng.random() * 1_000 * _HOUR if self.clocks_differ else 0.0

    def add(self, host: Host) -> None:
        """A process that others can reach. It is not started."""
        self.hosts[host.id] = host
        self.connect(host)

    def remove(self, host: Host) -> None:
        """End a process for good."""
        host.crash()
        del self.hosts[host.id]
        self.disconnect(host)

    def crash(self, host_id: str) -> None:
        """Crash a process: it loses all but its disk, and is down until `restart`."""
        self.record(FaultInjected(self.now, f"{host_id} is down", lasts=True))
        self.hosts[host_id].crash()

    def restart(self, host_id: str) -> None:
        self.record(FaultCleared(self.now, f"{host_id} is down"))
        self.hosts[host_id].start()

    def stall(self, host_id: str, seconds: float) -> None:
        what = f"{host_id} stalls"
        self.record(FaultInjected(self.now, what, lasts=True))
        self.hosts[host_id].stall(seconds)
        self.later(seconds, lambda: self.record(FaultCleared(self.now, what)))
