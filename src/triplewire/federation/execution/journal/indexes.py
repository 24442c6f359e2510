"""Entries of a journal to be found by what they are about, so that a long journal is no slower than a short one.

A triple is among the answers to eight lookups only: those that leave out some of its terms. So who has asked for a
triple is found with eight questions, and who has changed what a lookup asks for with one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from triplewire.federation.execution.journal.entries import ReadFrom, Written
from triplewire.rdf.terms import NamedNode, Term, Triple
from triplewire.rules.graphs import Lookup

_Entries = dict[int, Written]
_ANYTHING = Lookup(None, None, None)


class WriteIndex:
    """Updates by whose they are, by the assertions that they wanted, and by what has changed with them."""

    def __init__(self) -> None:
        self._by_name: dict[str, _Entries] = {}
        self._by_wanted: dict[Triple, _Entries] = {}
        self._by_changed: dict[object, _Entries] = {}

    def add(self, entry: Written) -> None:
        self._by_name.setdefault(entry.who.name, {})[entry.number] = entry
        for triple in entry.wanted:
            self._by_wanted.setdefault(triple, {})[entry.number] = entry
        for key in _keys_of_all(entry.changed):
            self._by_changed.setdefault(key, {})[entry.number] = entry

    def remove(self, entry: Written) -> None:
        _remove(self._by_name, entry.who.name, entry.number)
        for triple in entry.wanted:
            _remove(self._by_wanted, triple, entry.number)
        for key in _keys_of_all(entry.changed):
            _remove(self._by_changed, key, entry.number)

    def of(self, name: str) -> Iterable[Written]:
        """What one unit has written, in the order in which it did."""
        return self._by_name.get(name, {}).values()

    def wanting(self, triple: Triple) -> Iterable[Written]:
        """Who wanted an assertion to be there, or not to be, in their order."""
        return self._by_wanted.get(triple, {}).values()

    def changing(self, lookup: Lookup) -> Iterator[Written]:
        """Who has changed what is among the answers to a lookup."""
        entries = self._by_changed.get(_narrowest(lookup), {}).values()
        if _is_exact(lookup):
            return iter(entries)
        return (entry for entry in entries if any(map(lookup.includes, entry.changed)))


class ReadIndex:
    """Questions by their lookups. Each has a key, since several may ask about one state."""

    def __init__(self) -> None:
        self._by_lookup: dict[Lookup, dict[int, ReadFrom]] = {}

    def add(self, key: int, entry: ReadFrom) -> None:
        for lookup in entry.lookups:
            self._by_lookup.setdefault(lookup, {})[key] = entry

    def remove(self, key: int, entry: ReadFrom) -> None:
        for lookup in entry.lookups:
            _remove(self._by_lookup, lookup, key)

    def asking(self, triples: Iterable[Triple]) -> dict[int, ReadFrom]:
        """Who has asked for one of these triples, by the keys of the questions."""
        found: dict[int, ReadFrom] = {}
        asked: dict[Lookup, None] = {}
        for triple in triples:
            asked.update(dict.fromkeys(_lookups_for(triple)))
        for lookup in asked:
            found.update(self._by_lookup.get(lookup, {}))
        return found


def _lookups_for(triple: Triple) -> Iterator[Lookup]:
    subjects: tuple[Term | None, ...] = (triple.subject, None)
    predicates: tuple[NamedNode | None, ...] = (triple.predicate, None)
    targets: tuple[Term | None, ...] = (triple.object, None)
    return (Lookup(s, p, o) for s in subjects for p in predicates for o in targets)


def _keys_of_all(triples: Iterable[Triple]) -> dict[object, None]:
    return {key: None for triple in triples for key in _keys(triple)}


def _keys(triple: Triple) -> Iterator[object]:
    """Six of the eight: the others are looked for among these."""
    yield Lookup(triple.subject, None, None)
    yield Lookup(triple.subject, triple.predicate, None)
    yield Lookup(None, triple.predicate, triple.object)
    yield Lookup(None, triple.predicate, None)
    yield Lookup(None, None, triple.object)
    yield None


def _narrowest(lookup: Lookup) -> object:
    if lookup.subject is not None and lookup.target is not None:
        return Lookup(lookup.subject, lookup.predicate, None)
    return None if lookup == _ANYTHING else lookup


def _is_exact(lookup: Lookup) -> bool:
    return lookup.subject is None or lookup.target is None


def _remove(index: dict, key: object, number: int) -> None:  # type: ignore[type-arg]
    entries = index.get(key)
    if entries is not None:
        entries.pop(number, None)
        if not entries:
            del index[key]
