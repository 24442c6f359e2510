"""G-ToPSS's own algorithm (section 4): one graph GM of all subscriptions, edge counters, binding tables, natural joins.

Insert: GM is a first-level hash table from pairs of vertices to a second-level one from edge labels to edges. Variables
become stars `*1`, `*2`, …, numbered in each subscription anew, so that subscriptions share them. An edge knows the
subscriptions that contain it.

match, first stage: for each edge of the publication, the edges of GM between its two vertices and all stars are looked
up. Each that is found gets the pair into its binding table, and counts one for every subscription that contains it.
Second stage: subscriptions that counted as many edges as they have join their edges' binding tables, and
CheckConstraint is asked of each row; is-a is decided by climbing the taxonomy.

Beyond the paper, an edge whose two ends are the same star is only matched by a loop.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct, field

from benchmarks.rivals.ancestry import Lineage, Parents, parents_in
from benchmarks.rivals.publications import PerEvent, Triple
from benchmarks.rivals.reading import Pattern, Standing, is_variable, read_all
from triplewire import Subscription, Taxonomy

Row = tuple[str, ...]


class Entry(Struct, eq=False):
    """A subscription in GM."""

    subscription: Standing
    stars: dict[str, str]
    edges: list[MatrixEdge] = field(default_factory=list)
    edge_count: int = 0


class MatrixEdge(Struct, eq=False):
    """An edge of GM, from v to w."""

    v: str
    w: str
    subscriptions: list[Entry] = field(default_factory=list)
    bindings: list[tuple[str, str]] = field(default_factory=list)


class GToPSS(PerEvent):
    """The subscription graph GM."""

    name = "G-ToPSS"

    def __init__(self) -> None:
        self._matrix: dict[tuple[str, str], dict[str, MatrixEdge]] = {}
        self._stars: list[str] = []
        self._parents: Parents = {}

    def build(self, subscriptions: Iterable[Subscription], taxonomy: Taxonomy | None = None) -> None:
        self._parents = parents_in(taxonomy)
        for subscription in read_all(subscriptions):
            self._insert(subscription)

    def _insert(self, subscription: Standing) -> None:
        entry = Entry(subscription, _stars(subscription.patterns))
        if len(entry.stars) > len(self._stars):
            self._stars = list(entry.stars.values())
        for v, label, w in subscription.patterns:
            v, w = entry.stars.get(v, v), entry.stars.get(w, w)
            between = self._matrix.setdefault((v, w), {})
            edge = between.setdefault(label, MatrixEdge(v, w))
            if edge not in entry.edges:
                edge.subscriptions.append(entry)
                entry.edges.append(edge)

    def match_event(self, triples: list[Triple]) -> set[str]:
        touched, candidates = self._count(triples)
        lineage = Lineage(self._parents, triples)
        found = {e.subscription.id for e in candidates if e.edge_count >= len(e.edges) and _satisfied(e, lineage)}
        for entry in candidates:
            entry.edge_count = 0
        for edge in touched:
            edge.bindings.clear()
        return found

    def _count(self, triples: list[Triple]) -> tuple[list[MatrixEdge], list[Entry]]:
        """The first stage: the edges of GM that matched, and the subscriptions that contain one."""
        touched: list[MatrixEdge] = []
        candidates: list[Entry] = []
        for v, label, w in triples:
            for edge in self._matched(v, label, w):
                if not edge.bindings:
                    touched.append(edge)
                edge.bindings.append((v, w))
                for entry in edge.subscriptions:
                    if not entry.edge_count:
                        candidates.append(entry)
                    entry.edge_count += 1
        return touched, candidates

    def _matched(self, v: str, label: str, w: str) -> Iterator[MatrixEdge]:
        for first in (v, *self._stars):
            for second in (w, *self._stars):
                between = self._matrix.get((first, second))
                edge = None if between is None else between.get(label)
                if edge is not None and (first != second or v == w):
                    yield edge


def _stars(patterns: tuple[Pattern, ...]) -> dict[str, str]:
    variables = dict.fromkeys(term for v, _, w in patterns for term in (v, w) if is_variable(term))
    return {variable: f"*{number}" for number, variable in enumerate(variables, 1)}


def _satisfied(entry: Entry, lineage: Lineage) -> bool:
    """The second stage: join all binding tables, then CheckConstraint on each row."""
    columns: Row = ()
    rows: list[Row] = [()]
    for edge in entry.edges:
        columns, rows = _joined(columns, rows, edge)
        if not rows:
            return False
    variables = {star: variable for variable, star in entry.stars.items()}
    names = [variables[star] for star in columns]
    return any(entry.subscription.accepts(dict(zip(names, row, strict=True)), lineage) for row in rows)


def _joined(columns: Row, rows: list[Row], edge: MatrixEdge) -> tuple[Row, list[Row]]:
    """The natural join with an edge's binding table, by hashing that table on the common columns."""
    ends = [(star, side) for side, star in enumerate((edge.v, edge.w)) if star[0] == "*"]
    if len(ends) == 2 and edge.v == edge.w:
        ends.pop()
    common = [(columns.index(star), side) for star, side in ends if star in columns]
    fresh = [(star, side) for star, side in ends if star not in columns]
    table: dict[Row, list[Row]] = {}
    for binding in edge.bindings:
        key = tuple(binding[side] for _, side in common)
        table.setdefault(key, []).append(tuple(binding[side] for _, side in fresh))
    joined = [row + more for row in rows for more in table.get(tuple(row[place] for place, _ in common), ())]
    return columns + tuple(star for star, _ in fresh), list(dict.fromkeys(joined))
