"""What one node would have made of the same schedule: the existing runner over the merged repository."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain

from triplewire.languages.rdftl.syntax import Rule, Update
from triplewire.rdf.terms import Term, Triple
from triplewire.rules.execution import Rulebook, Runner
from triplewire.rules.repository import Repository
from triplewire.rules.schema import Schema
from triplewire.testing.simulation.federation.workload import is_element_of_pile

Merged = tuple[frozenset[Triple], Counter[tuple[Term, Term]]]
"""Triples, and the elements of bags, whose numbers do not matter."""


def merged(fragments: Iterable[Iterable[Triple]]) -> Merged:
    """All that is asserted somewhere."""
    elements: Counter[tuple[Term, Term]] = Counter()
    triples: set[Triple] = set()
    for triple in chain.from_iterable(fragments):
        if is_element_of_pile(triple):
            elements[triple.subject, triple.object] += 1
        else:
            triples.add(triple)
    return frozenset(triples), elements


def one_node(
    schema: Schema, start: Iterable[Triple], rules: Sequence[Rule], schedule: Sequence[Sequence[Update]]
) -> Merged | None:
    """The transactions one after the other on one node; None: something aborted there."""
    repository = Repository(schema)
    repository.load(start)
    runner = Runner(repository, Rulebook(schema, rules))
    for transaction in schedule:
        if runner.run(transaction).aborted:
            return None
    return merged([repository.asserted])
