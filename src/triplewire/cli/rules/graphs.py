"""The repository of rules, from a file and to one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from pyoxigraph import serialize

from triplewire.rdf.documents import read_document
from triplewire.rdf.formats import Format, format_of_path
from triplewire.rdf.limits import MIB, Limits
from triplewire.rdf.parsing.quads import QuadReader
from triplewire.rdf.terms import Triple
from triplewire.system.durable_files import replacing_file

# A repository is the user's own, and larger than an event.
_LARGE = Limits(document_bytes=4096 * MIB, expanded_bytes=16384 * MIB)


def read_data(path: Path) -> Iterator[Triple]:
    """Every triple of an RDF file, whatever graph it stands in."""
    for quad in QuadReader(read_document(path, limits=_LARGE), graph_format(path), limits=_LARGE):
        yield quad.triple


def graph_format(path: Path) -> Format:
    """The format that a file's ending means, or an error that lists the endings."""
    return format_of_path(path)


def write_graph(path: Path, triples: Iterable[Triple]) -> None:
    """Write all triples, sorted, in the format of the file's ending. The file is there whole, or as it was."""
    with replacing_file(path) as file:
        serialize(sorted(triples, key=str), file, graph_format(path).syntax)
