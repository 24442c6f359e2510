"""The first matcher inside Spark's tasks: pyoxigraph parses, Python matches. A worker builds its index once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache

import pyarrow as pa
from benchmarks.rivals.first.matcher import Matcher

from triplewire import Event
from triplewire.languages.files import load_subscriptions

MATCHED_COLUMNS = "event string, payload string, subscriptions array<string>"
_SCHEMA = pa.schema([("event", pa.string()), ("payload", pa.string()), ("subscriptions", pa.list_(pa.string()))])


@cache
def indexed(path: str) -> Matcher:
    """A matcher with every subscription of a file, kept as long as the worker lives."""
    matcher = Matcher()
    for subscription in load_subscriptions([path]):
        matcher.add(subscription)
    return matcher


def first_matching(path: str) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """The function that runs in the tasks: an event and its payload out for each one in, with what it matched."""

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        matcher = indexed(path)
        for batch in batches:
            rows = [row for text in batch.column(0).to_pylist() if text for row in _matched(matcher, text)]
            yield pa.RecordBatch.from_pylist(rows, schema=_SCHEMA)

    return run


def _matched(matcher: Matcher, text: str) -> Iterator[dict[str, object]]:
    for event in Event.parse(text.encode()):
        found = [match.subscription_id for match in matcher.match(event)]
        yield {"event": event.graph.value, "payload": text, "subscriptions": found}
