"""What one node would have made of the same schedule: the existing runner over the merged repository."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain

from msgspec import Struct

from triplewire.errors import AbortedByRule, Cascaded
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


class OneNode(Struct, frozen=True):
    """What is asserted afterwards, which of the transactions aborted, and whether only rules that say so made them."""

    merged: Merged
    aborts: list[bool]
    has_aborted: bool
    on_purpose: bool


def one_node(
    schema: Schema, start: Iterable[Triple], rules: Sequence[Rule], schedule: Sequence[Sequence[Update]]
) -> OneNode:
    """The transactions one after the other on one node."""
    repository = Repository(schema)
    repository.load(start)
    runner = Runner(repository, Rulebook(schema, rules))
    outcomes = [runner.run(transaction) for transaction in schedule]
    aborted = [entry for outcome in outcomes for entry in outcome.aborted]
    aborts = [any(entry.rule is None for entry in outcome.aborted) for outcome in outcomes]
    on_purpose = all(isinstance(entry.error, AbortedByRule | Cascaded) for entry in aborted)
    return OneNode(merged([repository.asserted]), aborts, bool(aborted), on_purpose)
