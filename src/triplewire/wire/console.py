"""What people look at: a node's figures, events as they come, trials of a query, matches over time."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from triplewire.wire.answers import ExplanationView


class WhoAmI(Struct, frozen=True, kw_only=True):
    """The client behind a request, what it may do, and the node that answers. `is_open`: it asks for no secret."""

    id: str
    name: str
    is_admin: bool
    may_publish: bool
    may_read: bool
    may_read_everything: bool
    is_open: bool
    node: str
    version: str


class Figures(Struct, frozen=True, kw_only=True):
    """What a node has and does, at `time` in Unix seconds. Counters begin with its process, `uptime` seconds ago.

    `oldest_waiting` is the age in seconds of the oldest notification that waits for this client, or of all for an
    administrator. `disk_free` are bytes left where the node keeps its data, `commit_seconds` what a commit took on
    average. Of the log, `head` is the newest position and `floor` the last that retention has removed.
    """

    time: float
    uptime: float
    published: int
    matched: int
    delivered: int
    acknowledged: int
    candidates: int
    subscriptions: int
    views: int
    rules: int
    dead_letters: int
    oldest_waiting: float
    waiting: Annotated[int, Meta(description="Subscriptions and views with something that waits.")]
    writer_queue: int
    log_bytes: int
    disk_free: int
    head: int
    floor: int
    living_quads: int
    commits: int
    commit_seconds: float
    in_network: bool
    in_space: bool


class RecentEvent(Struct, frozen=True):
    """An event of the log as its reader may see it. `accepted` is in Unix seconds.

    `nquads` is cut to whole lines where the event is large, and `quads` counts them all. `origin` is the super-peer
    where it was published, null for this node.
    """

    position: int
    event: str
    publisher: str
    accepted: float
    quads: int
    nquads: str
    origin: str | None = None


class RecentEvents(Struct, frozen=True):
    """The newest events in order. `position` is the newest there is; `skipped` are those left out before the first."""

    events: tuple[RecentEvent, ...]
    position: int
    skipped: int = 0


class TrialMatch(Struct, frozen=True):
    """An event that would have matched, and its first solutions in SPARQL's JSON; `solution_count` counts all."""

    event: str
    position: int
    accepted: float
    solutions: list[dict[str, Any]]
    solution_count: int
    construct: tuple[str, ...] = ()


class TrialMiss(Struct, frozen=True):
    """An event that would not have matched, why, and how close it came, from 0 to 1."""

    event: str
    position: int
    closeness: float
    reason: str


class Trial(Struct, frozen=True, kw_only=True):
    """What a query would have said about the newest events, positions `first` to `last`, `events` in number.

    `matched` counts the events that match; `matches` has the newest of them, newest first, `misses` those of the
    others that came closest.
    """

    events: int
    first: int
    last: int
    matched: int
    matches: tuple[TrialMatch, ...]
    misses: tuple[TrialMiss, ...]
    explanation: ExplanationView


class MatchBin(Struct, frozen=True):
    """A span of time from `time` on, in Unix seconds: its events, how many match, and the position before its first."""

    time: float
    position: int
    events: int
    matches: int


class MatchHistory(Struct, frozen=True, kw_only=True):
    """How many events of the log match over time, in spans of `seconds`, by today's taxonomy.

    It is counted from the log, not from what was delivered: positions `first` to `last`. `floor` is the last position
    that retention has removed.
    """

    first: int
    last: int
    floor: int
    seconds: float
    events: int
    matches: int
    bins: tuple[MatchBin, ...]


class SeenTerm(Struct, frozen=True):
    """A class or property, and in how many places the events that were looked at have it."""

    iri: str
    count: int


class Vocabulary(Struct, frozen=True):
    """Classes and properties of the newest events and of the taxonomy, most frequent first, and prefixes for them."""

    prefixes: dict[str, str]
    classes: tuple[SeenTerm, ...]
    properties: tuple[SeenTerm, ...]
    events: int


class TriggeringArc(Struct, frozen=True):
    """The first rule may trigger the second, and why. On a cycle it may go on without end."""

    rule: str
    triggers: str
    reason: str
    on_cycle: bool


class RuleFinding(Struct, frozen=True):
    """What the analysis says of rules: a label, a sentence, and whether somebody should look at it."""

    label: str
    text: str
    rules: tuple[str, ...] = ()
    warns: bool = False


class RuleAnalysis(Struct, frozen=True):
    """What the analysis says of a rule base. `layers` has the rules, each above those that it may trigger.

    `kind` is `no schema` where there is none: then there is nothing that it could say for sure.
    """

    kind: Literal["analysed", "no schema", "no rules"]
    layers: tuple[tuple[str, ...], ...] = ()
    arcs: tuple[TriggeringArc, ...] = ()
    findings: tuple[RuleFinding, ...] = ()
