"""What goes on in the library, one thing after the other: papers come in, books are lent, awaited and brought back.

Pure: the same seed makes the same story, but for the names of events, which `name` makes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random

from msgspec import Struct

PREFIXES = "PREFIX : <http://example.org/library/> PREFIX dc: <http://purl.org/dc/elements/1.1/> "
READERS = ("Ann", "Bob", "Cem", "Dan")
# As in catalogue.ttl.
BOOKS = ("boole", "flatland", "emma", "faust", "origin", "elements", "middlemarch", "tempest")
_AUTHORS = ("E. Noether", "A. Lovelace", "G. Peano", "S. Kovalevskaya", "H. Grassmann", "M. Agnesi", "C. Peirce")
_SUBJECTS = ("Semantic Web", "Logic", "Geometry", "Databases", "Biology")
_TITLES = ("A survey of {}", "{}, step by step", "New results in {}", "On the foundations of {}", "{} in practice")
_PAPERS = 0.5
_ARRIVALS = 0.1


class Paper(Struct, frozen=True):
    """A paper that is published: an event, in Turtle with the event's IRI as its graph."""

    event: str
    title: str
    creator: str
    subject: str
    year: int

    @property
    def said(self) -> str:
        return f"published: {self.title}, by {self.creator}, {self.year}"

    @property
    def trig(self) -> str:
        paper = f":paper-{self.event[-8:]}"
        return (
            "@prefix dc: <http://purl.org/dc/elements/1.1/> . @prefix : <http://example.org/library/> . "
            f'<{self.event}> {{ {paper} a :Paper ; dc:title "{self.title}" ; '
            f'dc:creator "{self.creator}" ; dc:subject "{self.subject}" ; dc:date {self.year} }}'
        )


class Change(Struct, frozen=True):
    """The catalogue changes, by SPARQL Update."""

    said: str
    update: str


Happening = Paper | Change


def happenings(random: Random, name: Callable[[], str]) -> Iterator[Happening]:
    """A story without an end.

    >>> story = happenings(Random(3), iter(f"urn:event:{n}" for n in range(9)).__next__)
    >>> [type(next(story)).__name__ for _ in range(4)]
    ['Paper', 'Paper', 'Change', 'Change']
    """
    desk = _Desk(random)
    while True:
        yield desk.next_change() if random.random() >= _PAPERS else _paper(random, name())


def _paper(random: Random, event: str) -> Paper:
    subject = random.choice(_SUBJECTS)
    title = random.choice(_TITLES).format(subject)
    return Paper(event, title, random.choice(_AUTHORS), subject, random.randint(2005, 2026))


class _Desk:
    """Who has which book and who waits for it, as far as this story has come."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._books = list(BOOKS)
        self._lent: dict[str, str] = {}
        self._waiting: dict[str, str] = {}

    def next_change(self) -> Change:
        random = self._random
        if random.random() < _ARRIVALS:
            return self._arrival()
        book, reader = random.choice(self._books), random.choice(READERS)
        if book not in self._lent:
            return self._lending(book, self._waiting.get(book, reader))
        if book not in self._waiting and reader != self._lent[book]:
            self._waiting[book] = reader
            return Change(f"{reader} waits for {book}", f"{PREFIXES}INSERT DATA {{ :{reader} :waitsFor :{book} }}")
        return self._return(book)

    def _lending(self, book: str, reader: str) -> Change:
        self._lent[book] = reader
        self._waiting.pop(book, None)
        gone = f":{reader} :waitsFor :{book} ; :mayFetch :{book} ; :recommended :{book}"
        update = f"{PREFIXES}DELETE DATA {{ {gone} }} ; INSERT DATA {{ :{book} :lentTo :{reader} }}"
        return Change(f"{reader} takes {book} home", update)

    def _return(self, book: str) -> Change:
        reader = self._lent.pop(book)
        update = f"{PREFIXES}DELETE DATA {{ :{book} :lentTo :{reader} }}"
        return Change(f"{reader} brings {book} back", update)

    def _arrival(self) -> Change:
        book = f"book-{len(self._books) + 1}"
        self._books.append(book)
        subject = self._random.choice(("Logic", "Novels", "Geometry", "Plays", "Biology"))
        title = f"{subject}, volume {len(self._books)}"
        update = f'{PREFIXES}INSERT DATA {{ :{book} dc:subject "{subject}" ; dc:title "{title}" ; a :Book }}'
        return Change(f"a new book: {title}", update)
