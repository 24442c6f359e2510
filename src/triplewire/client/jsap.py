"""JSAP, the JSON Semantic Application Profile: queries and updates by name, and the server that they are for.

A file has a server's address, namespaces, and texts with forced bindings: variables that whoever uses a text gives a
value. An entry may have members of its own for protocols, host and graphs, which are put over those of the file.

Other clients put values into the text as text. Here a text is read, values become terms in its tree, and the tree is
printed and read again: no value can be taken for syntax, and what does not fit, such as a literal for a predicate, is
an error before anything is sent.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec
from msgspec import Struct, field

from triplewire.algebra.patterns import Variable
from triplewire.errors import InputError, LimitExceeded
from triplewire.languages.sparql import parse_dataset_query, parse_update, print_dataset_query, print_update
from triplewire.languages.sparql.syntax.ast import Term
from triplewire.languages.sparql.syntax.substitution import substituted
from triplewire.rdf import terms

MOST_BYTES = 1 << 20
T = TypeVar("T")

_LABEL = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_-])?")
_PREFIX = re.compile(r"(?:[A-Za-z](?:[\w.-]*[\w-])?)?")
_NAME = re.compile(r"\w+")


class JsapQuery(Struct, frozen=True):
    """A query with its bindings, and where to ask it once or subscribe to it."""

    text: str
    url: str
    socket_url: str
    default_graphs: tuple[str, ...] = ()
    named_graphs: tuple[str, ...] = ()


class JsapUpdate(Struct, frozen=True):
    """An update with its bindings, and where to send it."""

    text: str
    url: str
    using_graphs: tuple[str, ...] = ()
    using_named_graphs: tuple[str, ...] = ()


# The file


class _Binding(Struct, frozen=True):
    type: Literal["uri", "literal", "bnode"]
    value: str | int | float | bool | None = None
    datatype: str | None = None
    language: str | None = None


class _Path(Struct, frozen=True):
    path: str


class _Protocol(Struct, frozen=True):
    query: _Path = _Path("/query")
    update: _Path = _Path("/update")
    protocol: Literal["http", "https"] = "http"
    port: int | None = None
    host: str | None = None


class _Socket(Struct, frozen=True):
    path: str = "/subscribe"
    port: int | None = None


class _SocketProtocol(Struct, frozen=True):
    protocol: Literal["ws", "wss"] = "ws"
    available: dict[str, _Socket] = field(default_factory=dict, name="availableProtocols")
    host: str | None = None


_Names = str | list[str] | None


class _Graphs(Struct, frozen=True, rename=lambda name: f"{name.replace('_', '-')}-graph-uri"):
    default: _Names = None
    named: _Names = None
    using: _Names = None
    using_named: _Names = None


class _Entry(Struct, frozen=True):
    """An entry, the members of the file below its own."""

    sparql: str
    host: str
    bindings: dict[str, _Binding] = field(default_factory=dict, name="forcedBindings")
    http: _Protocol = field(default=_Protocol(), name="sparql11protocol")
    socket: _SocketProtocol = field(default=_SocketProtocol(), name="sparql11seprotocol")
    graphs: _Graphs = _Graphs()

    def url(self, path: str) -> str:
        return _url(self.http.protocol, self.http.host or self.host, self.http.port, path)

    def socket_url(self) -> str:
        protocol = self.socket.protocol
        place = self.socket.available.get(protocol, _Socket())
        return _url(protocol, self.socket.host or self.host, place.port, place.path)


class _File(Struct, frozen=True):
    namespaces: dict[str, str] = {}
    queries: dict[str, dict[str, Any]] = {}
    updates: dict[str, dict[str, Any]] = {}


_SHARED = ("host", "sparql11protocol", "sparql11seprotocol", "graphs")


class Jsap:
    """An application's queries and updates. Make one with `load` or `parse`."""

    def __init__(self, members: dict[str, Any], source: str | None = None) -> None:
        self._source = source
        self._shared = {name: members[name] for name in _SHARED if members.get(name) is not None}
        self._file = self._converted({name: value for name, value in members.items() if value is not None}, _File)
        self._check_namespaces()

    @classmethod
    def load(cls, path: Path) -> Jsap:
        """Read a file."""
        try:
            with path.open("rb") as file:
                content = file.read(MOST_BYTES + 1)
        except OSError as error:
            raise InputError(f"cannot read the file: {error.strerror or error}", source=str(path)) from error
        return cls.parse(content, str(path))

    @classmethod
    def parse(cls, content: bytes | str, source: str | None = None) -> Jsap:
        """Read what a file says."""
        if len(content) > MOST_BYTES:
            allowed = f"a JSAP file may have {MOST_BYTES:,} bytes"
            raise LimitExceeded("bytes", MOST_BYTES, allowed, found="more").located_in(source)
        try:
            members = msgspec.json.decode(content, type=dict[str, Any])
        except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
            raise InputError(wanted="a JSAP file in JSON", found=str(error), source=source) from None
        return cls(members, source)

    @property
    def queries(self) -> tuple[str, ...]:
        """The names of its queries."""
        return tuple(self._file.queries)

    @property
    def updates(self) -> tuple[str, ...]:
        """The names of its updates."""
        return tuple(self._file.updates)

    def query(self, name: str, bindings: Mapping[str, str] | None = None) -> JsapQuery:
        """A query by its name. A forced binding that is given no value, here or in the file, stays a variable."""
        entry = self._entry("a query", self._file.queries, name)
        given = self._terms(name, entry, bindings or {})
        url = entry.url(entry.http.query.path)
        prefixes = self._file.namespaces
        tree = self._read(name, lambda: parse_dataset_query(entry.sparql, url, prefixes=prefixes))
        text = self._read(name, lambda: print_dataset_query(substituted(tree, given)))
        self._read(name, lambda: parse_dataset_query(text))
        graphs = entry.graphs
        return JsapQuery(text, url, entry.socket_url(), _listed(graphs.default), _listed(graphs.named))

    def update(self, name: str, bindings: Mapping[str, str] | None = None) -> JsapUpdate:
        """An update by its name. Every forced binding needs a value: a variable that stays would change too much."""
        entry = self._entry("an update", self._file.updates, name)
        given = self._terms(name, entry, bindings or {})
        for variable in entry.bindings:
            if Variable(variable) not in given:
                raise self._wrong(name, f"a value for ?{variable}", "none, and no default")
        url = entry.url(entry.http.update.path)
        prefixes, forced = self._file.namespaces, frozenset(entry.bindings)
        tree = self._read(name, lambda: parse_update(entry.sparql, url, prefixes=prefixes, forced=forced))
        text = self._read(name, lambda: print_update(substituted(tree, given)))
        self._read(name, lambda: parse_update(text))
        graphs = entry.graphs
        return JsapUpdate(text, url, _listed(graphs.using), _listed(graphs.using_named))

    def _entry(self, kind: str, entries: dict[str, dict[str, Any]], name: str) -> _Entry:
        if name not in entries:
            known = ", ".join(entries) or "none"
            raise InputError(wanted=f"the name of {kind} ({known})", found=repr(name), source=self._source)
        return self._converted(_over(self._shared, entries[name]), _Entry, name)

    def _terms(self, name: str, entry: _Entry, given: Mapping[str, str]) -> dict[Variable, Term]:
        for variable in given:
            if variable not in entry.bindings:
                known = ", ".join(f"?{known}" for known in entry.bindings) or "none"
                raise self._wrong(name, f"a forced binding ({known})", f"?{variable}")
        found: dict[Variable, Term] = {}
        for variable, binding in entry.bindings.items():
            if not _NAME.fullmatch(variable):
                raise self._wrong(name, "the name of a variable", repr(variable))
            value = given.get(variable, binding.value)
            if value is not None:
                found[Variable(variable)] = self._term(f"{name}: ?{variable}", binding, _text(value))
        return found

    def _term(self, where: str, binding: _Binding, value: str) -> Term:
        try:
            if binding.type == "uri":
                return self._iri(value)
            if binding.type == "bnode":
                return _blank(value)
            if binding.datatype is not None:
                return terms.Literal(value, datatype=self._iri(binding.datatype))
            return terms.Literal(value, language=binding.language)
        except ValueError as error:
            wanted = {"uri": "an absolute IRI", "bnode": "a label of a blank node"}.get(binding.type, "a literal")
            raise self._wrong(where, wanted, f"{value!r}: {error}") from None

    def _iri(self, text: str) -> terms.NamedNode:
        """An IRI, or a name with a prefix of the file."""
        prefix, colon, local = text.partition(":")
        is_short = colon and prefix in self._file.namespaces and not local.startswith("//")
        return terms.NamedNode(self._file.namespaces[prefix] + local if is_short else text)

    def _check_namespaces(self) -> None:
        for prefix, namespace in self._file.namespaces.items():
            try:
                terms.NamedNode(namespace)
            except ValueError as error:
                raise self._wrong(f"namespaces: {prefix}", "an absolute IRI", f"{namespace!r}: {error}") from None
            if not _PREFIX.fullmatch(prefix):
                raise self._wrong("namespaces", "a prefix", repr(prefix))

    def _converted(self, members: Any, kind: type[T], name: str | None = None) -> T:
        try:
            return msgspec.convert(members, kind)
        except msgspec.ValidationError as error:
            raise self._wrong(name, "a JSAP file", f"another: {error}") from None

    def _read(self, name: str, read: Callable[[], T]) -> T:
        """Say of an error in a text which text it is."""
        try:
            return read()
        except InputError as error:
            raise error.located_in(self._place(name)) from None

    def _place(self, name: str | None) -> str | None:
        return ": ".join(part for part in (self._source, name) if part) or None

    def _wrong(self, name: str | None, wanted: str, found: str) -> InputError:
        return InputError(wanted=wanted, found=found, source=self._place(name))


def _over(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Members of both, those above in front, objects inside objects as well; a null says nothing."""
    merged = dict(below)
    for name, value in above.items():
        under = merged.get(name)
        if isinstance(value, dict) and isinstance(under, dict):
            merged[name] = _over(under, value)
        elif value is not None:
            merged[name] = value
    return merged


def _url(protocol: str, host: str, port: int | None, path: str) -> str:
    place = host if port is None else f"{host}:{port}"
    url = f"{protocol}://{place}{path}"
    try:
        terms.NamedNode(url)
    except ValueError:
        path = ""
    if not path.startswith("/") or not host or not set(host).isdisjoint("/?#@ "):
        raise InputError(wanted="a host, a port and a path that begins with /", found=url)
    return url


def _text(value: str | int | float | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _blank(label: str) -> Variable:
    name = label.removeprefix("_:")
    if not _LABEL.fullmatch(name):
        raise ValueError("letters, digits, _, - and . only")
    return Variable(f"_:{name}")


def _listed(given: _Names) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given or ())
