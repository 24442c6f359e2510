"""Rules, transactions, privileges and the schema of a super-peer, as clients see them."""

from __future__ import annotations

from typing import get_args

from triplewire.federation.execution.units import Status, Unit
from triplewire.federation.indexes.group_index import GroupIndex
from triplewire.federation.indexes.network_index import NetworkIndex
from triplewire.federation.registration.records import RuleRecord
from triplewire.federation.sites.privileges import Access, Privileges
from triplewire.languages.rdftl.syntax import Abort
from triplewire.rdf.terms import NamedNode, Term
from triplewire.rules.graphs import Lookup
from triplewire.rules.schema import Schema
from triplewire.rules.vocabulary import TYPE
from triplewire.wire.network_rules import (
    AbortName,
    AccessName,
    DetailAccess,
    NetworkPrivileges,
    NetworkRule,
    NetworkSchema,
    NetworkStatus,
    NetworkTransaction,
    SchemaNode,
)

_ABORTS: dict[Abort, AbortName] = {Abort(name): name for name in get_args(AbortName)}
_ACCESS: dict[Access, AccessName] = {
    Access.PRIVATE: "private",
    Access.READ_ONLY: "read-only",
    Access.READ_WRITE: "read-write",
}
_LEVELS = {name: access for access, name in _ACCESS.items()}
_STATUS: dict[Status, NetworkStatus] = {
    Status.ACTIVE: "active",
    Status.COMMITTED: "committed",
    Status.ABORTED: "aborted",
}


def rule_answer(record: RuleRecord, *, is_awake: bool) -> NetworkRule:
    return NetworkRule(
        id=record.id,
        name=record.name,
        origin=record.origin,
        owner=record.owner,
        text=record.text,
        abort=_ABORTS[record.abort],
        registered=record.time,
        is_awake=is_awake,
    )


def abort_of(name: AbortName | None) -> Abort | None:
    return None if name is None else Abort(name)


def transaction_answer(unit: Unit) -> NetworkTransaction:
    status = _STATUS[unit.status]
    return NetworkTransaction(transaction=unit.id, peer=unit.peer, status=status, reason=unit.reason)


def privileges_answer(privileges: Privileges) -> NetworkPrivileges:
    return NetworkPrivileges(
        otherwise=_ACCESS[privileges.otherwise],
        nodes={term.value: _ACCESS[level] for term, level in privileges.nodes.items() if isinstance(term, NamedNode)},
        resources={
            term.value: _ACCESS[level] for term, level in privileges.resources.items() if isinstance(term, NamedNode)
        },
        details=tuple(
            DetailAccess(resource.value, name.value, _ACCESS[level])
            for (resource, name), level in privileges.details.items()
            if isinstance(resource, NamedNode)
        ),
    )


def privileges_of(given: NetworkPrivileges) -> Privileges:
    """Raises `ValueError` for what is no IRI."""
    nodes: dict[Term, Access] = {NamedNode(iri): _LEVELS[level] for iri, level in given.nodes.items()}
    resources: dict[Term, Access] = {NamedNode(iri): _LEVELS[level] for iri, level in given.resources.items()}
    details: dict[tuple[Term, NamedNode], Access] = {
        (NamedNode(each.resource), NamedNode(each.property)): _LEVELS[each.access] for each in given.details
    }
    return Privileges(nodes, resources, details, _LEVELS[given.otherwise])


def schema_answer(whole: Schema, group: GroupIndex, network: NetworkIndex) -> NetworkSchema:
    """The schema with the peers here and the super-peers elsewhere that have data of each class and property."""
    text = "".join(sorted(f"{triple} .\n" for triple in whole.triples))
    named = {
        node for triple in whole.triples for node in (triple.subject, triple.object) if isinstance(node, NamedNode)
    }
    nodes = sorted((node for node in named if whole.is_class(node) or whole.is_property(node)), key=str)
    return NetworkSchema(
        text,
        tuple(
            SchemaNode(node.value, tuple(sorted(group.peers_with(node))), _offering(whole, network, node))
            for node in nodes
        ),
    )


def _offering(whole: Schema, network: NetworkIndex, node: NamedNode) -> tuple[str, ...]:
    """The other super-peers of whose data of a class or property some may be read here."""
    lookup = Lookup(None, TYPE, node) if whole.is_class(node) else Lookup(None, node, None)
    return tuple(network.readable(lookup, network.others))
