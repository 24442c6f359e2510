"""Who may write rules and updates, and what they may write.

A path can ask for anything, as a SPARQL query can, so rules and updates are for those who may read everything. What is
written goes by the right to publish: an update writes under its client's grant, a rule under its owner's.
"""

from __future__ import annotations

from collections.abc import Mapping

from triplewire.errors import Forbidden
from triplewire.node.access.grants import covered, readable, within
from triplewire.rdf.terms import TW, NamedNode
from triplewire.rules.changes import Edits
from triplewire.rules.execution import Principals, ScheduleOutcome, Status, TraceEntry
from triplewire.store.tables.identities import Client, Grant

# How events of changes are named.
EVENTS = TW["event:"].value
NOTHING = Grant(namespaces=(), graphs=())


def require_author(client: Client) -> None:
    """Raise `Forbidden` unless the client may write rules and updates at all."""
    grant = client.rights.publish
    if grant is None:
        raise Forbidden(wanted="a client that may publish", found="one that may not")
    if not within(EVENTS, grant.graphs):
        raise Forbidden(wanted=f"a client that may publish events named <{EVENTS}...>", found="one that may not")
    if not readable(client).is_everything:
        raise Forbidden(wanted="a client that may read everything", found="one with a limited grant")


def check_written(
    outcome: ScheduleOutcome, author: Client, owners: Mapping[str, str], clients: Mapping[str, Client]
) -> None:
    """Raise `Forbidden` if anybody wrote a triple outside its grant: the author, or the owner of a rule."""
    for entry in outcome.entries:
        if entry.status is Status.COMMITTED:
            writer = author if entry.rule is None else clients.get(owners.get(entry.rule, ""))
            _check_entry(entry, publishable_by(writer), shows=_may_read_everything(author))


def publishable_by(client: Client | None) -> Grant:
    """What a client may write; one that is gone, nothing."""
    return NOTHING if client is None or client.rights.publish is None else client.rights.publish


def principals_of(author: str, clients: Mapping[str, Client]) -> Principals:
    """Who is behind a schedule: administrators' rules guard what anybody does, and everybody writes under its grant."""

    def is_guard(owner: str) -> bool:
        return owner in clients and clients[owner].rights.is_admin

    def refusal(owner: str, edits: Edits) -> Forbidden | None:
        return _refusal(edits, publishable_by(clients.get(owner)), f"a rule of {owner!r}", shows=True)

    return Principals(author, is_guard=is_guard, refusal=refusal)


def _may_read_everything(client: Client) -> bool:
    return client.rights.subscribe is not None and client.rights.subscribe.is_everything


def _check_entry(entry: TraceEntry, grant: Grant, *, shows: bool) -> None:
    writer = "the update" if entry.rule is None else f"the rule {entry.rule!r}"
    for action in entry.actions:
        problem = _refusal(action.changes.edits, grant, writer, shows=shows)
        if problem is not None:
            raise problem


def _refusal(edits: Edits, grant: Grant, writer: str, *, shows: bool) -> Forbidden | None:
    """Why something may not be written. What is there already is named to those who may read it."""
    if grant.is_everything:
        return None
    quads = (*edits.named.inserted, *edits.named.deleted)
    for graph in dict.fromkeys(quad.graph_name for quad in quads):
        if isinstance(graph, NamedNode) and not within(graph.value, grant.graphs):
            return Forbidden(wanted=f"{writer} to write in the graphs {_listed(grant.graphs)}", found=str(graph))
    for triple in (*edits.inserted, *edits.deleted, *(quad.triple for quad in quads)):
        if not covered(triple, grant):
            wanted = f"{writer} to write in the namespaces {_listed(grant.namespaces)}"
            return Forbidden(wanted=wanted, found=str(triple) if shows else "a triple in another one")
    return None


def _listed(prefixes: tuple[str, ...] | None) -> str:
    return ", ".join(f"<{prefix}>" for prefix in prefixes or ()) or "none at all"
