"""The living graph's side of the stream to its super-peer, as the store keeps it.

A row is written in the transaction that changes the graph. What the super-peer needs no more goes a little later, many
rows at once: until then it is told again after a restart, which does no harm.
"""

from __future__ import annotations

from triplewire.errors import DamagedStore
from triplewire.federation.indexes.local_index import IndexChange
from triplewire.federation.inputs import FromPeerReceived, decode_input, encode_input
from triplewire.federation.sites.requests import (
    Compensated,
    Executed,
    NumberedReply,
    Report,
    ReportedUpdate,
    Told,
)
from triplewire.federation.sites.stream import KeptChange, PeerStream
from triplewire.rules.changes import Edits
from triplewire.store.disk import Connection
from triplewire.store.tables import federation
from triplewire.store.tables.federation import ToldRecord


def keep(tx: Connection, told: Told, kept: KeptChange | None) -> None:
    """Keep what is told now, and the change in it where the message does not say all of it."""
    is_more = kept is not None and _said(told) != kept
    more = None if kept is None or not is_more else _bytes(_as_report(told.serial, kept))
    federation.put_told(tx, ToldRecord(told.serial, _bytes(told), more))
    if isinstance(told.what, NumberedReply):
        federation.put_answered(tx, told.serial)


def load(tx: Connection) -> PeerStream:
    """The stream as the last process left it. Raises `DamagedStore`."""
    stream = PeerStream()
    received, forgotten, answered = federation.received(tx), federation.forgotten(tx), federation.answered(tx)
    for record in federation.told(tx):
        told = _told(record.serial, record.message)
        stream.serial = record.serial
        if record.serial > received:
            stream.unreceived[record.serial] = told
        kept = _said(told if record.kept is None else _told(record.serial, record.kept))
        if kept is not None and record.serial > forgotten:
            stream.kept[record.serial] = kept
        if record.serial == answered:
            stream.answered = told
    return stream


def trim(tx: Connection, received: int, forgotten: int) -> None:
    """Drop what is needed no more."""
    federation.put_received(tx, received)
    federation.put_forgotten(tx, forgotten)
    federation.forget_told(tx, min(received, forgotten))


def _said(told: Told) -> KeptChange | None:
    """The change that a message tells of."""
    match told.what:
        case Report(updates=updates, changes=changes):
            return KeptChange(updates or (ReportedUpdate(changes),), changes)
        case NumberedReply(reply=Executed(changes=changes) | Compensated(changes=changes)):
            return KeptChange((ReportedUpdate(changes),), changes)
    return None


def _as_report(serial: int, kept: KeptChange) -> Told:
    return Told(serial, Report(Edits(), kept.updates, kept.changes, IndexChange()))


def _bytes(told: Told) -> bytes:
    return encode_input(FromPeerReceived(0.0, "", told))


def _told(serial: int, data: bytes) -> Told:
    found = decode_input(data)
    if not isinstance(found, FromPeerReceived) or not isinstance(found.message, Told):
        raise DamagedStore(wanted=f"what the living graph told as {serial}", found="something else", position=serial)
    return found.message
