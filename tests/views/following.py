"""A view over a store that SPARQL updates change, and what each of them tells it."""

from __future__ import annotations

from pyoxigraph import Store

from triplewire.evaluation.datasets import OxigraphDataset
from triplewire.evaluation.forms import form_of
from triplewire.evaluation.work import Budget, Moment, Work
from triplewire.languages.sparql.parsing.parser import parse_dataset_query
from triplewire.rdf.terms import Quad, Triple
from triplewire.views.changes import Change
from triplewire.views.maintenance.results import Item
from triplewire.views.maintenance.states import States, quads_seen
from triplewire.views.maintenance.view import maintenance_of

PREFIX = "PREFIX : <urn:> "
Told = tuple[list[object], list[object]]


class Followed:
    """`first` is the whole answer; `update` gives what was added and what was removed, terms in short."""

    def __init__(self, query: str, data: str = "") -> None:
        self.store = Store()
        self.store.update(f"{PREFIX} INSERT DATA {{ {data} }}")
        self.form = form_of(parse_dataset_query(PREFIX + query))
        self.maintenance = maintenance_of(self.form)
        self._time = 0.0
        dataset = self.form.dataset(OxigraphDataset(self.store))
        self.first = short(self.maintenance.start(Work(dataset, Budget(), Moment.at(self._time))))

    def update(self, text: str) -> Told:
        before = set(self.store)
        self.store.update(PREFIX + text)
        return self.changed(set(self.store) - before, before - set(self.store))

    def changed(self, added: set[Quad], removed: set[Quad]) -> Told:
        self._time += 1
        states = States(Change.of(added, removed, time=self._time), OxigraphDataset(self.store))
        both = states.seen_by(self.form, Budget())
        told = self.maintenance.update(*quads_seen(self.form, added, removed, both), both)
        return short(told[0]), short(told[1])


def short(items: list[Item]) -> list[object]:
    """Solutions as dicts of text, triples as text, without `urn:`."""
    return [_short_triple(item) if isinstance(item, Triple) else _short_solution(item) for item in items]


def _short_triple(triple: Triple) -> str:
    return " ".join(getattr(term, "value", "?").removeprefix("urn:") for term in triple)


def _short_solution(solution: object) -> dict[str, str]:
    assert isinstance(solution, dict)
    return {name: getattr(term, "value", "?").removeprefix("urn:") for name, term in solution.items()}
