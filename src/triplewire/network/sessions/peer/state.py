"""What a peer has standing wherever it is: subscriptions, an advertisement, rendezvous that it waits for.

It is kept at home, and brought to each access point; what stands there already is not brought again.
"""

from __future__ import annotations

from functools import partial
from typing import TypeVar

import msgspec

from triplewire.network.sessions import peer_messages
from triplewire.network.sessions.peer.connections import Switchboard
from triplewire.network.sessions.peer.effects import Answered, Save
from triplewire.network.sessions.peer.memory import Asked, Home, Query
from triplewire.network.sessions.peer.requests import Make

T = TypeVar("T")
_PAUSE = 3.0


class Belongings:
    """The home, and what of it the present access point is told."""

    def __init__(self, home: Home, board: Switchboard) -> None:
        self.home = home
        self._board = board
        self._untold: set[str] = set()
        self._again: set[str] = set()
        self._again_at = 0.0
        self._renewed = 0.0
        self._renew_every = float("inf")

    def keep(self, home: Home) -> None:
        """Have what is at home saved, if it changed."""
        if home != self.home:
            self.home = home
            self._board.do(Save(home))

    def ask(self, now: float, make: Make, token: str = "") -> None:
        """Ask the present access point; the answer is handed out under the token, if there is one."""

        def answered(now: float, word: peer_messages.Told) -> None:
            if token:
                self._board.do(Answered(token, word))

        self._board.ask(now, self.home.at, make, answered)

    # Changing what stands

    def subscribe(self, now: float, token: str, name: str, query: Query) -> None:
        self.keep(msgspec.structs.replace(self.home, subscriptions={**self.home.subscriptions, name: query}))
        self._subscribe(now, name, token)

    def unsubscribe(self, now: float, token: str, name: str) -> None:
        self.keep(msgspec.structs.replace(self.home, subscriptions=_without(self.home.subscriptions, name)))
        self.ask(now, partial(peer_messages.Unsubscribe, name), token)

    def register(self, now: float, token: str, rdf: str | None) -> None:
        self.keep(msgspec.structs.replace(self.home, registration=rdf))
        self._register(now, token)

    def request(self, now: float, token: str, asked: Asked) -> None:
        self.keep(msgspec.structs.replace(self.home, requests={**self.home.requests, token: asked}))
        self._request(now, token)

    def fulfilled(self, token: str) -> None:
        """A rendezvous has taken place, or never will."""
        self.keep(msgspec.structs.replace(self.home, requests=_without(self.home.requests, token)))

    # Bringing it to an access point

    def welcomed(self, word: peer_messages.Welcome) -> None:
        """The present access point has said who it is, and how often it wants to be told."""
        self._renew_every = word.registration_lasts / 3
        self.keep(msgspec.structs.replace(self.home, access_point=word.access_point))

    def restore(self, now: float, standing: tuple[str, ...]) -> None:
        """Have standing at the present access point what should be, and no more."""
        for name in self.home.subscriptions:
            if name not in standing or self.home.since is not None:
                self._subscribe(now, name, "")
        for name in standing:
            if name not in self.home.subscriptions:
                self.ask(now, partial(peer_messages.Unsubscribe, name))
        if self.home.registration is not None:
            self._register(now, "")
        for token in self.home.requests:
            self._request(now, token)

    def take_over(self, now: float) -> None:
        """A previous access point has let go: the present one is to send everything after the tide."""
        if self.home.since is None:
            return
        for name in self.home.subscriptions:
            self._subscribe(now, name, "")
        self._forget_tide()

    def renew(self, now: float) -> None:
        """Repeat the advertisement in time, and what could not be subscribed to at first."""
        if self._again and now >= self._again_at:
            again, self._again = self._again & set(self.home.subscriptions), set()
            for name in sorted(again):
                self._subscribe(now, name, "")
        if self.home.registration is not None and now - self._renewed >= self._renew_every:
            self._register(now, "")

    # Private

    def _subscribe(self, now: float, name: str, token: str) -> None:
        query, since, place = self.home.subscriptions[name], self.home.since, self.home.at
        if since is not None:
            self._untold.add(name)

        def answered(now: float, word: peer_messages.Told) -> None:
            if token:
                self._board.do(Answered(token, word))
            if isinstance(word, peer_messages.Refused) and self._is_refused(now, name, token, word):
                return
            if since is not None and (since, place) == (self.home.since, self.home.at):
                self._untold.discard(name)
                self._forget_tide()

        self._board.ask(now, place, partial(peer_messages.Subscribe, name, query.language, query.text, since), answered)

    def _is_refused(self, now: float, name: str, token: str, word: peer_messages.Refused) -> bool:
        """Whether to ask again, soon. Where it can never be, who asked for it knows: it is not asked for any more."""
        if word.again:
            self._again.add(name)
            self._again_at = now + _PAUSE
        elif token:
            self.keep(msgspec.structs.replace(self.home, subscriptions=_without(self.home.subscriptions, name)))
        return word.again

    def _forget_tide(self) -> None:
        """Once the tide has been told with every subscription, it has served."""
        if not self._untold & set(self.home.subscriptions):
            self.keep(msgspec.structs.replace(self.home, since=None))

    def _register(self, now: float, token: str) -> None:
        def answered(now: float, word: peer_messages.Told) -> None:
            if not token:
                return
            self._board.do(Answered(token, word))
            if isinstance(word, peer_messages.Refused) and not word.again:
                self.keep(msgspec.structs.replace(self.home, registration=None))

        self._renewed = now
        rdf = self.home.registration
        make: Make = peer_messages.Withdraw if rdf is None else partial(peer_messages.Register, rdf)
        self._board.ask(now, self.home.at, make, answered)

    def _request(self, now: float, token: str) -> None:
        def answered(now: float, word: peer_messages.Told) -> None:
            if isinstance(word, peer_messages.Refused) and not word.again:
                self.fulfilled(token)
            self._board.do(Answered(token, word))

        asked = self.home.requests[token]
        make = partial(peer_messages.Request, token, asked.owner, asked.access_point, asked.location)
        self._board.ask(now, self.home.at, make, answered)


def _without(kept: dict[str, T], name: str) -> dict[str, T]:
    return {key: value for key, value in kept.items() if key != name}
