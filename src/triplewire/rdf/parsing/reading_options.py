"""How documents of others are read: within which limits, from which base, with which contexts."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import datetime

from msgspec import Struct

from triplewire.rdf.documents import read_document
from triplewire.rdf.events import Event
from triplewire.rdf.formats import format_named
from triplewire.rdf.limits import DEFAULT_LIMITS, Limits
from triplewire.rdf.parsing.contexts import NO_CONTEXTS, Contexts
from triplewire.rdf.parsing.quads import QuadReader
from triplewire.rdf.parsing.subject_events import events_by_subject


class ReadingOptions(Struct, frozen=True, kw_only=True):
    """What a caller decides once for many documents. Without a base, each file's own URL is its base."""

    limits: Limits = DEFAULT_LIMITS
    base: str | None = None
    contexts: Contexts = NO_CONTEXTS

    def events(
        self,
        data: bytes | os.PathLike[str],
        format: str,  # noqa: A002  as Event.parse has it
        *,
        source: str | None = None,
        time: datetime | None = None,
        url: str | None = None,
    ) -> list[Event]:
        """The events of a document; `url` is where it was found, if `data` does not tell."""
        return Event.parse(
            data, format, source=source, time=time, base=self.base or url, limits=self.limits, contexts=self.contexts
        )

    def subjects(
        self,
        data: bytes | os.PathLike[str],
        format: str,  # noqa: A002
        *,
        source: str | None = None,
        time: datetime | None = None,
    ) -> Iterator[Event]:
        """The same document as an event for each of its subjects."""
        document = read_document(data, source=source, limits=self.limits)
        reader = QuadReader(document, format_named(format), base=self.base, limits=self.limits, contexts=self.contexts)
        return events_by_subject(reader.without_blank_graphs(), source=document.source, time=time, limits=self.limits)


AS_USUAL = ReadingOptions()
