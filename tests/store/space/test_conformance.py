"""Every storage of the event space does the same: histories of changes, questions, commits and crashes, by a model."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping, Sequence
from copy import deepcopy
from pathlib import Path
from types import ModuleType
from unittest.mock import patch

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule

from triplewire.errors import DiskFull
from triplewire.network.can.geometry.space import ANY, Box, Interval, Point, exactly, starting_with
from triplewire.network.eventspace.storage import SpaceStorage
from triplewire.store.space import SpaceDatabase, index_updates, quads
from triplewire.testing import FaultyDisk
from triplewire.testing.memory_storage import MemoryStorage

TERMS = st.sampled_from([b"", b"a", b"a\0", b"ab", b"b", b"b\xff", b"\xff", b"\xff\xff"])
POINTS = st.tuples(TERMS, TERMS, TERMS, TERMS)
SIDES = st.one_of(
    st.just(ANY),
    TERMS.map(exactly),
    TERMS.map(starting_with),
    st.builds(Interval, TERMS, st.none() | TERMS),
)
BOXES = st.builds(Box, SIDES, SIDES, SIDES, SIDES)
TABLES = st.sampled_from(["outbox", "claims"])
KEYS = st.sampled_from([b"", b"k", b"k\0", b"kk", b"\xff", b"\xff\xff", b"\xffk"])
EVENTS = st.sampled_from(["urn:1", "urn:2", "urn:é", "urn:\U0001f600"])
LOGS = st.sampled_from(["here", "there"])
POSITIONS = st.integers(0, 3) | st.just(2**62)


class Model:
    """The plain way: everything in dictionaries and a set."""

    def __init__(self) -> None:
        self.records: dict[tuple[str, bytes], bytes] = {}
        self.events: dict[str, tuple[bytes, Mapping[str, int]]] = {}
        self.quads: set[Point] = set()

    def within(self, boxes: Sequence[Box], after: Point | None, limit: int | None) -> list[Point]:
        inside = sorted(point for point in self.quads if any(point in box for box in boxes))
        return [point for point in inside if after is None or point > after][:limit]

    def following(self, log: str, position: int) -> list[bytes]:
        entries = [(each[log], event) for event, (_, each) in self.events.items() if log in each]
        return [self.events[event][0] for at, event in sorted(entries) if at >= position]


class Histories(RuleBasedStateMachine):
    """What may happen to a storage. What a crash leaves is what was committed."""

    storage: SpaceStorage

    def __init__(self) -> None:
        super().__init__()
        self.model = Model()
        self.committed = Model()

    def crash_storage(self) -> None:
        raise NotImplementedError

    def set_full(self, is_full: bool) -> None:
        raise NotImplementedError

    @rule(table=TABLES, key=KEYS, value=st.binary(max_size=3))
    def put(self, table: str, key: bytes, value: bytes) -> None:
        self.storage.put(table, key, value)
        self.model.records[table, key] = value

    @rule(table=TABLES, key=KEYS)
    def delete(self, table: str, key: bytes) -> None:
        self.storage.delete(table, key)
        self.model.records.pop((table, key), None)

    @rule(event=EVENTS, header=st.binary(max_size=3), horizon=st.dictionaries(LOGS, POSITIONS))
    def add_event(self, event: str, header: bytes, horizon: dict[str, int]) -> None:
        assert self.storage.add_event(event, header, horizon) == (event not in self.model.events)
        self.model.events.setdefault(event, (header, horizon))

    @rule(event=EVENTS)
    def remove_event(self, event: str) -> None:
        self.storage.remove_event(event)
        self.model.events.pop(event, None)

    @rule(points=st.lists(POINTS, max_size=12))
    def add_quads(self, points: list[Point]) -> None:
        fresh = [point for point in dict.fromkeys(points) if point not in self.model.quads]
        assert self.storage.add_quads(points) == fresh
        self.model.quads.update(points)

    @rule(box=BOXES)
    def remove_quads(self, box: Box) -> None:
        gone = self.model.within([box], None, None)
        assert self.storage.remove_quads(box) == len(gone)
        self.model.quads.difference_update(gone)

    @rule(box=BOXES, after=st.none() | POINTS, limit=st.none() | st.integers(0, 5))
    def read_a_box(self, box: Box, after: Point | None, limit: int | None) -> None:
        assert self.storage.quads(box, after, limit) == self.model.within([box], after, limit)

    @rule(boxes=st.lists(BOXES, max_size=6), after=st.none() | POINTS, limit=st.none() | st.integers(0, 5))
    def read_boxes(self, boxes: list[Box], after: Point | None, limit: int | None) -> None:
        assert self.storage.quads_in(boxes, after, limit) == self.model.within(boxes, after, limit)

    @rule(pattern=BOXES, at=st.integers(0, 3), terms=st.lists(TERMS), after=st.none() | POINTS)
    def read_bound_values(self, pattern: Box, at: int, terms: list[bytes], after: Point | None) -> None:
        boxes = [pattern.with_side(at, exactly(term)) for term in terms]
        assert self.storage.quads_in(boxes, after) == self.model.within(boxes, after, None)

    @rule(boxes=st.lists(BOXES, max_size=3))
    def count(self, boxes: list[Box]) -> None:
        for box in boxes:
            assert self.storage.count(box) == len(self.model.within([box], None, None))

    @rule(table=TABLES, prefix=KEYS)
    def read_records(self, table: str, prefix: bytes) -> None:
        found = {key: value for (kind, key), value in self.model.records.items() if kind == table}
        expected = [(key, found[key]) for key in sorted(found) if key.startswith(prefix)]
        assert list(self.storage.items(table, prefix)) == expected
        assert self.storage.get(table, prefix) == found.get(prefix)

    @rule(event=EVENTS, log=LOGS, position=POSITIONS)
    def read_events(self, event: str, log: str, position: int) -> None:
        assert self.storage.event(event) == self.model.events.get(event, (None,))[0]
        assert list(self.storage.events_following(log, position)) == self.model.following(log, position)

    @rule()
    def commit(self) -> None:
        self.storage.commit()
        self.committed = deepcopy(self.model)

    @precondition(lambda self: self.model.__dict__ != self.committed.__dict__)
    @rule()
    def commit_on_a_full_disk(self) -> None:
        """F3: nothing is committed, and everything is still there to be read and to be committed later."""
        self.set_full(True)
        with pytest.raises(DiskFull):
            self.storage.commit()
        self.set_full(False)

    @rule()
    def crash(self) -> None:
        """F1."""
        self.crash_storage()
        self.model = deepcopy(self.committed)


class InMemory(Histories):
    def __init__(self) -> None:
        super().__init__()
        self.storage = self.memory = MemoryStorage()

    def crash_storage(self) -> None:
        self.memory.crash()

    def set_full(self, is_full: bool) -> None:
        self.memory.fail_with = DiskFull() if is_full else None


class OnDisk(Histories):
    """A crash leaves the files as they are: a copy of them is opened."""

    constants: Mapping[ModuleType, Mapping[str, int]] = {}

    def __init__(self) -> None:
        super().__init__()
        self.patched = [patch.multiple(module, **values) for module, values in self.constants.items()]
        for patched in self.patched:
            patched.start()
        self.disk = FaultyDisk()
        self.parent = Path(tempfile.mkdtemp())
        self.crashes = 0
        self.open(self.parent / "0")

    def open(self, folder: Path) -> None:
        self.folder = folder
        self.storage = self.database = SpaceDatabase(folder, self.disk)

    def crash_storage(self) -> None:
        self.crashes += 1
        folder = self.parent / str(self.crashes)
        shutil.copytree(self.folder, folder)
        self.database.close()
        self.open(folder)

    def set_full(self, is_full: bool) -> None:
        if is_full:
            self.disk.fill_log()
        else:
            self.disk.free()

    def teardown(self) -> None:
        self.database.close()
        shutil.rmtree(self.parent)
        for patched in self.patched:
            patched.stop()


class OnDiskInSmallPieces(OnDisk):
    """What many quadruples would do, with few: statements of few rows, indices brought up to date soon."""

    constants = {  # noqa: RUF012
        quads: {"_REGIONS": 2, "_MANY": 2},
        index_updates: {"_ROWS": 3, "_LOT": 5, "_STEP": 2, "_STEP_SHARE": 1},
    }


TestInMemory = InMemory.TestCase
TestOnDisk = OnDisk.TestCase
TestOnDiskInSmallPieces = OnDiskInSmallPieces.TestCase
TestInMemory.settings = TestOnDisk.settings = TestOnDiskInSmallPieces.settings = settings(
    deadline=None, max_examples=40, stateful_step_count=30
)
