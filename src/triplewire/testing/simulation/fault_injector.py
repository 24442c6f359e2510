"""Faults at random: each is injected at some moment, and cleared after a while or when all are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from triplewire.testing.simulation.faults import links_between, links_from
from triplewire.testing.simulation.network import Cut
from triplewire.testing.simulation.world import SimulatedWorld

NETWORK_FAULTS = ("cut off", "not heard", "hears nobody", "split", "pair", "one way")
PROCESS_FAULTS = ("crash", "stall")


class FaultInjector:
    """Injects faults of some kinds into a world.

    `handlers` has what to do for each kind, with the names of a process and of another one. An overlay adds its own.
    """

    def __init__(self, world: SimulatedWorld[Any, Any, Any], kinds: Sequence[str]) -> None:
        self.world = world
        self.kinds = tuple(kinds)
        self.handlers: dict[str, Callable[[str, str], object]] = {
            "cut off": lambda one, _: self.for_some_time(world.isolate(one)),
            "not heard": lambda one, _: self.for_some_time(world.isolate(one, hears=True)),
            "hears nobody": lambda one, _: self.for_some_time(world.isolate(one, is_heard=True)),
            "split": self._split,
            "pair": lambda one, other: self.for_some_time(
                world.cut(links_between([one], [other]), f"{one} and {other} are apart")
            ),
            "one way": lambda one, other: self.for_some_time(
                world.cut(links_from([one], [other]), f"{other} does not hear {one}")
            ),
            "crash": self._crash,
            "stall": lambda one, _: world.stall(one, self.duration()),
        }
        self._cuts: list[Cut] = []
        self._down: list[str] = []

    def up(self) -> list[str]:
        """The processes that are neither down nor leaving."""
        hosts = self.world.hosts.values()
        return [host.id for host in hosts if host.id not in self._down and not host.is_leaving]

    def inject(self, number: int, seconds: float) -> None:
        """Inject so many faults at random moments in so many seconds, and run until then."""
        for _ in range(number):
            self.world.later(self.world.rng.random() * seconds, self.inject_one)
        self.world.run_for(seconds)

    def inject_one(self) -> None:
        """Inject a fault of a random kind now."""
        kind = self.world.rng.choice(self.kinds)
        up = self.up()
        if len(up) >= 2:
            one, other = self.world.rng.sample(up, 2)
            self.handlers[kind](one, other)

    def for_some_time(self, cut: Cut) -> None:
        """Heal a cut after a while."""
        self._cuts.append(cut)
        self.world.later(self.duration(), self._heal, cut)

    def duration(self) -> float:
        """A short or long duration, compared with the timeouts of failure detectors."""
        return self.world.rng.choice((0.5, 3.0, 15.0)) * self.world.rng.random()

    def clear_all(self) -> None:
        """Heal every cut, and restart whoever is down."""
        for cut in list(self._cuts):
            self._heal(cut)
        for host in list(self._down):
            self._restart(host)

    def _split(self, _one: str, _other: str) -> None:
        up = self.up()
        rng = self.world.rng
        self.for_some_time(self.world.split(rng.sample(up, rng.randint(1, len(up) - 1))))

    def _crash(self, one: str, _other: str) -> None:
        self.world.crash(one)
        self._down.append(one)
        self.world.later(self.duration(), self._restart, one)

    def _heal(self, cut: Cut) -> None:
        if cut in self._cuts:
            self._cuts.remove(cut)
            self.world.heal(cut)

    def _restart(self, host: str) -> None:
        if host in self._down:
            self._down.remove(host)
            self.world.restart(host)
