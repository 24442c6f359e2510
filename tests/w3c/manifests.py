"""The W3C's tests of SPARQL 1.0 and 1.1, as their manifests list them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

from msgspec import Struct
from pyoxigraph import BlankNode, NamedNode, Quad, RdfFormat, Store, parse

from triplewire.rdf.terms import RDF, RDFS, Term

MF = "http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#"
QT = "http://www.w3.org/2001/sw/DataAccess/tests/test-query#"
UT = "http://www.w3.org/2009/sparql/tests/test-update#"
# The manifests' own words for the suites, and the folder of each.
SUITES = {"1.0": "testcases-sparql-1.0-w3c/data-r2", "1.1": "testcases-sparql-1.1-w3c"}


class Dataset(Struct, frozen=True):
    """Files of the default graph, and of the named ones by their names."""

    default: tuple[Path, ...] = ()
    named: tuple[tuple[str, Path], ...] = ()


class Case(Struct, frozen=True):
    """A test: what is asked or done, over what, and what has to come of it.

    `kind` is the last part of the class in the manifest. `expected` is a file of results, or a dataset for an update.
    """

    name: str
    kind: str
    text: Path
    data: Dataset = Dataset()
    expected: Path | Dataset | None = None
    is_lax: bool = False

    @property
    def base(self) -> str:
        return self.text.as_uri()


def cases(suite: Path) -> Iterator[Case]:
    """Every test of both suites, each once."""
    for version, folder in SUITES.items():
        for manifest in sorted((suite / folder).glob("*/manifest.ttl")):
            read = _Manifest(manifest)
            for entry in read.entries():
                yield from read.case(entry, f"{version}/{manifest.parent.name}")


class _Manifest:
    def __init__(self, path: Path) -> None:
        self._store = Store()
        quads = parse(path=str(path), format=RdfFormat.TURTLE, base_iri=path.as_uri())
        self._store.bulk_extend(quads)

    def entries(self) -> Iterator[Term]:
        for quad in self._store.quads_for_pattern(None, NamedNode(MF + "entries"), None):
            node: Term | None = quad.object
            while node is not None and node != RDF["nil"]:
                first = self._one(node, RDF["first"])
                assert first is not None
                yield first
                node = self._one(node, RDF["rest"])

    def case(self, entry: Term, group: str) -> Iterator[Case]:
        kind, action, result = (self._one(entry, name) for name in (RDF["type"], _mf("action"), _mf("result")))
        if not isinstance(entry, NamedNode) or not isinstance(kind, NamedNode) or action is None:
            # The list of a manifest names tests that it does not have.
            return
        name = f"{group}/{entry.value.rpartition('#')[2]}"
        is_lax = self._one(entry, _mf("resultCardinality")) is not None
        given = (self._file(action, QT + "query"), self._file(action, UT + "request"))
        text = next((path for path in given if path is not None), None) or _path(action)
        if text is not None:
            kind_name = kind.value.removeprefix(MF)
            expected = self._expected(kind_name, result)
            yield Case(name, kind_name, text, self._dataset(action), expected, is_lax)

    def _expected(self, kind: str, result: Term | None) -> Path | Dataset | None:
        if kind == "UpdateEvaluationTest" and result is not None:
            return self._dataset(result)
        return None if result is None else _path(result)

    def _dataset(self, node: Term) -> Dataset:
        default = [path for name in (QT + "data", UT + "data") for path in self._files(node, name)]
        named = [pair for name in (QT + "graphData", UT + "graphData") for pair in self._named(node, name)]
        return Dataset(tuple(default), tuple(named))

    def _named(self, node: Term, name: str) -> Iterator[tuple[str, Path]]:
        for value in self._all(node, NamedNode(name)):
            inner = self._file(value, UT + "graph") if isinstance(value, BlankNode) else None
            path = inner or _path(value)
            label = self._one(value, RDFS["label"])
            assert path is not None
            yield (path.as_uri() if label is None else label.value), path  # type: ignore[union-attr]

    def _file(self, node: Term, name: str) -> Path | None:
        return next(iter(self._files(node, name)), None)

    def _files(self, node: Term, name: str) -> Iterator[Path]:
        for value in self._all(node, NamedNode(name)):
            path = _path(value)
            if path is not None:
                yield path

    def _one(self, node: Term, name: NamedNode) -> Term | None:
        return next(iter(self._all(node, name)), None)

    def _all(self, node: Term, name: NamedNode) -> list[Term]:
        if not isinstance(node, NamedNode | BlankNode):
            return []
        return [quad.object for quad in self._store.quads_for_pattern(node, name, None)]


def quads_of(data: Dataset) -> list[Quad]:
    """What a dataset holds. Blank nodes of different files are different ones."""
    quads: list[Quad] = []
    for path in data.default:
        quads += _read(path, path.as_uri(), None)
    for name, path in data.named:
        quads += _read(path, path.as_uri(), NamedNode(name))
    return quads


def _read(path: Path, base: str, graph: NamedNode | None) -> Iterator[Quad]:
    form = RdfFormat.from_extension(path.suffix[1:]) or RdfFormat.TURTLE
    for quad in parse(path=str(path), format=form, base_iri=base, rename_blank_nodes=True):
        yield quad if graph is None else Quad(quad.subject, quad.predicate, quad.object, graph)


def _mf(name: str) -> NamedNode:
    return NamedNode(MF + name)


def _path(node: Term) -> Path | None:
    if not isinstance(node, NamedNode) or not node.value.startswith("file:"):
        return None
    return Path(unquote(urlsplit(node.value).path))
