"""Subscriptions: a standing query with an identifier and an owner.

Text becomes a query in `languages`, which stands above this package; each language registers itself here, so that
`Subscription.parse` needs no import that points upwards.
"""

from __future__ import annotations

import hashlib
import re
from typing import Protocol

from msgspec import Struct

from triplewire.algebra.queries import FastQuery, Query
from triplewire.errors import InputError, InvalidTerm, UnknownFormat

_SURROGATE = re.compile("[\ud800-\udfff]")


class Language(Protocol):
    """What a subscription language must offer."""

    name: str
    suffix: str

    def parse(self, text: str) -> Query: ...

    def print(self, query: Query) -> str: ...


_languages: dict[str, Language] = {}


def register_language(language: Language) -> None:
    """Make a language known by its name. Called once, when `triplewire.languages` is imported."""
    _languages[language.name] = language


def language_named(name: str) -> Language:
    """Look a language up, or say which there are."""
    if name not in _languages:
        known = ", ".join(sorted(_languages))
        raise UnknownFormat(wanted=f"a subscription language, one of {known}", found=repr(name))
    return _languages[name]


def languages() -> tuple[Language, ...]:
    """Every registered language."""
    return tuple(_languages.values())


class Subscription(Struct, frozen=True, gc=False):
    """A standing query.

    >>> s = Subscription.parse("ASK { ?paper a <http://example.org/Paper> }", id="papers")
    >>> s.id, s.lane
    ('papers', 'fast')
    """

    id: str
    language: str
    text: str
    query: Query
    owner: str | None = None

    @classmethod
    def parse(
        cls,
        text: str,
        language: str = "sparql",
        id: str | None = None,  # noqa: A002  the public name
        owner: str | None = None,
    ) -> Subscription:
        """Read a subscription. Without an identifier it gets one that is derived from its text."""
        _check_words(id, owner)
        query = language_named(language).parse(_text(text))
        return cls(id or _identifier(language, text), language, text, query, owner)

    @property
    def lane(self) -> str:
        return "fast" if isinstance(self.query, FastQuery) else "general"

    def __str__(self) -> str:
        """The query, printed in its language."""
        return language_named(self.language).print(self.query)


def _check_words(*words: object) -> None:
    """An identifier or owner is written to files and messages, so it must be text that can be written."""
    for word in words:
        if word is None:
            continue
        if not isinstance(word, str):
            raise InvalidTerm(wanted="text as the identifier or owner", found=type(word).__name__)
        if _SURROGATE.search(word):
            raise InvalidTerm(wanted="Unicode text as the identifier or owner", found=repr(word))


def _text(text: object) -> str:
    if isinstance(text, str):
        return text
    raise InputError(wanted="a subscription as text", found=type(text).__name__)


def _identifier(language: str, text: str) -> str:
    return hashlib.sha256(f"{language}\n{text}".encode()).hexdigest()[:16]
