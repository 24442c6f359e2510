"""What is traced, whatever traces it; and nothing, which is what a node does by default."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

# Headers that say which trace a request belongs to (W3C Trace Context).
TraceHeaders = Mapping[str, str]
# To be called with the status of an answer.
Answered = Callable[[int], None]


class Tracing(Protocol):
    """Spans, each as long as its block."""

    @property
    def is_on(self) -> bool: ...

    def request(self, method: str, path: str, headers: TraceHeaders) -> AbstractContextManager[Answered]:
        """A request that came in, below the span that its headers name."""

    def publishing(self, events: Sequence[str]) -> AbstractContextManager[None]:
        """Events until they are on the disk; what is delivered of them is below this span."""

    def delivering(self, event: str, subscription: str) -> AbstractContextManager[TraceHeaders]:
        """One try to deliver an event; with what the receiver is to be told."""

    def close(self) -> None:
        """Hand on what is left. It may take some seconds, so not on the event loop."""


class NoTracing:
    """Nothing is traced, and nothing is kept."""

    is_on = False

    @contextmanager
    def request(self, method: str, path: str, headers: TraceHeaders) -> Iterator[Answered]:
        yield lambda status: None

    @contextmanager
    def publishing(self, events: Sequence[str]) -> Iterator[None]:
        yield

    @contextmanager
    def delivering(self, event: str, subscription: str) -> Iterator[TraceHeaders]:
        yield {}

    def close(self) -> None:
        """There is nothing to hand on."""


NO_TRACING = NoTracing()
