"""One poller for all readers of feeds: fetch, turn into events, hand on what is new.

Only what was named is fetched: an http or https address without redirects, or a file. A feed that did not change is not
sent again by a server that knows conditional requests, and an event that was handed on before is not handed on again.
"""

from __future__ import annotations

from collections import OrderedDict
from pathlib import Path

import httpx

from triplewire.client.feeds import MAX_FEED_BYTES, events_of_feed
from triplewire.errors import InputError, LimitExceeded
from triplewire.rdf.events import Event

_REMEMBERED = 100_000
_TIMEOUT = 30.0


class Feed:
    """One feed, and what is known of its last state."""

    def __init__(self, source: str, http: httpx.Client) -> None:
        self.source = source
        self._http = http
        self._known: dict[str, str] = {}
        self._seen: OrderedDict[str, None] = OrderedDict()

    def news(self) -> list[Event]:
        """The events that were not there the last time."""
        document = self._fetched() if is_address(self.source) else _file(self.source)
        events = [] if document is None else events_of_feed(document, self.source)
        return [event for event in events if self._is_new(event)]

    def forget(self, event: Event) -> None:
        """Let an event be news again: it could not be handed on."""
        self._seen.pop(event.graph.value, None)
        self._known = {}

    def _is_new(self, event: Event) -> bool:
        name = event.graph.value
        is_new = name not in self._seen
        self._seen[name] = None
        self._seen.move_to_end(name)
        if len(self._seen) > _REMEMBERED:
            self._seen.popitem(last=False)
        return is_new

    def _fetched(self) -> bytes | None:
        """The document, or None if it did not change."""
        try:
            with self._http.stream("GET", self.source, headers=self._known, timeout=_TIMEOUT) as response:
                if response.status_code == 304:
                    return None
                document = _body(response, self.source)
        except (httpx.TransportError, httpx.InvalidURL, httpx.DecodingError) as error:
            raise InputError(wanted="a feed", found=f"no answer: {error}", source=self.source) from None
        headers = {"if-none-match": "etag", "if-modified-since": "last-modified"}
        self._known = {ask: response.headers[header] for ask, header in headers.items() if header in response.headers}
        return document


def is_address(source: str) -> bool:
    """Whether a source is an http or https address, rather than a file.

    >>> is_address("https://example.org/feed"), is_address("feed.xml")
    (True, False)
    """
    return source.startswith(("http://", "https://"))


def _body(response: httpx.Response, source: str) -> bytes:
    if response.is_redirect:
        elsewhere = response.headers.get("location", "somewhere else")
        raise InputError(
            wanted="a feed", found=f"a redirect to {elsewhere!r}", hint="name that, if it is right", source=source
        )
    if not response.is_success:
        raise InputError(wanted="a feed", found=f"{response.status_code} {response.reason_phrase}", source=source)
    parts, size = [], 0
    for part in response.iter_bytes():
        size += len(part)
        if size > MAX_FEED_BYTES:
            raise LimitExceeded(
                "feed_bytes",
                MAX_FEED_BYTES,
                wanted=f"a feed of at most {MAX_FEED_BYTES:,} bytes",
                found="more",
                source=source,
            )
        parts.append(part)
    return b"".join(parts)


def _file(source: str) -> bytes:
    with Path(source).open("rb") as file:
        return file.read(MAX_FEED_BYTES + 1)
