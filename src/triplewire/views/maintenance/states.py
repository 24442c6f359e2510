"""The states of a dataset around a change, as a query sees them: all of it, or the graphs that FROM names."""

from __future__ import annotations

from collections.abc import Iterable

from triplewire.evaluation.datasets import DEFAULT_GRAPH, Dataset
from triplewire.evaluation.forms import Form
from triplewire.evaluation.work import Budget, Moment, Work
from triplewire.rdf.terms import Quad, Term
from triplewire.views.changes import Change
from triplewire.views.graphs import Before, Either, QuadSet, Remembered
from triplewire.views.maintenance.pattern_delta import BeforeAndAfter


class States:
    """A change, and the dataset before and after it; shared by all views that it touches."""

    def __init__(self, change: Change, after: Dataset) -> None:
        self.moment = Moment.at(change.time)
        # Views that the same quad touches ask much the same.
        self.after = after = Remembered(after)
        removed = QuadSet(change.removed)
        self.before = Before(after, QuadSet(change.added), removed)
        self.either = Either(after, removed) if change.removed else after

    def seen_by(self, form: Form, budget: Budget, constants: tuple[Term, ...] = ()) -> BeforeAndAfter:
        """For one view, under its budget."""
        after, before, either = (
            Work(form.dataset(dataset), budget, self.moment, constants=constants)
            for dataset in (self.after, self.before, self.either)
        )
        return BeforeAndAfter(after, before, either)


def quads_seen(
    form: Form, added: Iterable[Quad], removed: Iterable[Quad], both: BeforeAndAfter
) -> tuple[list[Quad], list[Quad]]:
    """Changed quads as the query sees them: with FROM, in the default graph as well, if they are new or gone there."""
    if not form.default_graphs and not form.named_graphs:
        return list(added), list(removed)
    return _seen(form, added, both.before), _seen(form, removed, both.after)


def _seen(form: Form, quads: Iterable[Quad], other: Work) -> list[Quad]:
    """`other` is the state in which the quads are not there; a triple may be all the same, from another graph."""
    found: dict[Quad, None] = {}
    for quad in quads:
        if quad.graph_name in form.named_graphs:
            found[quad] = None
        if quad.graph_name in form.default_graphs:
            there = other.dataset.match(quad.subject, quad.predicate, quad.object, DEFAULT_GRAPH)
            if not any(True for _ in there):
                found[Quad(quad.subject, quad.predicate, quad.object, DEFAULT_GRAPH)] = None
    return list(found)
