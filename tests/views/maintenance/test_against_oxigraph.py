"""For random data, changes and queries over the whole grammar.

The answer before, plus what was added, minus what was removed, is the answer after.
"""

from __future__ import annotations

from random import Random

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.sweeps import sweep
from tests.views.generating import World, dataset_query, store_of
from tests.views.oracle import Multiset, as_multiset, by_oxigraph, is_certain

from triplewire.errors import InputError
from triplewire.evaluation.answers import evaluate
from triplewire.evaluation.datasets import OxigraphDataset
from triplewire.evaluation.forms import form_of
from triplewire.evaluation.work import Budget, Moment, Work
from triplewire.languages.sparql.parsing.parser import parse_dataset_query
from triplewire.views.changes import Change
from triplewire.views.maintenance.states import States, quads_seen
from triplewire.views.maintenance.view import maintenance_of

MOMENT = Moment.at(0)


def truth(quads: set, text: str) -> Multiset:
    """Oxigraph's answer; where its word does not count, that of the evaluator, which is held to it elsewhere."""
    store = store_of(quads)
    if is_certain(text):
        return by_oxigraph(store, text)
    return as_multiset(evaluate(parse_dataset_query(text), OxigraphDataset(store), moment=MOMENT))


@settings(max_examples=200)
@given(st.integers(0, 2**40))
def test_before_plus_added_minus_removed_is_after(seed: int):
    world = World(Random(seed))
    quads = world.quads()
    try:
        text = dataset_query(world, quads)
    except InputError:
        assume(False)
    form = form_of(parse_dataset_query(text))
    view = maintenance_of(form)
    answer = as_multiset(view.start(Work(form.dataset(OxigraphDataset(store_of(quads))), Budget(), MOMENT)))
    assert answer == truth(quads, text)
    for _ in range(5):
        added, removed = world.change(quads)
        quads = (quads - removed) | added
        states = States(Change.of(added, removed), OxigraphDataset(store_of(quads)))
        both = states.seen_by(form, Budget())
        gained, lost = map(as_multiset, view.update(*quads_seen(form, added, removed, both), both))
        assert not gained & lost
        assert not lost - answer
        answer = answer - lost + gained
        assert answer == truth(quads, text)


test_many_more = sweep(test_before_plus_added_minus_removed_is_after, st.integers(0, 2**40), examples=5_000)
