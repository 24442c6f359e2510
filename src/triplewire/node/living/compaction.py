"""Compaction of the living graph in memory, beside the changes that go on.

Oxigraph's store in memory never lets go of what was removed: it takes memory, and each lookup of a subject passes all
the values that it has had. So when much was removed beside what holds, everything that holds is read into a new store
on a thread of its own. What changes meanwhile is done there as well, and between two transactions the new store takes
the place of the old one.

    copy()         everything that holds at a position; from there on changes are recorded
    catch_up()     what was recorded so far, while the writer goes on
    swap(living)   the rest, on the writer's thread

If the living graph was made anew meanwhile, by another schema or from the disk, nothing comes of it.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING

from pyoxigraph import Store

from triplewire.errors import TriplewireError
from triplewire.node.living.changes import quads_of
from triplewire.node.living.graph import LivingGraph
from triplewire.rdf.terms import DefaultGraph, Quad
from triplewire.rules.changes import Changes

if TYPE_CHECKING:
    from triplewire.node.living.store import LivingStore

# So many removed quads are let be in any case: a lookup that passes all of them takes a millisecond.
LEAST = 20_000
# A store is new when a quarter as much was removed as holds; so making it anew costs each change about as much again.
_PART = 4
# What is copied at a time: nobody else runs for so long.
_CHUNK = 1_000
# What the writer may find left to do, and how often it is tried to leave no more.
_FEW = 100
_MOST_ROUNDS = 20
_log = logging.getLogger(__name__)


class Compactions:
    """Begins a compaction when one is due. There is one at a time."""

    def __init__(self, store: LivingStore, least: int = LEAST) -> None:
        self._store = store
        self._least = least
        self._thread: threading.Thread | None = None
        self._is_ended = False
        # How many have come to their end.
        self.done = 0

    def check(self, living: LivingGraph) -> None:
        """Begin one if it is due. Called on the writer's thread, after a commit."""
        if living.removed < max(self._least, living.size // _PART) or self._is_ended:
            return
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._run, name="living-compaction")
            self._thread.start()

    def end(self) -> None:
        """The node stops: what is under way is given up, and none begins."""
        self._is_ended = True

    def join(self) -> None:
        """Wait for the one that is under way."""
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        compaction = Compaction(self._store)
        try:
            if compaction.copy(lambda: self._is_ended) and compaction.catch_up():
                self.done += self._store.submit_alone(lambda tx, living: compaction.swap(living)).result()
        except TriplewireError as problem:
            # It changes nothing that anybody sees; the next commit tries again.
            _log.info("the living graph was not compacted: %s", problem)
        finally:
            compaction.give_up()


class Compaction:
    """One of them."""

    def __init__(self, store: LivingStore) -> None:
        self._living_store = store
        self._fresh = Store()
        self._of: LivingGraph | None = None

    def copy(self, is_ended: Callable[[], bool] = lambda: False) -> bool:
        """Copy everything that holds, and record what changes from there on. False if it was ended."""

        def begin(living: LivingGraph) -> None:
            self._of = living
            living.record()

        def read(_: int, quads: Iterator[Quad]) -> bool:
            while chunk := list(islice(quads, _CHUNK)):
                if is_ended():
                    return False
                self._fresh.extend(chunk)
            return True

        return self._living_store.snapshot(read, begin)

    def catch_up(self) -> bool:
        """Do what was recorded, until little is left. False if the living graph was made anew."""
        for _ in range(_MOST_ROUNDS):
            recorded = self._living_store.read(self._taken)
            if recorded is None:
                return False
            self._do(recorded)
            if len(recorded) <= _FEW:
                break
        return True

    def swap(self, living: LivingGraph) -> bool:
        """Do what is left, and let the new store take the place of the old one; on the writer's thread."""
        recorded = self._taken(living)
        if recorded is None:
            return False
        self._do(recorded)
        living.use_store(self._fresh)
        _log.debug("the living graph was compacted: %s quads", f"{living.size:,}")
        return True

    def give_up(self) -> None:
        """Record no longer."""
        if self._of is not None:
            self._of.stop_recording()

    def _taken(self, living: LivingGraph) -> list[Changes] | None:
        return living.take_recorded() if living is self._of else None

    def _do(self, recorded: Iterable[Changes]) -> None:
        for changes in recorded:
            added, removed = quads_of(changes)
            for quad in removed:
                self._fresh.remove(quad)
            self._fresh.extend(added)
            # A graph is there as long as it holds something.
            for name in {quad.graph_name for quad in removed if not isinstance(quad.graph_name, DefaultGraph)}:
                if next(self._fresh.quads_for_pattern(None, None, None, name), None) is None:
                    self._fresh.remove_graph(name)
