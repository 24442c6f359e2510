"""The journal of one peer: what was written and read there, by whom, in which order.

It says who has read what somebody wrote, which two have met in a way that orders them, and what an abort leaves. What
aborts is taken out of the journal as if it had never been: each assertion is afterwards as the last one that stays has
wanted it, or as it was before. That reverses the updates of one unit in reverse order, as the paper wants it, and it
does not matter in which order units abort.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from msgspec import Struct

from triplewire.rdf.terms import Triple
from triplewire.rules.changes import Changes, Edits
from triplewire.rules.graphs import Lookup


class Who(Struct, frozen=True):
    """Whose an entry is: a unit, or a condition that has read for one."""

    name: str
    root: str
    group: str


class Written(Struct):
    """An update: how it wanted each assertion to be, how each was before, and what changed in the closure."""

    number: int
    at: float
    who: Who
    wanted: dict[Triple, bool]
    was: dict[Triple, bool]
    changed: tuple[Triple, ...]


class ReadFrom(Struct, frozen=True):
    """A question. `is_check`: it was asked to see whether a change conforms."""

    number: int
    at: float
    who: Who
    lookups: tuple[Lookup, ...]
    is_check: bool


Commute = Callable[[Who, Who], bool]


class Journal:
    """Entries are numbered. Those of aborted units stay, so that what was before them is not forgotten."""

    def __init__(self) -> None:
        self._number = 0
        self._written: list[Written] = []
        self._read: list[ReadFrom] = []
        self._aborted: set[str] = set()

    # Writing

    def read(self, at: float, who: Who, lookups: Iterable[Lookup], *, is_check: bool = False) -> ReadFrom:
        """Something was asked."""
        self._number += 1
        entry = ReadFrom(self._number, at, who, tuple(lookups), is_check)
        if entry.lookups:
            self._read.append(entry)
        return entry

    def wrote(self, at: float, who: Who, wanted: Edits, changes: Changes) -> Written:
        """Something was done."""
        self._number += 1
        wants = dict.fromkeys(wanted.deleted, False) | dict.fromkeys(wanted.inserted, True)
        inserted, deleted = frozenset(changes.edits.inserted), frozenset(changes.edits.deleted)
        was = {t: t not in inserted if wants[t] else t in deleted for t in wants}
        changed = (*changes.inserted, *changes.deleted)
        entry = Written(self._number, at, who, wants, was, changed)
        self._written.append(entry)
        return entry

    def abort(self, name: str) -> bool:
        """Somebody aborts; whether there is anything to compensate."""
        self._aborted.add(name)
        return any(entry.who.name == name for entry in self._written)

    # Reading

    def compensation(self, names: Iterable[str]) -> Edits:
        """What makes everything be as if these, and all that have aborted, had never been."""
        compensated = frozenset(names)
        touched = {t: None for entry in self._written if entry.who.name in compensated for t in entry.wanted}
        left = {triple: self._left(triple) for triple in touched}
        return Edits(tuple(t for t, there in left.items() if there), tuple(t for t, there in left.items() if not there))

    def readers(self, name: str, commute: Commute) -> list[Who]:
        """Those that have read what somebody wrote, after it was written, and do not commute with it."""
        found: dict[Who, None] = {}
        for entry in self._written:
            if entry.who.name == name and entry.changed:
                for read in self._read:
                    if read.number > entry.number and self._depends(read.who, entry.who, read.lookups, entry.changed):
                        found[read.who] = None
        author = next((entry.who for entry in self._written if entry.who.name == name), None)
        return [who for who in found if author is not None and not commute(author, who)]

    def conflicts(self, since: int, commute: Commute) -> Iterator[tuple[str, str]]:
        """The pairs that entries from this number on have brought: the first came before the second."""
        found: dict[tuple[Who, Who], None] = {}
        for late in self._written:
            if late.number >= since:
                found.update(dict.fromkeys((who, late.who) for who in self._before_write(late)))
        for read in self._read:
            if read.number >= since:
                found.update(dict.fromkeys((who, read.who) for who in self._before_read(read)))
        for one, other in found:
            if one.group != other.group and not commute(one, other):
                yield one.group, other.group

    def blocking(self, violated: str | None, names: Iterable[str]) -> Who | None:
        """Who has to abort as well, where a triple would break the schema if only these did: the last who is concerned.

        It has written the triple, or was let do something because the triple was not there.
        """
        left_out = frozenset(names) | self._aborted
        writers = [entry for entry in self._written if entry.who.name not in left_out]
        concerned: list[Written | ReadFrom] = [
            entry for entry in writers if any(str(t) == violated for t in (*entry.changed, *entry.wanted))
        ]
        triple = next((t for e in self._written for t in (*e.changed, *e.wanted) if str(t) == violated), None)
        if triple is not None:
            concerned += [
                read
                for read in self._read
                if read.is_check
                and read.who.name not in left_out
                and any(lookup.includes(triple) for lookup in read.lookups)
            ]
        last = max(concerned or writers, key=lambda entry: entry.number, default=None)
        return None if last is None else last.who

    def forget(self, before: float, is_ended: Callable[[str], bool]) -> None:
        """Drop the oldest entries, as far as they are as old as that and their units have ended."""
        while self._written and self._written[0].at < before and is_ended(self._written[0].who.name):
            self._rebase(self._written.pop(0))
        self._read = [read for read in self._read if read.at >= before]

    # Private

    def _left(self, triple: Triple) -> bool:
        there: bool | None = None
        for entry in self._written:
            if triple in entry.wanted:
                if there is None:
                    there = entry.was[triple]
                if entry.who.name not in self._aborted:
                    there = entry.wanted[triple]
        assert there is not None, "somebody has touched it"
        return there

    def _rebase(self, dropped: Written) -> None:
        """The next one that touches a triple finds it as the dropped entry has left it."""
        for triple, wants in dropped.wanted.items():
            left = dropped.was[triple] if dropped.who.name in self._aborted else wants
            after = next((entry for entry in self._written if triple in entry.wanted), None)
            if after is not None:
                after.was[triple] = left

    def _depends(self, one: Who, other: Who, lookups: tuple[Lookup, ...], triples: tuple[Triple, ...]) -> bool:
        if one.root == other.root or one.name in self._aborted:
            return False
        return any(lookup.includes(triple) for lookup in lookups for triple in triples)

    def _before_write(self, late: Written) -> Iterator[Who]:
        for entry in self._written:
            if entry.number >= late.number:
                break
            # Two that want the same of a triple may come in any order.
            if self._meets(entry.who, late.who) and any(entry.wanted.get(t, w) != w for t, w in late.wanted.items()):
                yield entry.who
        for read in self._read:
            if read.number < late.number and self._depends(read.who, late.who, read.lookups, late.changed):
                yield read.who

    def _before_read(self, read: ReadFrom) -> Iterator[Who]:
        for entry in self._written:
            if entry.number < read.number and self._depends(entry.who, read.who, read.lookups, entry.changed):
                yield entry.who

    def _meets(self, one: Who, other: Who) -> bool:
        return one.root != other.root and one.name not in self._aborted
