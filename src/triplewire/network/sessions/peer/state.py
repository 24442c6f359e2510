"""The state of a peer: its subscriptions, its advertisement and its rendezvous requests, at whatever access point.

It is saved, and sent to each new access point; what is there already is not sent again.
"""

from __future__ import annotations

from functools import partial
from typing import TypeVar

import msgspec

from triplewire.network.sessions import peer_messages
from triplewire.network.sessions.peer.connections import Connections
from triplewire.network.sessions.peer.effects import RequestAnswered, SaveState
from triplewire.network.sessions.peer.requests import MakeRequest
from triplewire.network.sessions.peer.saved_state import ResourceRequest, SavedPeer, SubscriptionQuery

T = TypeVar("T")
_RETRY_SECONDS = 3.0


class PeerState:
    """The saved state, and what of it the present access point has confirmed."""

    def __init__(self, saved: SavedPeer, connections: Connections) -> None:
        self.saved_state = saved
        self._connections = connections
        self._unconfirmed: set[str] = set()
        self._to_retry: set[str] = set()
        self._retry_at = 0.0
        self._renewed = 0.0
        self._renew_every = float("inf")

    def save(self, saved: SavedPeer) -> None:
        """Save the state, if it changed."""
        if saved != self.saved_state:
            self.saved_state = saved
            self._connections.add_effects(SaveState(saved))

    def send_request(self, now: float, make: MakeRequest, token: str = "") -> None:
        """Send a request to the present access point; the answer is handed out with the token, if there is one."""

        def answered(now: float, message: peer_messages.AccessPointMessage) -> None:
            if token:
                self._connections.add_effects(RequestAnswered(token, message))

        self._connections.send_request(now, self.saved_state.at, make, answered)

    # Changes

    def subscribe(self, now: float, token: str, name: str, query: SubscriptionQuery) -> None:
        self.save(
            msgspec.structs.replace(self.saved_state, subscriptions={**self.saved_state.subscriptions, name: query})
        )
        self._subscribe(now, name, token)

    def unsubscribe(self, now: float, token: str, name: str) -> None:
        self.save(
            msgspec.structs.replace(self.saved_state, subscriptions=_without(self.saved_state.subscriptions, name))
        )
        self.send_request(now, partial(peer_messages.Unsubscribe, name), token)

    def register(self, now: float, token: str, rdf: str | None) -> None:
        self.save(msgspec.structs.replace(self.saved_state, registration=rdf))
        self._register(now, token)

    def request(self, now: float, token: str, resource: ResourceRequest) -> None:
        self.save(msgspec.structs.replace(self.saved_state, requests={**self.saved_state.requests, token: resource}))
        self._request(now, token)

    def request_done(self, token: str) -> None:
        """A rendezvous has taken place, or was refused."""
        self.save(msgspec.structs.replace(self.saved_state, requests=_without(self.saved_state.requests, token)))

    # Restoring it at an access point

    def welcomed(self, message: peer_messages.Welcome) -> None:
        """A session has begun: save the access point's identifier, and set the interval of the advertisement."""
        self._renew_every = message.registration_lasts / 3
        self.save(msgspec.structs.replace(self.saved_state, access_point=message.access_point))

    def restore(self, now: float, subscribed: tuple[str, ...]) -> None:
        """Subscribe, unsubscribe, advertise and request at the access point as the saved state has it."""
        for name in self.saved_state.subscriptions:
            if name not in subscribed or self.saved_state.since is not None:
                self._subscribe(now, name, "")
        for name in subscribed:
            if name not in self.saved_state.subscriptions:
                self.send_request(now, partial(peer_messages.Unsubscribe, name))
        if self.saved_state.registration is not None:
            self._register(now, "")
        for token in self.saved_state.requests:
            self._request(now, token)

    def resubscribe(self, now: float) -> None:
        """A previous access point has released the peer: subscribe again, since its watermarks."""
        if self.saved_state.since is None:
            return
        for name in self.saved_state.subscriptions:
            self._subscribe(now, name, "")
        self._clear_since()

    def renew(self, now: float) -> None:
        """Repeat the advertisement in time, and subscriptions that were refused for now."""
        if self._to_retry and now >= self._retry_at:
            again, self._to_retry = self._to_retry & set(self.saved_state.subscriptions), set()
            for name in sorted(again):
                self._subscribe(now, name, "")
        if self.saved_state.registration is not None and now - self._renewed >= self._renew_every:
            self._register(now, "")

    # Private

    def _subscribe(self, now: float, name: str, token: str) -> None:
        query, since, access_point = self.saved_state.subscriptions[name], self.saved_state.since, self.saved_state.at
        if since is not None:
            self._unconfirmed.add(name)

        def answered(now: float, message: peer_messages.AccessPointMessage) -> None:
            if token:
                self._connections.add_effects(RequestAnswered(token, message))
            if isinstance(message, peer_messages.RequestRefused) and self._is_refused(now, name, token, message):
                return
            if since is not None and (since, access_point) == (self.saved_state.since, self.saved_state.at):
                self._unconfirmed.discard(name)
                self._clear_since()

        self._connections.send_request(
            now, access_point, partial(peer_messages.Subscribe, name, query.language, query.text, since), answered
        )

    def _is_refused(self, now: float, name: str, token: str, message: peer_messages.RequestRefused) -> bool:
        """Whether to retry soon. A subscription that is refused for good is removed; the caller has been notified."""
        if message.again:
            self._to_retry.add(name)
            self._retry_at = now + _RETRY_SECONDS
        elif token:
            self.save(
                msgspec.structs.replace(self.saved_state, subscriptions=_without(self.saved_state.subscriptions, name))
            )
        return message.again

    def _clear_since(self) -> None:
        """Clear the watermarks, once every subscription was made with them."""
        if not self._unconfirmed & set(self.saved_state.subscriptions):
            self.save(msgspec.structs.replace(self.saved_state, since=None))

    def _register(self, now: float, token: str) -> None:
        def answered(now: float, message: peer_messages.AccessPointMessage) -> None:
            if not token:
                return
            self._connections.add_effects(RequestAnswered(token, message))
            if isinstance(message, peer_messages.RequestRefused) and not message.again:
                self.save(msgspec.structs.replace(self.saved_state, registration=None))

        self._renewed = now
        rdf = self.saved_state.registration
        make: MakeRequest = peer_messages.Withdraw if rdf is None else partial(peer_messages.Register, rdf)
        self._connections.send_request(now, self.saved_state.at, make, answered)

    def _request(self, now: float, token: str) -> None:
        def answered(now: float, message: peer_messages.AccessPointMessage) -> None:
            if isinstance(message, peer_messages.RequestRefused) and not message.again:
                self.request_done(token)
            self._connections.add_effects(RequestAnswered(token, message))

        resource = self.saved_state.requests[token]
        make = partial(peer_messages.RequestRendezvous, token, resource.owner, resource.access_point, resource.location)
        self._connections.send_request(now, self.saved_state.at, make, answered)


def _without(kept: dict[str, T], name: str) -> dict[str, T]:
    return {key: value for key, value in kept.items() if key != name}
