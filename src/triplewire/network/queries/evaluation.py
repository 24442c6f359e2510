"""Evaluates a query over quadruples that were fetched, by Oxigraph, in memory.

It imports nothing of Triplewire, so that a process that does nothing else starts at once, and can be killed when a
query runs away: `python evaluation.py MEMORY` answers one message from standard input. The dataset is that of a node's
repository: each event is a named graph, and the default graph is the union of them all, a set.

Resource handling: the result is written up to a limit; a query that needs more memory than MEMORY ends the process.
"""

from __future__ import annotations

import pickle
import resource
import sys
from collections.abc import Iterable
from io import RawIOBase
from typing import IO, Any, cast

from pyoxigraph import QueryBoolean, QueryResultsFormat, QuerySolutions, RdfFormat, Store, parse

Coordinates = tuple[bytes, bytes, bytes, bytes]


class _TooLarge(Exception):  # noqa: N818  says what happened
    """A result that has more bytes than allowed."""


class _Bounded(RawIOBase):
    """Where a result is written, up to a limit."""

    def __init__(self, most: int) -> None:
        self._parts: list[bytes] = []
        self._left = most

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        part = bytes(data)
        self._left -= len(part)
        if self._left < 0:
            raise _TooLarge
        self._parts.append(part)
        return len(part)

    @property
    def content(self) -> bytes:
        return b"".join(self._parts)


def evaluate(quads: Iterable[Coordinates], text: str, media_type: str, most: int) -> tuple[Any, ...]:
    """The answer: ("answer", media type, bytes) or ("refused", reason).

    >>> evaluate([(b"<urn:e>", b"<urn:s>", b"<urn:p>", b"<urn:o>")], "ASK { ?s ?p ?o }", "text/csv", 100)
    ('answer', 'text/csv; charset=utf-8', b'true')
    """
    output = _Bounded(most)
    stream = cast(IO[bytes], output)
    try:
        results = _store_of(quads, has_names="GRAPH" in text.upper()).query(text)
        if isinstance(results, QuerySolutions | QueryBoolean):
            chosen = QueryResultsFormat.from_media_type(media_type) or QueryResultsFormat.JSON
            results.serialize(stream, chosen)
            return "answer", chosen.media_type, output.content
        rdf = RdfFormat.from_media_type(media_type) or RdfFormat.N_TRIPLES
        results.serialize(stream, rdf)
    except _TooLarge:
        return "refused", f"wanted a result of at most {most:,} bytes, found more"
    except (ValueError, SyntaxError, OSError, RuntimeError) as error:
        return "refused", f"the query could not be evaluated: {error}"
    return "answer", rdf.media_type, output.content


def _store_of(quads: Iterable[Coordinates], has_names: bool) -> Store:
    """Coordinates are N-Quads already. Each triple is in the default graph, and in its own if that can be asked for."""
    store = Store()
    quads = list(quads)
    lines = [b"%b %b %b .\n" % (s, p, o) for _, s, p, o in quads]
    if has_names:
        lines += [b"%b %b %b %b .\n" % (s, p, o, g) for g, s, p, o in quads]
    # Parsed first, since loading would give blank nodes new labels, others each time.
    store.bulk_extend(parse(b"".join(lines), RdfFormat.N_QUADS))
    return store


def main(memory: str) -> None:
    """Answer one message, which comes from the node, never from outside."""
    resource.setrlimit(resource.RLIMIT_AS, (int(memory), int(memory)))
    quads, text, media_type, most = pickle.loads(sys.stdin.buffer.read())
    sys.stdout.buffer.write(pickle.dumps(evaluate(quads, text, media_type, most)))


if __name__ == "__main__":
    main(*sys.argv[1:])
