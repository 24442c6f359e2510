"""The taxonomy as G-ToPSS has it: parents of nodes, climbed each time a question is asked."""

from __future__ import annotations

from collections import defaultdict

from triplewire import Taxonomy
from triplewire.rdf.terms import RDF, RDFS

TYPE = str(RDF["type"])
_UPWARDS = {TYPE, str(RDFS["subClassOf"]), str(RDFS["subPropertyOf"])}

Parents = dict[str, list[str]]


def parents_in(taxonomy: Taxonomy | None) -> Parents:
    """For every node of a taxonomy, the nodes right above it."""
    parents: Parents = defaultdict(list)
    for triple in () if taxonomy is None else taxonomy.triples:
        if str(triple.predicate) in _UPWARDS:
            parents[str(triple.subject)].append(str(triple.object))
    return dict(parents)


class Lineage:
    """What stands above the nodes of one event: the taxonomy, and the types that the event itself gives."""

    def __init__(self, parents: Parents, triples: list[tuple[str, str, str]]) -> None:
        self._parents = parents
        self._types: Parents = defaultdict(list)
        for subject, predicate, thing in triples:
            if predicate == TYPE:
                self._types[subject].append(thing)

    def descends(self, node: str, cls: str) -> bool:
        """Algorithm isTrue's `isNodeDescendant`: climb from the node until the class is met."""
        seen: set[str] = set()
        waiting = [*self._types.get(node, ()), *self._parents.get(node, ())]
        while waiting:
            above = waiting.pop()
            if above == cls:
                return True
            if above not in seen:
                seen.add(above)
                waiting.extend(self._parents.get(above, ()))
        return False
