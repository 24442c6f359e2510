"""SHACL over events, one at a time: what of an event does not conform to shapes, by pySHACL.

Only SHACL's core is taken. Whatever else stands in SHACL's namespace (constraints in SPARQL or JavaScript, rules,
functions, targets of one's own) and owl:imports is refused by name: shapes run where the data is, and fetch nothing.
Shapes must not lead back to themselves. An event is given so much time: a regular expression may take for ever.
"""

from __future__ import annotations

import logging
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import pyarrow as pa
import pyoxigraph

from triplewire.errors import BudgetExceeded, InputError, LimitExceeded, RefusedFeature, TriplewireError
from triplewire.extras import needing
from triplewire.pipeline.rows import REJECT_SCHEMA
from triplewire.rdf.documents import read_document
from triplewire.rdf.formats import format_of_path
from triplewire.rdf.parsing.quads import QuadReader
from triplewire.rdf.terms import NamedNode, Namespace, Term, Triple

SH = Namespace("http://www.w3.org/ns/shacl#")
EVENT_SECONDS = 10.0
MOST_TRIPLES = 100_000
# Deeper than this pySHACL gives up.
MOST_DEPTH = 15
_TARGETS = "targetClass targetNode targetObjectsOf targetSubjectsOf"
_PATHS = "path inversePath alternativePath zeroOrMorePath oneOrMorePath zeroOrOnePath"
_SHAPES = "property node and or xone not qualifiedValueShape"
_VALUES = (
    "class datatype nodeKind minCount maxCount minExclusive minInclusive maxExclusive maxInclusive minLength maxLength "
    "pattern flags languageIn uniqueLang equals disjoint lessThan lessThanOrEquals qualifiedMinCount qualifiedMaxCount "
    "qualifiedValueShapesDisjoint closed ignoredProperties hasValue in"
)
_WORDS = "severity message deactivated name description order group defaultValue"
_CORE = frozenset(SH[word] for word in " ".join((_TARGETS, _PATHS, _SHAPES, _VALUES, _WORDS)).split())
_LEADING = frozenset(SH[word] for word in _SHAPES.split())
_IMPORTS = NamedNode("http://www.w3.org/2002/07/owl#imports")
_FIRST = NamedNode("http://www.w3.org/1999/02/22-rdf-syntax-ns#first")
_REST = NamedNode("http://www.w3.org/1999/02/22-rdf-syntax-ns#rest")
_NO_MESSAGE = "it does not conform"


def read_shapes(path: str, source: str | None = None) -> bytes:
    """The shapes in an RDF file, as N-Triples, if they are what we take."""
    document = read_document(path, source=source)
    quads = QuadReader(document, format_of_path(path))
    triples = list(dict.fromkeys(quad.triple for quad in quads))
    try:
        require_core(triples)
    except InputError as problem:
        raise problem.located_in(source or path) from None
    return pyoxigraph.serialize(triples, format=pyoxigraph.RdfFormat.N_TRIPLES) or b""


def require_core(triples: list[Triple]) -> None:
    """Raise `InputError` for shapes that are too many, are more than SHACL's core, or lead back to themselves."""
    if len(triples) > MOST_TRIPLES:
        raise LimitExceeded(
            "shapes", MOST_TRIPLES, wanted=f"shapes of at most {MOST_TRIPLES:,} triples", found=f"{len(triples):,}"
        )
    for triple in triples:
        name = triple.predicate
        if name == _IMPORTS or (name.value.startswith(SH) and name not in _CORE):
            raise RefusedFeature(name.value, wanted="the core of SHACL, and no imports", found=str(name))
    if not any(triple.predicate in _CORE for triple in triples):
        raise InputError(wanted="shapes", found="nothing of SHACL's")
    _require_no_cycle(triples)


def _require_no_cycle(triples: list[Triple]) -> None:
    below: dict[Term, list[Term]] = {}
    for triple in triples:
        if triple.predicate in _LEADING or triple.predicate in (_FIRST, _REST):
            below.setdefault(triple.subject, []).append(triple.object)
    done: set[Term] = set()
    for shape in below:
        _visit(shape, below, done)


def _visit(shape: Term, below: dict[Term, list[Term]], done: set[Term]) -> None:
    """Look at all shapes below one, without a stack of calls that a file could overflow."""
    way: list[tuple[Term, Iterator[Term]]] = [(shape, iter(below.get(shape, ())))]
    on_the_way = {shape}
    while way:
        current, rest = way[-1]
        following = next((term for term in rest if term not in done), None)
        if following is None:
            done.add(current)
            on_the_way.discard(current)
            way.pop()
        elif following in on_the_way:
            raise InputError(wanted="shapes that do not lead back to themselves", found=f"{following} below itself")
        else:
            on_the_way.add(following)
            way.append((following, iter(below.get(following, ()))))


class Shapes:
    """Shapes, ready to be asked. Takes what `read_shapes` gave."""

    def __init__(self, nquads: bytes, seconds: float = EVENT_SECONDS) -> None:
        with needing("shacl"):
            from pyshacl.shapes_graph import ShapesGraph
        self._seconds = seconds
        self._shapes = ShapesGraph(_graph(nquads), False, _LOGGER)

    def problems(self, payload: bytes) -> list[str]:
        """What of an event does not conform, in sentences, in an order of their own."""
        with needing("shacl"):
            import rdflib
            from pyshacl.errors import ReportableRuntimeError, ValidationFailure
            from pyshacl.graph_abstraction import DataGraph
            from pyshacl.validator import Validator
        options = {"logger": _LOGGER, "max_validation_depth": MOST_DEPTH}
        try:
            with _within(self._seconds):
                data = DataGraph.from_rdflib(_graph(payload))
                validator: Any = Validator(data, shacl_graph=rdflib.Graph(), options=options)
                # Taken apart once: that is most of the work.
                validator.shacl_graph = self._shapes
                _, report, _ = validator.run()
                return sorted(_sentences(report))
        except (ReportableRuntimeError, ValidationFailure, TriplewireError, RecursionError) as problem:
            return [f"the event could not be validated: {problem}"]


_LOGGER = logging.getLogger(__name__)


def _graph(nquads: bytes) -> Any:
    """Triples for rdflib, whatever graph they stand in."""
    from triplewire.rdf.interop import rdflib_graph

    return rdflib_graph(None, (quad.triple for quad in pyoxigraph.parse(nquads, format=pyoxigraph.RdfFormat.N_QUADS)))


def _sentences(report: Any) -> Iterator[str]:
    import rdflib

    shacl = rdflib.Namespace(str(SH))
    # A result may have others below it, as its details.
    for result in report.objects(None, shacl.result):

        def said(word: str, result: Any = result) -> str:
            found = report.value(result, shacl[word])
            return "" if found is None else found.n3()

        messages = sorted(str(message) for message in report.objects(result, shacl.resultMessage))
        parts = {"focus node": "focusNode", "path": "resultPath", "value": "value", "by": "sourceConstraintComponent"}
        places = ", ".join(f"{name} {text}" for name, word in parts.items() if (text := said(word)))
        yield f"{'; '.join(messages) or _NO_MESSAGE}: {places}"


@contextmanager
def _within(seconds: float) -> Iterator[None]:
    """Raise `BudgetExceeded` in the block when the time is over. Signals find the main thread only."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise BudgetExceeded(wanted=f"at most {seconds:g} s for an event", found="more than that")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


# In tasks


def validating(shapes: bytes) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """A reject for each thing that does not conform, of rows of event, source and payload."""

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        ready = Shapes(shapes)
        for batch in batches:
            rows = zip(*(batch.column(name).to_pylist() for name in ("event", "source", "payload")), strict=True)
            found = [
                {"file": source, "line": None, "event": event, "subscription": None, "reason": f"shapes: {problem}"}
                for event, source, payload in rows
                for problem in ready.problems(payload)
            ]
            yield pa.RecordBatch.from_pylist(found, schema=REJECT_SCHEMA)

    return run
