"""Rules across super-peers as a node answers about them: rules, whom they concern, transactions, privileges."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

AbortName = Literal["PARENTCHILD", "CHILDPARENT", "MUTUAL", "INDEPENDENT"]
NetworkStatus = Literal["active", "committed", "aborted"]
AccessName = Literal["private", "read-only", "read-write"]


class NetworkRule(Struct, frozen=True, kw_only=True):
    """A rule that a super-peer holds: its own, or a replica. `registered` is in Unix seconds.

    It sleeps while no peer here has data of all that its event needs.
    """

    id: Annotated[str, Meta(description="The global identifier, SPi.j.")]
    name: str
    origin: Annotated[str, Meta(description="The super-peer where it was registered.")]
    owner: str = ""
    text: str
    abort: AbortName
    registered: float
    is_awake: bool


class NetworkRules(Struct, frozen=True):
    """The rules that a super-peer holds."""

    rules: tuple[NetworkRule, ...]


class Concern(Struct, frozen=True, kw_only=True):
    """Whether a part of a rule concerns a peer, or a super-peer as a whole (`peer` is empty), and why, or why not."""

    super_peer: str
    peer: str = ""
    part: Literal["event", "condition", "actions"]
    is_concerned: bool
    reason: str


class RuleRelevance(Struct, frozen=True):
    """Whom a rule concerns. `unanswered` are the super-peers that have not said in time."""

    concerns: tuple[Concern, ...]
    unanswered: tuple[str, ...] = ()


class NetworkUnit(Struct, frozen=True, kw_only=True):
    """A transaction (`parent` is empty), or a copy of a rule's actions that a peer executes.

    `is_sealed`: it was committed at its peer before the network heard of it, and is never undone.
    """

    id: str
    super_peer: str
    peer: str
    parent: str | None = None
    rule: str | None = None
    depth: int = 0
    abort: AbortName | None = None
    status: NetworkStatus
    reason: str = ""
    is_sealed: bool = False
    delta: dict[str, str] = {}


class AbortArc(Struct, frozen=True):
    """If `unit` aborts, so does `other`."""

    unit: str
    other: str


class NetworkTrace(Struct, frozen=True, kw_only=True):
    """A transaction across super-peers: its units, the abort graph, and what was not scheduled, with the reasons.

    `unanswered` are super-peers that were sent something and have not said in time what came of it.
    """

    transaction: str
    units: tuple[NetworkUnit, ...]
    arcs: tuple[AbortArc, ...] = ()
    not_scheduled: tuple[str, ...] = ()
    unanswered: tuple[str, ...] = ()


class NetworkTransaction(Struct, frozen=True, kw_only=True):
    """A transaction that was submitted to the network, as far as its own super-peer knows."""

    transaction: str
    peer: str
    status: NetworkStatus
    reason: str = ""


class DetailAccess(Struct, frozen=True, forbid_unknown_fields=True):
    """What others may do with one property of one resource."""

    resource: str
    property: str
    access: AccessName


class NetworkPrivileges(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What other super-peers may do with the data of this one's group. The most specific one decides.

    A misspelt field would leave open what it was to close, so none is passed over.
    """

    otherwise: AccessName = "private"
    nodes: Annotated[dict[str, AccessName], Meta(description="By IRI of a class or property.")] = {}
    resources: Annotated[dict[str, AccessName], Meta(description="By IRI.")] = {}
    details: tuple[DetailAccess, ...] = ()


class SchemaNode(Struct, frozen=True):
    """A class or property, with the peers of this group that have data of it, and the super-peers that offer some."""

    iri: str
    peers: tuple[str, ...]
    super_peers: tuple[str, ...]


class NetworkSchema(Struct, frozen=True):
    """The merged schema of the network as N-Triples, annotated."""

    schema: str
    nodes: tuple[SchemaNode, ...]
