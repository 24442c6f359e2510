"""The disk of a simulated node of the event space: the space's storage, and what the broker keeps beside it."""

from __future__ import annotations

from msgspec import Struct, field

from triplewire.rdf.events import Event
from triplewire.testing.memory_storage import MemoryStorage


class Publication(Struct):
    """An event in the broker's log; after a restart it is published again until it is known to be acknowledged."""

    event: Event
    is_acknowledged: bool = False


class SpaceDisk(Struct):
    """What survives a crash: `subscriptions` by identifier, `log` by ticket, and the events that have arrived."""

    storage: MemoryStorage = field(default_factory=MemoryStorage)
    subscriptions: dict[str, str] = field(default_factory=dict)
    log: dict[int, Publication] = field(default_factory=dict)
    arrived: set[str] = field(default_factory=set)
