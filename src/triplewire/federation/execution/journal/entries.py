"""Entries of a journal. Their numbers are their places in the order of what happened at the peer."""

from __future__ import annotations

from msgspec import Struct

from triplewire.rdf.terms import Triple
from triplewire.rules.graphs import Lookup


class Who(Struct, frozen=True):
    """Whose an entry is: a unit, or a condition that has read for one."""

    name: str
    root: str
    group: str


class Written(Struct):
    """An update: how it wanted each assertion to be, how each was before, and what changed in the closure."""

    number: int
    at: float
    who: Who
    wanted: dict[Triple, bool]
    was: dict[Triple, bool]
    changed: tuple[Triple, ...]


class ReadFrom(Struct, frozen=True):
    """A question. `is_check`: it was asked to see whether a change conforms.

    `number` is the place of the state that was asked, which may be earlier than the entry's own.
    """

    number: int
    at: float
    who: Who
    lookups: tuple[Lookup, ...]
    is_check: bool
