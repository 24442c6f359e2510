"""The instances of a rule's actions (section 3.2): which peers execute a copy, and which super-peers are sent one.

Our own peers are asked about with their annotated schemas and resource indexes; other super-peers by what they offer.
Each of those looks at its own peers again, and at its privileges, before it puts anything on its schedule.
"""

from __future__ import annotations

from collections.abc import Iterable

from triplewire.federation.execution.aborting import abort
from triplewire.federation.execution.effects import NotScheduled, UnitScheduled
from triplewire.federation.execution.messages import AbortWanted, ActionInstance, ChildScheduled
from triplewire.federation.execution.state import ExecutionState
from triplewire.federation.execution.units import (
    Cause,
    Firing,
    PendingAction,
    Unit,
    aborts_parent,
    aborts_with_parent,
    check_names,
    super_peer_of,
)
from triplewire.federation.indexes.relevance import a_concerns, a_suits
from triplewire.federation.registration.records import rule_of
from triplewire.federation.sites.privileges import Privileges
from triplewire.federation.sites.terms import delta_of, delta_text, iri_of, term_of
from triplewire.languages.rdftl.syntax import Abort, AbortAction, Coupling, Rule
from triplewire.rules.execution.units import Work

# Firings here


def fire(state: ExecutionState, unit: Unit, firings: Iterable[Firing]) -> None:
    """Put what immediate and detached rules do because of a unit where their coupling modes say."""
    ordered = in_order(state, firings)
    if ordered and is_too_deep(state, unit, ordered[0]):
        return
    immediate: list[Unit] = []
    for firing in ordered:
        match rule_of(firing.record.text).coupling:
            case Coupling.IMMEDIATE:
                immediate += dispatch(state, firing, unit)
            case Coupling.DETACHED:
                for child in dispatch(state, firing, unit):
                    state.lane_of(child).ready.append(child.id)
    before_the_rest(state, unit, immediate)


def in_order(state: ExecutionState, firings: Iterable[Firing]) -> list[Firing]:
    """Those whose rules precede others before them."""
    return state.given.registrar.base.precedence.ordered(list(firings), lambda firing: firing.record)


def is_too_deep(state: ExecutionState, unit: Unit, firing: Firing) -> bool:
    """Whether what a unit has triggered would go too deep; then all that has caused it aborts."""
    if unit.depth < state.given.depth:
        return False
    limit = f"rules that trigger each other more than {state.given.depth} deep: {firing.record.id} is next"
    abort(state, unit.id, limit, upward=True)
    return True


def before_the_rest(state: ExecutionState, unit: Unit, children: list[Unit]) -> None:
    """The children come next, in this order, and the unit goes on after them."""
    unit.waiting.update(child.id for child in children)
    for child in reversed(children):
        child.waited_for_by = unit.id
        state.lane_of(child).ready.appendleft(child.id)


# Instances


def dispatch(state: ExecutionState, firing: Firing, parent: Unit) -> list[Unit]:
    """Send an instance of a rule's actions to whom it concerns; returns the units at our own peers, not yet ready."""
    given, rule = state.given, rule_of(firing.record.text)
    come_of_it = state.come_of(firing.reader)
    group, whole = given.group, given.whole.current
    concerned = [peer for peer in group.peers if a_concerns(rule, group[peer], whole, firing.delta)]
    children = [_scheduled_here(state, peer, firing, parent) for peer in concerned]
    is_sent = False
    # Who cannot be reached now is sent it when that is over.
    for other in given.overlay.members:
        view = given.network.view(other)
        if view is not None and a_suits(rule, view, given.whole.current):
            instance = _instance(state.number(), firing, parent.cause)
            come_of_it.instances.append((instance.id, other))
            state.send(other, instance)
            is_sent = True
            if other not in parent.sent_to:
                parent.sent_to.append(other)
    if _aborts(rule) and not children:
        # Nobody here executes a copy that would say so.
        children.append(_scheduled_here(state, parent.peer, firing, parent, only_abort=True))
    if not children and not is_sent:
        parent.lacks(f"{firing.record.id}: its actions concern no peer")
    come_of_it.units += [child.id for child in children]
    return children


def _scheduled_here(
    state: ExecutionState, peer: str, firing: Firing, parent: Unit, *, only_abort: bool = False
) -> Unit:
    rule = rule_of(firing.record.text)
    child = schedule(state, peer, firing, parent.cause, rule.abort)
    if only_abort:
        child.pending = [action for action in child.pending if isinstance(action.action, AbortAction)]
    top = state.local(parent.top)
    if rule.coupling is not Coupling.DETACHED and top is not None:
        child.top = top.id
        top.members.append(child.id)
    return child


def schedule(
    state: ExecutionState,
    peer: str,
    firing: Firing,
    cause: Cause,
    dependency: Abort,
    guard: Privileges | None = None,
) -> Unit:
    """A copy of a rule's actions at one of our peers, with its arcs of the abort graph."""
    rule, name = rule_of(firing.record.text), state.number()
    unit = Unit(
        id=name,
        root=name if rule.coupling is Coupling.DETACHED else cause.root,
        group=cause.group if aborts_with_parent(dependency) and not cause.is_sealed else name,
        parent=cause.parent,
        rule=firing.record,
        depth=cause.depth,
        peer=peer,
        top=name,
        pending=_pending(rule, firing),
        guard=guard,
        since=state.now,
        members=[name],
        delta=delta_text(firing.delta) or {},
    )
    state.units[name] = unit
    state.work[name] = Work(rule, ())
    if cause.parent is not None:
        _link(state, cause.parent, name, dependency)
    state.emit(UnitScheduled(name, unit.root, unit.parent, firing.record.id, peer))
    return unit


def _link(state: ExecutionState, parent: str, child: str, dependency: Abort) -> None:
    if aborts_parent(dependency):
        state.aborts.add(child, parent)
    if aborts_with_parent(dependency):
        if super_peer_of(parent) == state.given.me:
            state.aborts.add(parent, child)
        else:
            state.send(super_peer_of(parent), ChildScheduled(parent, child))


def child_scheduled(state: ExecutionState, message: ChildScheduled) -> None:
    """A subtransaction of a unit of ours has begun elsewhere. The unit may have aborted meanwhile."""
    parent = state.local(message.parent)
    if parent is None:
        return
    state.aborts.add(parent.id, message.child)
    if parent.is_aborted:
        state.send(super_peer_of(message.child), AbortWanted(message.child, parent.reason))


def instance_received(state: ExecutionState, sender: str, instance: ActionInstance) -> None:
    """An instance of actions has come from another super-peer: schedule it where it is relevant and allowed."""
    check_names(instance.id, instance.parent, instance.root, instance.group)
    given, rule = state.given, rule_of(instance.record.text)
    classes = {term_of(text): frozenset(map(iri_of, names)) for text, names in instance.classes.items()}
    firing = Firing(instance.record, delta_of(instance.delta), classes, instance.id)
    cause = Cause(instance.parent, instance.root, instance.group, instance.depth, instance.is_sealed)
    come_of_it = state.come_of(instance.id)
    come_of_it.parent, come_of_it.root, come_of_it.rule = instance.parent, instance.root, instance.record.id
    for peer in given.group.peers:
        view = given.group[peer]
        if not a_concerns(rule, view, given.whole.current, firing.delta):
            continue
        verdict = a_concerns(rule, state.privileges.writable(view), given.whole.current, firing.delta)
        if not verdict:
            reason = f"{peer} does not let others do that: {verdict.reason}"
            come_of_it.refused.append(reason)
            state.emit(NotScheduled(instance.id, reason))
            continue
        unit = schedule(state, peer, firing, cause, instance.record.abort, state.privileges)
        come_of_it.units.append(unit.id)
        state.lane_of(unit).ready.append(unit.id)


def _instance(name: str, firing: Firing, cause: Cause) -> ActionInstance:
    assert cause.parent is not None, "a rule is triggered by a unit"
    classes = {str(node): tuple(sorted(cls.value for cls in known)) for node, known in firing.classes.items()}
    delta = delta_text(firing.delta)
    mentioned = frozenset((delta or {}).values())
    return ActionInstance(
        name,
        firing.record,
        delta,
        {node: names for node, names in classes.items() if node in mentioned},
        cause.parent,
        cause.root,
        cause.group,
        cause.depth,
        cause.is_sealed,
    )


def _pending(rule: Rule, firing: Firing) -> list[PendingAction]:
    return [PendingAction(action, rule.lets, firing.delta, firing.classes) for action in rule.actions]


def _aborts(rule: Rule) -> bool:
    return any(isinstance(action, AbortAction) for action in rule.actions)
