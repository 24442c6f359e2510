"""Public doubles: what a project that uses Triplewire can test itself with. Needs `triplewire[testing]`.

    answers        answers, and when two of them are the same
    by_oxigraph    one subscription on one event, by Oxigraph: load the dataset, run the text, read the answer
    by_rdflib      one subscription on one event, by rdflib: slow, but it keeps every term as it was written
    canonical      which literals does Oxigraph keep as they are?
    case           a SPARQL text, an event's triples and name, and the functions that the text may call
    decider        whether an event that arrived in the event space satisfies subscriptions: the broker's part, small
    entailment     the taxonomy's relations, computed the slow and obvious way: by walking the triples anew for every
                   question
    faulty_disk    a disk that fails on demand, with the errors that SQLite reports
    memory_storage  a storage of the event space in memory, with crashes
    oracle         what a subscription answers on an event, evaluated from its text, with no index and no cleverness
    parsed         a SPARQL text as rdflib's algebra: for its evaluator, and to see which constructs a query uses
    rdflib_gaps    what rdflib 7 gets wrong, each with the reason; the tests show for every one that rdflib still has
                   it
    rdflib_terms   terms to rdflib and back, exactly: no lexical form is normalised on the way
    simulation     whole networks of both overlays on a virtual clock, repeatable from a seed
    strategies     hypothesis strategies for everything that Triplewire takes in
    virtual_clock  a clock that moves when it is told to: time passes, or the wall clock jumps
    workloads      subscriptions and events in any number, the same for the same seed

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
