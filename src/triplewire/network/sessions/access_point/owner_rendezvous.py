"""Rendezvous at the owner's access point: uploads that are pending for its peers; and the location of a peer.

A message about a peer that has moved is forwarded to where it is now, and so are its pending uploads.
"""

from __future__ import annotations

import msgspec

from triplewire.network.sessions.access_point.effects import (
    Effect,
    Failed,
    ForgetPendingUpload,
    KeepPendingUpload,
    Outcome,
)
from triplewire.network.sessions.access_point.pending_requests import PendingRequests
from triplewire.network.sessions.access_point.records import PendingUpload
from triplewire.network.sessions.access_point.state import AccessPointState, Session, to_access_point
from triplewire.network.sessions.access_point_messages import (
    MOST_HOPS,
    LocatePeer,
    PeerLocation,
    RendezvousAnswered,
    RendezvousAsked,
    ResourceUploaded,
    UploadAnswered,
    UploadOutcome,
)
from triplewire.network.sessions.peer_messages import Done, Locate, Located, Upload, UploadRequested

PENDING_UPLOAD = "pending upload"
_OUTCOMES = {
    UploadOutcome.UNWANTED: "one who wants it no longer",
    UploadOutcome.GONE: "one who has gone elsewhere",
    UploadOutcome.FULL: "no room for it",
}


class OwnerRendezvous:
    """Pending uploads, by owner, requester and the requester's identifier of the rendezvous."""

    def __init__(self, state: AccessPointState, pending_requests: PendingRequests) -> None:
        self._state = state
        self._pending_requests = pending_requests
        self._waiting: dict[str, dict[tuple[str, str], PendingUpload]] = {}

    def load(self, pending_uploads: tuple[PendingUpload, ...]) -> None:
        """Load what was saved."""
        for pending_upload in pending_uploads:
            self._put(pending_upload)

    # Locating an owner

    def locate(self, now: float, session: Session, message: Locate) -> list[Effect]:
        """Ask the owner's access point for its address."""
        self._pending_requests.begin(now, ("where", session.peer, str(message.request_id)), session, message.request_id)
        return to_access_point(
            message.access_point, LocatePeer(self._state.id, session.peer, message.request_id, message.owner)
        )

    def locate_request(self, message: LocatePeer) -> list[Effect]:
        """Answer with a peer's location, or forward the question."""
        forward_to = self._forward_to(message.owner, message.hops)
        if forward_to is not None:
            return to_access_point(forward_to, msgspec.structs.replace(message, hops=message.hops + 1))
        session = self._state.session_of(message.owner)
        address = "" if session is None else session.address
        here = self._state.id if message.owner in self._state.peers else ""
        answer = PeerLocation(message.requester, message.request_id, message.owner, session is not None, address, here)
        return to_access_point(message.access_point, answer)

    def location_received(self, message: PeerLocation) -> list[Effect]:
        """Pass the location on to the peer that asked."""
        pending = self._pending_requests.end(("where", message.requester, str(message.request_id)))
        if pending is None:
            return []
        if not message.access_point:
            return pending.session.refuse(message.request_id, f"the peer {message.owner}", "none of that name")
        return [
            pending.session.send(
                Located(message.request_id, message.owner, message.is_online, message.address, message.access_point)
            )
        ]

    def _forward_to(self, peer: str, hops: int) -> str | None:
        pointer = self._state.pointers.get(peer)
        return None if pointer is None or peer in self._state.peers or hops >= MOST_HOPS else pointer.to

    # Requests

    def rendezvous_requested(self, now: float, message: RendezvousAsked) -> list[Effect]:
        """Keep a pending upload until the owner has uploaded; one that is on-line is notified at once."""
        forward_to = self._forward_to(message.owner, message.hops)
        if forward_to is not None:
            return to_access_point(forward_to, msgspec.structs.replace(message, hops=message.hops + 1))
        problem = self._problem(message)
        if problem:
            return self._answer(message, problem)
        known = self._waiting.get(message.owner, {}).get((message.requester, message.id))
        agreed = now if known is None else known.agreed
        pending_upload = PendingUpload(
            message.requester, message.id, message.owner, message.access_point, message.location, agreed
        )
        # Counted at once, so that those that are being written count as well.
        self._put(pending_upload)

        def kept(now: float, outcome: Outcome) -> list[Effect]:
            if isinstance(outcome, Failed):
                return [*self.drop(message.owner, message.requester, message.id), *self._answer(message, outcome.found)]
            if message.owner not in self._state.peers:
                return self.rendezvous_requested(now, message)
            session = self._state.session_of(message.owner)
            return [
                *self._answer(message, ""),
                *([] if session is None else [session.send(_upload_requested(pending_upload))]),
            ]

        return [KeepPendingUpload(self._state.ticket(kept), pending_upload)]

    def _problem(self, message: RendezvousAsked) -> str:
        waiting = self._waiting.get(message.owner, {})
        if message.owner not in self._state.peers:
            return f"no peer {message.owner}"
        if (message.requester, message.id) not in waiting and len(waiting) >= self._state.settings.pending_uploads:
            return f"{len(waiting)} that wait for this owner already"
        return ""

    def _answer(self, message: RendezvousAsked, problem: str) -> list[Effect]:
        return to_access_point(message.access_point, RendezvousAnswered(message.requester, message.id, problem))

    def arrived(self, session: Session) -> list[Effect]:
        """An owner is on-line: send it its pending uploads."""
        return [
            session.send(_upload_requested(pending_upload))
            for pending_upload in self._waiting.get(session.peer, {}).values()
        ]

    # Uploads

    def upload(self, now: float, session: Session, message: Upload) -> list[Effect]:
        """Send an owner's upload to the requester's access point. One that nobody requested is refused."""
        pending_upload = self._waiting.get(session.peer, {}).get((message.requester, message.id))
        if pending_upload is None:
            return session.refuse(message.request_id, "a resource that a peer requested", "another")
        if len(message.content) > self._state.settings.file_bytes:
            most = f"at most {self._state.settings.file_bytes} bytes"
            return session.refuse(message.request_id, most, f"{len(message.content)}")
        self._pending_requests.begin(
            now, ("upload", session.peer, message.requester, message.id), session, message.request_id
        )
        uploaded = ResourceUploaded(
            message.requester, message.id, session.peer, pending_upload.location, message.content, message.problem
        )
        return to_access_point(pending_upload.access_point, uploaded)

    def uploaded(self, message: UploadAnswered) -> list[Effect]:
        """The outcome of an upload. If the requester has moved, its next access point will ask again."""
        pending = self._pending_requests.end(("upload", message.owner, message.requester, message.id))
        is_over = message.upload_outcome in (UploadOutcome.KEPT, UploadOutcome.UNWANTED)
        dropped = self.drop(message.owner, message.requester, message.id) if is_over else []
        if pending is None:
            return dropped
        if message.upload_outcome is UploadOutcome.KEPT:
            return [*dropped, pending.session.send(Done(pending.request_id))]
        return [
            *dropped,
            *pending.session.refuse(pending.request_id, "a requester who takes it", _OUTCOMES[message.upload_outcome]),
        ]

    # Forgetting

    def hand_over(self, owner: str, to: str) -> list[Effect]:
        """An owner has moved: its new access point takes over its pending uploads."""
        waiting = self._waiting.pop(owner, {})
        return [
            effect
            for one in waiting.values()
            for effect in to_access_point(
                to, RendezvousAsked(one.access_point, one.requester, one.id, owner, one.location, 1)
            )
        ]

    def forget(self, owner: str) -> None:
        """Forget an owner; the store forgets its pending uploads with it."""
        self._waiting.pop(owner, None)

    def drop(self, owner: str, requester: str, rendezvous_id: str) -> list[Effect]:
        """Remove a pending upload that is done or expired."""
        found = self._waiting.get(owner, {}).pop((requester, rendezvous_id), None)
        return [] if found is None else [ForgetPendingUpload(owner, requester, rendezvous_id)]

    def _put(self, pending_upload: PendingUpload) -> None:
        key = (pending_upload.requester, pending_upload.id)
        self._waiting.setdefault(pending_upload.owner, {})[key] = pending_upload
        ends = pending_upload.agreed + self._state.settings.rendezvous_lasts
        self._state.deadlines.set((PENDING_UPLOAD, pending_upload.owner, *key), ends)


def _upload_requested(pending_upload: PendingUpload) -> UploadRequested:
    return UploadRequested(pending_upload.requester, pending_upload.id, pending_upload.location)
