"""The data and its views: a library's books on shelves, a view of a shelf each, and updates of which each touches one.

Everything is in the default graph: whoever goes by graphs has to look at every view with every update. The value that
an update gives is in the notification, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

from msgspec import Struct

NAMESPACE = "http://library.example/"
_PREFIX = f"PREFIX : <{NAMESPACE}> "
_TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
_INTEGER = "<http://www.w3.org/2001/XMLSchema#integer>"
# Of a million triples: 160,000 books of six triples each, 20,000 authors of two.
_BOOKS, _AUTHORS = 0.16, 0.02
# A status is one of so many, as they are in life: more than there are updates of one book at a time.
_STATUSES = 100


class Kind(StrEnum):
    """What the view of a shelf asks."""

    PLAIN = "2 to 4 patterns"
    OPTIONAL = "OPTIONAL"
    MINUS = "MINUS"
    AGGREGATES = "aggregates"


_PLAIN = (
    "SELECT ?book ?status { ?book :shelf %s ; :status ?status }",
    "SELECT ?title ?status { ?book :shelf %s ; :status ?status ; :title ?title }",
    "SELECT ?book ?name ?status { ?book :shelf %s ; :status ?status ; :author ?author . ?author :name ?name }",
)
_OTHERS = {
    Kind.OPTIONAL: "SELECT ?title ?status { ?book :shelf %s ; :title ?title OPTIONAL { ?book :status ?status } }",
    Kind.MINUS: "SELECT ?book ?title { ?book :shelf %s ; :title ?title MINUS { ?book :lent ?to } }",
    Kind.AGGREGATES: "SELECT (COUNT(?book) AS ?books) (MAX(?status) AS ?last) { ?book :shelf %s ; :status ?status }",
}


class Library(Struct, frozen=True):
    """So many triples, or a few less; `shelves` says how many books stand together."""

    triples: int
    shelves: int

    @property
    def books(self) -> int:
        return int(self.triples * _BOOKS)

    @property
    def authors(self) -> int:
        return int(self.triples * _AUTHORS)

    def lines(self) -> Iterator[str]:
        """N-Triples."""
        for author in range(self.authors):
            about = f"<{NAMESPACE}author{author}> <{NAMESPACE}"
            yield f'{about}name> "Author {author}" .\n'
            yield f'{about}born> "{1800 + author % 200}"^^{_INTEGER} .\n'
        for book in range(self.books):
            about = f"<{NAMESPACE}book{book}> <{NAMESPACE}"
            yield f"<{NAMESPACE}book{book}> {_TYPE} <{NAMESPACE}Book> .\n"
            yield f'{about}title> "Title {book}" .\n'
            yield f"{about}shelf> <{NAMESPACE}shelf{book % self.shelves}> .\n"
            yield f"{about}author> <{NAMESPACE}author{book % self.authors}> .\n"
            yield f'{about}year> "{1900 + book % 120}"^^{_INTEGER} .\n'
            yield f'{about}status> "0"^^{_INTEGER} .\n'


def query(kind: Kind, shelf: int) -> str:
    """The view of a shelf."""
    text = _PLAIN[shelf % len(_PLAIN)] if kind is Kind.PLAIN else _OTHERS[kind]
    return _PREFIX + text % f":shelf{shelf}"


class Desk:
    """Makes updates, each of which touches the view of one shelf: its first book changes.

    It gets another status; for views with MINUS, it is lent, and given back with the next one.
    """

    def __init__(self) -> None:
        self._lent: set[int] = set()
        self._updates: dict[int, int] = {}

    def update(self, kind: Kind, shelf: int, value: int | None = None) -> str:
        """A SPARQL Update; `value` is in it. None: the next status of those that there are."""
        if value is None:
            self._updates[shelf] = self._updates.get(shelf, 0) + 1
            value = 1 + self._updates[shelf] % _STATUSES
        book = f":book{shelf}"
        if kind is not Kind.MINUS:
            change = f"DELETE {{ {book} :status ?old }} INSERT {{ {book} :status {value} }}"
            return f"{_PREFIX}{change} WHERE {{ {book} :status ?old }}"
        if shelf in self._lent:
            self._lent.remove(shelf)
            return f"{_PREFIX}DELETE WHERE {{ {book} :lent ?to }}"
        self._lent.add(shelf)
        return f"{_PREFIX}INSERT DATA {{ {book} :lent {value} }}"
