"""How the files of a run are read: what one event may be, what relative IRIs count from, which contexts there are, and
which property of an event is its time.

Options travel with each split, so contexts do so by the path of their map: like the events, it lies where every task
can read it.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from msgspec import Struct

from triplewire.errors import InputError
from triplewire.rdf.limits import MIB, Limits, limits_for
from triplewire.rdf.parsing.contexts import Contexts
from triplewire.rdf.parsing.reading_options import ReadingOptions
from triplewire.rdf.terms import NamedNode


class ReadOptions(Struct, frozen=True, kw_only=True):
    """What a caller may ask for; None is the usual. `storage` is what it takes to reach the files."""

    event_bytes: int | None = None
    event_quads: int | None = None
    base: str | None = None
    contexts: str | None = None
    event_time: str | None = None
    storage: dict[str, str] = {}

    def __post_init__(self) -> None:
        if self.event_time is not None:
            _require_iri(self.event_time)

    @property
    def limits(self) -> Limits:
        return limits_for(self.event_bytes, self.event_quads)

    @property
    def reading(self) -> ReadingOptions:
        """How documents are read. The map of contexts is read once by each process."""
        return ReadingOptions(limits=self.limits, base=self.base, contexts=_contexts(self.contexts))


DEFAULT_READ_OPTIONS = ReadOptions()
# A node has limits of its own, and its events are within them.
NODE_READ_OPTIONS = ReadOptions(event_bytes=1024 * MIB, event_quads=100_000_000)


def _require_iri(text: str) -> None:
    try:
        NamedNode(text)
    except ValueError as problem:
        message = f"{text!r}: {problem}"
        raise InputError(subject="the event time", wanted="the IRI of a property", found=message) from None


@lru_cache(maxsize=4)
def _contexts(path: str | None) -> Contexts:
    return Contexts.load(None if path is None else Path(path))
