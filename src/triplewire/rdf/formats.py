"""The RDF syntaxes that events are read from: by name, by file suffix, by media type."""

from __future__ import annotations

import difflib
import os
from pathlib import PurePath

from msgspec import Struct
from pyoxigraph import RdfFormat

from triplewire.errors import UnknownFormat


class Format(Struct, frozen=True):
    """One syntax. `keeps_labels`: its blank nodes all have labels in the text, so none has to be invented."""

    name: str
    syntax: RdfFormat
    suffixes: tuple[str, ...]
    media_types: tuple[str, ...]
    aliases: tuple[str, ...] = ()
    keeps_labels: bool = False


NQUADS = Format("nquads", RdfFormat.N_QUADS, (".nq",), ("application/n-quads",), ("n-quads", "nq"), True)
NTRIPLES = Format(
    "ntriples", RdfFormat.N_TRIPLES, (".nt",), ("application/n-triples", "text/plain"), ("n-triples", "nt"), True
)
TRIG = Format("trig", RdfFormat.TRIG, (".trig",), ("application/trig", "application/x-trig"))
TURTLE = Format("turtle", RdfFormat.TURTLE, (".ttl", ".turtle"), ("text/turtle", "application/x-turtle"), ("ttl",))
JSONLD = Format(
    "jsonld",
    RdfFormat.JSON_LD,
    (".jsonld", ".json"),
    ("application/ld+json", "application/json"),
    ("json-ld", "json"),
)
RDFXML = Format(
    "rdfxml",
    RdfFormat.RDF_XML,
    (".rdf", ".xml", ".owl"),
    ("application/rdf+xml", "application/xml", "text/xml"),
    ("rdf/xml", "rdf-xml", "xml", "rdf"),
)

FORMATS = (NQUADS, NTRIPLES, TRIG, TURTLE, JSONLD, RDFXML)

_BY_NAME = {name: f for f in FORMATS for name in (f.name, *f.aliases)}
_BY_SUFFIX = {suffix: f for f in FORMATS for suffix in f.suffixes}
_BY_MEDIA_TYPE = {media_type: f for f in FORMATS for media_type in f.media_types}


def format_named(name: str) -> Format:
    """Look a format up by its name or an alias, upper or lower case.

    >>> format_named("TTL").name
    'turtle'
    """
    found = _BY_NAME.get(name.strip().lower())
    if found is None:
        raise _unknown("RDF format", name, [f.name for f in FORMATS], _BY_NAME)
    return found


def format_of_suffix(path: str | os.PathLike[str]) -> Format | None:
    """The format that a file's name implies, if any.

    >>> format_of_suffix("events/today.NQ").name
    'nquads'
    """
    return _BY_SUFFIX.get(PurePath(path).suffix.lower())


def format_of_path(path: str | os.PathLike[str]) -> Format:
    """The format that a file's name implies, or an error that lists the suffixes."""
    found = format_of_suffix(path)
    if found is None:
        name = PurePath(path).name
        raise _unknown("file suffix", name, list(_BY_SUFFIX), _BY_SUFFIX).located_in(os.fspath(path))
    return found


def format_of_media_type(media_type: str) -> Format:
    """The format of a Content-Type header; its parameters are ignored.

    >>> format_of_media_type("text/turtle; charset=utf-8").name
    'turtle'
    """
    found = _BY_MEDIA_TYPE.get(media_type.partition(";")[0].strip().lower())
    if found is None:
        raise _unknown("media type", media_type, list(_BY_MEDIA_TYPE), _BY_MEDIA_TYPE)
    return found


def _unknown(kind: str, found: str, choices: list[str], known: dict[str, Format]) -> UnknownFormat:
    near = difflib.get_close_matches(found.lower(), known, n=1)
    hint = f"did you mean {near[0]!r}?" if near else None
    return UnknownFormat(wanted=f"a known {kind}, one of {', '.join(choices)}", found=repr(found), hint=hint)
