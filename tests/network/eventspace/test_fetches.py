"""Quadruples in boxes, read from all their owners: each once, and all of them, whatever moves meanwhile."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.network.can.shapes import BOUNDS
from tests.network.eventspace.members import MemberWorld
from tests.network.eventspace.test_members import drawn_event

from triplewire.network.can.geometry.space import SPACE, Bounds, Point, bounds_of, exactly
from triplewire.network.eventspace.fetches import Fetched, Fetches, QuadsRead
from triplewire.network.eventspace.quads import points_of, rows_of


def stored(world: MemberWorld, events: int) -> set[Point]:
    """Publish some events and wait for them."""
    found: set[Point] = set()
    for number in range(events):
        event = drawn_event(world.rng, number + 1)
        found.update(points_of(event.graph.value, rows_of(event)))
        _, effects = world.publish(0, number, event)
        world.carry_out(0, effects)
    world.run_until_quiet()
    return found


def fetch(world: MemberWorld, at: int, boxes: list[Bounds], ticket: int = 1, limit: int = 7) -> None:
    world.carry_out(at, world.hosts[f"n{at}"].member.fetch(world.now, ticket, boxes, limit=limit))


def read_in(pages: list[Fetched]) -> set[Point]:
    """All quadruples of a fetch that has ended, each of them once."""
    assert [page.is_last for page in pages] == [False] * (len(pages) - 1) + [True]
    quads = [point for page in pages for point in page.quads]
    assert len(set(quads)) == len(quads)
    return set(quads)


@pytest.mark.parametrize("at", range(4))
def test_all_quadruples_are_read_from_everywhere_in_pages(at: int) -> None:
    world = MemberWorld(at)
    world.grow(4)
    points = stored(world, 12)
    fetch(world, at, [SPACE])
    world.run(3)
    pages = world.fetched(1)
    assert read_in(pages) == points
    assert max(len(page.quads) for page in pages) <= 7


def test_only_what_lies_in_the_boxes_is_read_and_no_zone_beside_them_is_asked() -> None:
    world = MemberWorld(1)
    world.grow(6)
    points = stored(world, 12)
    graphs = sorted({point[0] for point in points})[:3]
    boxes = [bounds_of(graph=exactly(graph)) for graph in graphs]
    fetch(world, 2, boxes)
    world.run(3)
    pages = world.fetched(1)
    assert read_in(pages) == {point for point in points if point[0] in graphs}
    assert all(any(box.encloses(part) for box in boxes) for page in pages for part in page.boxes)


def test_boxes_without_points_have_been_read_at_once() -> None:
    world = MemberWorld(1)
    world.add("n0")
    assert world.hosts["n0"].member.fetch(0, 5, []) == [Fetched(5, (), True, ())]


@pytest.mark.parametrize("size", [4, 8, 12])
def test_many_boxes_are_read_at_once_also_where_few_owners_are_known(size: int) -> None:
    """Values carried along make hundreds of boxes. They do not wait for each other's repeats."""
    world = MemberWorld(3)
    world.grow(size)
    points = stored(world, 60)
    subjects = sorted({point[1] for point in points}) + [b"<urn:nothing/%d>" % number for number in range(250)]
    boxes = [bounds_of(subject=exactly(subject)) for subject in subjects[:250]]
    fetch(world, size - 1, boxes, limit=1_000)
    world.run(2)
    assert read_in(world.fetched(1)) == {point for point in points if any(point in box for box in boxes)}


@pytest.mark.parametrize("seed", range(8))
def test_f9_nothing_is_missed_while_zones_move_and_messages_get_lost(seed: int) -> None:
    world = MemberWorld(seed, loss=0.2, doubling=0.3, delay=0.6)
    world.grow(3)
    points = stored(world, 12)
    fetch(world, 1, [SPACE], limit=3)
    for number in range(3, 6):
        world.add(f"n{number}", "n0")
        world.run(1)
    world.run_until_quiet()
    assert read_in(world.fetched(1)) == points


def test_a_fetch_that_is_cancelled_is_not_told_of_again() -> None:
    world = MemberWorld(2)
    world.grow(4)
    stored(world, 12)
    fetch(world, 1, [SPACE])
    world.hosts["n1"].member.cancel_fetch(1)
    world.run_until_quiet()
    assert not any(page.is_last for page in world.fetched(1))


@settings(max_examples=50)
@given(st.lists(BOUNDS, min_size=1, max_size=5))
def test_of_answers_that_overlap_each_part_counts_once(boxes: list[Bounds]) -> None:
    fetches = Fetches()
    name = fetches.ask(1, [SPACE], 10)
    covered: list[Bounds] = []
    for box in [*boxes, *boxes, SPACE]:
        answer = fetches.answered(QuadsRead(name, (box,), (), is_all=True))
        assert answer is not None
        assert not any(part.touches(other) for part in answer.boxes for other in covered)
        covered += answer.boxes
    assert not answer.question.missing
    fetches.end(name)
    assert fetches.is_complete(1)
    assert fetches.answered(QuadsRead(name, (SPACE,), (), is_all=True)) is None
