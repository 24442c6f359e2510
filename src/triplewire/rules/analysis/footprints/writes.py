"""The ways in which extents are written, and which kinds of event they make happen."""

from __future__ import annotations

from enum import Enum

from msgspec import Struct

from triplewire.rules.analysis.footprints.extents import NOTHING, Extents


class EventKind(Enum):
    """The kinds of change that events tell apart."""

    INSERT = "INSERT"
    DELETE = "DELETE"
    UPDATE = "UPDATE"


class Writes(Struct, frozen=True):
    """What is written, by the way of writing, with what the RDFS closure adds. `seq++` appends."""

    inserted: Extents = NOTHING
    appended: Extents = NOTHING
    deleted: Extents = NOTHING
    updated: Extents = NOTHING

    def __or__(self, other: Writes) -> Writes:
        return Writes(
            self.inserted | other.inserted,
            self.appended | other.appended,
            self.deleted | other.deleted,
            self.updated | other.updated,
        )

    @property
    def all(self) -> Extents:
        """Whatever is written."""
        return self.inserted | self.appended | self.deleted | self.updated

    def causing(self, event_kind: EventKind) -> Extents:
        """What may make events of one kind happen."""
        if event_kind is EventKind.INSERT:
            return self.inserted | self.appended
        return self.deleted if event_kind is EventKind.DELETE else self.updated


NO_WRITES = Writes()
