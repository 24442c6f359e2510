"""What happens on one WebSocket of SEPA's protocol: which subscriptions it has, and which frame comes next.

A pure step: a frame or an answer in, effects out. Whoever has the socket does what they say in their order: sends
frames, opens standing queries, and closes them. A query that was opened is answered once, by `answered` or `refused`,
and then followed by `changed`; what comes for one that has ended is dropped.

    frame in    received     ->  Open | Close, Send
    answer in   answered     ->  Send notification 0 with the whole answer, also if it is empty
                changed      ->  Send notification 1, 2, 3 ...; nothing where nothing changed
                refused      ->  Send error, with the alias
                failed       ->  the same for a query that was answered before, and cannot be kept up any more
    socket out  closed       ->  Close, for whatever is open
"""

from __future__ import annotations

from collections.abc import Callable
from uuid import uuid4

from msgspec import Struct

from triplewire.wire.sepa import (
    PREFIX,
    Answer,
    Notification,
    Refusal,
    Results,
    Subscribe,
    Unsubscribe,
    Unsubscribed,
    read_request,
    write_answer,
)

MOST_SUBSCRIPTIONS = 1_000
_NO_RESULTS = Results()


class Open(Struct, frozen=True):
    """Begin a standing query."""

    spuid: str
    request: Subscribe


class Close(Struct, frozen=True):
    """End a standing query."""

    spuid: str


class Send(Struct, frozen=True):
    """Send a text frame."""

    frame: str


Effect = Open | Close | Send


class _Subscription(Struct):
    alias: str | None
    # The number of the next notification; 0 until the whole answer is there.
    sequence: int = 0
    variables: tuple[str, ...] = ()


def new_spuid() -> str:
    """A name for a subscription, which nobody can guess."""
    return f"{PREFIX}{uuid4()}"


class Session:
    """The subscriptions of one socket."""

    def __init__(self, name: Callable[[], str] = new_spuid, most: int = MOST_SUBSCRIPTIONS) -> None:
        self._name = name
        self._most = most
        self._subscriptions: dict[str, _Subscription] = {}

    def __contains__(self, spuid: object) -> bool:
        """Whether a subscription is open."""
        return spuid in self._subscriptions

    @property
    def spuids(self) -> tuple[str, ...]:
        """The subscriptions that are open."""
        return tuple(self._subscriptions)

    # From the client

    def received(self, frame: str | bytes) -> list[Effect]:
        """A frame arrived."""
        request = read_request(frame)
        if isinstance(request, Refusal):
            return [_send(request)]
        return self._subscribe(request) if isinstance(request, Subscribe) else self._unsubscribe(request)

    def _subscribe(self, request: Subscribe) -> list[Effect]:
        if len(self._subscriptions) >= self._most:
            wanted = f"wanted at most {self._most:,} subscriptions on one socket, found more"
            return [_send(Refusal("too_many_subscriptions", 429, wanted, request.alias))]
        spuid = self._name()
        self._subscriptions[spuid] = _Subscription(request.alias)
        return [Open(spuid, request)]

    def _unsubscribe(self, request: Unsubscribe) -> list[Effect]:
        ended = self._subscriptions.pop(request.spuid, None)
        if ended is None:
            found = f"wanted a subscription of this socket, found {request.spuid[:200]}"
            return [_send(Refusal("sid_not_found", 500, found, request.alias))]
        return [Close(request.spuid), _send(Unsubscribed(request.spuid, ended.alias))]

    def closed(self) -> list[Effect]:
        """The socket is gone."""
        ended, self._subscriptions = self._subscriptions, {}
        return [Close(spuid) for spuid in ended]

    # From the node

    def answered(self, spuid: str, answer: Results) -> list[Effect]:
        """The whole answer of a query that was opened."""
        subscription = self._subscriptions.get(spuid)
        if subscription is None:
            return []
        subscription.variables = answer.variables
        return self._notified(spuid, subscription, answer, _NO_RESULTS)

    def changed(self, spuid: str, added: Results, removed: Results) -> list[Effect]:
        """What one change of the data added to the answer and removed from it."""
        subscription = self._subscriptions.get(spuid)
        if subscription is None or not (added.bindings or removed.bindings):
            return []
        return self._notified(spuid, subscription, added, removed)

    def _notified(self, spuid: str, subscription: _Subscription, added: Results, removed: Results) -> list[Effect]:
        number = subscription.sequence
        subscription.sequence += 1
        # Clients want an object for both, and look for the variables in it.
        both = [Results(subscription.variables, results.bindings) for results in (added, removed)]
        return [_send(Notification(spuid, number, both[0], both[1], subscription.alias))]

    def refused(self, spuid: str, error: str, status: int, description: str) -> list[Effect]:
        """A query that was opened cannot be answered."""
        subscription = self._subscriptions.pop(spuid, None)
        return [] if subscription is None else [_send(Refusal(error, status, description, subscription.alias))]

    def failed(self, spuid: str, error: str, status: int, description: str) -> list[Effect]:
        """A query that was answered before cannot be kept up any more."""
        return [Close(spuid), *told] if (told := self.refused(spuid, error, status, description)) else []


def _send(answer: Answer) -> Send:
    return Send(write_answer(answer))
