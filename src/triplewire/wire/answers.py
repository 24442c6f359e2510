"""What a node answers in JSON: one Struct an answer, from which the OpenAPI document is made as well."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from triplewire.wire.reasons import Reason

State = Literal["live", "catching up", "establishing", "quarantined"]


class ProblemDetails(Struct, frozen=True):
    """Problem details (RFC 9457), with what was wanted and what was found where the error says so."""

    type: str
    title: str
    status: int
    detail: str
    wanted: str | UnsetType = UNSET
    found: str | UnsetType = UNSET


class Receipt(Struct, frozen=True):
    """Where a published event is in the log."""

    event: str
    position: int


class Receipts(Struct, frozen=True):
    """Every event of a request, in its order."""

    events: tuple[Receipt, ...]


class ChangeReceipt(Struct, frozen=True):
    """A change of the living graph: its position, how many quads it added and removed, and the events that tell of it.

    `created` if a named graph is new, `fired` are the rules that took part.
    """

    position: int
    added: int
    removed: int
    created: bool = False
    events: tuple[Receipt, ...] = ()
    fired: tuple[str, ...] = ()


class ChangeView(Struct, frozen=True):
    """A change of the living graph; quads are lines of N-Quads without their dot. `time` is in Unix seconds."""

    position: int
    time: float
    added: tuple[str, ...]
    removed: tuple[str, ...]


class ChangePage(Struct, frozen=True):
    """Changes in order. `position` is where to read on, `head` the last there is.

    `gap` is the last that retention has removed of what was asked for.
    """

    changes: tuple[ChangeView, ...]
    position: int
    head: int
    gap: int | None = None


class SubscriptionView(Struct, frozen=True):
    """A subscription, and how far it has come. `acknowledged` and `latest` are positions.

    It is establishing while not every node of a space has it yet that an event may come to. With `why`, notifications
    say what each solution stands on. While it is `paused`, nothing is handed out. `matched` and `delivered` count the
    notifications that were made and handed out since the node started. `secret` signs the requests of a webhook, and is
    shown once: when the subscription is made.
    """

    id: str
    owner: str
    language: str
    text: str
    payload: str
    delivery: str
    callback: str | None
    retention: float | None
    state: State
    reason: Annotated[str | None, Meta(description="Why it is quarantined.")]
    created: int
    acknowledged: int
    latest: int
    waiting_bytes: int
    unindexed: bool
    why: bool
    paused: bool
    matched: int
    delivered: int
    secret: str | UnsetType = UNSET


class SubscriptionList(Struct, frozen=True):
    """Subscriptions that a client may see; of a page, `total` is how many there are in all."""

    subscriptions: list[SubscriptionView]
    total: int | UnsetType = UNSET


class ViewStatus(Struct, frozen=True):
    """A view, and how far it has come. `acknowledged` and `latest` are positions of notifications.

    `window` is for how many seconds it joins changes into one notification; with `why`, each says what the solutions
    stand on. `secret` signs the requests of a webhook, and is shown once: when the view is made.
    """

    id: str
    owner: str
    text: str
    delivery: str
    callback: str | None
    retention: float | None
    window: float | None
    state: Literal["live", "quarantined"]
    reason: Annotated[str | None, Meta(description="Why it is quarantined.")]
    created: int
    acknowledged: int
    latest: int
    waiting_bytes: int
    why: bool = False
    paused: bool = False
    matched: int = 0
    delivered: int = 0
    secret: str | UnsetType = UNSET


class ViewList(Struct, frozen=True):
    """Views that a client may see; of a page, `total` is how many there are in all."""

    views: list[ViewStatus]
    total: int | UnsetType = UNSET


class ViewExplanation(Struct, frozen=True):
    """How a view is kept up to date. `shape` has a parameter `$n` for each constant; so many `queries` share it.

    So many `views` ask this very query. `patterns` says for each pattern what a changed quad there leads to;
    `reevaluated` why the query is evaluated again whenever something touches it, null if it is not; `state` what is
    kept in memory; `text` all of it in words.
    """

    shape: tuple[str, ...]
    queries: int
    views: int
    patterns: tuple[str, ...]
    reevaluated: str | None
    state: tuple[str, ...]
    text: str


class StreamToken(Struct, frozen=True):
    """A token, and the seconds in which it opens a stream."""

    token: str
    seconds: float


class ExplanationView(Struct, frozen=True):
    """How a query is matched; with an event, whether that satisfies it, and why or why not.

    `by_oxigraph` names the functions that are not compiled: Oxigraph computes each call. `why` says what each of the
    solutions stands on.
    """

    lane: Literal["fast", "general"]
    requires: tuple[str, ...]
    patterns: tuple[str, ...]
    constraints: str
    unindexed: bool
    by_oxigraph: tuple[str, ...]
    event: str | UnsetType = UNSET
    matches: bool | UnsetType = UNSET
    reason: str | UnsetType = UNSET
    solutions: list[dict[str, Any]] | UnsetType = UNSET
    why: tuple[Reason, ...] | UnsetType = UNSET


class DeadLetterView(Struct, frozen=True):
    """A notification that was given up."""

    id: int
    subscription: str | None
    event: str
    position: int
    reason: str
    attempts: int


class DeadLetterList(Struct, frozen=True):
    """Dead letters, oldest first; `next` is where to read on."""

    dead_letters: list[DeadLetterView]
    next: int | None


class RegisteredClient(Struct, frozen=True):
    """A new client. The secret is shown this once, and the private key where the node made it."""

    id: str
    secret: str
    private_key: str | UnsetType = UNSET


class AdvertisementView(Struct, frozen=True):
    """What a client will publish, as RDF; `derived` if it was made from what it published."""

    id: str
    owner: str
    derived: bool
    ends: float | None
    rdf: str


class AdvertisementList(Struct, frozen=True):
    """Advertisements that a client may see."""

    advertisements: list[AdvertisementView]
