"""Quadruples: storing them, and reading those in a box.

Which way to read: one graph is read from the table. One subject, object or predicate is read by its index, the first
in which it is rare. A range is read by its index only if that has few entries, since they have to be sorted: with
a limit, the table in its order would come to as many quadruples sooner.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from heapq import merge
from itertools import chain, groupby, islice
from math import isqrt

from triplewire.store.space.counts import Counts
from triplewire.store.space.index_updates import IndexUpdates, flat, parts, values
from triplewire.store.space.queries import COLUMNS, Query, probe, query, query_any, shape
from triplewire.store.space.regions import EVERYTHING, Point, Region, Side, is_empty, is_exact
from triplewire.store.space.transaction import Transaction

_REGIONS = 512
# Columns in the order in which their terms tend to be rare.
_BY_WORTH = "sop"
# A term with fewer entries than that is rare enough: no other index is looked at.
_MANY = 256
# How many quadruples are read from the table, one after the other, while one index entry is followed.
_LOOK_UP = 8
_MOST_ROUTES = 64


class Quads:
    """The quadruples of one storage."""

    def __init__(self, transaction: Transaction) -> None:
        self._transaction = transaction
        self._indices = IndexUpdates(transaction)
        self._counts = Counts(self._counted)
        self._routes: dict[Region, str | None] = {}

    def add(self, points: Sequence[Point]) -> list[Point]:
        """Store quadruples; returns those that were not there."""
        wanted = dict.fromkeys(points)
        with self._transaction.change():
            fresh = [point for part in parts(sorted(wanted)) for point in self._insert(part)]
        self._indices.added([point[0] for point in fresh])
        self._counts.added(fresh)
        if len(fresh) == len(wanted):
            return list(wanted)
        there = set(fresh)
        return [point for point in wanted if point in there]

    def read(self, region: Region, after: Point | None, limit: int | None) -> list[Point]:
        """Those in a region, in the order of points, behind `after`."""
        found = self._query(region, after, limit)
        return [] if found is None else self._transaction.read(*found.points(limit))

    def read_all(self, regions: Iterable[Region], after: Point | None, limit: int | None) -> list[Point]:
        """Those in any of several regions, each once, in the order of points."""
        alike: defaultdict[tuple[Side | None, ...], list[Region]] = defaultdict(list)
        for region in dict.fromkeys(regions):
            alike[shape(region)].append(region)
        found = merge(*chain.from_iterable(self._read_alike(each, after, limit) for each in alike.values()))
        return list(islice((point for point, _ in groupby(found)), limit))

    def count(self, region: Region) -> int:
        return 0 if is_empty(region) else self._counts.of(region)

    def remove(self, region: Region) -> int:
        """Remove those in a region; returns how many there were."""
        # From the table, not by an index: its entries go before the quadruples do.
        found = None if is_empty(region) else query(region)
        if found is None:
            return 0
        with self._transaction.change():
            # What is left of their graphs is indexed anew: its entries may be those of what goes.
            self._transaction.write(f"INSERT INTO unindexed (g) SELECT DISTINCT q.g {found.source}", found.parameters)
            for x in COLUMNS[1:]:
                entries = f"SELECT q.{x}, q.g {found.source}"
                self._transaction.write(f"DELETE FROM by_{x} WHERE ({x}, g) IN ({entries})", found.parameters)
            gone = f"SELECT q.g, q.s, q.p, q.o {found.source}"
            self._transaction.write(f"DELETE FROM quads WHERE (g, s, p, o) IN ({gone})", found.parameters)
            count: int = self._transaction.read("SELECT changes()")[0][0]
        self._indices.removed(count)
        self._counts.removed(region, count)
        return count

    def before_commit(self) -> None:
        """Let the indices follow."""
        self._indices.before_commit()

    # Private

    def _read_alike(self, regions: list[Region], after: Point | None, limit: int | None) -> Iterator[list[Point]]:
        """Those in each of several regions of one shape, many regions to a statement."""
        if len(regions) == 1 or is_empty(regions[0]):
            yield self.read(regions[0], after, limit)
            return
        index = self._route(regions[0], limit)
        for start in range(0, len(regions), _REGIONS):
            found = query_any(regions[start : start + _REGIONS], index, after)
            yield self._transaction.read(*found.points(limit))

    def _insert(self, points: Sequence[Point]) -> Sequence[Point]:
        # Nearly always all are new, and that is the cheaper statement.
        if self._transaction.write_if_new(f"INSERT INTO quads {values(points)}", flat(points)):
            return points
        sql = f"INSERT OR IGNORE INTO quads {values(points)} RETURNING g, s, p, o"
        return self._transaction.write(sql, flat(points))

    def _counted(self, region: Region) -> int:
        found = self._query(region, None, None)
        return 0 if found is None else self._transaction.read(f"SELECT count(*) {found.source}", found.parameters)[0][0]

    def _query(self, region: Region, after: Point | None, limit: int | None) -> Query | None:
        if is_empty(region):
            return None
        if after is None or region not in self._routes:
            # Later pages go the way of the first: to find the way costs as much as a page.
            if len(self._routes) == _MOST_ROUTES:
                self._routes.clear()
            self._routes[region] = self._route(region, limit)
        elif self._routes[region] is not None:
            self._indices.finish()
        return query(region, self._routes[region], after)

    def _route(self, region: Region, limit: int | None) -> str | None:
        """The column whose index is the best way to a region; None if the table is."""
        sides = dict(zip(COLUMNS, region, strict=True))
        graph = sides.pop("g")
        bounded = [x for x in _BY_WORTH if sides[x] != (b"", None)]
        if is_exact(graph) or not bounded:
            return None
        self._indices.finish()
        exact = [x for x in bounded if is_exact(sides[x])]
        if not exact:
            return self._route_by_range(bounded, region, limit)
        few = (x for x in exact if len(exact) == 1 or self._entries(x, region, _MANY) < _MANY)
        return next(few, exact[0])

    def _route_by_range(self, bounded: list[str], region: Region, limit: int | None) -> str | None:
        # The table gives `limit` matches after reading limit * total / matches; the index after reading all matches,
        # each looked up alone, and an entry may stand for several.
        total = self.count(EVERYTHING)
        most = (total if limit is None else min(total, isqrt(limit * total))) // _LOOK_UP
        entries, best = min((self._entries(x, region, most), x) for x in bounded)
        return best if entries < most else None

    def _entries(self, column: str, region: Region, most: int) -> int:
        count: int = self._transaction.read(*probe(column, region[COLUMNS.index(column)], most))[0][0]
        return count
