"""Results as the W3C's tests expect them, and when two are the same: whatever blank nodes are called."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from pyoxigraph import (
    BlankNode,
    CanonicalizationAlgorithm,
    Dataset,
    Literal,
    NamedNode,
    Quad,
    QueryBoolean,
    QueryResultsFormat,
    RdfFormat,
    Store,
    parse,
    parse_query_results,
)

from triplewire.rdf.literals.kept import as_kept
from triplewire.rdf.terms import RDF, Term, Triple

RS = "http://www.w3.org/2001/sw/DataAccess/tests/result-set#"
Row = Mapping[str, Term]
Answer = bool | list[Row] | list[Triple]
_ROW, _TERM = "urn:variable:", NamedNode("urn:term")


def expected_in(path: Path) -> Answer:
    """What a file of results says: rows, yes or no, or triples."""
    if path.suffix in (".srx", ".srj", ".tsv"):
        form = QueryResultsFormat.from_extension(path.suffix[1:])
        found = parse_query_results(path=str(path), format=form)
        if isinstance(found, QueryBoolean):
            return bool(found)
        names = found.variables
        return [{name.value: row[name] for name in names if row[name] is not None} for row in found]
    form_of_rdf = RdfFormat.from_extension(path.suffix[1:])
    store = Store()
    store.bulk_extend(parse(path=str(path), format=form_of_rdf, base_iri=path.as_uri()))
    sets = list(store.quads_for_pattern(None, RDF["type"], NamedNode(RS + "ResultSet")))
    if not sets:
        return [quad.triple for quad in store]
    said = next((quad.object for quad in store.quads_for_pattern(None, NamedNode(RS + "boolean"), None)), None)
    if isinstance(said, Literal):
        return said.value == "true"
    return list(_rows(store))


def _rows(store: Store) -> Iterator[Row]:
    """The rows of a result set that is written as RDF."""

    def one(node: Term, name: str) -> Term:
        [quad] = store.quads_for_pattern(node, NamedNode(RS + name), None)  # type: ignore[arg-type]
        return quad.object

    for quad in store.quads_for_pattern(None, NamedNode(RS + "solution"), None):
        pairs = store.quads_for_pattern(quad.object, NamedNode(RS + "binding"), None)  # type: ignore[arg-type]
        yield {one(pair.object, "variable").value: one(pair.object, "value") for pair in pairs}  # type: ignore[union-attr]


def are_same(found: Answer, expected: Answer, *, is_lax: bool = False) -> bool:
    """Whether two answers are the same as multisets; if it is lax, as sets."""
    if isinstance(found, bool) or isinstance(expected, bool):
        return found is expected
    return _canonical(_as_quads(found, is_lax)) == _canonical(_as_quads(expected, is_lax))


def same_graphs(found: Iterable[Quad], expected: Iterable[Quad]) -> bool:
    """Whether two datasets are the same."""
    return _canonical(map(_kept, found)) == _canonical(map(_kept, expected))


def _as_quads(answer: list[Row] | list[Triple], is_lax: bool) -> Iterator[Quad]:
    seen: set[object] = set()
    for item in answer:
        if isinstance(item, Triple):
            yield _kept(Quad(item.subject, item.predicate, item.object))
            continue
        key = frozenset(item.items())
        if is_lax and key in seen:
            continue
        seen.add(key)
        row = BlankNode()
        yield Quad(row, RDF["type"], _TERM)
        for name, term in item.items():
            yield Quad(row, NamedNode(_ROW + name), as_kept(term))


def _kept(quad: Quad) -> Quad:
    return Quad(quad.subject, quad.predicate, as_kept(quad.object), quad.graph_name)


def _canonical(quads: Iterable[Quad]) -> Dataset:
    dataset = Dataset(quads)
    dataset.canonicalize(CanonicalizationAlgorithm.UNSTABLE)
    return dataset
