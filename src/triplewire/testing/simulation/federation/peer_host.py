"""A simulated peer: a site that keeps what it has done, changes by itself, and is not always there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from triplewire.errors import InputError
from triplewire.federation.indexes.local_index import LocalIndex
from triplewire.federation.sites.codec import decode_from_peer, encode_from_peer
from triplewire.federation.sites.planning import WithForeign
from triplewire.federation.sites.requests import Execute, Executed, Numbered, Report, Told
from triplewire.federation.sites.site import PeerSite
from triplewire.federation.sites.stream import PeerStream
from triplewire.languages.rdftl.syntax import Update
from triplewire.rdf.terms import Triple
from triplewire.rules.changes import Edits
from triplewire.rules.schema import Schema
from triplewire.rules.vocabulary import TYPE
from triplewire.testing.simulation.federation.history import Changed, Wrote

if TYPE_CHECKING:
    from triplewire.testing.simulation.federation.world import FederationWorld


class PeerHost:
    """A peer of one super-peer."""

    def __init__(self, world: FederationWorld, peer: str, super_peer: str, schema: Schema) -> None:
        self.id = peer
        self.address = f"sim://{peer}"
        self.super_peer = super_peer
        self.site = PeerSite(peer, schema)
        self.start: frozenset[Triple] = frozenset()
        self.is_here = True
        self._world = world
        self._last = 0

    def load(self, triples: list[Triple]) -> None:
        """What the peer has before anything happens."""
        self.site.load(triples)
        self.start = frozenset(self.site.repository.asserted)

    def receive(self, _sender: str, message: object) -> None:
        """Do what the super-peer asks, unless the peer is away."""
        if not self.is_here:
            return
        classes = self._classes()
        answer = self.site.receive(message)  # type: ignore[arg-type]
        if isinstance(message, Numbered) and message.number > self._last:
            self._last = message.number
            if isinstance(message.request, Execute):
                self._record(message.request, self.site.last_reply, classes)
        if answer is not None:
            self._post(answer)

    def change(self, updates: tuple[Update, ...]) -> None:
        """Change the repository, with the super-peer or without it, unless the schema is against it."""
        try:
            told = self.site.change(updates)
        except InputError:
            return
        assert isinstance(told.what, Report)
        wanted = told.what.wanted
        self._world.record(Changed(self._world.now, self.id, updates, wanted.inserted, wanted.deleted))
        if self.is_here:
            self._post(told)

    def restart(self) -> None:
        """Begin again with what is on the disk: the repository, and what was told."""
        stored, stream = self.site.repository, _read_again(self.site.stream)
        self.site = site = PeerSite(self.id, stored.schema, stream=stream)
        site.repository.apply(Edits(tuple(stored.asserted)), WithForeign(site.repository, stream.foreign))
        site.index = LocalIndex(site.repository)

    def repeat(self) -> None:
        """Tell again what the super-peer has not received."""
        if self.is_here:
            for told in list(self.site.stream.to_repeat):
                self._post(told)
        self._world.later(self._world.rule_timings.retry, self.repeat)

    @property
    def is_quiet(self) -> bool:
        """Whether the super-peer has received everything."""
        return not self.site.stream.unreceived

    def _post(self, message: object) -> None:
        self._world.post(self.id, f"sim://{self.super_peer}", message)

    def _record(self, request: Execute, reply: object, classes: dict[str, list[str]]) -> None:
        if not isinstance(reply, Executed):
            return
        inserted, deleted = reply.wanted.inserted, reply.wanted.deleted
        subjects = sorted({str(triple.subject) for triple in (*inserted, *deleted)})
        known = tuple((node, cls) for node in subjects for cls in sorted(classes.get(node, [])))
        self._world.record(Wrote(self._world.now, self.id, request.unit, inserted, deleted, known))

    def _classes(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for triple in self.site.repository.match(None, TYPE, None):
            found.setdefault(str(triple.subject), []).append(str(triple.object))
        return found


def _read_again(stream: PeerStream) -> PeerStream:
    """What was told, as it is once it was bytes."""
    answered = None if stream.answered is None else _told_again(stream.answered)
    unreceived = {serial: _told_again(told) for serial, told in stream.unreceived.items()}
    return PeerStream(stream.serial, answered, unreceived, dict(stream.kept), dict(stream.foreign))


def _told_again(told: Told) -> Told:
    again = decode_from_peer(encode_from_peer(told))
    assert isinstance(again, Told)
    return again
