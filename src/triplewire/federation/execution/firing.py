"""The instances of a rule's actions (section 3.2): which peers execute a copy, and which super-peers are sent one.

Our own peers are asked about with their annotated schemas and resource indexes; other super-peers by what they offer.
Each of those looks at its own peers again, and at its privileges, before it puts anything on its schedule.
"""

from __future__ import annotations

from collections.abc import Iterable

from triplewire.federation.execution.aborting import abort, release_waiting
from triplewire.federation.execution.effects import NotScheduled, UnitCommitted, UnitScheduled
from triplewire.federation.execution.messages import AbortWanted, ActionInstance, ChildScheduled
from triplewire.federation.execution.state import ExecutionState
from triplewire.federation.execution.units import (
    Cause,
    Firing,
    PendingAction,
    Status,
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
from triplewire.languages.rdftl.syntax import Abort, Coupling, Rule
from triplewire.rules.execution.units import Work

# Firings here


def fire(state: ExecutionState, unit: Unit, firings: Iterable[Firing]) -> None:
    """Put what rules do because of a unit where their coupling modes say."""
    base = state.given.registrar.base
    ordered = base.precedence.ordered(list(firings), lambda firing: firing.record)
    if ordered and unit.depth >= state.given.depth:
        limit = f"rules that trigger each other more than {state.given.depth} deep: {ordered[0].record.id} is next"
        abort(state, unit.id, limit, upward=True)
        return
    immediate: list[Unit] = []
    for firing in ordered:
        match rule_of(firing.record.text).coupling:
            case Coupling.IMMEDIATE:
                immediate += dispatch(state, firing, unit)
            case Coupling.DEFERRED:
                _put_off(state, unit, firing)
            case Coupling.DETACHED:
                for child in dispatch(state, firing, unit):
                    state.lane_of(child).ready.append(child.id)
    _before_the_rest(state, unit, immediate)


def finish(state: ExecutionState, unit: Unit) -> None:
    """Everything that a unit had to do is done: now what it has deferred, then it commits."""
    while unit.deferred:
        firing, parent = unit.deferred.pop(0)
        cause = state.local(parent)
        if cause is None or cause.is_aborted:
            continue
        children = dispatch(state, firing, cause)
        if children:
            _before_the_rest(state, unit, children)
            return
    state.end(unit, Status.COMMITTED)
    state.emit(UnitCommitted(unit.id))
    release_waiting(state, unit)


def fire_what_was_put_off(state: ExecutionState) -> bool:
    """Deferred firings whose transaction is no more: they act now, if what has triggered them is there."""
    put_off, state.put_off = state.put_off, []
    for firing, parent in put_off:
        cause = state.local(parent)
        if cause is not None and not cause.is_aborted:
            for child in dispatch(state, firing, cause):
                state.lane_of(child).ready.append(child.id)
    return bool(put_off)


def _put_off(state: ExecutionState, unit: Unit, firing: Firing) -> None:
    top = state.units.get(unit.top, unit)
    (top if top.status is Status.ACTIVE else unit).deferred.append((firing, unit.id))


def _before_the_rest(state: ExecutionState, unit: Unit, children: list[Unit]) -> None:
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
    children = []
    is_sent = False
    for peer in given.group.peers:
        if a_concerns(rule, given.group[peer], given.whole.current, firing.delta):
            child = schedule(state, peer, firing, parent.cause, rule.abort)
            child.top = child.id if rule.coupling is Coupling.DETACHED else parent.top
            children.append(child)
            come_of_it.units.append(child.id)
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
    if not children and not is_sent:
        parent.lacks(f"{firing.record.id}: its actions concern no peer")
    return children


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
