"""Rules, schema and RDFTL updates at a node: what a client asks for, and what it makes of the answers. Pure."""

from __future__ import annotations

from urllib.parse import quote

from msgspec import Struct
from msgspec.structs import replace

from triplewire.client.calls import TRIPLES, Call, decoded
from triplewire.rdf.formats import format_named
from triplewire.wire.schedules import TracedSchedule

RDFTL = "text/x-triplewire-rdftl"


class Conflict(Struct, frozen=True):
    """A rule that may be triggered together with another, in no order, and does not commute with it: why."""

    rule: str
    reasons: dict[str, str]


class RuleAnalysis(Struct, frozen=True):
    """What the analysis says of a rule that was just registered.

    `conditions` are those of I1, I2 and I3 that fail, `cycle` the rules that may trigger each other without end,
    `pitfalls` where the rule does hardly what was meant.
    """

    well_defined: bool
    conditions: dict[str, str] = {}
    conflicts: tuple[Conflict, ...] = ()
    cycle: tuple[str, ...] | None = None
    never_fires: str | None = None
    pitfalls: tuple[str, ...] = ()


class UncarriedInterest(Struct, frozen=True):
    """Events that the node's network or space does not bring to a rule that listens, as a query; and why."""

    interest: str
    reason: str


class RuleStatus(Struct, frozen=True, rename={"name": "id"}):
    """A rule at a node. `listens` is "updates" or "events", `registered` is in Unix seconds.

    `analysis`, `not_carried` and `is_new` are there where the rule was just put; without a schema there is no analysis.
    """

    name: str
    owner: str
    text: str
    listens: str = "updates"
    registered: float = 0.0
    quarantined: str | None = None
    analysis: RuleAnalysis | None = None
    not_carried: tuple[UncarriedInterest, ...] = ()
    is_new: bool = False


class TransactionOutcome(Struct, frozen=True):
    """How a transaction ended."""

    number: int
    transaction: str
    status: str
    error: str | None = None


class RuleFiring(Struct, frozen=True, kw_only=True):
    """How a firing ended; `cause` is the number of the transaction or firing that triggered it."""

    number: int
    transaction: str
    rule: str | None
    cause: int | None
    depth: int
    delta: dict[str, str]
    status: str
    error: str | None = None
    inserted: list[str] = []
    deleted: list[str] = []


class PublishedChange(Struct, frozen=True):
    """An event that tells what a transaction inserted or deleted."""

    event: str
    position: int
    transaction: str
    kind: str
    graph: str | None = None


class UpdateOutcome(Struct, frozen=True):
    """What came of RDFTL updates. `schedule` is their position in the journal; triples are lines of N-Triples."""

    schedule: int
    transactions: list[TransactionOutcome]
    firings: list[RuleFiring]
    inserted: list[str]
    deleted: list[str]
    events: tuple[PublishedChange, ...] = ()


class KeptFiring(Struct, frozen=True, kw_only=True):
    """A firing of a rule as the node has kept it; `cause` is the rule or transaction that triggered it."""

    number: int
    schedule: int
    transaction: str
    cause: str
    depth: int
    delta: dict[str, str]
    status: str
    error: str | None = None
    inserted: list[str] = []
    deleted: list[str] = []


class _Rules(Struct):
    rules: list[RuleStatus]


class _Withdrawn(Struct):
    was: str


class _Firings(Struct):
    firings: list[KeptFiring]
    next: int | None = None


# Rules

RULES = Call("GET", "/rules")


def path_of(name: str) -> str:
    """Where a rule is."""
    return f"/rules/{quote(name, safe='')}"


def put(name: str, text: str, *, listens_to_events: bool) -> Call:
    params = {"listens": "events"} if listens_to_events else {}
    return Call("PUT", path_of(name), params, {"content-type": RDFTL}, text.encode())


def get(name: str) -> Call:
    return Call("GET", path_of(name), headers={"accept": "application/json"})


def delete(name: str) -> Call:
    return Call("DELETE", path_of(name))


def firings(name: str, after: int, limit: int) -> Call:
    return Call("GET", f"{path_of(name)}/firings", {"after": str(after), "limit": str(limit)})


def status(content: bytes, *, is_new: bool = False) -> RuleStatus:
    return replace(decoded(content, RuleStatus), is_new=is_new)


def statuses(content: bytes) -> list[RuleStatus]:
    return decoded(content, _Rules).rules


def kept_firings(content: bytes) -> list[KeptFiring]:
    return decoded(content, _Firings).firings


# Schema and updates

SCHEMA = Call("GET", "/schema", headers={"accept": TRIPLES})


def put_schema(content: bytes, form: str, base: str | None) -> Call:
    headers = {"content-type": format_named(form).media_types[0]}
    return Call("PUT", "/schema", {} if base is None else {"base": base}, headers, content)


def update(text: str, key: str | None) -> Call:
    headers = {"content-type": RDFTL} | ({} if key is None else {"idempotency-key": key})
    return Call("POST", "/updates", headers=headers, content=text.encode())


def withdraw(key: str) -> Call:
    return Call("DELETE", f"/updates/{quote(key, safe='')}")


def withdrawn(content: bytes) -> str:
    return decoded(content, _Withdrawn).was


def trace(schedule: int | str) -> Call:
    if isinstance(schedule, int):
        return Call("GET", f"/schedules/{schedule}")
    return Call("GET", "/schedules", {"transaction": schedule})


def traced(content: bytes) -> TracedSchedule:
    return decoded(content, TracedSchedule)


def outcome(content: bytes) -> UpdateOutcome:
    return decoded(content, UpdateOutcome)
