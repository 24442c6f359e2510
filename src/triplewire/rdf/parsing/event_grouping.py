"""A document's quads, gathered by graph and counted against the limits as they come."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from triplewire.errors import BlankGraph, LimitExceeded
from triplewire.rdf.formats import Format
from triplewire.rdf.limits import Limits, exceeded
from triplewire.rdf.parsing.blank_nodes import Relabelling
from triplewire.rdf.terms import DefaultGraph, Literal, NamedNode, Quad, Term, Triple


class Contents:
    """The triples of one event to be, each under its N-Triples line without the dot, so that repeats count once."""

    def __init__(self, limits: Limits, source: str | None, relabelling: Relabelling | None = None) -> None:
        self.lines: dict[str, Triple] = {}
        self.size = 0
        self._limits = limits
        self._source = source
        self._relabelling = relabelling
        self._short = min(limits.iri_length, limits.literal_length)

    def add(self, triple: Triple) -> int:
        """Take a triple and return the length of its line, or raise `LimitExceeded`."""
        if self._relabelling is not None:
            triple = self._relabelling.triple(triple)
        line = str(triple)
        if len(line) > self._short:
            check_terms(triple, self._limits, self._source)
        if line not in self.lines:
            self.lines[line] = triple
            self.size += len(line)
            self._check()
        return len(line)

    def _check(self) -> None:
        if len(self.lines) > self._limits.quads:
            raise _too_much("quads", self._limits.quads, "too many quads in one event", len(self.lines), self._source)
        self.check_size(self.size)

    def check_size(self, size: int) -> None:
        """Raise `LimitExceeded` if an event of that many bytes is too large."""
        if size > self._limits.event_bytes:
            raise _too_much("event_bytes", self._limits.event_bytes, "event too large", size, self._source)


def group_by_graph(
    quads: Iterable[Quad], form: Format, default: NamedNode | None, limits: Limits, source: str | None
) -> dict[NamedNode | None, Contents]:
    """Contents by event name, in order of first appearance; None stands for a name that is still to be minted."""
    found: dict[NamedNode | None, Contents] = {}
    expanded = 0
    for quad in quads:
        name = _name_of(quad, default, source)
        contents = found.get(name)
        if contents is None:
            contents = found[name] = Contents(limits, source, None if form.keeps_labels else Relabelling())
        expanded += contents.add(quad.triple)
        if expanded > limits.expanded_bytes:
            what = "document too large once written out"
            raise _too_much("expanded_bytes", limits.expanded_bytes, what, expanded, source)
    return found


def _name_of(quad: Quad, default: NamedNode | None, source: str | None) -> NamedNode | None:
    graph = quad.graph_name
    if isinstance(graph, NamedNode):
        return graph
    if isinstance(graph, DefaultGraph):
        return default
    raise BlankGraph(wanted="an IRI as the name of an event", found=f"the blank node {graph}", source=source)


def check_terms(triple: Triple, limits: Limits, source: str | None) -> None:
    """Raise `LimitExceeded` for a term that is too long."""
    for term in _parts(triple):
        if isinstance(term, NamedNode) and len(term.value) > limits.iri_length:
            raise _too_much("iri_length", limits.iri_length, "IRI too long", len(term.value), source)
        if isinstance(term, Literal) and len(term.value) > limits.literal_length:
            raise _too_much("literal_length", limits.literal_length, "literal too long", len(term.value), source)


def _parts(triple: Triple) -> Iterator[Term]:
    for term in triple:
        if isinstance(term, Triple):
            yield from _parts(term)
            continue
        yield term
        if isinstance(term, Literal):
            yield term.datatype


def _too_much(limit: str, allowed: int, what: str, found: int, source: str | None) -> LimitExceeded:
    error = exceeded(limit, allowed, what, found)
    return error.located_in(source)
