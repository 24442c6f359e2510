"""Who may write rules and updates, and what they may write.

A path can ask for anything, as a SPARQL query can, so rules and updates are for those who may read everything. What is
written goes by the right to publish: an update writes under its client's grant, a rule under its owner's.
"""

from __future__ import annotations

from collections.abc import Mapping

from triplewire.errors import Forbidden
from triplewire.node.access.grants import covered, readable, within
from triplewire.rdf.terms import TW
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
            _check_entry(entry, publishable_by(writer))


def publishable_by(client: Client | None) -> Grant:
    """What a client may write; one that is gone, nothing."""
    return NOTHING if client is None or client.rights.publish is None else client.rights.publish


def principals_of(author: str, clients: Mapping[str, Client]) -> Principals:
    """Who is behind a schedule: administrators' rules guard what anybody does, and everybody writes under its grant."""

    def is_guard(owner: str) -> bool:
        return owner in clients and clients[owner].rights.is_admin

    def refusal(owner: str, edits: Edits) -> Forbidden | None:
        return _refusal(edits, publishable_by(clients.get(owner)), f"a rule of {owner!r}")

    return Principals(author, is_guard=is_guard, refusal=refusal)


def _check_entry(entry: TraceEntry, grant: Grant) -> None:
    writer = "the update" if entry.rule is None else f"the rule {entry.rule!r}"
    for action in entry.actions:
        problem = _refusal(action.changes.edits, grant, writer)
        if problem is not None:
            raise problem


def _refusal(edits: Edits, grant: Grant, writer: str) -> Forbidden | None:
    if grant.namespaces is None:
        return None
    for triple in (*edits.inserted, *edits.deleted):
        if not covered(triple, grant):
            listed = ", ".join(f"<{prefix}>" for prefix in grant.namespaces) or "none at all"
            return Forbidden(wanted=f"{writer} to write in the namespaces {listed}", found=str(triple))
    return None
