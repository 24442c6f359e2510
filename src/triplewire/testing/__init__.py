"""Public doubles: what a project that uses Triplewire can test itself with. Needs `triplewire[testing]`.

    oracle       what a subscription answers on an event, evaluated from its text by Oxigraph or rdflib
    answers      when two answers are the same
    strategies   hypothesis strategies for terms, events, subscriptions, taxonomies, advertisements
    workloads    subscriptions and events in any number, by seed
    simulation   whole networks of super-peers on a virtual clock, with faults, and a checker
    FaultyDisk, VirtualClock
                 stand in for a node's disk and clock

`strategies` is imported by its own name, since it needs hypothesis: `from triplewire.testing import strategies`. So is
`simulation`, which brings the network along. The oracle, which needs rdflib, is imported when somebody asks for it, so
that the workloads need nothing: `triplewire generate` makes them in an installation without extras.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import triplewire.languages  # noqa: F401  makes the languages known
from triplewire.extras import needing
from triplewire.testing import workloads
from triplewire.testing.answers import Answers, Solution, answers_of, same_answers, same_graph
from triplewire.testing.faulty_disk import Fate, FaultyDisk
from triplewire.testing.virtual_clock import VirtualClock

if TYPE_CHECKING:
    from triplewire.testing.oracle import Oracle, OracleUndecided

__all__ = [
    "Answers",
    "Fate",
    "FaultyDisk",
    "Oracle",
    "OracleUndecided",
    "Solution",
    "VirtualClock",
    "answers_of",
    "same_answers",
    "same_graph",
    "workloads",
]


def __getattr__(name: str) -> object:
    if name not in ("Oracle", "OracleUndecided"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    with needing("testing"):
        from triplewire.testing import oracle

    return getattr(oracle, name)
