"""Which subscriptions could an event satisfy?

Every core that a subscription requires is filed once, under what an event must show for it: the constants of one of its
patterns, or a graph that it names. A constraint that pins a variable to an IRI makes a constant of it. Among the keys a
core could be filed under, the least crowded wins, with a preference for many constants. An event is looked up by the
keys that its triples have. A core without any constant is filed nowhere, and its subscription is tested on every event.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from triplewire.algebra.constraints import Comparator, ComparisonTest, Condition, MembershipTest
from triplewire.algebra.patterns import Pattern, Variable
from triplewire.algebra.queries import Core
from triplewire.matching.evaluation.event_view import EventView, Key, Mask, key_of, mask_of
from triplewire.rdf.terms import NamedNode, Term

# A pattern's constants, or the graph that a core names.
Anchor = Key | NamedNode
# A constraint with more ways than this to pin variables is not worth a key for each.
_MOST_WAYS = 32
_ANYTHING: Key = (None, None, None)
# How much more often an event shows a key of one or two constants than a whole triple: a guess.
_COMMONNESS = {1: 16, 2: 2, 3: 1}


class Candidates:
    """Subscriptions by what they require."""

    def __init__(self) -> None:
        self._filed: dict[Anchor, dict[str, None]] = {}
        self._anchors: dict[str, tuple[Anchor, ...]] = {}
        self._masks: Counter[Mask] = Counter()
        self._unindexed: dict[str, None] = {}

    @property
    def unindexed(self) -> int:
        """How many subscriptions are tested on every event."""
        return len(self._unindexed)

    def add(self, identifier: str, cores: Iterable[Core]) -> None:
        """File a subscription that is not filed yet."""
        choices = [way for core in cores for way in anchor_choices(core)]
        if not all(choices):
            self._unindexed[identifier] = None
            return
        chosen = tuple(dict.fromkeys(min(anchors, key=self._crowding) for anchors in choices))
        self._anchors[identifier] = chosen
        for anchor in chosen:
            self._filed.setdefault(anchor, {})[identifier] = None
            self._masks.update([mask_of(anchor)] if isinstance(anchor, tuple) else [])

    def remove(self, identifier: str) -> None:
        """Take a filed subscription out."""
        self._unindexed.pop(identifier, None)
        for anchor in self._anchors.pop(identifier, ()):
            del self._filed[anchor][identifier]
            if not self._filed[anchor]:
                del self._filed[anchor]
            self._masks.subtract([mask_of(anchor)] if isinstance(anchor, tuple) else [])
        self._masks = +self._masks

    def lookup(self, view: EventView) -> set[str]:
        """The subscriptions that the event could satisfy."""
        found = set(self._unindexed)
        found.update(self._filed.get(view.graph, ()))
        for mask in self._masks:
            for row in view.rows:
                found.update(self._filed.get(key_of(row, mask), ()))
        return found

    def _crowding(self, anchor: Anchor) -> int:
        """How many tests the anchor is expected to cause: a key of few constants is shown by more events."""
        constants = sum(mask_of(anchor)) if isinstance(anchor, tuple) else 3
        return (len(self._filed.get(anchor, ())) + 1) * _COMMONNESS[constants]


def anchor_choices(core: Core) -> list[list[Anchor]]:
    """For each way in which an event can satisfy the core, the anchors of which it must show every one.

    A way without anchors means that the core cannot be indexed. A core that nothing satisfies has no way at all.
    """
    ways = [way for alternative in core.constraint.alternatives for way in _pinnings(alternative)]
    if len(ways) > _MOST_WAYS:
        ways = [{}]
    return [_anchors(core, pinned) for pinned in ways]


def _anchors(core: Core, pinned: Mapping[Variable, Term]) -> list[Anchor]:
    keys = [key for pattern in core.patterns if (key := _key(pattern, pinned)) != _ANYTHING]
    graphs = [pinned.get(graph) if isinstance(graph, Variable) else graph for graph in core.graphs]
    return [*keys, *(graph for graph in graphs if isinstance(graph, NamedNode))]


def _key(pattern: Pattern, pinned: Mapping[Variable, Term]) -> Key:
    subject, predicate, obj = (pinned.get(term) if isinstance(term, Variable) else term for term in pattern)
    return subject, predicate, obj


def _pinnings(alternative: tuple[Condition, ...]) -> Iterator[Mapping[Variable, Term]]:
    """The ways in which an alternative pins variables to IRIs: all its equalities, and each member of one set."""
    pinned: dict[Variable, Term] = {}
    chosen: MembershipTest | None = None
    for condition in alternative:
        if condition.holds and isinstance(condition.test, ComparisonTest):
            pinned.update(_equality(condition.test))
        elif condition.holds and chosen is None and _names_iris(condition):
            chosen = condition.test  # type: ignore[assignment]
    if chosen is None:
        yield pinned
        return
    for constant in chosen.constants:
        yield {**pinned, chosen.variable: constant}


def _equality(test: ComparisonTest) -> dict[Variable, Term]:
    """`?x = <iri>` holds for that very IRI only; literals are compared by value, so that they pin nothing."""
    if test.operator is not Comparator.EQUAL:
        return {}
    for variable, value in ((test.left, test.right), (test.right, test.left)):
        if isinstance(variable, Variable) and isinstance(value, NamedNode):
            return {variable: value}
    return {}


def _names_iris(condition: Condition) -> bool:
    test = condition.test
    return isinstance(test, MembershipTest) and all(isinstance(c, NamedNode) for c in test.constants)
