"""The records of a run of rules across super-peers, as peers and super-peers saw it."""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct

from triplewire.federation.execution.effects import Happening
from triplewire.languages.rdftl.syntax import Update
from triplewire.rdf.terms import Triple
from triplewire.testing.simulation import history
from triplewire.testing.simulation.history import FaultCleared, FaultInjected


class Submitted(Struct, frozen=True, tag=True):
    """A peer has submitted a transaction, which got this name."""

    time: float
    unit: str
    peer: str
    updates: tuple[Update, ...]


class Happened(Struct, frozen=True, tag=True):
    """A super-peer says what has happened."""

    time: float
    node: str
    what: Happening


class Wrote(Struct, frozen=True, tag=True):
    """A peer has executed an update: it wanted these to be there, and those not. `classes` are those of subjects."""

    time: float
    peer: str
    unit: str
    inserted: tuple[Triple, ...]
    deleted: tuple[Triple, ...]
    classes: tuple[tuple[str, str], ...]


class Changed(Struct, frozen=True, tag=True):
    """A peer has changed by itself: it wanted these to be there, and those not."""

    time: float
    peer: str
    updates: tuple[Update, ...]
    inserted: tuple[Triple, ...]
    deleted: tuple[Triple, ...]


class Incomplete(Struct, frozen=True, tag=True):
    """A super-peer knows that others cannot be reached: what it does now may be less than the whole would do."""

    time: float
    node: str


Record: TypeAlias = Submitted | Happened | Wrote | Changed | Incomplete
AnyRecord: TypeAlias = Record | FaultInjected | FaultCleared
History: TypeAlias = history.History[Record]
