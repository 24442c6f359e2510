"""Why a view gained or lost something: for each item, the quads that it stands on, or stood on.

Where a solution of the pattern came or went, it is that one that is followed, so that a second solution that looks the
same is explained by what made it; otherwise any derivation is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress

from triplewire.errors import BudgetExceeded
from triplewire.evaluation.datasets import DEFAULT_GRAPH
from triplewire.evaluation.forms import Form
from triplewire.evaluation.triples import Template
from triplewire.evaluation.work import Bindings, Work
from triplewire.languages.sparql.syntax import ast
from triplewire.rdf.terms import Quad, Triple
from triplewire.views.maintenance.provenance import Provenance
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

    def of(self, items: Sequence[Item], solutions: Iterable[Bindings], work: Work) -> list[Quads | None]:
        """For each item, over the state in which it is in the answer; `solutions` are those that came or went.

        None for what is not in the answer, and for what was not looked for any more when the budget was used up.
        """
        waiting: dict[object, list[Bindings]] = {}
        with suppress(BudgetExceeded):
            self._sort(solutions, waiting, work)
        return [self._found(item, waiting, work) for item in items]

    def _found(self, item: Item, waiting: dict[object, list[Bindings]], work: Work) -> Quads | None:
        try:
            return self._reason(item, waiting, work)
        except (BudgetExceeded, RecursionError):
            return None

    def _reason(self, item: Item, waiting: dict[object, list[Bindings]], work: Work) -> Quads | None:
        if isinstance(item, Triple) and self._template is None:
            return tuple(work.dataset.match(item.subject, item.predicate, item.object, DEFAULT_GRAPH)) or None
        rows = waiting.get(_key(item))
        if rows:
            # One solution makes several triples, but only one solution.
            row: Bindings | None = rows[0] if isinstance(item, Triple) else rows.pop(0)
        else:
            row = next(self._making(item, work), None)
        return None if row is None else self._provenance.quads(self._form.wrapped, row, work)

    def _sort(self, solutions: Iterable[Bindings], waiting: dict[object, list[Bindings]], work: Work) -> None:
        """Put each solution to the items that it makes."""
        for row in solutions:
            for item in self._made(row, work):
                work.budget.spend()
                waiting.setdefault(_key(item), []).append(row)

    def _made(self, row: Bindings, work: Work) -> Iterable[Item]:
        if self._template is not None:
            shown = self._shown(row)
            copies = range(_COPIES if self._template.has_blank_nodes else 1)
            return dict.fromkeys(triple for copy in copies for triple in self._template.triples(shown, work, copy))
        return ({},) if isinstance(self._form.query, ast.AskQuery) else (self._shown(row),)

    def _making(self, item: Item, work: Work) -> Iterator[Bindings]:
        """Solutions that make an item."""
        if not isinstance(item, Triple):
            seeds: Iterable[Bindings] = (item,)
        else:
            assert self._template is not None
            seeds = self._template.seeds(item)
        for seed in seeds:
            for row in self._provenance.solutions(self._form.wrapped, work, seed):
                if item in self._made(row, work):
                    yield row

    def _shown(self, row: Bindings) -> Bindings:
        return {name: row[name] for name in self._form.names if name in row}


def _key(item: Item) -> object:
    return item if isinstance(item, Triple) else frozenset(item.items())
