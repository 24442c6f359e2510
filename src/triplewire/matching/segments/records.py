"""Subscriptions as flat arrays, before they are indexed: what a segment is built from, merged from and saved as."""

from __future__ import annotations

from array import array
from typing import NamedTuple

import numpy as np

from triplewire.algebra.patterns import Variable
from triplewire.algebra.queries import Construct, FastQuery, Query, cores_of
from triplewire.algebra.subscriptions import Subscription
from triplewire.matching.kernels.bytetable import arena_of
from triplewire.matching.kernels.machine import Bytes, Table
from triplewire.matching.kernels.structures import Words
from triplewire.matching.segments.encoding import Encoder
from triplewire.matching.segments.shapes import SolutionShape, shape_of


class Strings(NamedTuple):
    """Byte strings laid end to end; string `i` is `arena[offsets[i]:offsets[i + 1]]`."""

    arena: Bytes
    offsets: Table

    def string(self, index: int) -> bytes:
        """One of them."""
        return self.arena[self.offsets[index] : self.offsets[index + 1]].tobytes()


class SubscriptionRecords(NamedTuple):
    """A number of subscriptions.

    Programs are runs of `code`. Subscription `s` has the programs `links[link_starts[s]:link_starts[s + 1]]`: one for
    the fast lane, one for each required core in the general lane. `labels` holds language and owner, tab-separated, and
    `shape_of` numbers what is in the segment's list of shapes.
    """

    constants: Strings
    texts: Strings
    code: Words
    program_starts: Table
    link_starts: Table
    links: Words
    ids: Strings
    sources: Strings
    labels: Strings
    label_of: Words
    shape_of: Words
    serials: Table

    @property
    def size(self) -> int:
        """How many subscriptions there are."""
        return self.label_of.size


class SegmentDraft:
    """Subscriptions that were added and are not in a segment yet."""

    def __init__(self) -> None:
        self.subscriptions: dict[str, Subscription] = {}
        self._serials: dict[str, int] = {}

    def add(self, subscription: Subscription, serial: int) -> None:
        self.subscriptions[subscription.id] = subscription
        self._serials[subscription.id] = serial

    def remove(self, subscription_id: str) -> None:
        del self.subscriptions[subscription_id]
        del self._serials[subscription_id]

    def __len__(self) -> int:
        return len(self.subscriptions)

    def records(self) -> tuple[SubscriptionRecords, list[SolutionShape]]:
        """Compile everything."""
        return _Writer().written(list(self.subscriptions.values()), list(self._serials.values()))


class _Writer:
    """Compiles subscriptions one after the other; equal programs are written once."""

    def __init__(self) -> None:
        self.encoder = Encoder()
        self.programs: dict[bytes, int] = {}
        self.shapes: dict[SolutionShape, int] = {}
        self._shape_numbers: dict[tuple[object, object], int] = {}
        self.labels: dict[bytes, int] = {}
        self.link_starts, self.links = array("q", (0,)), array("i")
        self.label_of, self.shape_of = array("i"), array("i")

    def written(
        self, subscriptions: list[Subscription], serials: list[int]
    ) -> tuple[SubscriptionRecords, list[SolutionShape]]:
        for subscription in subscriptions:
            self._write(subscription)
        code, starts = arena_of(list(self.programs))
        records = SubscriptionRecords(
            constants=Strings(*arena_of(self.encoder.constants)),
            texts=Strings(*arena_of(self.encoder.texts)),
            code=code.view(np.int32),
            program_starts=starts // 4,
            link_starts=np.array(self.link_starts, np.int64),
            links=np.array(self.links, np.int32),
            ids=Strings(*arena_of([s.id.encode() for s in subscriptions])),
            sources=Strings(*arena_of([s.text.encode() for s in subscriptions])),
            labels=Strings(*arena_of(list(self.labels))),
            label_of=np.array(self.label_of, np.int32),
            shape_of=np.array(self.shape_of, np.int32),
            serials=np.array(serials, np.int64),
        )
        return records, list(self.shapes)

    def _write(self, subscription: Subscription) -> None:
        variables: tuple[Variable, ...] = ()
        for core in cores_of(subscription.query):
            code, variables = self.encoder.encode(core)
            self.links.append(self.programs.setdefault(code, len(self.programs)))
        self.link_starts.append(len(self.links))
        self.shape_of.append(self._shape_number(subscription.query, variables))
        label = f"{subscription.language}\t{subscription.owner or ''}".encode()
        self.label_of.append(self.labels.setdefault(label, len(self.labels)))

    def _shape_number(self, query: Query, variables: tuple[Variable, ...]) -> int:
        # The template of a CONSTRUCT has constants, and all general queries have one shape: neither is worth a memory.
        if not isinstance(query, FastQuery) or isinstance(query.form, Construct):
            return self._number_of(shape_of(query, variables))
        key = query.form, variables
        number = self._shape_numbers.get(key)
        if number is None:
            number = self._shape_numbers[key] = self._number_of(shape_of(query, variables))
        return number

    def _number_of(self, shape: SolutionShape) -> int:
        return self.shapes.setdefault(shape, len(self.shapes))
