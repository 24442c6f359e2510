"""Whom each part of a rule concerns in a peer group (section 3.1), each answer with its reason.

The event part is annotated with peer i if the rule is e-relevant to S_i and the resources that the event names are in
the resource index; the condition part if it is c-relevant to S_i; the action part if it is a-relevant to S_i and the
resources that it names are in the index.

Read by the letter, no rule could insert the first instance of anything: S_i has no class without data. So for what an
action inserts the peer's own schema counts, whether there is data or not, and a resource that the actions themselves
insert need not be there. For what is deleted or updated S_i counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from triplewire.algebra.verdicts import Verdict
from triplewire.federation.indexes.group_index import GroupIndex, PeerView
from triplewire.federation.indexes.network_index import NetworkIndex
from triplewire.languages.rdftl.parts import parts
from triplewire.languages.rdftl.syntax import (
    AbortAction,
    Action,
    ArcAction,
    Change,
    Component,
    Delta,
    Let,
    Path,
    Resource,
    ResourceAction,
    Rule,
    UpdatedArc,
    Variable,
)
from triplewire.rdf.terms import NamedNode, Term
from triplewire.rules.analysis.relevance import a_relevant, c_relevant, e_relevant
from triplewire.rules.paths import DeltaTerms
from triplewire.rules.schema import Schema

Verdicts = Mapping[str, Verdict]


class Annotations(Struct, frozen=True):
    """The peers of a group that were asked about, with the answer for each part of a rule."""

    event: Verdicts
    condition: Verdicts
    actions: Verdicts

    @property
    def is_awake(self) -> bool:
        """Whether an event of some peer may trigger the rule."""
        return any(self.event.values())


def annotate(rule: Rule, group: GroupIndex, whole: Schema) -> Annotations:
    """The peers that each part of a rule concerns. `whole` is the schema of all, against which rules are written."""
    views = {peer: group[peer] for peer in group.peers}
    return Annotations(
        {peer: e_concerns(rule, view) for peer, view in views.items()},
        {peer: c_concerns(rule, view) for peer, view in views.items()},
        {peer: a_concerns(rule, view, whole) for peer, view in views.items()},
    )


class OtherSuperPeers(Struct, frozen=True):
    """What other super-peers offer for the condition and for the actions of a rule."""

    condition: Verdicts
    actions: Verdicts


def annotate_others(rule: Rule, network: NetworkIndex, whole: Schema) -> OtherSuperPeers:
    """The super-peers that the condition and the actions concern, by what they offer.

    Which of them an event may happen at nobody says but they themselves: each keeps the rules that wait for its data.
    """
    views = {other: network.view(other) for other in network.others}
    return OtherSuperPeers(
        {other: c_relevant(rule, network.readable_schema(other)) for other in views},
        {other: a_suits(rule, view, whole) for other, view in views.items() if view is not None},
    )


def concerned(verdicts: Verdicts) -> tuple[str, ...]:
    """The peers for which the answer is yes."""
    return tuple(peer for peer, verdict in verdicts.items() if verdict)


def e_concerns(rule: Rule, view: PeerView) -> Verdict:
    """Whether an event at this peer may trigger the rule."""
    verdict = e_relevant(rule, view.schema)
    return _with_resources(verdict, named_resources(rule.event, rule.lets), view) if verdict else verdict


def c_concerns(rule: Rule, view: PeerView) -> Verdict:
    """Whether part of the condition can be evaluated at this peer."""
    return c_relevant(rule, view.schema)


def a_concerns(rule: Rule, view: PeerView, whole: Schema, delta: DeltaTerms | None = None) -> Verdict:
    """Whether the actions can be done at this peer; with `delta`, an instance of them."""
    verdict = a_suits(rule, view, whole)
    if not verdict:
        return verdict
    new = {resource for action in _acting(rule) for resource in _inserted(action)}
    for resource in sorted(resources_with_new_arcs(rule, delta) - new, key=str):
        if not view.describes(resource):
            return Verdict(False, f"the peer does not describe {resource}")
    return _with_resources(verdict, resources_of_actions(rule, delta), view)


def a_suits(rule: Rule, view: PeerView, whole: Schema) -> Verdict:
    """The same for one whose resources nobody knows here."""
    inserting, others = _split(_acting(rule))
    verdicts = []
    if inserting:
        verdicts.append(a_relevant(_with_actions(rule, inserting), view.declared, whole))
    if others:
        verdicts.append(a_relevant(_with_actions(rule, others), view.schema, whole))
    if not verdicts:
        return Verdict(False, "its actions concern no data")
    return next((one for one in verdicts if not one), verdicts[0])


# The resources that a part names


def named_resources(part: object, lets: Iterable[Let]) -> set[NamedNode]:
    """The resources in the paths of a part, with those of the variables that are used."""
    return set(_named(part, {let.name: let.path for let in lets}))


def resources_of_actions(rule: Rule, delta: DeltaTerms | None = None) -> set[NamedNode]:
    """The resources that have to be there for the actions, without those that the actions insert themselves.

    Of an instance, also what `$delta` stands for where an arc begins or ends that is there already. Where an inserted
    arc leads to `$delta`, or `$delta` gets a class, it may be a resource of another site.
    """
    new = {resource for action in _acting(rule) for resource in _inserted(action)}
    found = named_resources(rule.actions, rule.lets)
    if delta is not None:
        starts = (one for action in _acting(rule) for one in _delta_starts(action))
        terms = (delta.get(component) for component in starts)
        found |= {term for term in terms if isinstance(term, NamedNode)}
    return found - new


def resources_with_new_arcs(rule: Rule, delta: DeltaTerms | None = None) -> set[NamedNode]:
    """The resources from which the actions insert arcs. They have to have a class where that is done."""
    lets = {let.name: let.path for let in rule.lets}
    inserting = (action for action in rule.actions if isinstance(action, ArcAction) and not _is_deletion(action))
    found = {_constant(arc.source, lets, delta) for action in inserting for arc in action.arcs}
    return {node for node in found if isinstance(node, NamedNode)}


def _constant(path: Path | None, lets: Mapping[str, Path], delta: DeltaTerms | None) -> Term | None:
    """The one node that a path without steps stands for."""
    if path is None or path.steps:
        return None
    match path.start:
        case Resource(iri):
            return iri
        case Variable(name):
            return _constant(lets[name], lets, delta)
        case Delta(component):
            return None if delta is None else delta.get(component)
    return None


def _named(part: object, lets: Mapping[str, Path]) -> Iterator[NamedNode]:
    for value in parts(part):
        if isinstance(value, Resource) and value.iri is not None:
            yield value.iri
        elif isinstance(value, Variable):
            yield from _named(lets[value.name], lets)


def _inserted(action: Action) -> Iterator[NamedNode]:
    if isinstance(action, ResourceAction) and action.change is Change.INSERT and not action.path.steps:
        start = action.path.start
        if isinstance(start, Resource) and start.iri is not None:
            yield start.iri


def _delta_starts(action: Action) -> Iterator[Component]:
    if isinstance(action, ResourceAction):
        if action.change is Change.DELETE or action.path.steps:
            yield from _deltas(action.path)
        return
    for arc in action.arcs:
        yield from _deltas(arc.source)
        if isinstance(arc, UpdatedArc):
            yield from _deltas(arc.old)
        elif _is_deletion(action) or (isinstance(arc.target, Path) and arc.target.steps):
            yield from _deltas(arc.target)


def _deltas(node: object) -> Iterator[Component]:
    return (value.component for value in parts(node) if isinstance(value, Delta))


def _is_deletion(action: Action) -> bool:
    return isinstance(action, ArcAction) and action.change is Change.DELETE


def _acting(rule: Rule) -> tuple[Action, ...]:
    """The actions that concern data: all but `ABORT`."""
    return tuple(action for action in rule.actions if not isinstance(action, AbortAction))


def _split(actions: Iterable[Action]) -> tuple[tuple[Action, ...], tuple[Action, ...]]:
    """Those that insert, and those that need what is there."""
    inserting: list[Action] = []
    others: list[Action] = []
    for action in actions:
        inserts = isinstance(action, ResourceAction | ArcAction) and action.change is Change.INSERT
        (inserting if inserts else others).append(action)
    return tuple(inserting), tuple(others)


def _with_actions(rule: Rule, actions: tuple[Action, ...]) -> Rule:
    """The rule with some of its actions; the same one if they are all, since what is known of it is found again."""
    return rule if actions == rule.actions else replace(rule, actions=actions)


def _with_resources(verdict: Verdict, resources: Iterable[NamedNode], view: PeerView) -> Verdict:
    missing = sorted(str(resource) for resource in resources if not view.has(resource))
    if missing:
        return Verdict(False, f"the peer does not reference {', '.join(missing)}")
    return verdict
