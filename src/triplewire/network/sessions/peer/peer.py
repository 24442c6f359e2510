"""A peer's own program, as a state machine: it keeps in touch with its access point, and moves to another.

What arrives is handed out with `Arrived`, `Lapsed`, `Got` and `UploadWanted`; the shell calls `saved`, `noted`, `kept`
and `upload` when it is safe on disk, and only then is it acknowledged. Notifications may come twice, also over two
access points while a peer moves: whoever saves them drops repeats by (name, event).

`migration` tells how moving goes, at the other end.
"""

from __future__ import annotations

from functools import partial

from triplewire.errors import SessionRefused
from triplewire.network.sessions import peer_messages
from triplewire.network.sessions.envelopes import Reason
from triplewire.network.sessions.handshake import Randomness
from triplewire.network.sessions.peer.connection import Line
from triplewire.network.sessions.peer.connections import Manner, Switchboard
from triplewire.network.sessions.peer.effects import Arrived, Effect, Got, Lapsed, Turned, UploadWanted
from triplewire.network.sessions.peer.memory import Asked, Home, Keys, Place, Query
from triplewire.network.sessions.peer.state import Belongings

# What a forger can bring about must not end a session.
_FORGED = (Reason.REPLAY, Reason.TAG, Reason.SESSION)


class Peer:
    """A connection to the access point where it is, and one to each previous one that it still has to leave."""

    def __init__(self, keys: Keys, home: Home, randomness: Randomness, manner: Manner | None = None) -> None:
        self.id = keys.id
        self._board = Switchboard(keys, randomness, manner or Manner())
        self._own = Belongings(home, self._board)
        self._leaving: set[str] = set()

    @property
    def home(self) -> Home:
        return self._own.home

    @property
    def is_online(self) -> bool:
        """Whether the session with the present access point has begun."""
        return self._board.is_open(self.home.at)

    # Coming, moving, going

    def start(self, now: float) -> list[Effect]:
        """Connect where it is, and where it still has to leave."""
        self._connect(now, self.home.at)
        for parting in self.home.previous:
            self._connect(now, parting.place)
        return self._board.taken()

    def move(self, now: float, place: Place) -> list[Effect]:
        """Connect to another access point, and fetch whatever the last one has."""
        before = self.home.at
        self._own.keep(self.home.moving_to(place))
        for known in (before, place):
            self._board.disconnect(now, known)
        self._connect(now, place)
        if before.id != place.id:
            self._connect(now, before)
        return self._board.taken()

    def stop(self, now: float) -> list[Effect]:
        """Go off-line."""
        for place in self._board.places():
            self._board.say(now, place, peer_messages.Farewell())
            self._board.disconnect(now, place)
        return self._board.taken()

    def _connect(self, now: float, place: Place) -> None:
        self._board.connect(now, place, self.home.address, is_known=place.id != self.home.at.id)

    # Asking the present access point; the answer comes as `Answered`, under the token

    def subscribe(self, now: float, token: str, name: str, query: Query) -> list[Effect]:
        self._own.subscribe(now, token, name, query)
        return self._board.taken()

    def unsubscribe(self, now: float, token: str, name: str) -> list[Effect]:
        self._own.unsubscribe(now, token, name)
        return self._board.taken()

    def register(self, now: float, token: str, rdf: str | None) -> list[Effect]:
        """Say what this peer will publish; None is nothing any more."""
        self._own.register(now, token, rdf)
        return self._board.taken()

    def publish(self, now: float, token: str, nquads: bytes) -> list[Effect]:
        """Publish events; the token makes sure that they are published once."""
        self._own.ask(now, partial(peer_messages.Publish, token, nquads), token)
        return self._board.taken()

    def locate(self, now: float, token: str, owner: str, access_point: str) -> list[Effect]:
        """Where is the owner of a resource?"""
        self._own.ask(now, partial(peer_messages.Locate, owner, access_point), token)
        return self._board.taken()

    def request(self, now: float, token: str, asked: Asked) -> list[Effect]:
        """A rendezvous with a resource, known by the token."""
        self._own.request(now, token, asked)
        return self._board.taken()

    # What the shell has done

    def saved(self, now: float, line: str, word: peer_messages.Notification) -> list[Effect]:
        """A notification is safe."""
        self._say(now, line, peer_messages.Received(word.name, word.flow, word.position))
        return self._board.taken()

    def noted(self, now: float, line: str, word: peer_messages.Missed) -> list[Effect]:
        """That notifications were lost is on the disk."""
        self._say(now, line, peer_messages.Received(word.name, word.flow, word.until))
        return self._board.taken()

    def kept(self, now: float, line: str, word: peer_messages.Resource) -> list[Effect]:
        """A rendezvous file is safe."""
        self._own.fulfilled(word.id)
        self._say(now, line, peer_messages.Collected(word.id))
        return self._board.taken()

    def upload(
        self, now: float, line: str, wanted: peer_messages.Wanted, content: bytes, problem: str = ""
    ) -> list[Effect]:
        """Here is a resource that was wanted, or why there is none."""
        found = self._board.line(line)
        if found is not None:
            make = partial(peer_messages.Upload, wanted.requester, wanted.id, content, problem)
            self._board.ask(now, found.place, make, _indifferent)
        return self._board.taken()

    def _say(self, now: float, line: str, word: peer_messages.Said) -> None:
        found = self._board.line(line)
        if found is not None:
            self._board.say(now, found.place, word)

    # From the network

    def receive(self, now: float, line: str, data: bytes) -> list[Effect]:
        """Bytes have come over a connection."""
        found = self._board.line(line)
        if found is None:
            return []
        try:
            word = found.receive(now, data)
        except SessionRefused as problem:
            self._refused(now, found, problem)
        else:
            self._board.flush(line)
            if word is not None and not self._board.answered(now, found.place, word):
                self._told(now, found, word)
        return self._board.taken()

    def lost(self, now: float, line: str) -> list[Effect]:
        """A connection broke."""
        found = self._board.line(line)
        if found is not None:
            self._board.redial(now, found.place, self.home.address)
        return self._board.taken()

    def tick(self, now: float) -> list[Effect]:
        """Time passes."""
        self._board.keep_in_touch(now, self.home.address)
        if self.is_online:
            self._own.renew(now)
        return self._board.taken()

    def _refused(self, now: float, line: Line, problem: SessionRefused) -> None:
        if line.place.id != self.home.at.id and problem.reason == Reason.UNKNOWN:
            self._released(now, line.place)
            return
        self._board.do(Turned(line.place, problem))
        if problem.reason not in _FORGED or not line.is_open:
            self._board.redial(now, line.place, self.home.address)

    # What an access point tells

    def _told(self, now: float, line: Line, word: peer_messages.Told) -> None:
        match word:
            case peer_messages.Welcome():
                self._welcomed(now, line.place, word)
            case peer_messages.Notification():
                self._board.do(Arrived(line.name, word))
            case peer_messages.Missed():
                self._board.do(Lapsed(line.name, line.place, word))
            case peer_messages.Ready():
                self._board.ask(now, line.place, partial(peer_messages.Collect, word.id), _indifferent)
            case peer_messages.Resource():
                self._board.do(Got(line.name, word))
            case peer_messages.Wanted():
                self._board.do(UploadWanted(line.name, word))

    def _welcomed(self, now: float, place: Place, word: peer_messages.Welcome) -> None:
        if place.id != self.home.at.id:
            self._board.ask_no_more(place)
            self._leave(now, place)
            return
        self._own.welcomed(word)
        self._board.ask_again(now, place)
        self._own.restore(now, word.subscriptions)
        for parting in self.home.previous:
            self._leave(now, parting.place)

    # Leaving a previous access point

    def _leave(self, now: float, place: Place) -> None:
        """Fetch what is pending, once the present access point has let this peer in."""
        line = self._board.open_line(place)
        if line is None or not self.home.access_point or line.name in self._leaving:
            return
        self._leaving = {*[name for name in self._leaving if self._board.line(name)], line.name}
        self._board.ask(
            now, place, partial(peer_messages.Migrate, self.home.access_point), partial(self._drained, place)
        )

    def _drained(self, place: Place, now: float, word: peer_messages.Told) -> None:
        if isinstance(word, peer_messages.Drained):
            self._own.keep(self.home.drained(place.id, word.tide))
            self._board.ask(now, place, peer_messages.Moved, partial(self._let_go, place))

    def _let_go(self, place: Place, now: float, word: peer_messages.Told) -> None:
        if isinstance(word, peer_messages.Done):
            self._released(now, place)

    def _released(self, now: float, place: Place) -> None:
        """The previous access point has forgotten this peer."""
        self._board.disconnect(now, place)
        self._own.keep(self.home.released(place.id))
        self._own.take_over(now)


def _indifferent(now: float, word: peer_messages.Told) -> None:
    """What is done with an answer that changes nothing."""
