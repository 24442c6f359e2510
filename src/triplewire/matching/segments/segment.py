"""A segment: subscriptions that were compiled and indexed together, and never change; removed ones are marked.

The kernels see `arrays`; the rest says whose programs they are. A segment is shared by threads: only `removed` is ever
written, one byte at a time, and `stopped`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from msgspec import Struct

from triplewire.algebra.subscriptions import Subscription
from triplewire.matching.kernels import structures
from triplewire.matching.kernels.bytetable import ByteTable, find, table_of
from triplewire.matching.kernels.hashing import hash_term, word
from triplewire.matching.kernels.index.anchor_choice import entries_of
from triplewire.matching.kernels.index.automaton import automaton_of
from triplewire.matching.kernels.index.demand import demand_of
from triplewire.matching.kernels.index.index_build import anchored_texts, index_of
from triplewire.matching.kernels.layout import ANY
from triplewire.matching.kernels.likelihood import SeenEvents
from triplewire.matching.kernels.machine import Table
from triplewire.matching.kernels.structures import Flags, Programs, Words
from triplewire.matching.segments.records import SubscriptionRecords
from triplewire.matching.segments.shapes import GENERAL, SolutionShape

_ANY_KEY = ANY << 58


class Owners(NamedTuple):
    """Which subscriptions a program serves: `members[starts[p]:starts[p + 1]]`."""

    starts: Table
    members: Words


class Segment(Struct, frozen=True, eq=False):
    """Compiled, indexed subscriptions, by their number in the segment."""

    records: SubscriptionRecords
    shapes: list[SolutionShape]
    ids: ByteTable
    arrays: structures.SegmentArrays
    owners: Owners
    general: Flags
    removed: Flags
    seed: int
    tallies: list[Table] = []
    """`Room.seen` of every thread that searches here, whose second column counts."""

    @property
    def live(self) -> int:
        """How many subscriptions have not been removed."""
        return int(self.removed.size - np.count_nonzero(self.removed))

    @property
    def has_gaps(self) -> bool:
        """Whether some subscription has been removed."""
        return bool(self.removed.any())

    @property
    def unindexed(self) -> int:
        """How many live subscriptions are tested on every event."""
        return len(self._unindexed())

    def unindexed_by_owner(self) -> Counter[str | None]:
        """The same, for each owner."""
        return Counter(self.owner_of(number) for number in self._unindexed())

    def _unindexed(self) -> list[int]:
        index = self.arrays.anchors
        at = int(np.searchsorted(index.keys, _ANY_KEY))
        if at == index.keys.size or index.keys[at] != _ANY_KEY:
            return []
        first, last = index.group_starts[at], index.group_starts[at + 1]
        open_groups = [g for g in range(first, last) if not index.group_guards[g]]
        spans = [index.entries[index.entry_starts[g] : index.entry_starts[g + 1]] for g in open_groups]
        programs = np.unique(np.concatenate(spans)) if spans else np.zeros(0, np.int32)
        return sorted({number for program in programs.tolist() for number in self.served_by(program)})

    def served_by(self, program: int) -> list[int]:
        """The live subscriptions that a program serves."""
        members = self.owners.members[self.owners.starts[program] : self.owners.starts[program + 1]]
        live: list[int] = members[self.removed[members] == 0].tolist()
        return live

    def costs(self) -> Counter[str | None]:
        """How often programs were verified, for each owner who asked for them: once, however many equal ones it has."""
        verified = sum((seen[:, 1] for seen in self.tallies), np.zeros(self.arrays.programs.stopped.size, np.int64))
        owners = [label.partition("\t")[2] or None for label in self._labels()]
        different = list(dict.fromkeys(owners))
        owner_of_label = np.array([different.index(owner) for owner in owners], np.int64)
        programs = np.repeat(np.arange(verified.size), np.diff(self.owners.starts))
        asked = owner_of_label[self.records.label_of[self.owners.members]]
        ran = verified[programs] > 0
        pairs = np.unique(programs[ran] * len(different) + asked[ran])
        counts = np.zeros(len(different), np.int64)
        np.add.at(counts, pairs % len(different), verified[pairs // len(different)])
        return Counter({owner: count for owner, count in zip(different, counts.tolist(), strict=True) if count})

    def number_of(self, subscription_id: str) -> int | None:
        """The number of a live subscription, by its identifier."""
        number = self._entry(self.ids, subscription_id.encode())
        return None if number < 0 or self.removed[number] else number

    def number_of_constant(self, spelled: bytes) -> int | None:
        """The number of a constant, by its canonical bytes."""
        number = self._entry(self.arrays.constants, spelled)
        return None if number < 0 else number

    def _entry(self, table: ByteTable, key: bytes) -> int:
        return find(table, np.frombuffer(key, np.uint8), 0, len(key), hash_term(key, self.seed))

    def id_of(self, number: int) -> str:
        return self.records.ids.string(number).decode()

    def shape_of(self, number: int) -> SolutionShape:
        return self.shapes[int(self.records.shape_of[number])]

    def stop_for(self, numbers: Sequence[int]) -> None:
        """Run a program no more if it serves nobody but these subscriptions."""
        unwanted = self.removed.copy()
        unwanted[list(numbers)] = 1
        for program in {program for number in numbers for program in self._programs_of(number)}:
            members = self.owners.members[self.owners.starts[program] : self.owners.starts[program + 1]]
            self.arrays.programs.stopped[program] = unwanted[members].all()

    def _programs_of(self, number: int) -> list[int]:
        links: list[int] = self.records.links[
            self.records.link_starts[number] : self.records.link_starts[number + 1]
        ].tolist()
        return links

    def subscription(self, number: int) -> Subscription:
        """Read a subscription from its text again."""
        language, text = self.source_of(number)
        return Subscription.parse(text, language, id=self.id_of(number), owner=self.owner_of(number))

    def source_of(self, number: int) -> tuple[str, str]:
        """The language and text of a subscription."""
        return self._label(number)[0], self.records.sources.string(number).decode()

    def owner_of(self, number: int) -> str | None:
        return self._label(number)[1] or None

    def _labels(self) -> list[str]:
        return [self.records.labels.string(place).decode() for place in range(self.records.labels.offsets.size - 1)]

    def _label(self, number: int) -> tuple[str, str]:
        language, _, owner = self.records.labels.string(self.records.label_of[number]).decode().partition("\t")
        return language, owner


def segment_of(records: SubscriptionRecords, shapes: list[SolutionShape], seed: int, seen: SeenEvents) -> Segment:
    """Index records. `seed` is the one that events are scanned with."""
    seed = word(seed)
    constants = table_of(records.constants.arena, records.constants.offsets, seed)
    texts = table_of(records.texts.arena, records.texts.offsets, seed)
    owners = _owners(records)
    stopped = np.zeros(records.program_starts.size - 1, np.uint8)
    programs = Programs(records.code, records.program_starts, _first_only(records, shapes), stopped)
    entries = entries_of(programs, texts, demand_of(programs, constants.hashes.size), seen)
    index = index_of(entries, constants.hashes.size)
    arrays = structures.SegmentArrays(constants, texts, programs, index, automaton_of(texts, anchored_texts(index)))
    return Segment(
        records,
        shapes,
        ids=table_of(records.ids.arena, records.ids.offsets, seed),
        arrays=arrays,
        owners=owners,
        general=_general(records, shapes),
        removed=np.zeros(records.size, np.uint8),
        seed=seed,
    )


def _general(records: SubscriptionRecords, shapes: list[SolutionShape]) -> Flags:
    flags = np.array([shape.form == GENERAL for shape in shapes] or [False], np.uint8)
    return flags[records.shape_of]


def _first_only(records: SubscriptionRecords, shapes: list[SolutionShape]) -> Flags:
    """A program that nobody wants all solutions of stops at the first."""
    wants = np.array([shape.wants_all for shape in shapes] or [False])
    counts = np.diff(records.link_starts)
    by_link = np.repeat(wants[records.shape_of], counts)
    flags = np.ones(records.program_starts.size - 1, np.uint8)
    flags[records.links[by_link]] = 0
    return flags


def _owners(records: SubscriptionRecords) -> Owners:
    counts = np.diff(records.link_starts)
    members = np.repeat(np.arange(records.size, dtype=np.int32), counts)
    order = np.argsort(records.links, kind="stable")
    programs = records.program_starts.size - 1
    starts = np.zeros(programs + 1, np.int64)
    np.cumsum(np.bincount(records.links, minlength=programs), out=starts[1:])
    return Owners(starts, members[order])
