"""OPS (Wang, Jin and Li), as the G-ToPSS paper describes it: general subgraph matching over overlapping graphs.

Every node of a subscription is a variable at first: any node of a publication may stand for any node of a subscription,
and only edge labels and the shape say otherwise. Subscriptions whose shapes begin alike share that part of the work:
the shapes form a tree, one edge a step. What a node must be, a constant or within a constraint, is only checked of
whole embeddings.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct, field

from benchmarks.rivals.ancestry import Lineage, Parents, parents_in
from benchmarks.rivals.publications import PerEvent, Triple
from benchmarks.rivals.reading import Pattern, Standing, is_variable, read_all
from triplewire import Subscription, Taxonomy

# An edge of a shape: label, and the numbers of its two nodes in order of appearance.
Edge = tuple[str, int, int]
Ends = list[tuple[str, str]]


class Embedded(Struct):
    """A subscription at the end of its shape: what each of its nodes, by number, is called."""

    subscription: Standing
    names: list[str]


class Step(Struct):
    """A node of the tree of shapes."""

    then: dict[Edge, Step] = field(default_factory=dict)
    subscriptions: list[Embedded] = field(default_factory=list)


class Ops(PerEvent):
    """One tree of all shapes, walked with every embedding that a publication has."""

    name = "OPS"

    def __init__(self) -> None:
        self._root = Step()
        self._parents: Parents = {}

    def build(self, subscriptions: Iterable[Subscription], taxonomy: Taxonomy | None = None) -> None:
        self._parents = parents_in(taxonomy)
        for subscription in read_all(subscriptions):
            self._insert(subscription)

    def _insert(self, subscription: Standing) -> None:
        numbers: dict[str, int] = {}
        step = self._root
        for subject, label, thing in connected(subscription.patterns):
            edge = (label, numbers.setdefault(subject, len(numbers)), numbers.setdefault(thing, len(numbers)))
            step = step.then.setdefault(edge, Step())
        step.subscriptions.append(Embedded(subscription, list(numbers)))

    def match_event(self, triples: list[Triple]) -> set[str]:
        edges: dict[str, Ends] = {}
        for subject, label, thing in triples:
            edges.setdefault(label, []).append((subject, thing))
        found: set[str] = set()
        _walk(self._root, [], edges, Lineage(self._parents, triples), found)
        return found


def connected(patterns: tuple[Pattern, ...]) -> list[Pattern]:
    """The patterns by label, each with a node of an earlier one where there is such: so shapes begin alike."""
    left, order, seen = sorted(patterns, key=lambda pattern: pattern[1]), [], set()
    while left:
        chosen = next((p for p in left if p[0] in seen or p[2] in seen), left[0])
        left.remove(chosen)
        order.append(chosen)
        seen |= {chosen[0], chosen[2]}
    return order


def _walk(step: Step, nodes: list[str], edges: dict[str, Ends], lineage: Lineage, found: set[str]) -> None:
    for embedded in step.subscriptions:
        if embedded.subscription.id not in found and _fits(embedded, nodes, lineage):
            found.add(embedded.subscription.id)
    for (label, first, second), after in step.then.items():
        for longer in _embeddings(nodes, first, second, edges.get(label, ())):
            _walk(after, longer, edges, lineage, found)


def _embeddings(nodes: list[str], first: int, second: int, ends: Iterable[tuple[str, str]]) -> Iterator[list[str]]:
    """The embedding with one more edge, in every way. A node's number is its place; new ones come at the end."""
    known = len(nodes)
    for subject, thing in ends:
        if first < known and nodes[first] != subject:
            continue
        if second < known:
            if nodes[second] != thing:
                continue
            yield nodes if first < known else [*nodes, subject]
        elif first == second:
            if subject == thing:
                yield [*nodes, subject]
        else:
            yield [*nodes, thing] if first < known else [*nodes, subject, thing]


def _fits(embedded: Embedded, nodes: list[str], lineage: Lineage) -> bool:
    pairs = list(zip(embedded.names, nodes, strict=True))
    if any(name != node for name, node in pairs if not is_variable(name)):
        return False
    return embedded.subscription.accepts(dict(pairs), lineage)
