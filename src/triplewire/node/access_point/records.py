"""Records of sessions in the node's folder: peers, rendezvous, and pointers to peers that have moved."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, TypeVar

import msgspec

from triplewire.network.sessions.access_point import effects as do
from triplewire.network.sessions.access_point.records import (
    PeerRecord,
    PeerWithSubscriptions,
    PendingUpload,
    Pointer,
    RendezvousFile,
    RendezvousRequest,
    SavedAccessPoint,
)
from triplewire.node.broker.broker import Broker
from triplewire.store.disk import Connection
from triplewire.store.tables import peers

T = TypeVar("T")
Work = Callable[[], Coroutine[Any, Any, do.Outcome]]
_encode = msgspec.msgpack.Encoder().encode


class SessionRecords:
    """Reads and writes records through the broker's store. The names of kinds and fields are the stored format."""

    def __init__(self, broker: Broker) -> None:
        self._broker = broker

    async def saved_state(self) -> SavedAccessPoint:
        """All records, with the names of the peers' subscriptions at the broker."""
        return await self._broker.store.read(self._saved_state)

    def _saved_state(self, tx: Connection) -> SavedAccessPoint:
        return SavedAccessPoint(
            tuple(self._with_subscriptions(record) for record in _all(tx, "peer", PeerRecord)),
            _all(tx, "wish", RendezvousRequest),
            _all(tx, "agreement", PendingUpload),
            _all(tx, "file", RendezvousFile),
            _all(tx, "pointer", Pointer),
        )

    def _with_subscriptions(self, record: PeerRecord) -> PeerWithSubscriptions:
        subscriptions = (one for one in self._broker.subscriptions.index.of(record.id) if not one.is_view)
        return PeerWithSubscriptions(record, tuple(one.name for one in subscriptions))

    # Peers

    async def keep_peer(self, record: PeerRecord) -> do.Outcome:
        def keep(tx: Connection) -> None:
            peers.remove(tx, "pointer", record.id, "")
            peers.put(tx, "peer", record.id, "", _encode(record))

        return await self._write(keep)

    async def forget_peer(self, peer: str, pointer: Pointer | None) -> do.Outcome:
        def forget(tx: Connection) -> None:
            peers.remove_all(tx, peer)
            if pointer is not None:
                peers.put(tx, "pointer", peer, "", _encode(pointer))

        return await self._write(forget)

    # Rendezvous

    def work_of(self, effect: do.Effect) -> tuple[str, Work]:
        """The queue of an effect, and its work."""
        match effect:
            case do.KeepRequest(request=request):
                return request.requester, partial(self._put, "wish", request.requester, request.id, request)
            case do.KeepPendingUpload(pending_upload=one):
                return one.owner, partial(self._put, "agreement", one.owner, f"{one.requester} {one.id}", one)
            case do.KeepFile(file=file, content=content):
                return file.requester, partial(self._keep_file, file, content)
            case do.ReadFile():
                return effect.requester, partial(self._read_file, effect)
            case do.ForgetRequest():
                return effect.requester, partial(self._remove, "wish", effect.requester, effect.id)
            case do.ForgetFile():
                return effect.requester, partial(self._remove, "file", effect.requester, effect.id)
            case do.ForgetPendingUpload():
                return effect.owner, partial(self._remove, "agreement", effect.owner, f"{effect.requester} {effect.id}")
            case do.ForgetPointer():
                return effect.peer, partial(self._remove, "pointer", effect.peer, "")
        raise TypeError(f"wanted an effect on the store, found {type(effect).__name__}")

    async def _put(
        self, kind: peers.Kind, peer: str, key: str, record: RendezvousRequest | PendingUpload
    ) -> do.Outcome:
        data = _encode(record)
        return await self._write(lambda tx: peers.put(tx, kind, peer, key, data))

    async def _remove(self, kind: peers.Kind, peer: str, key: str) -> do.Outcome:
        return await self._write(lambda tx: peers.remove(tx, kind, peer, key))

    async def _keep_file(self, file: RendezvousFile, content: bytes) -> do.Outcome:
        def keep(tx: Connection) -> None:
            peers.put(tx, "file", file.requester, file.id, _encode(file), content)
            peers.remove(tx, "wish", file.requester, file.id)

        return await self._write(keep)

    async def _read_file(self, effect: do.ReadFile) -> do.Outcome:
        found = await self._broker.store.read(lambda tx: peers.content(tx, effect.requester, effect.id))
        return do.Failed("a rendezvous file", "none") if found is None else do.Content(found)

    async def _write(self, work: Callable[[Connection], None]) -> do.Outcome:
        await self._broker.store.write(work)
        return do.OK


def _all(tx: Connection, kind: peers.Kind, of: type[T]) -> tuple[T, ...]:
    return tuple(msgspec.msgpack.decode(record, type=of) for record in peers.everything(tx, kind))
