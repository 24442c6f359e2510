"""Write a DataFrame to a node: events as they are, notifications as events (see `notification_events`).

Tasks publish by themselves, so what was written before a failure stays there; a repeat changes nothing, since an event
that a node has is not published twice. Rows that are no sound event fail the write, and so does an event of which the
node has another content.
"""

from __future__ import annotations

import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from datetime import UTC, datetime

import pyarrow as pa
from msgspec import Struct
from pyspark.sql.datasource import DataSourceArrowWriter, DataSourceStreamArrowWriter, WriterCommitMessage

from triplewire.errors import InputError, PipelineError
from triplewire.pipeline.jobs.stream.notification_events import notification_event
from triplewire.pipeline.lake.tables import EVENTS
from triplewire.pipeline.sinks.written_rows import events_in
from triplewire.rdf.formats import NQUADS
from triplewire.rdf.limits import MIB
from triplewire.system.backoff import Backoff

_ROWS_AT_ONCE = 500
_BYTES_AT_ONCE = 4 * MIB
_SECONDS = 60.0
_BACKOFF, _RETRIES = Backoff(first=0.5, longest=30.0), 7
_AGAIN = frozenset({429, 502, 503, 504})
_CONFLICT = 409
_SHOWN = 300

Batches = Iterator[pa.RecordBatch]


class NodeTarget(Struct, frozen=True):
    """A node, and what is written to it. The secret travels with the tasks."""

    url: str
    table: str
    secret: str | None = None


class NodeBatchWriter(DataSourceArrowWriter):
    """`df.write`."""

    def __init__(self, target: NodeTarget) -> None:
        self._target = target

    def write(self, iterator: Batches) -> WriterCommitMessage:
        return _published(self._target, iterator)


class NodeStreamWriter(DataSourceStreamArrowWriter):
    """`df.writeStream`."""

    def __init__(self, target: NodeTarget) -> None:
        self._target = target

    def write(self, iterator: Batches) -> WriterCommitMessage:
        return _published(self._target, iterator)


def _published(target: NodeTarget, batches: Batches) -> WriterCommitMessage:
    for batch in batches:
        for some in _together(_texts(target, batch)):
            _publish(target, some)
    return WriterCommitMessage()


def _texts(target: NodeTarget, batch: pa.RecordBatch) -> Iterator[bytes]:
    if target.table != EVENTS:
        yield from (notification_event(row).nquads for row in batch.to_pylist())
        return
    for found in events_in(batch, datetime.now(UTC)):
        if len(found.rejects):
            bad = found.rejects.slice(0, 1).to_pylist()[0]
            raise InputError(str(bad["reason"]), source=f"event {bad['event'] or bad['file']}")
        yield from found.rows.column("payload").to_pylist()


def _together(texts: Iterator[bytes]) -> Iterator[list[bytes]]:
    """As many at once as fit into a request."""
    some: list[bytes] = []
    for text in texts:
        if some and (len(some) >= _ROWS_AT_ONCE or sum(map(len, some)) + len(text) > _BYTES_AT_ONCE):
            yield some
            some = []
        some.append(text)
    if some:
        yield some


def _publish(target: NodeTarget, some: list[bytes]) -> None:
    status, words = _answer(target, b"".join(some))
    if 200 <= status < 300:
        return
    if status == _CONFLICT and target.table != EVENTS:
        # The node has one of these with other solutions, from another run: what was published first stays.
        if len(some) > 1:
            for one in some:
                _publish(target, [one])
        return
    answer = f"{status or 'no answer'}: {words}"
    raise PipelineError(wanted=f"the node {target.url} to take {len(some):,} events", found=answer)


def _answer(target: NodeTarget, body: bytes) -> tuple[int, str]:
    """The node's answer. It is asked again while it is away or busy, for about a minute."""
    found = _asked(target, body)
    for failures in range(1, _RETRIES + 1):
        if found[0] not in _AGAIN and found[0]:
            return found
        time.sleep(_BACKOFF.delay(failures))
        found = _asked(target, body)
    return found


def _asked(target: NodeTarget, body: bytes) -> tuple[int, str]:
    """Status and words of an answer; the status is 0 if there is none."""
    headers = {"content-type": NQUADS.media_types[0]}
    if target.secret is not None:
        headers["authorization"] = f"Bearer {target.secret}"
    request = urllib.request.Request(f"{target.url.rstrip('/')}/events", data=body, headers=headers, method="POST")
    try:
        with urllib.request.urlopen(request, timeout=_SECONDS) as response:
            return response.status, ""
    except urllib.error.HTTPError as error:
        return error.code, error.read(_SHOWN).decode(errors="replace")
    except (urllib.error.URLError, TimeoutError, ConnectionError) as error:
        return 0, str(error)
