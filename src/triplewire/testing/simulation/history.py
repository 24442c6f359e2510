"""The history of a run, as clients and the injector of faults saw it. Times are those of the world, not of a process.

Each overlay has records of its own; those of faults are common to all. A history has no messages, so that a checker
cannot depend on the protocol that it checks.
"""

from __future__ import annotations

from typing import Generic, Protocol, TypeVar

from msgspec import Struct


class Timed(Protocol):
    """A record has the time at which it happened."""

    @property
    def time(self) -> float: ...


Rec = TypeVar("Rec", bound=Timed)


class FaultInjected(Struct, frozen=True, tag=True):
    """A fault was injected. With `lasts` it is active until `FaultCleared`; otherwise it was momentary."""

    time: float
    what: str
    lasts: bool = False
    is_churn: bool = False


class FaultCleared(Struct, frozen=True, tag=True):
    """A lasting fault is over."""

    time: float
    what: str


class History(Struct, Generic[Rec]):
    """Everything that happened, in order."""

    seed: int
    records: list[Rec | FaultInjected | FaultCleared]
