"""What was written and read at one peer: who has read what somebody wrote, and which two have met.

What aborts is taken out of the journal as if it had never been: each assertion is afterwards as the last one that stays
has wanted it, or as it was before. That reverses the updates of one unit in reverse order, as the paper wants it, and
it does not matter in which order units abort.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from triplewire.federation.execution.journal.entries import ReadFrom, Who, Written
from triplewire.federation.execution.journal.indexes import ReadIndex, WriteIndex
from triplewire.rdf.terms import Triple
from triplewire.rules.changes import Changes, Edits
from triplewire.rules.graphs import Lookup

Commute = Callable[[Who, Who], bool]
_Entry = TypeVar("_Entry", Written, ReadFrom)


class Journal:
    """Entries are numbered. Those of aborted units stay, so that what was before them is not forgotten."""

    def __init__(self) -> None:
        self._number = 0
        self._written: dict[int, Written] = {}
        self._read: dict[int, ReadFrom] = {}
        self._aborted: set[str] = set()
        self._put: dict[Triple, tuple[int, bool]] = {}
        self._writes = WriteIndex()
        self._reads = ReadIndex()

    @property
    def number(self) -> int:
        """The number of the last entry."""
        return self._number

    # Writing

    def read(
        self, at: float, who: Who, lookups: Iterable[Lookup], *, is_check: bool = False, state: int | None = None
    ) -> int:
        """Something was asked, of the state right after the entry `state`, or of the last one; returns its number."""
        self._number += 1
        number = self._number
        entry = ReadFrom(number if state is None else state, at, who, tuple(lookups), is_check)
        if entry.lookups:
            self._read[number] = entry
            self._reads.add(number, entry)
        return number

    def wrote(self, at: float, who: Who, wanted: Edits, changes: Changes) -> Written:
        """Something was done."""
        self._number += 1
        wants = dict.fromkeys(wanted.deleted, False) | dict.fromkeys(wanted.inserted, True)
        inserted, deleted = frozenset(changes.edits.inserted), frozenset(changes.edits.deleted)
        was = {t: t not in inserted if wants[t] else t in deleted for t in wants}
        changed = (*changes.inserted, *changes.deleted)
        entry = Written(self._number, at, who, wants, was, changed)
        self._add(entry)
        return entry

    def adopt(self, at: float, who: Who, wanted: dict[Triple, bool]) -> None:
        """Somebody needs assertions to stay as they are now, whoever has made them so."""
        self._number += 1
        self._add(Written(self._number, at, who, wanted, dict(wanted), ()))

    def compensated(self, edits: Edits) -> None:
        """A compensation is done. It is nobody's, but somebody may ask how things are now."""
        self._number += 1
        for triples, there in ((edits.inserted, True), (edits.deleted, False)):
            self._put.update((triple, (self._number, there)) for triple in triples)

    def abort(self, name: str) -> bool:
        """Somebody aborts; whether there is anything to compensate."""
        self._aborted.add(name)
        return any(True for _ in self._writes.of(name))

    # Reading

    def compensation(self, names: Iterable[str]) -> Edits:
        """What makes everything be as if these, and all that have aborted, had never been."""
        touched = {t: None for entry in self._of(names) for t in entry.wanted}
        left = {triple: self._left(triple) for triple in touched}
        return Edits(tuple(t for t, there in left.items() if there), tuple(t for t, there in left.items() if not there))

    def is_touched_since(self, number: int, triples: Iterable[Triple]) -> bool:
        """Whether anybody has wanted one of these assertions to be there, or not to be, after an entry."""
        return any(entry.number > number for triple in triples for entry in self._writes.wanting(triple))

    def readers(self, name: str, commute: Commute) -> list[Who]:
        """Those that have read what somebody wrote, after it was written, and do not commute with it."""
        found: dict[Who, None] = {}
        author: Who | None = None
        for entry in self._writes.of(name):
            author = author or entry.who
            for read in self._asking(entry.changed):
                if read.number >= entry.number and self._counts(read.who, entry.who):
                    found[read.who] = None
        return [who for who in found if author is not None and not commute(author, who)]

    def conflicts(self, since: int, commute: Commute) -> Iterator[tuple[str, str]]:
        """The pairs that entries from this number on have brought: the first came before the second."""
        found: dict[tuple[Who, Who], None] = {}
        for late in _from(self._written, since):
            found.update(dict.fromkeys((who, late.who) for who in self._before_write(late)))
        for read in _from(self._read, since):
            found.update(dict.fromkeys(self._around_read(read)))
        for one, other in found:
            if one.group != other.group and not commute(one, other):
                yield one.group, other.group

    def blocking(self, violated: str | None, names: Iterable[str]) -> Who | None:
        """Who has to abort as well, where a triple would break the schema if only these did: the last who is concerned.

        It has written the triple, or was let do something because the triple was not there.
        """
        left_out = frozenset(names) | self._aborted
        writers = [entry for entry in self._written.values() if entry.who.name not in left_out]
        concerned: list[Written | ReadFrom] = [
            entry for entry in writers if any(str(t) == violated for t in (*entry.changed, *entry.wanted))
        ]
        triple = self._named(violated)
        if triple is not None:
            concerned += [read for read in self._asking([triple]) if read.is_check and read.who.name not in left_out]
        last = max(concerned or writers, key=lambda entry: entry.number, default=None)
        return None if last is None else last.who

    def built_on(self, who: Who, violated: str | None, names: Iterable[str]) -> dict[Triple, bool]:
        """What of a compensation somebody cannot bear, and how each has to stay; all of it, if nobody can tell."""
        edits = self.compensation(names)
        wanted = dict.fromkeys(edits.inserted, True) | dict.fromkeys(edits.deleted, False)
        stays = {triple: not there for triple, there in wanted.items() if self._is_there(triple) is not there}
        exactly = {triple: there for triple, there in stays.items() if str(triple) == violated}
        checked = {
            triple: there
            for triple, there in stays.items()
            if any(read.is_check and read.who == who for read in self._asking([triple]))
        }
        return exactly or checked or stays

    def may_forget(self, before: float, is_ended: Callable[[str], bool]) -> bool:
        """Whether there are entries to drop."""
        return self._may_drop(before, is_ended) or (bool(self._read) and next(iter(self._read.values())).at < before)

    def forget(self, before: float, is_ended: Callable[[str], bool]) -> None:
        """Drop the oldest entries, as far as they are as old as that and their units have ended."""
        while self._may_drop(before, is_ended):
            oldest = next(iter(self._written.values()))
            del self._written[oldest.number]
            self._writes.remove(oldest)
            self._rebase(oldest)
            if not any(True for _ in self._writes.of(oldest.who.name)):
                self._aborted.discard(oldest.who.name)
        while self._read and (first := next(iter(self._read.items())))[1].at < before:
            del self._read[first[0]]
            self._reads.remove(*first)

    # In a snapshot

    def __getstate__(self) -> dict[str, Any]:
        """Without the indexes, which follow from the entries."""
        return {name: value for name, value in self.__dict__.items() if name not in ("_writes", "_reads")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._writes, self._reads = WriteIndex(), ReadIndex()
        for entry in self._written.values():
            self._writes.add(entry)
        for key, read in self._read.items():
            self._reads.add(key, read)

    # Private

    def _may_drop(self, before: float, is_ended: Callable[[str], bool]) -> bool:
        oldest = next(iter(self._written.values()), None)
        return oldest is not None and oldest.at < before and is_ended(oldest.who.name)

    def _add(self, entry: Written) -> None:
        self._written[entry.number] = entry
        self._writes.add(entry)

    def _of(self, names: Iterable[str]) -> list[Written]:
        """What some have written, in the order in which they did."""
        entries = [entry for name in dict.fromkeys(names) for entry in self._writes.of(name)]
        return sorted(entries, key=lambda entry: entry.number)

    def _asking(self, triples: Iterable[Triple]) -> list[ReadFrom]:
        found = self._reads.asking(triples)
        return [found[key] for key in sorted(found)]

    def _named(self, violated: str | None) -> Triple | None:
        entries = self._written.values()
        return next((t for entry in entries for t in (*entry.changed, *entry.wanted) if str(t) == violated), None)

    def _left(self, triple: Triple) -> bool:
        there: bool | None = None
        for entry in self._writes.wanting(triple):
            if there is None:
                there = entry.was[triple]
            if entry.who.name not in self._aborted:
                there = entry.wanted[triple]
        assert there is not None, "somebody has touched it"
        return there

    def _is_there(self, triple: Triple) -> bool:
        """Whether an assertion that somebody has touched is there now."""
        *_, last = self._writes.wanting(triple)
        number, there = self._put.get(triple, (0, False))
        return there if number > last.number else last.wanted[triple]

    def _rebase(self, dropped: Written) -> None:
        """The next one that touches a triple finds it as the dropped entry has left it."""
        for triple, wants in dropped.wanted.items():
            left = dropped.was[triple] if dropped.who.name in self._aborted else wants
            after = next(iter(self._writes.wanting(triple)), None)
            if after is None:
                self._put.pop(triple, None)
            else:
                after.was[triple] = left

    def _before_write(self, late: Written) -> Iterator[Who]:
        # Two that want the same of a triple may come in any order.
        opposed = {
            entry.number: entry
            for triple, wants in late.wanted.items()
            for entry in self._writes.wanting(triple)
            if entry.number < late.number and entry.wanted[triple] != wants
        }
        for number in sorted(opposed):
            if self._counts(opposed[number].who, late.who):
                yield opposed[number].who
        for read in self._asking(late.changed):
            if read.number < late.number and self._counts(read.who, late.who):
                yield read.who

    def _around_read(self, read: ReadFrom) -> Iterator[tuple[Who, Who]]:
        """The state that was asked may be an earlier one: some writers come before it, others after it."""
        changed = {entry.number: entry for lookup in read.lookups for entry in self._writes.changing(lookup)}
        for number in sorted(changed):
            writer = changed[number].who
            if self._counts(writer, read.who) and self._counts(read.who, writer):
                yield (writer, read.who) if number <= read.number else (read.who, writer)

    def _counts(self, one: Who, other: Who) -> bool:
        """Whether the order of two matters: they are of different transactions, and the first has not aborted."""
        return one.root != other.root and one.name not in self._aborted


def _from(entries: dict[int, _Entry], since: int) -> list[_Entry]:
    """The entries from a number on."""
    found = []
    for number in reversed(entries):
        if number < since:
            break
        found.append(entries[number])
    return found[::-1]
