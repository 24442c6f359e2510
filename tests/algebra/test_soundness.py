"""Outside class L a no may be a pity, but a yes is never wrong, and neither is a proof that nothing matches."""

from __future__ import annotations

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.algebra.naive import answers
from tests.algebra.random_queries import TAXONOMY, event_for, fast_query, widened

from triplewire.algebra.evaluation import satisfied
from triplewire.algebra.reasoning.satisfiability import satisfiability
from triplewire.algebra.reasoning.subsumption import implies, subsumes
from triplewire.algebra.verdicts import Answer
from triplewire.rdf.terms import Triple

SEEDS = st.integers(0, 2**32)


@given(SEEDS, st.integers(0, 2))
@settings(max_examples=500, deadline=None)
def test_no_event_contradicts_a_yes(seed: int, projected: int) -> None:
    chance = Random(seed)
    b = fast_query(chance, projected)
    a = widened(chance, b)
    subsumed, implied = subsumes(a, b, TAXONOMY), implies(b, a, TAXONOMY)
    assert implied or not subsumed
    for triples in _events(chance, b) if implied else ():
        narrow, wide = answers(b, triples, TAXONOMY), answers(a, triples, TAXONOMY)
        assert wide or not narrow
        assert not subsumed or narrow <= wide


@given(SEEDS)
@settings(max_examples=300, deadline=None)
def test_nothing_matches_what_was_proved_to_match_nothing(seed: int) -> None:
    chance = Random(seed)
    query = fast_query(chance, 1)
    finding = satisfiability(query, TAXONOMY)
    if finding.answer is Answer.NO:
        assert not any(answers(query, triples, TAXONOMY) for triples in _events(chance, query))


@given(SEEDS)
@settings(max_examples=200, deadline=None)
def test_a_witness_is_one_without_types_too(seed: int) -> None:
    """Where no taxonomy test is in play, the witness's terms alone satisfy the constraint."""
    query = fast_query(Random(seed), 1)
    finding = satisfiability(query, TAXONOMY)
    if finding.witness is not None and "TaxonomyTest" not in str(query):
        assert satisfied(query.core.constraint, finding.witness)


def _events(chance: Random, query: object) -> list[list[Triple]]:
    events = [event_for(chance, query) for _ in range(30)]  # type: ignore[arg-type]
    return [event for event in events if event is not None]
