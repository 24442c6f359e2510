"""Changes: what is asked of a dataset, and what has really changed in it.

The default graph is what rules work on: it has a closure, and its changes trigger. Named graphs change in the same
transactions; they have no closure and trigger nothing.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import TypeVar

from msgspec import Struct

from triplewire.rdf.terms import DefaultGraph, Quad, Triple

Triples = tuple[Triple, ...]
Quads = tuple[Quad, ...]
_Key = TypeVar("_Key", bound=Hashable)


class NamedEdits(Struct, frozen=True):
    """Quads of named graphs to be asserted, and quads to be asserted no longer; deletions come first."""

    inserted: Quads = ()
    deleted: Quads = ()

    def reversed(self) -> NamedEdits:
        """What undoes them, where each has really changed something."""
        return NamedEdits(inserted=self.deleted, deleted=self.inserted)

    def __bool__(self) -> bool:
        return bool(self.inserted or self.deleted)


class Edits(Struct, frozen=True):
    """Triples to be asserted, and triples to be asserted no longer; deletions come first. `named` are other graphs'."""

    inserted: Triples = ()
    deleted: Triples = ()
    named: NamedEdits = NamedEdits()

    def reversed(self) -> Edits:
        """What undoes them, where each has really changed something."""
        return Edits(self.deleted, self.inserted, self.named.reversed())

    def __bool__(self) -> bool:
        return bool(self.inserted or self.deleted or self.named)

    def __len__(self) -> int:
        """How many triples and quads are mentioned."""
        return len(self.inserted) + len(self.deleted) + len(self.named.inserted) + len(self.named.deleted)


class Changes(Struct, frozen=True):
    """What edits came to: the assertions that changed, and the triples of the closure that hold now or no longer.

    It is true where triples of the closure changed: nothing else triggers a rule.
    """

    edits: Edits = Edits()
    inserted: Triples = ()
    deleted: Triples = ()

    def __bool__(self) -> bool:
        return bool(self.inserted or self.deleted)

    def reversed(self) -> Changes:
        """What leads back to how it was before."""
        return Changes(self.edits.reversed(), self.deleted, self.inserted)

    @property
    def is_nothing(self) -> bool:
        """Whether no graph holds anything else than before."""
        return not self and not self.edits.named


class NetChanges:
    """Changes one after another, as if they were one: what is put back has never been away."""

    def __init__(self) -> None:
        self._asserted: dict[Triple, bool] = {}
        self._holding: dict[Triple, bool] = {}
        self._named: dict[Quad, bool] = {}

    def include(self, changes: Changes) -> None:
        _fold(self._asserted, changes.edits.deleted, changes.edits.inserted)
        _fold(self._holding, changes.deleted, changes.inserted)
        _fold(self._named, changes.edits.named.deleted, changes.edits.named.inserted)

    @property
    def changes(self) -> Changes:
        named = NamedEdits(_being(self._named, True), _being(self._named, False))
        edits = Edits(_being(self._asserted, True), _being(self._asserted, False), named)
        return Changes(edits, _being(self._holding, True), _being(self._holding, False))


def parted(quads: Iterable[Quad]) -> tuple[Triples, Quads]:
    """Triples of the default graph, and quads of the others."""
    default: list[Triple] = []
    named: list[Quad] = []
    for quad in quads:
        if isinstance(quad.graph_name, DefaultGraph):
            default.append(quad.triple)
        else:
            named.append(quad)
    return tuple(default), tuple(named)


def last_word(edits: Iterable[Edits]) -> Edits:
    """Edits one after another, as one: of several of one triple the last one decides."""
    asserted: dict[Triple, bool] = {}
    named: dict[Quad, bool] = {}
    for each in edits:
        asserted.update(dict.fromkeys(each.deleted, False))
        asserted.update(dict.fromkeys(each.inserted, True))
        named.update(dict.fromkeys(each.named.deleted, False))
        named.update(dict.fromkeys(each.named.inserted, True))
    return Edits(_being(asserted, True), _being(asserted, False), NamedEdits(_being(named, True), _being(named, False)))


def _fold(net: dict[_Key, bool], deleted: Iterable[_Key], inserted: Iterable[_Key]) -> None:
    for keys, now in ((deleted, False), (inserted, True)):
        for key in keys:
            if net.pop(key, now) is now:
                net[key] = now


def _being(net: dict[_Key, bool], now: bool) -> tuple[_Key, ...]:
    return tuple(key for key, value in net.items() if value is now)
