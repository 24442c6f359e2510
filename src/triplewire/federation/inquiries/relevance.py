"""Whom a rule concerns here (section 3.1), as our own group sees it and as others do.

Others see what privileges open to them, as if there were nothing else: the event and the condition over what they may
read, the actions over what they may write of that, and a resource only where they may read that it has a class. A peer
is named only where it is concerned as they see it. So an answer says "no" where an instance that is sent may find more;
it says nothing that sub-queries and offers do not say as well.
"""

from __future__ import annotations

from collections.abc import Iterator

from triplewire.algebra.verdicts import Verdict
from triplewire.federation.indexes.group_index import GroupIndex, PeerView
from triplewire.federation.indexes.network_index import NetworkIndex
from triplewire.federation.indexes.relevance import (
    a_concerns,
    a_suits,
    annotate,
    c_concerns,
    e_concerns,
    named_resources,
)
from triplewire.federation.inquiries.answers import MOST, shown
from triplewire.federation.inquiries.messages import Part, PartConcern
from triplewire.federation.sites.privileges import Privileges
from triplewire.languages.rdftl.syntax import Rule
from triplewire.rules.analysis.relevance import c_relevant, e_relevant
from triplewire.rules.schema import Schema
from triplewire.wire.network_rules import Concern

_PARTS: tuple[Part, ...] = ("event", "condition", "actions")
_APART = Verdict(False, "no peer has all that it needs")


def concerns_here(me: str, rule: Rule, group: GroupIndex, whole: Schema) -> Iterator[Concern]:
    """What our own group may know: every peer, with the reason why or why not. The rule's names are resolved."""
    found = annotate(rule, group, whole)
    for part, verdicts in zip(_PARTS, (found.event, found.condition, found.actions), strict=True):
        for peer, verdict in verdicts.items():
            yield _concern(me, peer, part, verdict)
        if not verdicts:
            yield _concern(me, "", part, Verdict(False, "no peer of the group is here"))


def concerns_by_offer(other: str, rule: Rule, network: NetworkIndex, whole: Schema) -> Iterator[Concern]:
    """What we know ourselves of another super-peer, which has not answered: what it lets others read and write."""
    if other not in network.others:
        return
    yield _concern(other, "", "condition", c_relevant(rule, network.readable_schema(other)))
    view = network.view(other)
    if view is not None:
        yield _concern(other, "", "actions", a_suits(rule, view, whole))


def concerns_for_others(rule: Rule, group: GroupIndex, whole: Schema, privileges: Privileges) -> Iterator[PartConcern]:
    """What other super-peers may know."""
    named = named_resources((rule.event, rule.condition, rule.actions), rule.lets)
    views = {peer: privileges.readable(group[peer], named) for peer in group.peers[: MOST // len(_PARTS)]}
    everything = PeerView(group.declared, frozenset().union(*(view.nodes for view in views.values())))
    for part in _PARTS:
        verdicts = {peer: _of_peer(part, rule, view, whole, privileges) for peer, view in views.items()}
        if any(verdicts.values()):
            yield from (PartConcern(peer, part, True, shown(why.reason)) for peer, why in verdicts.items() if why)
            continue
        reason = (_of_all(part, rule, everything, whole, privileges) and _APART).reason
        yield PartConcern("", part, False, shown(f"as far as it is open to others: {reason}"))


def not_known() -> Iterator[PartConcern]:
    """What they may know of a rule with names that nobody has heard of here."""
    for part in _PARTS:
        yield PartConcern("", part, False, "it names classes or properties that nobody has here")


def _of_peer(part: Part, rule: Rule, view: PeerView, whole: Schema, privileges: Privileges) -> Verdict:
    match part:
        case "event":
            return e_concerns(rule, view)
        case "condition":
            return c_concerns(rule, view)
        case "actions":
            return a_concerns(rule, privileges.writable(view), whole)


def _of_all(part: Part, rule: Rule, view: PeerView, whole: Schema, privileges: Privileges) -> Verdict:
    """The same for the group as a whole, without its resources: the reason why it concerns nobody."""
    match part:
        case "event":
            return e_relevant(rule, view.schema)
        case "condition":
            return c_relevant(rule, view.schema)
        case "actions":
            return a_suits(rule, privileges.writable(view), whole)


def _concern(super_peer: str, peer: str, part: Part, verdict: Verdict) -> Concern:
    return Concern(super_peer=super_peer, peer=peer, part=part, is_concerned=verdict.holds, reason=verdict.reason)
