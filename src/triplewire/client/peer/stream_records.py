"""The stream of a home to its super-peer as records: what has moved since they were written, and the stream they are.

at        which super-peer it is, and the last serial
answered  the answer to the last numbered request
told      what was told and not received, by serial
kept      changes whose events may be asked for, by serial
foreign   classes of a resource that another site describes
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from msgspec import Struct

from triplewire.client.peer.record_file import Record
from triplewire.errors import MessageRefused
from triplewire.federation.indexes.local_index import IndexChange
from triplewire.federation.sites.codec import decode_from_peer, encode_from_peer
from triplewire.federation.sites.requests import Compensated, Executed, Report, ReportedUpdate, Told
from triplewire.federation.sites.stream import KeptChange, PeerStream
from triplewire.federation.sites.terms import iri_of, term_of
from triplewire.rdf.terms import NamedNode, Term
from triplewire.rules.changes import Changes, Edits

_AT, _ANSWERED, _TOLD, _KEPT, _FOREIGN = "at", "answered", "told", "kept", "foreign"


class _At(Struct, frozen=True):
    super_peer: str
    serial: int


class StreamRecords:
    """What of a stream is in records. `super_peer` is whom it is for; the stream itself does not know."""

    def __init__(self) -> None:
        self.super_peer = ""
        self._at = _At("", 0)
        self._answered: Told | None = None
        self._told: dict[int, Told] = {}
        self._kept: dict[int, KeptChange] = {}
        self._foreign: dict[Term, frozenset[NamedNode]] = {}

    def moved(self, stream: PeerStream) -> list[Record]:
        """The records that have to be put and removed, and from now on count as written."""
        records = [
            *(Record(_TOLD, str(serial), _told(stream.unreceived.get(serial))) for serial in self._moved_told(stream)),
            *(Record(_KEPT, str(serial), _kept(serial, stream)) for serial in self._kept.keys() ^ stream.kept.keys()),
            *(Record(_FOREIGN, str(node), _classes(node, stream)) for node in self._moved_foreign(stream)),
        ]
        if (at := _At(self.super_peer, stream.serial)) != self._at:
            records.append(Record(_AT, "", msgspec.msgpack.encode(at)))
        if stream.answered is not self._answered:
            records.append(Record(_ANSWERED, "", _told(stream.answered)))
        self._note(stream)
        return records

    def _moved_told(self, stream: PeerStream) -> list[int]:
        now, before = stream.unreceived, self._told
        return [serial for serial in now.keys() | before.keys() if now.get(serial) is not before.get(serial)]

    def _moved_foreign(self, stream: PeerStream) -> list[Term]:
        now, before = stream.foreign, self._foreign
        return [] if now == before else [n for n in now.keys() | before.keys() if now.get(n) != before.get(n)]

    def _note(self, stream: PeerStream) -> None:
        self._at, self._answered = _At(self.super_peer, stream.serial), stream.answered
        self._told, self._kept, self._foreign = dict(stream.unreceived), dict(stream.kept), dict(stream.foreign)

    @classmethod
    def read(cls, records: Iterable[Record]) -> tuple[StreamRecords, PeerStream]:
        """The stream that records are. Raises `MessageRefused`."""
        found, stream = cls(), PeerStream()
        for record in sorted(records, key=lambda record: (record.kind, record.key.zfill(20))):
            body = record.body or b""
            match record.kind:
                case "at":
                    at = _at_of(body)
                    found.super_peer, stream.serial = at.super_peer, at.serial
                case "answered":
                    stream.answered = told_of(body)
                case "told":
                    stream.unreceived[int(record.key)] = told_of(body)
                case "kept":
                    stream.kept[int(record.key)] = _kept_of(body)
                case "foreign":
                    stream.foreign[term_of(record.key)] = frozenset(_classes_of(body))
                case _:
                    raise MessageRefused("record", wanted="a record of a peer's repository", found=record.kind)
        found._note(stream)
        return found, stream


def begin_anew(stream: PeerStream) -> None:
    """The stream is for another super-peer, which has asked for nothing yet.

    What the last one has asked for and not received is told to the new one as something that the peer has done.
    """
    stream.answered = None
    for serial, told in stream.unreceived.items():
        stream.unreceived[serial] = Told(serial, _by_itself(told, stream.kept.get(serial)))


def _by_itself(told: Told, kept: KeptChange | None) -> Report:
    if isinstance(told.what, Report):
        return told.what
    reply = told.what.reply
    if not isinstance(reply, Executed | Compensated):
        return Report(Edits(), (), Changes(), IndexChange())
    wanted = reply.wanted if isinstance(reply, Executed) else reply.changes.edits
    updates = (ReportedUpdate(reply.changes),) if kept is None else kept.updates
    return Report(wanted, updates, reply.changes, reply.index)


def _told(told: Told | None) -> bytes | None:
    return None if told is None else encode_from_peer(told)


def told_of(body: bytes) -> Told:
    """What was told, out of a record. Raises `MessageRefused`."""
    found = decode_from_peer(body)
    if not isinstance(found, Told):
        raise MessageRefused("record", wanted="something that was told", found=type(found).__name__)
    return found


def _kept(serial: int, stream: PeerStream) -> bytes | None:
    """A kept change has the form of a report: it needs no other."""
    kept = stream.kept.get(serial)
    if kept is None:
        return None
    return encode_from_peer(Told(serial, Report(Edits(), kept.updates, kept.changes, IndexChange())))


def _kept_of(body: bytes) -> KeptChange:
    report = told_of(body).what
    if not isinstance(report, Report):
        raise MessageRefused("record", wanted="a change", found=type(report).__name__)
    return KeptChange(report.updates, report.changes)


def _classes(node: Term, stream: PeerStream) -> bytes | None:
    classes = stream.foreign.get(node)
    return None if classes is None else " ".join(sorted(cls.value for cls in classes)).encode()


def _classes_of(body: bytes) -> Iterable[NamedNode]:
    try:
        return map(iri_of, body.decode().split())
    except UnicodeDecodeError as error:
        raise MessageRefused("record", wanted="classes", found=str(error)) from None


def _at_of(body: bytes) -> _At:
    try:
        return msgspec.msgpack.decode(body, type=_At)
    except msgspec.DecodeError as error:
        raise MessageRefused("record", wanted="where a stream stands", found=str(error)) from None
