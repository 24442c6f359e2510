"""Merged records mean what records written at once mean, and hold every constant, text and program once."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from triplewire.algebra.subscriptions import Subscription
from triplewire.matching.segments.event_statistics import NOTHING_SEEN
from triplewire.matching.segments.merge import merged
from triplewire.matching.segments.records import SegmentDraft, SubscriptionRecords
from triplewire.matching.segments.segment import Segment, segment_of
from triplewire.testing import workloads
from triplewire.testing.strategies import canonical_events, subscriptions

SEED = 3


def segment(held: list[tuple[int, Subscription]]) -> Segment:
    draft = SegmentDraft()
    for serial, subscription in held:
        draft.add(subscription, serial)
    return segment_of(*draft.records(), SEED, NOTHING_SEEN)


def strings(records: SubscriptionRecords) -> dict[str, list[bytes]]:
    return {
        name: [getattr(records, name).string(n) for n in range(getattr(records, name).offsets.size - 1)]
        for name in ("constants", "texts", "ids", "sources", "labels")
    }


def check(held: list[tuple[int, Subscription]], cuts: list[int], gone: set[int]) -> None:
    places = sorted({0, len(held), *(cut % (len(held) + 1) for cut in cuts)})
    parts = [segment(held[low:high]) for low, high in pairwise(places)]
    for serial, subscription in held:
        for part in parts:
            number = part.number_of(subscription.id)
            if number is not None and serial in gone:
                part.removed[number] = 1
    together = segment_of(*merged(parts), SEED, NOTHING_SEEN)
    at_once = segment([entry for entry in held if entry[0] not in gone])
    mine, other = strings(together.records), strings(at_once.records)
    assert mine["ids"] == other["ids"]
    assert mine["sources"] == other["sources"]
    assert sorted(mine["texts"]) == sorted(other["texts"])
    assert set(mine["constants"]) - {TYPE} == set(other["constants"]) - {TYPE}
    assert len(set(mine["constants"])) == len(mine["constants"])
    assert together.arrays.programs.stopped.size == at_once.arrays.programs.stopped.size
    assert together.records.serials.tolist() == at_once.records.serials.tolist()
    for number in range(together.records.size):
        assert together.subscription(number) == at_once.subscription(number)
        assert together.shape_of(number) == at_once.shape_of(number)
        assert programs(together, number) == programs(at_once, number)


TYPE = b"<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"


def programs(of: Segment, number: int) -> list[set[str]]:
    """Who else shares each program of a subscription: says the same, whatever the programs' numbers."""
    return [{of.id_of(other) for other in of.served_by(program)} for program in of._programs_of(number)]


@settings(max_examples=40)
@given(st.data(), canonical_events(), st.lists(st.integers(0, 20), max_size=4), st.sets(st.integers(0, 12)))
def test_merging_is_writing_at_once(data: st.DataObject, like, cuts: list[int], gone: set[int]) -> None:
    drawn = data.draw(st.lists(subscriptions(like.triples), min_size=1, max_size=10))
    named = [
        (n, Subscription.parse(s.text, s.language, id=f"s{n}", owner=f"o{n % 2}" if n % 3 else None))
        for n, s in enumerate(drawn)
    ]
    check(named, cuts, gone)


def test_many_equal_parts() -> None:
    held = list(enumerate(workloads.zipf(300, 1, seed=1).subscriptions()))
    check(held, [70, 140, 290], set(range(0, 300, 4)))


def test_everything_removed() -> None:
    held = list(enumerate(workloads.mixed(5, 1, seed=1).subscriptions()))
    check(held, [2], set(range(5)))
