"""Where the general lane is evaluated: an interface, and the way of a script, which is here."""

from __future__ import annotations

from typing import Protocol

from triplewire.matching.evaluation.event_view import EventView
from triplewire.matching.general.datasets import Dataset, check_accepted


class Evaluator(Protocol):
    """Handed to a matcher. Used by one thread at a time, unless it says otherwise."""

    def dataset(self, view: EventView) -> Dataset:
        """One event, ready to be asked."""
        ...

    def check(self, text: str) -> None:
        """Raise InputError if Oxigraph does not take a query."""
        ...


class InProcess:
    """Evaluates where it is called: what crashes Oxigraph ends the caller. The limits on queries prevent it."""

    def dataset(self, view: EventView) -> Dataset:
        return Dataset(view)

    def check(self, text: str) -> None:
        check_accepted(text)


IN_PROCESS = InProcess()
