"""Rendezvous at the requester's access point: the requests of its peers, and the rendezvous directory.

A file is accepted only if the peer requested it from this owner. It is kept until the peer acknowledges it, also if it
was forwarded at once, or until it expires.
"""

from __future__ import annotations

from collections.abc import Callable

from triplewire.network.sessions.access_point.effects import (
    Content,
    Effect,
    Failed,
    ForgetFile,
    ForgetRequest,
    KeepFile,
    KeepRequest,
    Outcome,
    ReadFile,
)
from triplewire.network.sessions.access_point.pending_requests import PendingRequests
from triplewire.network.sessions.access_point.records import RendezvousFile, RendezvousRequest
from triplewire.network.sessions.access_point.state import AccessPointState, Session, to_access_point
from triplewire.network.sessions.access_point_messages import (
    RendezvousAnswered,
    RendezvousAsked,
    ResourceUploaded,
    UploadAnswered,
    UploadOutcome,
)
from triplewire.network.sessions.peer_messages import Collect, Collected, Done, Ready, RequestRendezvous, Resource

REQUEST, FILE = "request", "file"


class RequesterRendezvous:
    """Requests and files, by peer and by the identifier that the peer chose."""

    def __init__(self, state: AccessPointState, pending_requests: PendingRequests) -> None:
        self._state = state
        self._pending_requests = pending_requests
        self._requests: dict[str, dict[str, RendezvousRequest]] = {}
        self._files: dict[str, dict[str, RendezvousFile]] = {}
        self._arriving: dict[str, set[str]] = {}

    def load(self, requests: tuple[RendezvousRequest, ...], files: tuple[RendezvousFile, ...]) -> None:
        """Load what was saved."""
        for request in requests:
            self._put_request(request)
        for file in files:
            self._put_file(file)

    # Requests

    def request(self, now: float, session: Session, message: RequestRendezvous) -> list[Effect]:
        """Save a peer's request, then send it to the owner's access point."""
        requests = self._requests.get(session.peer, {})
        if message.id in self._files.get(session.peer, {}):
            return [session.send(Done(message.request_id))]
        if message.id not in requests and len(requests) >= self._state.settings.requests:
            return session.refuse(message.request_id, f"at most {self._state.settings.requests} rendezvous", "one more")
        asked = requests[message.id].asked if message.id in requests else now
        request = RendezvousRequest(
            session.peer, message.id, message.owner, message.access_point, message.location, asked
        )
        self._put_request(request)

        def kept(now: float) -> list[Effect]:
            if session.peer not in self._state.peers:
                return []
            self._pending_requests.begin(
                now, ("rendezvous", request.requester, request.id), session, message.request_id
            )
            question = RendezvousAsked(self._state.id, request.requester, request.id, request.owner, request.location)
            return to_access_point(request.access_point, question)

        return [KeepRequest(self._state.ticket(self._state.on_success(session, message.request_id, kept)), request)]

    def answered(self, message: RendezvousAnswered) -> list[Effect]:
        """The owner's access point has accepted the request, or refused it."""
        pending = self._pending_requests.end(("rendezvous", message.requester, message.id))
        if not message.problem:
            return [] if pending is None else [pending.session.send(Done(pending.request_id))]
        request = self._requests.get(message.requester, {}).get(message.id)
        dropped = [] if request is None else self._drop_request(request.requester, request.id)
        refusals = (
            [] if pending is None else pending.session.refuse(pending.request_id, "a rendezvous", message.problem)
        )
        return [*dropped, *refusals]

    # Files

    def uploaded(self, now: float, sender: str, message: ResourceUploaded) -> list[Effect]:
        """Save a file that a peer requested, and answer with the outcome."""
        upload_outcome = self._immediate_outcome(message)
        if upload_outcome is not None:
            return self._answer_upload(sender, message, upload_outcome)
        file = RendezvousFile(
            message.requester,
            message.id,
            message.owner,
            message.location,
            len(message.content),
            now,
            problem=message.problem,
        )
        return self._keep_file(
            file, message.content, lambda upload_outcome: self._answer_upload(sender, message, upload_outcome)
        )

    def _keep_file(
        self, file: RendezvousFile, content: bytes, answer: Callable[[UploadOutcome], list[Effect]]
    ) -> list[Effect]:
        arriving = self._arriving.setdefault(file.requester, set())
        arriving.add(file.id)

        def kept(now: float, outcome: Outcome) -> list[Effect]:
            arriving.discard(file.id)
            if isinstance(outcome, Failed):
                return answer(UploadOutcome.FULL)
            if file.requester not in self._state.peers:
                return answer(UploadOutcome.GONE)
            self._put_file(file)
            self._requests.get(file.requester, {}).pop(file.id, None)
            return [*answer(UploadOutcome.KEPT), *self._forward(file, content)]

        return [KeepFile(self._state.ticket(kept), file, content)]

    def _immediate_outcome(self, message: ResourceUploaded) -> UploadOutcome | None:
        """The outcome of an upload that is not saved; None if it is to be."""
        files = self._files.get(message.requester, {})
        request = self._requests.get(message.requester, {}).get(message.id)
        if message.requester not in self._state.peers:
            return UploadOutcome.GONE
        if message.id in files:
            return UploadOutcome.KEPT
        if request is None or (request.owner, request.location) != (message.owner, message.location):
            return UploadOutcome.UNWANTED
        count = len(files) + len(self._arriving.get(message.requester, ()))
        if count >= self._state.settings.files or len(message.content) > self._state.settings.file_bytes:
            return UploadOutcome.FULL
        return None

    def _answer_upload(self, sender: str, message: ResourceUploaded, upload_outcome: UploadOutcome) -> list[Effect]:
        return to_access_point(sender, UploadAnswered(message.requester, message.id, message.owner, upload_outcome))

    def _forward(self, file: RendezvousFile, content: bytes) -> list[Effect]:
        """Send the file at once to a requester that is on-line."""
        session = self._state.session_of(file.requester)
        return [] if session is None else [session.send(_resource(file, content))]

    def arrived(self, session: Session) -> list[Effect]:
        """A peer is on-line: announce its files."""
        files = self._files.get(session.peer, {}).values()
        return [session.send(Ready(file.id, file.owner, file.location, file.size)) for file in files]

    def collect(self, session: Session, message: Collect) -> list[Effect]:
        """Send a file."""
        file = self._files.get(session.peer, {}).get(message.id)
        if file is None:
            return session.refuse(message.request_id, f"the rendezvous file {message.id}", "none")

        def read(now: float, outcome: Outcome) -> list[Effect]:
            if not self._state.is_current(session):
                return []
            if isinstance(outcome, Content):
                return [session.send(_resource(file, outcome.content)), session.send(Done(message.request_id))]
            return session.refuse(message.request_id, f"the rendezvous file {message.id}", "none")

        return [ReadFile(self._state.ticket(read), session.peer, message.id)]

    def collected(self, session: Session, message: Collected) -> list[Effect]:
        """A peer has acknowledged a file."""
        return self._drop_file(session.peer, message.id)

    def has_files(self, peer: str) -> bool:
        return bool(self._files.get(peer))

    # Forgetting

    def forget(self, peer: str) -> None:
        """Forget a peer; the store forgets its requests and files with it."""
        for kept in (self._requests, self._files, self._arriving):
            kept.pop(peer, None)

    def expire_request(self, now: float, requester: str, rendezvous_id: str) -> list[Effect]:
        """An owner has not returned in time: leave a file without content for the requester."""
        request = self._requests.get(requester, {}).get(rendezvous_id)
        if request is None:
            return []
        file = RendezvousFile(
            requester, rendezvous_id, request.owner, request.location, 0, now, "the owner did not return in time"
        )
        return self._keep_file(file, b"", lambda upload_outcome: [])

    def expire_file(self, requester: str, file_id: str) -> list[Effect]:
        return self._drop_file(requester, file_id)

    def _put_request(self, request: RendezvousRequest) -> None:
        self._requests.setdefault(request.requester, {})[request.id] = request
        self._state.deadlines.set(
            (REQUEST, request.requester, request.id), request.asked + self._state.settings.rendezvous_lasts
        )

    def _put_file(self, file: RendezvousFile) -> None:
        self._files.setdefault(file.requester, {})[file.id] = file
        self._state.deadlines.set((FILE, file.requester, file.id), file.kept + self._state.settings.rendezvous_lasts)

    def _drop_request(self, requester: str, rendezvous_id: str) -> list[Effect]:
        request = self._requests.get(requester, {}).pop(rendezvous_id, None)
        return [] if request is None else [ForgetRequest(requester, rendezvous_id)]

    def _drop_file(self, requester: str, file_id: str) -> list[Effect]:
        file = self._files.get(requester, {}).pop(file_id, None)
        return [] if file is None else [ForgetFile(requester, file_id)]


def _resource(file: RendezvousFile, content: bytes) -> Resource:
    return Resource(file.id, file.owner, file.location, content, file.problem)
