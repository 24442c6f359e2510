"""Why a view gained or lost something: for each item, the quads that it stands on, or stood on.

Where a solution of the pattern came or went, it is that one that is followed, so that a second solution that looks the
same is explained by what made it; otherwise any derivation is.
"""

from __future__ import annotations

from collections.abc import Iterable

from triplewire.languages.sparql.syntax import ast
from triplewire.languages.sparql.syntax.datasets import DescribeQuery
from triplewire.rdf.terms import Quad, Triple
from triplewire.views.evaluation.forms import Form
from triplewire.views.evaluation.provenance import Provenance
from triplewire.views.evaluation.triples import Template
from triplewire.views.evaluation.work import Bindings, Work
from triplewire.views.graphs import DEFAULT_GRAPH
from triplewire.views.maintenance.results import Item

Quads = tuple[Quad, ...]
# Copies of a solution that make blank nodes of their own are told apart up to this many.
_COPIES = 4


class Reasons:
    """Finds them for the items of one query."""

    def __init__(self, form: Form) -> None:
        self._form = form
        self._provenance = Provenance()
        query = form.query
        self._template = Template(query.template) if isinstance(query, ast.ConstructQuery) else None

    def of(self, items: Iterable[Item], solutions: Iterable[Bindings], work: Work) -> list[Quads]:
        """For each item, over the state in which it is in the answer; `solutions` are those that came or went."""
        waiting = list(solutions)
        return [self._reason(item, waiting, work) for item in items]

    def _reason(self, item: Item, waiting: list[Bindings], work: Work) -> Quads:
        if isinstance(item, Triple) and isinstance(self._form.query, DescribeQuery):
            return tuple(work.dataset.match(item.subject, item.predicate, item.object, DEFAULT_GRAPH))
        at = next((at for at, row in enumerate(waiting) if self._makes(row, item, work)), None)
        if at is None:
            seed: Bindings = {} if isinstance(item, Triple) else item
            rows = self._provenance.solutions(self._form.wrapped, work, seed)
            row = next((row for row in rows if self._makes(row, item, work)), None)
        else:
            # One solution makes several triples, but only one solution.
            row = waiting[at] if isinstance(item, Triple) else waiting.pop(at)
        return () if row is None else self._provenance.quads(self._form.wrapped, row, work)

    def _makes(self, row: Bindings, item: Item, work: Work) -> bool:
        if isinstance(item, Triple):
            assert self._template is not None
            return any(item in self._template.triples(self._shown(row), work, copy) for copy in range(_COPIES))
        return isinstance(self._form.query, ast.AskQuery) or self._shown(row) == item

    def _shown(self, row: Bindings) -> Bindings:
        return {name: row[name] for name in self._form.names if name in row}
