"""The general lane: all of SPARQL, evaluated on one event by the operators of `triplewire.evaluation`.

A query becomes a tree of operators once, when it is first asked, and runs over the event's triples as they are: terms
keep their identity in patterns, and have values in expressions. Work is counted in steps, quads looked at and
solutions made, so an evaluation ends when its budget does, whatever the query.

What stays different from SPARQL 1.1:

- Integers beyond 64 bits and decimals beyond 128 bits are terms without a value: comparing or adding them is an error.
- Ranges of derived types are not checked: "300"^^xsd:byte is the number 300.
- A number made by the query is in Oxigraph's spelling: 0.5 + 0.5 is "1"^^xsd:decimal, 1e0 is "1"^^xsd:double. Casting
  to xsd:string spells a number the same way; STR gives it as it was written.
- GROUP_CONCAT is an error where a member is not a string.
- Language tags are compared and given back in lower case.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import islice

from triplewire.algebra.constraints import TaxonomyRelation
from triplewire.algebra.queries import Ask, Construct, GeneralQuery
from triplewire.errors import BudgetExceeded
from triplewire.evaluation.compilation import Compilation
from triplewire.evaluation.datasets import DatasetKind
from triplewire.evaluation.expressions.compiler import depends_on_moment
from triplewire.evaluation.forms import form_of
from triplewire.evaluation.operators import Operator
from triplewire.evaluation.work import Bindings, Budget, Moment, Work
from triplewire.languages.sparql.lowering.oxigraph_limits import check_evaluable
from triplewire.languages.sparql.syntax import ast
from triplewire.matching.evaluation.event_view import EventView
from triplewire.matching.general.construct_templates import instantiate
from triplewire.matching.matches import QueryAnswer, Solution
from triplewire.rdf.terms import NamedNode, Term

_NOTHING: Bindings = {}
# For queries that give the same answer at any time.
_ANY_MOMENT = Moment.at(0)


def _holds(view: EventView, relation: TaxonomyRelation, node: Term, cls: Term) -> bool:
    return isinstance(cls, NamedNode) and view.taxonomy.holds(relation, node, cls, view.types)


EVENT = DatasetKind(kept=lambda term: term, holds=_holds)


class GeneralPlan:
    """A general query, made ready to be evaluated on many events: compiled when it is first asked."""

    def __init__(self, query: GeneralQuery) -> None:
        self.query = query

    def check(self) -> None:
        """Raise LimitExceeded if the query nests too deep, or joins too much."""
        assert isinstance(self.query.tree, ast.SelectQuery | ast.AskQuery | ast.ConstructQuery)
        check_evaluable(self.query.tree)

    def answer(self, view: EventView, steps: int) -> QueryAnswer | None:
        """What the query yields on an event; nothing where it has no solution; BudgetExceeded after so many steps."""
        rows = self._solutions(view, steps)
        form = self.query.form
        if isinstance(form, Ask):
            return next((QueryAnswer([{}]) for _ in rows), None)
        found = [self._in_order(row) for row in rows]
        if not found:
            return None
        return QueryAnswer(found, instantiate(form.template, found) if isinstance(form, Construct) else ())

    def is_satisfied(self, view: EventView, steps: int) -> bool:
        """Whether the query has a solution; BudgetExceeded where that takes too much."""
        return any(True for _ in islice(self._solutions(view, steps), 1))

    def _solutions(self, view: EventView, steps: int) -> Iterator[Bindings]:
        budget = Budget(steps)
        try:
            yield from self._operator.solve(Work(view, budget, self._moment()), _NOTHING)
        except RecursionError:
            raise BudgetExceeded(wanted="a query that nests less deep", found="one that exceeds the stack") from None

    def _moment(self) -> Moment:
        return Moment.current() if self._depends_on_moment else _ANY_MOMENT

    @cached_property
    def _operator(self) -> Operator:
        form, compilation = form_of(_evaluable(self.query), EVENT.kept), Compilation(EVENT)
        in_order = form.order or form.is_sliced
        return compilation.ordered(form.node) if in_order else compilation.operator(form.node)

    @cached_property
    def _depends_on_moment(self) -> bool:
        return depends_on_moment(self.query.tree)

    def _in_order(self, row: Bindings) -> Solution:
        return {variable.name: row[variable.name] for variable in self.query.variables if variable.name in row}


def _evaluable(query: GeneralQuery) -> ast.SelectQuery | ast.AskQuery:
    """The syntax tree; a CONSTRUCT as the SELECT that gives the solutions of its pattern."""
    tree = query.tree
    if isinstance(tree, ast.SelectQuery | ast.AskQuery):
        return tree
    assert isinstance(tree, ast.ConstructQuery), "a general query holds the tree that it was read from"
    # SELECT * may not stand beside GROUP BY.
    projection = query.variables if tree.modifiers.group_by else None
    return ast.SelectQuery(projection, tree.where, ast.Duplicates.KEPT, tree.modifiers, tree.values)
