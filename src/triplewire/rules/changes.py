"""Changes: what is asked of a repository, and what has really changed in it."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from triplewire.rdf.terms import Triple

Triples = tuple[Triple, ...]


class Edits(Struct, frozen=True):
    """Triples to be asserted, and triples to be asserted no longer; deletions come first."""

    inserted: Triples = ()
    deleted: Triples = ()

    def reversed(self) -> Edits:
        """What undoes them, where each has really changed something."""
        return Edits(inserted=self.deleted, deleted=self.inserted)

    def __bool__(self) -> bool:
        return bool(self.inserted or self.deleted)


class Changes(Struct, frozen=True):
    """What edits came to: the assertions that changed, and the triples of the closure that hold now or no longer."""

    edits: Edits = Edits()
    inserted: Triples = ()
    deleted: Triples = ()

    def __bool__(self) -> bool:
        return bool(self.inserted or self.deleted)


class NetChanges:
    """Changes one after another, as if they were one: what is put back has never been away."""

    def __init__(self) -> None:
        self._asserted: dict[Triple, bool] = {}
        self._holding: dict[Triple, bool] = {}

    def include(self, changes: Changes) -> None:
        _fold(self._asserted, changes.edits.deleted, changes.edits.inserted)
        _fold(self._holding, changes.deleted, changes.inserted)

    @property
    def changes(self) -> Changes:
        edits = Edits(_being(self._asserted, True), _being(self._asserted, False))
        return Changes(edits, _being(self._holding, True), _being(self._holding, False))


def _fold(net: dict[Triple, bool], deleted: Iterable[Triple], inserted: Iterable[Triple]) -> None:
    for triples, now in ((deleted, False), (inserted, True)):
        for triple in triples:
            if net.pop(triple, now) is now:
                net[triple] = now


def _being(net: dict[Triple, bool], now: bool) -> Triples:
    return tuple(triple for triple, value in net.items() if value is now)
