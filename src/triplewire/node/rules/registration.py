"""Registering and removing rules, inside a transaction: who may, and what is kept."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from triplewire.errors import DuplicateRule, QuotaExceeded, UnknownRule
from triplewire.languages.rdftl import parse_rule
from triplewire.languages.rdftl.syntax import Rule
from triplewire.node.living.graph import LivingGraph
from triplewire.rules.event_triggers import TriggeredBy, require_insertion
from triplewire.store.disk import Connection
from triplewire.store.tables import log, rule_records
from triplewire.store.tables.identities import Client
from triplewire.store.tables.rule_records import RuleRecord


class RuleRegistration(Struct, frozen=True):
    """A rule with its names resolved, as it is kept, and whether it is new."""

    rule: Rule
    record: RuleRecord
    is_new: bool


def put_rule(tx: Connection, living: LivingGraph, wanted: RuleRecord, triggered_by: TriggeredBy) -> RuleRegistration:
    """Register a rule, or replace the one of that name. A rule that is refused changes nothing."""
    before = rule_records.find(tx, wanted.id)
    parsed = parse_rule(wanted.text, id=wanted.id)
    since = None
    if triggered_by is TriggeredBy.EVENTS:
        require_insertion(parsed)
        since = living.triggers.since(wanted.id)
        since = log.head(tx) if since is None else since
    rule = living.put(parsed, wanted.owner, since)
    # To put the same again changes nothing, and so not the time of registration.
    is_same = before is not None and before.text == wanted.text
    registered = before.registered if before is not None and is_same else wanted.registered
    record = replace(wanted, registered=registered, since=since)
    rule_records.put(tx, record)
    return RuleRegistration(rule, record, before is None)


def remove_rule(tx: Connection, living: LivingGraph, rule: str) -> None:
    """Forget a rule and its firings. Raises `UnknownRule`."""
    if rule_records.find(tx, rule) is None:
        raise _unknown(rule)
    living.remove(rule)
    rule_records.delete(tx, rule)


def require_registrable(tx: Connection, client: Client, rule: str) -> None:
    """Raise unless the client may register a rule under this name."""
    known = rule_records.find(tx, rule)
    if known is not None:
        if not _is_visible(client, known):
            raise DuplicateRule(f"the rule {known.id!r} is taken by another client's")
        return
    most = client.rights.quotas.subscriptions
    if most is not None and len(rule_records.owned_by(tx, client.id)) >= most:
        raise QuotaExceeded("subscriptions", wanted=f"at most {most} rules, as many as subscriptions", found="more")


def find_visible(tx: Connection, client: Client, rule: str) -> RuleRecord:
    """A client's rule, or anybody's for an administrator; otherwise `UnknownRule`."""
    record = rule_records.find(tx, rule)
    if record is None or not _is_visible(client, record):
        raise _unknown(rule)
    return record


def _unknown(rule: str) -> UnknownRule:
    return UnknownRule(wanted=f"the rule {rule!r}", found="none of that name")


def _is_visible(client: Client, record: RuleRecord) -> bool:
    return client.rights.is_admin or record.owner == client.id
