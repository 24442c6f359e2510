"""The index as it lives: segments, a draft of what was just added, and merging behind the readers' backs.

Writers take a lock; readers take none. What readers see is one immutable `IndexState`, replaced as a whole. A draft
becomes a segment when the next batch is searched, so an addition takes effect for the next event. Segments are merged
when they are of like size, small ones at once and large ones on a thread of their own.

Error handling: if merging fails, the segments stay as they are and the error is raised by the next call that changes
the index, or by `settle`.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from msgspec import Struct

from triplewire.algebra.subscriptions import Subscription
from triplewire.algebra.taxonomy import EMPTY, Taxonomy
from triplewire.errors import DuplicateSubscription
from triplewire.matching.kernels.bytetable import table_of
from triplewire.matching.kernels.structures import EventBatch, Lineage
from triplewire.matching.scanning.scanner import ScanResult
from triplewire.matching.segments.event_statistics import NOTHING_SEEN, EventStatistics
from triplewire.matching.segments.lineages import TaxonomyArrays, lineage_of, taxonomy_arrays
from triplewire.matching.segments.merge import joined, merged
from triplewire.matching.segments.parts import CompiledPart
from triplewire.matching.segments.records import SegmentDraft, SubscriptionRecords
from triplewire.matching.segments.search import SegmentMatches, Workspaces, batch_of, search_segment
from triplewire.matching.segments.segment import Segment, segment_of
from triplewire.matching.segments.shapes import SolutionShape

_WORTH_STATISTICS = 1_000


class Thresholds(Struct, frozen=True):
    """How many subscriptions a draft may hold before it becomes a segment, and how many are merged without a thread."""

    draft: int = 50_000
    at_once: int = 20_000


DEFAULT_THRESHOLDS = Thresholds()


class IndexState(Struct, frozen=True, eq=False):
    """What readers see. `lineages[i]` is the taxonomy as segment `i` sees it."""

    segments: tuple[Segment, ...] = ()
    lineages: tuple[Lineage, ...] = ()


class LiveIndex:
    """Subscriptions by identifier, and the search for those that events may satisfy."""

    def __init__(
        self, seed: int, taxonomy: Taxonomy | None = None, thresholds: Thresholds = DEFAULT_THRESHOLDS
    ) -> None:
        self.seed = seed
        self.statistics = EventStatistics()
        self._thresholds = thresholds
        self._arrays: tuple[Taxonomy, TaxonomyArrays] | None = None
        self._taxonomy = taxonomy or EMPTY
        self.lock = threading.RLock()  # held while the index is changed
        self._former_costs: Counter[str | None] = Counter()
        self._state = IndexState()
        self._draft = SegmentDraft()
        self._serial = 0
        self._workspaces = Workspaces()
        self._merger: threading.Thread | None = None
        self._failure: BaseException | None = None

    def __len__(self) -> int:
        return len(self._draft) + sum(segment.live for segment in self._state.segments)

    @property
    def segments(self) -> tuple[Segment, ...]:
        """The segments, after what was added has become one of them."""
        self.flush()
        return self._state.segments

    @property
    def drafted(self) -> tuple[Subscription, ...] | None:
        """All subscriptions, in the order of adding, as long as none of them is in a segment."""
        with self.lock:
            return None if self._state.segments else tuple(self._draft.subscriptions.values())

    def get(self, subscription_id: str) -> Subscription | None:
        """A subscription by its identifier."""
        drafted = self._draft.subscriptions.get(subscription_id)
        if drafted is not None:
            return drafted
        place = self._place(subscription_id)
        return None if place is None else place[0].subscription(place[1])

    def __contains__(self, subscription_id: object) -> bool:
        if not isinstance(subscription_id, str):
            return False
        return subscription_id in self._draft.subscriptions or self._place(subscription_id) is not None

    def __iter__(self) -> Iterator[Subscription]:
        """All subscriptions, in the order of adding."""
        with self.lock:
            segments, drafted = self._state.segments, tuple(self._draft.subscriptions.values())
        found = [
            (segment.records.serials[number], segment, number)
            for segment in segments
            for number in np.flatnonzero(segment.removed == 0).tolist()
        ]
        for _, segment, number in sorted(found, key=lambda entry: entry[0]):
            yield segment.subscription(number)
        yield from drafted

    def add(self, subscription: Subscription) -> None:
        """Add a subscription whose identifier is not taken."""
        with self.lock:
            self._raise_failure()
            self._draft.add(subscription, self._serial)
            self._serial += 1
            if len(self._draft) >= self._thresholds.draft:
                self.flush()

    def add_parts(self, parts: Sequence[CompiledPart]) -> None:
        """Add what was compiled elsewhere, as one segment. Changes nothing if an identifier is taken."""
        if not parts:
            return
        with self.lock:
            self._raise_failure()
            self.flush()
            records, shapes = joined(parts)
            self._require_free(records)
            serials = np.arange(self._serial, self._serial + records.size)
            self._replace((*self._state.segments, self._indexed(records._replace(serials=serials), shapes)))
            self._serial += records.size
            self._merge_due()

    def _require_free(self, records: SubscriptionRecords) -> None:
        seen: set[str] = set()
        for number in range(records.size):
            name = records.ids.string(number).decode()
            if name in seen or self._place(name) is not None:
                raise DuplicateSubscription(
                    f"the subscription {name!r} is taken", wanted="each identifier once", found="it again"
                )
            seen.add(name)

    def remove(self, subscription_id: str) -> bool:
        """Remove a subscription; says whether there was one."""
        with self.lock:
            self._raise_failure()
            if subscription_id in self._draft.subscriptions:
                self._draft.remove(subscription_id)
                return True
            place = self._place(subscription_id)
            if place is None:
                return False
            place[0].removed[place[1]] = 1
            return True

    def set_taxonomy(self, taxonomy: Taxonomy | None) -> None:
        """Read events by another taxonomy. No segment is built anew: only what translates between the two."""
        with self.lock:
            self._taxonomy = taxonomy or EMPTY
            self._put(self._state.segments, {})

    def search(self, scanned: ScanResult, budget: int) -> list[SegmentMatches]:
        """What every segment has to say about scanned events."""
        self.flush()
        self.statistics.sample(scanned)
        state = self._state
        self._workspaces.forget_all_but(state.segments)
        batch = batch_of(scanned)
        return [self._search(state, index, batch, budget) for index in range(len(state.segments))]

    def _search(self, state: IndexState, index: int, batch: EventBatch, budget: int) -> SegmentMatches:
        return search_segment(state.segments[index], state.lineages[index], batch, self._workspaces, budget)

    def flush(self) -> None:
        """Make the draft a segment, and merge what is due."""
        if not len(self._draft):
            return
        with self.lock:
            if not len(self._draft):
                return
            records, shapes = self._draft.records()
            self._replace((*self._state.segments, self._indexed(records, shapes)))
            # Only now: a reader that finds the draft empty must find the segment.
            self._draft = SegmentDraft()
            self._merge_due()

    def settle(self) -> None:
        """Wait until no merge is under way, and raise what one failed with."""
        self.flush()
        while (merger := self._started_merger()) is not None:
            merger.join()
        self._raise_failure()

    def _started_merger(self) -> threading.Thread | None:
        with self.lock:
            return self._merger

    def costs(self) -> Counter[str | None]:
        """How many candidates were verified for each owner so far."""
        with self.lock:
            return sum((segment.costs() for segment in self._state.segments), self._former_costs)

    @property
    def serial(self) -> int:
        """The number that the next subscription gets."""
        return self._serial

    def adopt(self, segments: Sequence[Segment], serial: int) -> None:
        """Take over segments that were read from a snapshot."""
        with self.lock:
            self._serial = serial
            self._replace(tuple(segments))

    def compact(self) -> Segment:
        """Everything in one segment, indexed by the statistics of now."""
        self.settle()
        with self.lock:
            if len(self._state.segments) == 1 and not self.statistics.events and not self._state.segments[0].has_gaps:
                return self._state.segments[0]
            segments = self._state.segments or (self._indexed(*SegmentDraft().records()),)
            segment = self._indexed(*merged(segments))
            self._replace((segment,))
            return segment

    def _place(self, subscription_id: str) -> tuple[Segment, int] | None:
        for segment in self._state.segments:
            number = segment.number_of(subscription_id)
            if number is not None:
                return segment, number
        return None

    def _indexed(self, records: SubscriptionRecords, shapes: list[SolutionShape]) -> Segment:
        if records.size < _WORTH_STATISTICS:
            return segment_of(records, shapes, self.seed, NOTHING_SEEN)
        constants = table_of(records.constants.arena, records.constants.offsets, self.seed)
        return segment_of(records, shapes, self.seed, self.statistics.seen_by(constants, self.seed))

    def _replace(self, segments: tuple[Segment, ...]) -> None:
        """Let readers see other segments; those that stay keep their view of the taxonomy."""
        self._put(segments, dict(zip(map(id, self._state.segments), self._state.lineages, strict=True)))

    def _put(self, segments: tuple[Segment, ...], known: Mapping[int, Lineage]) -> None:
        kept = tuple(segment for segment in segments if segment.live)
        lineages = tuple(known.get(id(s)) or self._lineage(s) for s in kept)
        gone = [segment for segment in self._state.segments if segment not in kept]
        self._state = IndexState(kept, lineages)
        self._former_costs += sum((segment.costs() for segment in gone), Counter())

    def _lineage(self, segment: Segment) -> Lineage:
        if self._arrays is None or self._arrays[0] is not self._taxonomy:
            self._arrays = self._taxonomy, taxonomy_arrays(self._taxonomy, self.seed)
        return lineage_of(self._arrays[1], segment.arrays.constants)

    def _merge_due(self) -> None:
        """Merge the newest segments until each is more than twice the size of the next."""
        while (due := _due(self._state.segments)) > 1:
            chosen = self._state.segments[-due:]
            if sum(segment.live for segment in chosen) > self._thresholds.at_once:
                self._merge_behind(chosen)
                return
            self._replace((*self._state.segments[:-due], self._indexed(*merged(chosen))))

    def _merge_behind(self, chosen: tuple[Segment, ...]) -> None:
        if self._merger is None:
            self._merger = threading.Thread(target=self._merge, args=(chosen,), name="triplewire-merge", daemon=True)
            self._merger.start()

    def _merge(self, chosen: tuple[Segment, ...]) -> None:
        try:
            before = [segment.removed.copy() for segment in chosen]
            result = self._indexed(*merged(chosen))
            with self.lock:
                for segment, removed in zip(chosen, before, strict=True):
                    _remove_again(result, segment, np.flatnonzero(segment.removed != removed))
                self._put_in_place_of(chosen, result)
        except BaseException as error:  # noqa: BLE001  raised by the next caller, see the module's docstring
            self._failure = error
        finally:
            self._merger = None

    def _put_in_place_of(self, chosen: tuple[Segment, ...], result: Segment) -> None:
        """Segments go when they are empty; if one went for another reason, others have merged it, and that holds."""
        present = self._state.segments
        if any(segment.live and segment not in present for segment in chosen):
            return
        first = min((place for place, segment in enumerate(present) if segment in chosen), default=0)
        rest = tuple(segment for segment in present[first:] if segment not in chosen)
        self._replace((*present[:first], result, *rest))

    def _raise_failure(self) -> None:
        failure, self._failure = self._failure, None
        if failure is not None:
            raise failure


def _due(segments: tuple[Segment, ...]) -> int:
    """How many of the newest segments are due for merging: while one is at most twice what is newer than it."""
    newest, due = 0, 0
    for segment in reversed(segments):
        if due and segment.live > 2 * newest:
            break
        newest += segment.live
        due += 1
    return due


def _remove_again(merged_segment: Segment, old: Segment, numbers: np.ndarray) -> None:
    """Repeat the removals that came while the merge was under way."""
    for number in numbers.tolist():
        found = merged_segment.number_of(old.id_of(number))
        if found is not None:
            merged_segment.removed[found] = 1
