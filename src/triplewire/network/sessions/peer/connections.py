"""A peer's connections: one to each access point that it has to do with. They break, and are made again."""

from __future__ import annotations

from msgspec import Struct

from triplewire.network.sessions.handshake import Randomness
from triplewire.network.sessions.peer.connection import Line
from triplewire.network.sessions.peer.effects import Dial, Effect, HangUp, Send
from triplewire.network.sessions.peer.memory import Keys, Place
from triplewire.network.sessions.peer.requests import Make, Questions, Then
from triplewire.network.sessions.peer_messages import Present, Said, Told


class Manner(Struct, frozen=True):
    """How a peer keeps in touch, in seconds: it says something every `beat`, and asks again after `patience`."""

    beat: float = 5.0
    patience: float = 5.0
    silence: float = 20.0


class Dealing(Struct):
    """What a peer has to do with one access point."""

    place: Place
    is_known: bool
    questions: Questions
    line: Line | None = None
    dial_at: float | None = None


class Switchboard:
    """Lines by name, and what is to be done, in order."""

    def __init__(self, keys: Keys, randomness: Randomness, manner: Manner) -> None:
        self._keys = keys
        self._randomness = randomness
        self._manner = manner
        self._dealings: dict[str, Dealing] = {}
        self._count = 0
        self._effects: list[Effect] = []

    def do(self, *effects: Effect) -> None:
        """Have something done after what there is."""
        self._effects += effects

    def taken(self) -> list[Effect]:
        """Everything that is to be done."""
        taken, self._effects = self._effects, []
        return taken

    def line(self, name: str) -> Line | None:
        """A connection that is still in use."""
        return next(
            (dealing.line for dealing in self._dealings.values() if dealing.line and dealing.line.name == name), None
        )

    def open_line(self, place: Place) -> Line | None:
        """The connection with an access point, if its session has begun."""
        dealing = self._dealings.get(place.id)
        return dealing.line if dealing is not None and dealing.line is not None and dealing.line.is_open else None

    def is_open(self, place: Place) -> bool:
        return self.open_line(place) is not None

    # Connecting

    def connect(self, now: float, place: Place, address: str, is_known: bool) -> None:
        """Have a connection with an access point, from now on."""
        dealing = self._dealings.setdefault(place.id, Dealing(place, is_known, Questions()))
        dealing.place, dealing.is_known = place, is_known
        self._dial(now, dealing, address)

    def _dial(self, now: float, dealing: Dealing, address: str) -> None:
        self._hang_up(dealing)
        self._count += 1
        dealing.dial_at = None
        dealing.line = Line(str(self._count), dealing.place, self._keys, self._randomness, address, dealing.is_known)
        dealing.line.begin(now)
        self.do(Dial(dealing.line.name, dealing.place))
        self._flush(dealing.line)

    def redial(self, now: float, place: Place, address: str) -> None:
        """Make a connection again: at once if it worked before, else after a while."""
        dealing = self._dealings.get(place.id)
        if dealing is None or dealing.line is None:
            return
        if dealing.line.is_open:
            self._dial(now, dealing, address)
        else:
            self._hang_up(dealing)
            dealing.dial_at = now + self._manner.patience

    def disconnect(self, now: float, place: Place) -> None:
        """Have nothing more to do with an access point."""
        dealing = self._dealings.pop(place.id, None)
        if dealing is not None:
            self._hang_up(dealing)
            dealing.questions.drop(now)

    def _hang_up(self, dealing: Dealing) -> None:
        if dealing.line is not None:
            self.do(HangUp(dealing.line.name))
            dealing.line = None

    def places(self) -> list[Place]:
        return [dealing.place for dealing in self._dealings.values()]

    # Talking

    def say(self, now: float, place: Place, word: Said) -> None:
        """Say something, if the session has begun; nothing is kept for later."""
        dealing = self._dealings.get(place.id)
        if dealing is not None and dealing.line is not None:
            dealing.line.say(now, word)
            self._flush(dealing.line)

    def ask(self, now: float, place: Place, make: Make, then: Then) -> None:
        """Ask until there is an answer."""
        dealing = self._dealings.get(place.id)
        if dealing is not None:
            self.say(now, place, dealing.questions.ask(now, make, then))

    def ask_again(self, now: float, place: Place) -> None:
        """Ask all that is open, over a session that has just begun."""
        dealing = self._dealings[place.id]
        for word in dealing.questions.again(now, 0.0):
            self.say(now, place, word)

    def ask_no_more(self, place: Place) -> None:
        """What was asked of an access point is to be asked anew."""
        self._dealings[place.id].questions = Questions()

    def answered(self, now: float, place: Place, word: Told) -> bool:
        """Hand an answer to whoever asked; whether it was one."""
        return self._dealings[place.id].questions.answered(now, word)

    def flush(self, name: str) -> None:
        """Send what a line has to say."""
        line = self.line(name)
        if line is not None:
            self._flush(line)

    def _flush(self, line: Line) -> None:
        outgoing, line.outgoing = line.outgoing, []
        self.do(*[Send(line.name, data) for data in outgoing])

    def keep_in_touch(self, now: float, address: str) -> None:
        """Time passes: signs of life, questions asked again, connections that are silent made again."""
        for dealing in list(self._dealings.values()):
            if dealing.line is None:
                if dealing.dial_at is not None and now >= dealing.dial_at:
                    self._dial(now, dealing, address)
            elif now - dealing.line.heard >= (self._manner.silence if dealing.line.is_open else self._manner.patience):
                self._dial(now, dealing, address)
            elif dealing.line.is_open:
                self._remind(now, dealing, dealing.line)

    def _remind(self, now: float, dealing: Dealing, line: Line) -> None:
        for word in dealing.questions.again(now, self._manner.patience):
            self.say(now, dealing.place, word)
        if now - line.said >= self._manner.beat:
            self.say(now, dealing.place, Present())
