"""Views without a node: in process, in memory, on the Oxigraph store that the rival has as well."""

from __future__ import annotations

import time
from statistics import median

from msgspec import Struct
from pyoxigraph import Literal, NamedNode, Quad, RdfFormat, Store

from benchmarks.isolated import Tell
from benchmarks.machine import resident_bytes
from benchmarks.rivals.rerunning import Rerunning
from benchmarks.views.library import NAMESPACE, Desk, Kind, Library, query
from triplewire.evaluation.datasets import OxigraphDataset
from triplewire.languages.sparql.parsing.parser import parse_dataset_query
from triplewire.views.changes import Change
from triplewire.views.view_set import ViewDelta, ViewSet

_INTEGER = NamedNode("http://www.w3.org/2001/XMLSchema#integer")
# So many times fewer updates are enough for those who take long.
_SLOWER = 10
_STATUS, _LENT = NamedNode(f"{NAMESPACE}status"), NamedNode(f"{NAMESPACE}lent")


class Alone(Struct, frozen=True):
    """Microseconds of `ViewSet.apply`, the median and the 99th percentile; and bytes and milliseconds of a view."""

    kind: str
    views: int
    median: float
    percentile_99: float
    bytes_a_view: float
    put_millis: float


class Beside(Struct, frozen=True):
    """Microseconds an update in process: for the store, then for the views, or for running every query again."""

    views: int
    rows: float
    store: float
    ours: float
    theirs: float

    @property
    def factor(self) -> float:
        """How many times longer it takes to run every query again than to keep the views."""
        return self.theirs / self.ours

    @property
    def whole_factor(self) -> float:
        """The same with the store's part, which both have."""
        return (self.store + self.theirs) / (self.store + self.ours)


def alone(library: Library, kind: Kind, views: int, updates: int, tell: Tell) -> Alone:
    """What a change costs the views, each change touching one."""
    store, kept = filled(library), ViewSet()
    queries = [query(kind, shelf) for shelf in range(views)]
    before, started = resident_bytes(), time.perf_counter()
    for number, text in enumerate(queries):
        kept.add(str(number), parse_dataset_query(text), OxigraphDataset(store))
    put = time.perf_counter() - started
    size = (resident_bytes() - before) / views
    changes = _Changes(store, kept, kind)
    times = []
    for number in range(1, updates + 1):
        shelf = number * 7919 % views
        times.append(changes.apply(changes.make(shelf, number), shelf))
    times.sort()
    last = times[int(len(times) * 0.99)]
    return Alone(kind, views, 1e6 * median(times), 1e6 * last, size, 1000 * put / views)


def beside(library: Library, views: int, updates: int, tell: Tell) -> Beside:
    """The same store, views and kind of updates, one after the other; each has to tell of every update, once."""
    store, kept = filled(library), ViewSet()
    queries = [query(Kind.PLAIN, shelf) for shelf in range(views)]
    for number, text in enumerate(queries):
        kept.add(str(number), parse_dataset_query(text), OxigraphDataset(store))
    changes = _Changes(store, kept, Kind.PLAIN)
    in_store, ours, theirs = [], [], []
    for value in range(1, updates + 1):
        shelf, started = value % views, time.perf_counter()
        change = changes.make(shelf, value)
        in_store.append(time.perf_counter() - started)
        ours.append(changes.apply(change, shelf))
    rival = Rerunning(store, queries)
    for value in range(updates + 1, updates + updates // _SLOWER + 1):
        shelf = value % views
        changes.make(shelf, value)
        started = time.perf_counter()
        [told] = rival.compare()
        theirs.append(time.perf_counter() - started)
        assert (told.query, len(told.added), len(told.removed)) == (shelf, 1, 1), told
    micros = [1e6 * median(times) for times in (in_store, ours, theirs)]
    return Beside(views, library.books / library.shelves, *micros)


def filled(library: Library) -> Store:
    """All triples in a store in memory."""
    store, lines = Store(), library.lines()
    store.bulk_load(input="".join(lines).encode(), format=RdfFormat.N_TRIPLES)
    return store


class _Changes:
    """Does what the updates of a `Desk` do, and has views told of it."""

    def __init__(self, store: Store, views: ViewSet, kind: Kind) -> None:
        self._store = store
        self._views = views
        self._kind = kind
        self._desk = Desk()
        self._position = 0

    def make(self, shelf: int, value: int) -> Change:
        """Execute an update."""
        book, of = NamedNode(f"{NAMESPACE}book{shelf}"), _LENT if self._kind is Kind.MINUS else _STATUS
        removed = list(self._store.quads_for_pattern(book, of, None))
        self._store.update(self._desk.update(self._kind, shelf, value))
        self._position += 1
        is_given_back = self._kind is Kind.MINUS and bool(removed)
        added = [] if is_given_back else [Quad(book, of, Literal(str(value), datatype=_INTEGER))]
        return Change.of(added, removed, self._position)

    def apply(self, change: Change, shelf: int) -> float:
        """Tell the views; returns the seconds that they took."""
        started = time.perf_counter()
        told = self._views.apply(change, OxigraphDataset(self._store))
        passed = time.perf_counter() - started
        [delta] = told
        assert isinstance(delta, ViewDelta), delta
        assert delta.view == str(shelf), delta
        return passed
