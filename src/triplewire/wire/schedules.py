"""How a schedule went: its transactions, the firings in them, and who aborts with whom; as it is kept and sent."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

UnitStatus = Literal["committed", "aborted"]


class TracedUnit(Struct, frozen=True, kw_only=True):
    """A transaction, or the firing of a rule because of the unit that `cause` numbers.

    `inserted` and `deleted` count the triples that its actions changed, also where they were compensated.
    """

    number: int
    transaction: str
    rule: str | None = None
    cause: int | None = None
    depth: int = 0
    coupling: str | None = None
    abort: Annotated[
        str | None, Meta(description="Who aborts with whom: MUTUAL, PARENTCHILD, CHILDPARENT or INDEPENDENT.")
    ] = None
    delta: dict[str, str] = {}
    status: UnitStatus
    error: str | None = None
    inserted: int = 0
    deleted: int = 0


class TracedSchedule(Struct, frozen=True):
    """A schedule by its position in the journal. Of one that an earlier version executed no units are kept."""

    schedule: int
    time: float
    units: tuple[TracedUnit, ...]
