"""The repository of a peer's home: a site of its super-peer whose every step is on the disk before anybody hears of it.

Error handling: a step that cannot be kept did not happen. The site is read from the disk again, and the error raised.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from msgspec import Struct

from triplewire.client.peer import stream_records
from triplewire.client.peer.record_file import Record, RecordFile, read_records
from triplewire.client.peer.stream_records import StreamRecords, told_of
from triplewire.errors import DamagedStore, LimitExceeded, MessageRefused
from triplewire.federation.sites.codec import encode_from_peer
from triplewire.federation.sites.planning import WithForeign
from triplewire.federation.sites.requests import (
    Compensated,
    Executed,
    FromPeer,
    FromSuperPeer,
    Match,
    Numbered,
    NumberedReply,
    Refused,
    Report,
    Told,
)
from triplewire.federation.sites.session import said_by_peer
from triplewire.federation.sites.site import PeerSite
from triplewire.federation.sites.stream import PeerStream
from triplewire.federation.sites.terms import text_of, triples_of
from triplewire.languages.rdftl.syntax import Update
from triplewire.network.sessions.rule_data import check_size
from triplewire.rdf.terms import Triple
from triplewire.rules.changes import Changes, Edits
from triplewire.rules.schema import Schema
from triplewire.store.disk import Disk

_TRIPLE, _SCHEMA, _DONE = "triple", "schema", "done"
_NOTHING = Changes()
T = TypeVar("T")


def _nothing_more(_: object) -> list[Record]:
    return []


class HomeRepository:
    """`peer` is the public identifier, whose blank nodes these are. One thread at a time."""

    def __init__(self, path: Path, peer: str, disk: Disk | None = None) -> None:
        self._path = path
        self._peer = peer
        self._file = RecordFile(path, disk)
        self._records = StreamRecords()
        self._done: dict[str, Told] = {}
        try:
            self.site = self._read()
        except BaseException:
            self._file.close()
            raise

    def close(self) -> None:
        self._file.close()

    @property
    def schema(self) -> Schema:
        return self.site.repository.schema

    @property
    def triples(self) -> Iterator[Triple]:
        """What was asserted."""
        return self.site.repository.asserted

    # Changes of the peer's own

    def put_schema(self, schema: Schema) -> None:
        """Conform to another schema from now on. Raises `SchemaViolation` if what was asserted does not."""
        site = _site_of(self._peer, schema, list(self.triples), self.site.stream)
        self._file.write(changed=[Record(_SCHEMA, "", text_of(schema.triples).encode())])
        self.site = site

    def load(self, triples: Iterable[Triple]) -> int:
        """Assert triples, which trigger nothing; how many are new. Raises `SchemaViolation`."""

        def work() -> tuple[int, Changes]:
            changes = self.site.repository.apply(Edits(inserted=tuple(triples)), _seen(self.site))
            self.site.index.follow(changes)
            return len(changes.edits.inserted), changes

        return self._step(work)

    def change(self, updates: Sequence[Update | Edits], *, author: str = "", name: str = "", key: str = "") -> Told:
        """One transaction, which is reported. Under the same key it is done once. Raises what is wrong with it."""
        if key in self._done:
            return self._done[key]

        def work() -> tuple[Told, Changes]:
            told = self.site.change(updates, author=author, name=name)
            check_size(said_by_peer(told))
            return told, _changes_in(told)

        if not key:
            return self._step(work)
        told = self._step(work, lambda told: [Record(_DONE, key, encode_from_peer(told))])
        self._done[key] = told
        return told

    @property
    def keys(self) -> frozenset[str]:
        """The keys of what was done."""
        return frozenset(self._done)

    def forget_keys(self, keys: Iterable[str]) -> None:
        """Nobody asks for it again under these keys."""
        gone = list(keys)
        if gone:
            self._file.write(changed=[Record(_DONE, key, None) for key in gone])
            for key in gone:
                del self._done[key]

    # What the super-peer asks for

    def receive(self, asked: FromSuperPeer) -> FromPeer | None:
        """Do what the super-peer asks, and return what to say, once it is on the disk."""
        if isinstance(asked, Match):
            return self.site.receive(asked)
        try:
            return self._step(lambda: self._received(asked))
        except LimitExceeded as problem:
            assert isinstance(asked, Numbered), "to nothing else there is an answer that could be too large"
            reply = NumberedReply(asked.number, Refused(problem.message))
            return self._step(lambda: (self.site.stream.answer(reply), _NOTHING))

    def _received(self, asked: FromSuperPeer) -> tuple[FromPeer | None, Changes]:
        before = self.site.stream.serial
        answer = self.site.receive(asked)
        # What was answered before, and is answered again, has changed nothing again.
        if not isinstance(answer, Told) or answer.serial <= before:
            return answer, _NOTHING
        check_size(said_by_peer(answer))
        return answer, _changes_in(answer)

    def at(self, super_peer: str) -> None:
        """The peer is at this super-peer now."""
        if super_peer == self._records.super_peer:
            return

        def work() -> tuple[None, Changes]:
            if self._records.super_peer:
                stream_records.begin_anew(self.site.stream)
            self._records.super_peer = super_peer
            return None, _NOTHING

        self._step(work)

    # Keeping

    def _step(self, work: Callable[[], tuple[T, Changes]], more: Callable[[T], list[Record]] = _nothing_more) -> T:
        """Do something, and keep what it has changed, and more."""
        try:
            done, changes = work()
            fresh = [Record(_TRIPLE, str(triple)) for triple in changes.edits.inserted]
            gone = [Record(_TRIPLE, str(triple), None) for triple in changes.edits.deleted]
            moved = [*self._records.moved(self.site.stream), *more(done)]
            if fresh or gone or moved:
                self._file.write(fresh, [*gone, *moved])
        except BaseException:
            self.site = self._read()
            raise
        return done

    def _read(self) -> PeerSite:
        found = _found_in(self._file.records(), self._peer, self._path)
        self._records, self._done = found.records, found.done
        return found.site


class _Found(Struct, frozen=True):
    """What the records of a home are."""

    site: PeerSite
    records: StreamRecords
    done: dict[str, Told]


def site_on_disk(path: Path, peer: str) -> PeerSite:
    """The site of a home as it is on the disk, also while another program uses it."""
    return _found_in(read_records(path), peer, path).site


def _found_in(records: Iterable[Record], peer: str, path: Path) -> _Found:
    kinds: dict[str, list[Record]] = defaultdict(list)
    for record in records:
        kinds[record.kind].append(record)
    triples, schema, done = (kinds.pop(kind, []) for kind in (_TRIPLE, _SCHEMA, _DONE))
    try:
        read, stream = StreamRecords.read(record for of_kind in kinds.values() for record in of_kind)
        asserted = triples_of("".join(f"{record.key} .\n" for record in triples))
        known = Schema(triples_of("".join((record.body or b"").decode() for record in schema)))
        told = {record.key: told_of(record.body or b"") for record in done}
    except (MessageRefused, UnicodeDecodeError) as error:
        wanted = "a repository that this version understands"
        raise DamagedStore(wanted=wanted, found=str(error), source=str(path)) from None
    return _Found(_site_of(peer, known, asserted, stream), read, told)


def _site_of(peer: str, schema: Schema, asserted: Sequence[Triple], stream: PeerStream) -> PeerSite:
    """A site with these triples. Arcs to what other sites describe conform with what is noted of that."""
    site = PeerSite(peer, schema, stream=stream)
    site.load([triple for triple in asserted if triple.object not in stream.foreign])
    outgoing = tuple(triple for triple in asserted if triple.object in stream.foreign)
    if outgoing:
        site.index.follow(site.repository.apply(Edits(inserted=outgoing), _seen(site)))
    return site


def _seen(site: PeerSite) -> WithForeign:
    return WithForeign(site.repository, site.stream.foreign)


def _changes_in(told: Told) -> Changes:
    what = told.what
    if isinstance(what, Report):
        return what.changes
    return what.reply.changes if isinstance(what.reply, Executed | Compensated) else _NOTHING
