"""Paths and standard input become events, subscriptions and taxonomies.

Reading goes on after a problem, so that all of them are reported at once; the caller decides whether the good part is
worth anything without the bad one.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from triplewire.algebra.subscriptions import Subscription
from triplewire.algebra.taxonomy import Taxonomy
from triplewire.cli.invocation import described
from triplewire.cli.screen import tracked
from triplewire.errors import InputError, TriplewireError
from triplewire.languages import files
from triplewire.rdf.documents import visible_files
from triplewire.rdf.events import Event, merge_repeats
from triplewire.rdf.formats import FORMATS, NQUADS, format_of_path, format_of_suffix
from triplewire.rdf.parsing.reading_options import AS_USUAL, ReadingOptions
from triplewire.rdf.terms import NamedNode

STDIN = Path("-")
TaxonomyPath = Annotated[
    Path | None,
    typer.Option("--taxonomy", "-t", metavar="PATH", help="An RDFS class and property hierarchy, in an RDF file."),
]
Base = Annotated[
    str | None, typer.Option("--base", metavar="IRI", help="What relative IRIs count from. Default: the file's URL.")
]
ContextMap = Annotated[
    Path | None,
    typer.Option(
        "--contexts",
        envvar="TRIPLEWIRE_CONTEXTS",
        metavar="FILE",
        help="JSON-LD contexts: a JSON map of URLs to local files. Nothing is fetched.",
    ),
]
EventBytes = Annotated[int | None, typer.Option(min=1, metavar="N", help="Bytes of one event. Default 1 MiB.")]
EventQuads = Annotated[int | None, typer.Option(min=1, metavar="N", help="Quads of one event. Default 10,000.")]
_STDIN_NAME = "<stdin>"


class Problems:
    """A sentence for each thing that could not be read."""

    def __init__(self) -> None:
        self.sentences: list[str] = []

    @contextmanager
    def noted(self, name: str | None = None) -> Iterator[None]:
        """Note what goes wrong in the block, and go on after it. `name` says where, if the problem does not."""
        try:
            yield
        except (TriplewireError, OSError) as problem:
            if name is not None and isinstance(problem, InputError):
                problem.located_in(name)
            self.sentences.append(described(problem))


def read_events(
    paths: Sequence[Path], problems: Problems, reading: ReadingOptions = AS_USUAL, stdin_format: str = NQUADS.name
) -> list[Event]:
    """The events in files and folders of any RDF format, each once. One name with two contents is a problem."""
    events: dict[NamedNode, Event] = {}
    for file in tracked(_rdf_files(paths, problems), "reading events"):
        with problems.noted():
            _take(_events_in(file, reading, stdin_format), events, problems)
    return list(events.values())


def read_subjects(
    paths: Sequence[Path], problems: Problems, reading: ReadingOptions = AS_USUAL, stdin_format: str = NQUADS.name
) -> list[Event]:
    """An event for each subject in the files. What two files say of it in one way is one event."""
    events: dict[NamedNode, Event] = {}
    for file in tracked(_rdf_files(paths, problems), "reading subjects"):
        with problems.noted():
            _take(_subjects_in(file, reading, stdin_format), events, problems)
    return list(events.values())


def read_subscriptions(paths: Sequence[Path], problems: Problems) -> list[Subscription]:
    """The subscriptions in files and folders. One identifier used twice is a problem."""
    good, bad = files.read_subscriptions(paths)
    problems.sentences.extend(described(entry.error) for entry in bad)
    return good


def read_one_subscription(path: Path) -> Subscription:
    """The subscription in a file that must hold just one."""
    found = files.load_subscriptions([path])
    if len(found) != 1:
        raise InputError(wanted="one subscription", found=str(len(found)), source=str(path))
    return found[0]


def _rdf_files(paths: Sequence[Path], problems: Problems) -> list[Path]:
    files: list[Path] = []
    for path in paths:
        with problems.noted():
            files.extend(rdf_files(path))
    return files


def rdf_files(path: Path) -> list[Path]:
    """The path itself, or the files in a folder, at any depth, whose suffix is that of an RDF format, by path."""
    if path == STDIN or not path.is_dir():
        return [path]
    files = [file for file in visible_files(path) if format_of_suffix(file)]
    if not files:
        wanted = ", ".join(suffix for form in FORMATS for suffix in form.suffixes)
        raise InputError(wanted=f"RDF files in this folder ({wanted})", found="none", source=str(path))
    return files


def read_taxonomy(path: Path | None) -> Taxonomy | None:
    """The taxonomy in an RDF file, if one is named. The same limits hold as for events."""
    return None if path is None else Taxonomy.parse(path, format=format_of_path(path).name)


def _events_in(file: Path, reading: ReadingOptions, stdin_format: str) -> list[Event]:
    if file == STDIN:
        return reading.events(_standard_input(reading), stdin_format, source=_STDIN_NAME)
    return reading.events(file, format_of_path(file).name, time=time_of(file))


def _subjects_in(file: Path, reading: ReadingOptions, stdin_format: str) -> Iterator[Event]:
    data = _standard_input(reading) if file == STDIN else file
    time = None if file == STDIN else time_of(file)
    form = stdin_format if file == STDIN else format_of_path(file).name
    return reading.subjects(data, form, source=_STDIN_NAME if file == STDIN else None, time=time)


def _standard_input(reading: ReadingOptions) -> bytes:
    return sys.stdin.buffer.read(reading.limits.document_bytes + 1)


def time_of(file: Path) -> datetime:
    """The file's own time: an event without a name gets the same one each time that the file is read."""
    return datetime.fromtimestamp(file.stat().st_mtime, UTC)


def _take(found: Iterable[Event], events: dict[NamedNode, Event], problems: Problems) -> None:
    for event in found:
        with problems.noted():
            merge_repeats([events.setdefault(event.graph, event), event])
