"""Fetches: the quadruples in some boxes, read from all owners that they touch, in pages.

The question goes out as a multicast, and an answer takes the place of its receipt: it names the boxes that it covers,
and what no answer has covered is asked again. So nothing is missed, also where zones change their owner in the
meantime. An owner that has more than a page answers with the first one, and the rest is asked for as a question of its
own.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from triplewire.network.can.geometry.space import Bounds, Point
from triplewire.network.can.messages import Address
from triplewire.network.eventspace.storage import SpaceStorage

PAGE = 1_000
"""How many quadruples an answer has, at most."""


class FetchQuads(Struct, frozen=True, tag="fetch", array_like=True):
    """To the owners of boxes: send what lies there behind a point, at most so many quadruples."""

    asker: Address
    question: str
    after: Point | None
    limit: int


class QuadsRead(Struct, frozen=True, tag="read", array_like=True):
    """To the asker: what an owner has in some boxes, in the order of points; all of it, or a first page."""

    question: str
    boxes: tuple[Bounds, ...]
    quads: tuple[Point, ...]
    is_all: bool


class Fetched(Struct, frozen=True):
    """Quadruples that were asked for, each once; the last of them or not. `boxes` are where they were read."""

    ticket: int
    quads: tuple[Point, ...]
    is_last: bool
    boxes: tuple[Bounds, ...]


class Question(Struct):
    """A multicast of a fetch, and what of its boxes nobody has answered for."""

    ticket: int
    missing: dict[Bounds, None]
    limit: int


class Answer(Struct, frozen=True):
    """What an answer brings that no other has. `more_after` is the point behind which there is more of its boxes."""

    question: Question
    quads: tuple[Point, ...]
    boxes: tuple[Bounds, ...]
    more_after: Point | None


class Fetches:
    """The fetches of a node that are under way."""

    def __init__(self) -> None:
        self._questions: dict[str, Question] = {}
        self._asked: dict[int, set[str]] = {}
        self._numbers = 0

    def __len__(self) -> int:
        return len(self._asked)

    def ask(self, ticket: int, boxes: Sequence[Bounds], limit: int) -> str:
        """The name of a new question."""
        self._numbers += 1
        name = f"{ticket}.{self._numbers}"
        self._questions[name] = Question(ticket, dict.fromkeys(boxes), limit)
        self._asked.setdefault(ticket, set()).add(name)
        return name

    def answered(self, message: QuadsRead) -> Answer | None:
        """What an answer brings; None if the question is not under way."""
        question = self._questions.get(message.question)
        if question is None:
            return None
        new = _taken_out(question.missing, message.boxes)
        quads = message.quads
        if new != message.boxes:
            quads = tuple(point for point in quads if any(point in box for box in new))
        more_after = None if message.is_all or not new else message.quads[-1]
        return Answer(question, quads, new, more_after)

    def end(self, name: str) -> None:
        """A question is answered."""
        question = self._questions.pop(name)
        self._asked[question.ticket].discard(name)

    def is_complete(self, ticket: int) -> bool:
        """Whether no question of a fetch is open. Then it is forgotten."""
        if self._asked.get(ticket):
            return False
        self._asked.pop(ticket, None)
        return True

    def cancel(self, ticket: int) -> list[str]:
        """Forget a fetch; returns the names of its questions."""
        names = sorted(self._asked.pop(ticket, ()))
        for name in names:
            del self._questions[name]
        return names


def read(storage: SpaceStorage, message: FetchQuads, boxes: tuple[Bounds, ...]) -> QuadsRead:
    """The answer to a question, for the boxes that are ours."""
    quads = storage.quads_in(boxes, message.after, message.limit)
    return QuadsRead(message.question, boxes, tuple(quads), is_all=len(quads) < message.limit)


def _taken_out(missing: dict[Bounds, None], boxes: Sequence[Bounds]) -> tuple[Bounds, ...]:
    """Take boxes out of those that are missing; returns what was missing of them."""
    found = []
    for box in boxes:
        if box in missing:
            del missing[box]
            found.append(box)
            continue
        for part in [part for part in missing if part.touches(box)]:
            found.append(part.intersection(box))
            del missing[part]
            missing.update(dict.fromkeys(part.without(box)))
    return tuple(found)
