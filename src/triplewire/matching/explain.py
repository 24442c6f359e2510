"""What a subscription requires, and why an event does not satisfy it, in words for people."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from msgspec import Struct

from triplewire.algebra.constraints import ALWAYS, Condition
from triplewire.algebra.evaluation import met
from triplewire.algebra.patterns import Pattern
from triplewire.algebra.queries import Core, FastQuery, GeneralQuery, cores_of
from triplewire.algebra.subscriptions import Subscription
from triplewire.algebra.taxonomy import EMPTY, Taxonomy
from triplewire.errors import BudgetExceeded
from triplewire.evaluation.expressions.compiler import asked_of_oxigraph
from triplewire.matching.chains.anchors import is_unindexed
from triplewire.matching.constraint_text import constraint_text, failure
from triplewire.matching.evaluation.budget import Budget
from triplewire.matching.evaluation.event_view import EventView
from triplewire.matching.evaluation.join import Binding, bound_to_graph, key_under, planned, solutions
from triplewire.matching.matcher import Matcher
from triplewire.rdf.events import Event
from triplewire.rdf.solutions import Solutions
from triplewire.rdf.terms import NamedNode
from triplewire.wire.reasons import Reason

# How many bindings are looked at for a telling example.
_EXAMPLES = 1_000
_MOST_FAILURES = 3


class Explanation(Struct, frozen=True):
    """How a subscription is matched.

    `requires` has one line for each core, of which an event must satisfy one; `patterns` and `constraints` are those of
    all cores. `unindexed` means that some core requires nothing that the index can use: it is tested on every event.
    `by_oxigraph` names the functions that are not compiled: Oxigraph computes each call.
    """

    lane: str
    requires: list[str]
    patterns: list[str]
    constraints: str
    unindexed: bool
    by_oxigraph: list[str]


def explain(subscription: Subscription) -> Explanation:
    """What the matcher knows about a subscription before it has seen an event."""
    cores = cores_of(subscription.query)
    constraints = [text for core in cores if (text := constraint_text(core.constraint))]
    return Explanation(
        lane=subscription.lane,
        requires=[_core_text(core) for core in cores],
        patterns=list(dict.fromkeys(str(pattern) for core in cores for pattern in core.patterns)),
        constraints=" || ".join(dict.fromkeys(constraints)),
        unindexed=is_unindexed(subscription),
        by_oxigraph=_by_oxigraph(subscription),
    )


def _by_oxigraph(subscription: Subscription) -> list[str]:
    query = subscription.query
    return list(asked_of_oxigraph(query.tree)) if isinstance(query, GeneralQuery) else []


class MatchVerdict(Struct, frozen=True):
    """Whether an event satisfies a subscription, with its solutions and what each stands on, or why it does not."""

    matches: bool
    reason: str
    solutions: Solutions
    reasons: tuple[Reason, ...] = ()


def why(subscription: Subscription, event: Event, taxonomy: Taxonomy | None = None) -> MatchVerdict:
    """Match one event against one subscription, and say why."""
    matcher = Matcher(taxonomy)
    matcher.add(subscription)
    for match in matcher.match(event):
        return MatchVerdict(True, "it matches", match.solutions, matcher.reasons(match))
    given_up = matcher.quarantined.get(subscription.id)
    return MatchVerdict(False, given_up or why_not(subscription, event, taxonomy), Solutions())


def why_not(subscription: Subscription, event: Event, taxonomy: Taxonomy | None = None) -> str:
    """One sentence on why the event does not satisfy the subscription, as far as its patterns and constraints tell."""
    view = EventView.of(event, taxonomy or EMPTY)
    try:
        reasons = [_why_core_fails(core, view) for core in cores_of(subscription.query)]
    except BudgetExceeded as error:
        return str(error)
    if not reasons:
        return "the query can never match"
    failed = [reason for reason in reasons if reason is not None]
    if len(failed) == len(reasons):
        return "; and ".join(dict.fromkeys(failed[:_MOST_FAILURES]))
    if isinstance(subscription.query, FastQuery):
        return "it matches"
    return "what the query requires is there; if it does not match, the rest of the query has no solution"


def _why_core_fails(core: Core, view: EventView) -> str | None:
    start = bound_to_graph(core, view)
    if start is None:
        wanted = next(graph for graph in core.graphs if isinstance(graph, NamedNode) and graph != view.graph)
        return f"the event is {view.graph}, not {wanted}"
    missing = next((p for p in core.patterns if not view.matching(key_under(p, start))), None)
    if missing is not None:
        return f"nothing matches {missing}"
    bindings = _bindings(Core(core.patterns, ALWAYS, core.graphs), view)
    if not bindings:
        return _why_not_joined(planned(core, view, start).patterns, core, view)
    if _bindings(core, view):
        return None
    return _why_not_satisfied(core, bindings, view)


def _bindings(core: Core, view: EventView) -> list[Binding]:
    return list(islice(solutions(core, view, Budget()), _EXAMPLES))


def _why_not_joined(order: Sequence[Pattern], core: Core, view: EventView) -> str:
    """Name the first pattern that does not go with those before it."""
    for size in range(1, len(order)):
        if not any(True for _ in solutions(Core(tuple(order[: size + 1]), ALWAYS, core.graphs), view, Budget())):
            return f"nothing matches {order[size]} together with {' . '.join(str(p) for p in order[:size])}"
    return f"no triple matches {order[0]} with its repeated variables"


def _why_not_satisfied(core: Core, bindings: list[Binding], view: EventView) -> str:
    """For each alternative, the condition that fails, on the binding that comes closest."""
    if not core.constraint.alternatives:
        return "the constraint can never hold"
    failures = [_why_alternative_fails(alternative, bindings, view) for alternative in core.constraint.alternatives]
    return " and ".join(dict.fromkeys(failures[:_MOST_FAILURES]))


def _why_alternative_fails(alternative: tuple[Condition, ...], bindings: list[Binding], view: EventView) -> str:
    closest = max(bindings, key=lambda binding: len(_met(alternative, binding, view)))
    fulfilled = _met(alternative, closest, view)
    condition = next(condition for condition in alternative if condition not in fulfilled)
    return failure(condition, closest, view.taxonomy, view.types)


def _met(alternative: tuple[Condition, ...], binding: Binding, view: EventView) -> list[Condition]:
    return [condition for condition in alternative if met(condition, binding, view.taxonomy, view.types)]


def _core_text(core: Core) -> str:
    parts = [" . ".join(str(pattern) for pattern in core.patterns) or "nothing"]
    parts += [f"GRAPH {graph}" for graph in core.graphs]
    constraint = constraint_text(core.constraint)
    return " ; ".join(parts) + (f" FILTER({constraint})" if constraint else "")
