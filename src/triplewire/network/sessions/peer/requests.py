"""Open requests of a peer to an access point. They outlive a connection: they are sent until they are answered."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from triplewire.network.sessions.peer_messages import AccessPointMessage, PeerMessage, RequestRefused

OnAnswer = Callable[[float, AccessPointMessage], None]
MakeRequest = Callable[[int], PeerMessage]


class OpenRequest(Struct):
    """A request, when it was last sent, and the continuation of its answer."""

    message: PeerMessage
    then: OnAnswer
    sent_at: float


class OpenRequests:
    """Open requests by number."""

    def __init__(self) -> None:
        self._count = 0
        self._open: dict[int, OpenRequest] = {}

    def add(self, now: float, make: MakeRequest, then: OnAnswer) -> PeerMessage:
        """Number a request."""
        self._count += 1
        message = make(self._count)
        self._open[self._count] = OpenRequest(message, then, now)
        return message

    def answered(self, now: float, message: AccessPointMessage) -> bool:
        """Pass an answer to its request; whether the message was one."""
        request_id = getattr(message, "request_id", None)
        request = None if request_id is None else self._open.pop(request_id, None)
        if request is not None:
            request.then(now, message)
        return request_id is not None

    def overdue(self, now: float, age: float) -> list[PeerMessage]:
        """The requests that were sent longer ago than that, in order; they count as sent now."""
        late = [request for request in self._open.values() if now - request.sent_at >= age]
        for request in late:
            request.sent_at = now
        return [request.message for request in late]

    def cancel_all(self, now: float) -> None:
        """Answer all requests with a refusal: the peer has moved."""
        for request_id, request in list(self._open.items()):
            del self._open[request_id]
            request.then(now, RequestRefused(request_id, "an answer", "none before the peer moved", again=True))
