"""What a task opens of an index that is larger than its memory: its own part, and nothing of the others."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pytest

from triplewire.algebra.subscriptions import Subscription
from triplewire.pipeline import placement
from triplewire.pipeline.strategies import csma, osma
from triplewire.pipeline.strategies.capacity import fits, index_bytes, memory_here, parts_for
from triplewire.pipeline.strategies.csma import prepare_chains
from triplewire.pipeline.strategies.osma import prepare_parts

PARTS, SUBSCRIPTIONS = 10, 300


@pytest.fixture
def subscriptions() -> list[Subscription]:
    return [Subscription.parse(f"ASK {{ ?x <urn:p> <urn:{n}> }}", id=str(n)) for n in range(SUBSCRIPTIONS)]


@pytest.fixture(autouse=True)
def a_new_worker() -> None:
    placement._opened.clear()
    csma._verifier.cache_clear()


def batch_of(number: int, **columns: object) -> pa.RecordBatch:
    payload = f"<urn:s> <urn:p> <urn:{number}> <urn:e{number}> .\n".encode()
    row = {"event": f"urn:e{number}", "time": datetime(2024, 1, 1, tzinfo=UTC), "payload": payload, **columns}
    return pa.RecordBatch.from_pylist([row])


def test_an_osma_task_opens_its_part_and_closes_the_one_before(subscriptions, tmp_path: Path) -> None:
    prepared = prepare_parts(subscriptions, None, tmp_path, PARTS)
    match = osma._matching(prepared.part_indexes, None)
    for part, index in enumerate(prepared.part_indexes):
        list(match(iter([batch_of(part, part=part)])))
        assert [version for version, _ in placement._opened] == [index.version]
        [matcher] = placement._opened.values()
        assert len(matcher) == SUBSCRIPTIONS // PARTS


def test_routing_opens_no_index_at_all(subscriptions, tmp_path: Path) -> None:
    prepared = prepare_parts(subscriptions, None, tmp_path, PARTS)
    [routed] = osma._routing(prepared, None)(iter([batch_of(42)]))
    assert len(routed) == 1
    assert not placement._opened


def test_a_csma_task_holds_the_subscriptions_whose_chains_came_through(subscriptions, tmp_path: Path) -> None:
    prepared = prepare_chains(subscriptions, None, tmp_path)
    assert prepared.open_index.subscriptions == 0
    asked = [{"subscription": "7", "language": "sparql", "text": subscriptions[7].text, "owner": ""}]
    [found] = csma._verifying(prepared.open_index, None)(iter([batch_of(7, asked=asked)]))
    assert found.column("subscription").to_pylist() == ["7"]
    assert len(csma._verifier(prepared.open_index)._matcher) == 1
    assert not placement._opened


def test_auto_replicates_what_has_room_and_else_makes_so_many_parts_that_all_cores_have_room(subscriptions) -> None:
    size = index_bytes(subscriptions)
    assert fits(size, memory=10 * size)
    assert not fits(size, memory=2 * size)
    for memory in (size // 10, size, 2 * size):
        parts = parts_for(size, memory, cores=4)
        assert 4 * size / parts <= 0.4 * memory


@pytest.mark.parametrize(
    ("file", "limit", "counts"),
    [
        ("memory.max", "1048576\n", True),
        ("memory.max", "max\n", False),
        ("memory/memory.limit_in_bytes", "1048576", True),
    ],
)
def test_a_container_has_what_it_is_allowed(tmp_path: Path, file: str, limit: str, counts: bool) -> None:
    (tmp_path / file).parent.mkdir(exist_ok=True)
    (tmp_path / file).write_text(limit)
    machine = memory_here(tmp_path / "none")
    assert memory_here(tmp_path) == (1 << 20 if counts else machine)
    assert machine > 1 << 20
