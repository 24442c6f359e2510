"""What people hold in their hands, as events: an `Event`, an rdflib graph, a file, text.

rdflib is optional. An object of it can only be here if somebody has imported rdflib, so looking among the imported
modules is enough to tell one.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TypeGuard, Union

from triplewire.errors import InputError
from triplewire.rdf.events import Event

if TYPE_CHECKING:
    import rdflib

EventLike = Union[Event, "rdflib.Graph", str, bytes, "os.PathLike[str]"]

_WANTED = "an Event, an rdflib Graph or Dataset, a path, or RDF as text or bytes"


def as_event(given: EventLike, format: str | None = None) -> Event:  # noqa: A002  the public name
    """One event. Text is N-Quads unless a format is named, a file's suffix names its own; several are an error."""
    events = as_events(given, format)
    if len(events) == 1:
        return events[0]
    raise InputError(wanted="one event", found=str(len(events)), hint="match them with match_events")


def as_events(given: EventLike | Iterable[EventLike], format: str | None = None) -> list[Event]:  # noqa: A002
    """The events in anything that holds some."""
    if isinstance(given, Event):
        return [given]
    if is_rdflib_graph(given):
        return _events_of_rdflib(given)
    if isinstance(given, str | bytes | os.PathLike):
        return Event.parse(given, format or "nquads")
    if isinstance(given, Iterable):
        parts: Iterable[Any] = given
        return [event for part in parts for event in as_events(part, format)]
    raise InputError(wanted=f"{_WANTED}, or several of them", found=type(given).__name__)


def is_rdflib_graph(given: Any) -> TypeGuard[rdflib.Graph]:
    """Whether this is one of rdflib's graphs or datasets."""
    module = sys.modules.get("rdflib")
    return module is not None and isinstance(given, module.Graph)


def _events_of_rdflib(graph: rdflib.Graph) -> list[Event]:
    from triplewire.rdf.interop import graphs_of_rdflib

    return [Event.from_triples(name, triples) for name, triples in graphs_of_rdflib(graph)]
