"""What a peer asked of an access point. Questions outlive a connection: they are asked until they are answered."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from triplewire.network.sessions.peer_messages import Refused, Said, Told

Then = Callable[[float, Told], None]
Make = Callable[[int], Said]


class Question(Struct):
    """Something asked, when it was last, and what is done with the answer."""

    word: Said
    then: Then
    asked: float


class Questions:
    """The open ones, by number."""

    def __init__(self) -> None:
        self._count = 0
        self._open: dict[int, Question] = {}

    def ask(self, now: float, make: Make, then: Then) -> Said:
        """Number a question."""
        self._count += 1
        word = make(self._count)
        self._open[self._count] = Question(word, then, now)
        return word

    def answered(self, now: float, word: Told) -> bool:
        """Hand an answer to whoever asked; whether it was one."""
        ask = getattr(word, "ask", None)
        question = None if ask is None else self._open.pop(ask, None)
        if question is not None:
            question.then(now, word)
        return ask is not None

    def again(self, now: float, patience: float) -> list[Said]:
        """The questions that were asked longer ago than that, in order."""
        late = [question for question in self._open.values() if now - question.asked >= patience]
        for question in late:
            question.asked = now
        return [question.word for question in late]

    def drop(self, now: float) -> None:
        """Nobody will answer any more."""
        for ask, question in list(self._open.items()):
            del self._open[ask]
            question.then(now, Refused(ask, "an answer", "none before the peer moved", again=True))
