"""Chunks from other members, operation by operation: each must be one that a holder of zones can have done.

Chunks go from replica to replica before anybody reads them. So one bad operation must not keep the good ones from being
taken over: they are told apart. A node's own tables, its claims or its gateway's, are never written by a chunk.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from triplewire.errors import MessageRefused
from triplewire.network.can.messaging.outgoing import kept_cast_in
from triplewire.network.eventspace.chunks import (
    COLLECTORS,
    OUTBOX,
    REMOVED,
    SHARED_TABLES,
    SUBSCRIPTIONS,
    WAITING,
    AddEvent,
    AddQuads,
    Delete,
    Operation,
    Put,
    encoded_chunk,
    header_in,
    operations_in,
)
from triplewire.network.eventspace.screening.headers import (
    check_boxes,
    check_header,
    check_key,
    check_subscription,
    check_waiting,
)
from triplewire.network.eventspace.screening.rows import check_points
from triplewire.network.eventspace.zones.subscription_index import bounds_in, journal_key, key_in, subscription_in
from triplewire.network.eventspace.zones.waiting import collector_in, collector_key, rewritten_in, rewritten_key


def screened(chunk: bytes) -> tuple[bytes, list[MessageRefused]]:
    """A chunk without the operations that are refused, and why those are."""
    try:
        operations = operations_in(chunk)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        return b"", [MessageRefused("chunk", wanted="a chunk of operations", found=str(error))]
    kept: list[Operation] = []
    refused: list[MessageRefused] = []
    for operation in operations:
        try:
            _check(operation)
        except MessageRefused as problem:
            refused.append(problem)
        else:
            kept.append(operation)
    return (encoded_chunk(kept) if kept else b"", refused) if refused else (chunk, [])


def _check(operation: Operation) -> None:
    try:
        if isinstance(operation, Put):
            _require_shared(operation.table)
            _PUTS[operation.table](operation.key, operation.value)
        elif isinstance(operation, Delete):
            _require_shared(operation.table)
            _DELETES[operation.table](operation.key)
        elif isinstance(operation, AddEvent):
            header = header_in(operation.header)
            check_header(header)
            _require_key(header.event.encode(), operation.event.encode())
        elif isinstance(operation, AddQuads):
            check_points(operation.points)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, ValueError) as error:
        raise MessageRefused("chunk", wanted="a record of a zone", found=str(error)) from None


def _require_shared(table: str) -> None:
    if table not in SHARED_TABLES:
        raise MessageRefused("table", wanted="a table that zones share", found=repr(table[:80]))


def _require_key(wanted: bytes, found: bytes) -> None:
    if wanted != found:
        raise MessageRefused("key", wanted=f"the key {wanted[:80]!r}", found=repr(found[:80]))


def _put_subscription(key: bytes, value: bytes) -> None:
    subscription = subscription_in(value)
    check_subscription(subscription)
    _require_key(journal_key(subscription.key), key)


def _put_removal(key: bytes, value: bytes) -> None:
    _check_subscription_key(key)
    check_boxes(bounds_in(value))


def _put_rewritten(key: bytes, value: bytes) -> None:
    message = rewritten_in(value)
    check_waiting(message)
    _require_key(rewritten_key(message), key)


def _put_collector(key: bytes, value: bytes) -> None:
    message = collector_in(value)
    check_waiting(message)
    _require_key(collector_key(message), key)


def _put_message(key: bytes, value: bytes) -> None:
    key.decode()
    check_boxes(kept_cast_in(value).boxes)


def _check_subscription_key(key: bytes) -> None:
    found = key_in(key)
    check_key(found)
    _require_key(journal_key(found), key)


def _check_waiting_key(key: bytes) -> None:
    event, separator, _ = key.partition(b"\0")
    if not event.decode() or not separator:
        raise MessageRefused("key", wanted="an event and who waits for it", found=repr(key[:80]))


_PUTS: dict[str, Callable[[bytes, bytes], None]] = {
    SUBSCRIPTIONS: _put_subscription,
    REMOVED: _put_removal,
    WAITING: _put_rewritten,
    COLLECTORS: _put_collector,
    OUTBOX: _put_message,
}
_DELETES: dict[str, Callable[[bytes], object]] = {
    SUBSCRIPTIONS: _check_subscription_key,
    REMOVED: _check_subscription_key,
    WAITING: _check_waiting_key,
    COLLECTORS: _check_waiting_key,
    OUTBOX: bytes.decode,
}
