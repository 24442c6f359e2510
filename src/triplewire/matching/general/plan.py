"""The general lane: whatever SPARQL can say, evaluated by Oxigraph on one event.

A query is evaluated only on events that satisfy one of the cores it requires. From syntax tree to text it goes one way:

    the tree as it was read
    `zero_length_paths`   paths from terms that the event lacks are spelled out
    `standard_semantics`  what Oxigraph reads in its own way is written in another form
    `rewriting`           terms become opaque where the store would not keep a term of the event or the query
    `balanced_trees`      long chains become trees of little height
    the text for Oxigraph

Only the first step depends on the event; without it, both texts are printed once. Solutions come back with the event's
own terms. Work is bounded beforehand (`work_bound`); what might exceed the budget is evaluated in a process that can be
ended (`worker`), from the same text.

What stays different from SPARQL 1.1:

- Integers beyond 64 bits and decimals beyond 128 bits are terms without a value: comparing or adding them is an error.
- Ranges of derived types are not checked: "300"^^xsd:byte is the number 300.
- A number made by the query is in Oxigraph's spelling: 0.5 + 0.5 is "1"^^xsd:decimal, 1e0 is "1"^^xsd:double. Casting
  to xsd:string spells a number the same way; STR gives it as it was written.
- GROUP_CONCAT is an error where a member is not a string.
- BNODE("a") is the same blank node in every solution.
- Language tags are compared and given back in lower case.
"""

from __future__ import annotations

from msgspec import Struct

from triplewire.algebra.patterns import Variable
from triplewire.algebra.queries import Construct, Core, Form, GeneralQuery
from triplewire.algebra.taxonomy import Taxonomy
from triplewire.errors import BudgetExceeded
from triplewire.languages.sparql.lowering.balanced_trees import balanced
from triplewire.languages.sparql.lowering.oxigraph_limits import check_evaluable
from triplewire.languages.sparql.printing.printer import print_query
from triplewire.languages.sparql.syntax import ast
from triplewire.matching.evaluation.budget import Allowance, Budget
from triplewire.matching.evaluation.event_view import EventView
from triplewire.matching.evaluation.join import solutions
from triplewire.matching.general.construct_templates import instantiate
from triplewire.matching.general.datasets import IN_PROCESS, Dataset, Evaluator
from triplewire.matching.general.rewriting import as_opaque, needs_opaque_terms
from triplewire.matching.general.standard_semantics import standardised
from triplewire.matching.general.work_bound import work_bound
from triplewire.matching.general.worker import evaluated_apart
from triplewire.matching.general.zero_length_paths import without_absent_ends, zero_length_ends
from triplewire.matching.matches import QueryAnswer, Solution
from triplewire.rdf.events import Event
from triplewire.rdf.terms import Term

Evaluable = ast.SelectQuery | ast.AskQuery


class OxigraphQuery(Struct, frozen=True):
    """What Oxigraph is asked about one event, and what its solutions become."""

    text: str
    is_opaque: bool
    form: Form
    variables: tuple[Variable, ...]

    def answer(self, dataset: Dataset, steps: int) -> QueryAnswer | None:
        """The answer, whatever work it takes; `steps` bounds the number of solutions."""
        solutions_of = dataset.opaque_solutions if self.is_opaque else dataset.solutions
        rows = [_in_order(row, self.variables) for row in solutions_of(self.text, Budget(steps))]
        if not rows:
            return None
        if isinstance(self.form, Construct):
            return QueryAnswer(rows, instantiate(self.form.template, rows))
        return QueryAnswer(rows)


class GeneralPlan:
    """A general query, made ready to be evaluated on many events."""

    def __init__(self, query: GeneralQuery) -> None:
        self.query = query
        self._tree = _evaluable(query)
        self._ends = zero_length_ends(self._tree)
        self._plain = standardised(self._tree)
        self._opaque = as_opaque(self._plain)
        self._always_opaque = needs_opaque_terms(self._opaque)
        self._plain_text = self._printed(self._plain)
        self._opaque_text = self._printed(self._opaque)

    def check(self, evaluator: Evaluator = IN_PROCESS) -> None:
        """Raise InputError if Oxigraph does not accept the query: better now than at the first event."""
        self.check_size()
        for text in dict.fromkeys((self._plain_text, self._opaque_text)):
            evaluator.check(text)

    def check_size(self) -> None:
        """Raise LimitExceeded if what Oxigraph would be given is too deep for it, or too much to plan."""
        for tree in (self._plain, self._opaque):
            check_evaluable(tree)

    def answer(self, dataset: Dataset, allowance: Allowance) -> QueryAnswer | None:
        """What the query yields on an event, or nothing where it has no solution."""
        view = dataset.view
        if not self._could_match(view, allowance.steps):
            return None
        asked = self.asked_of(dataset)
        if work_bound(self._tree, view) > allowance.steps:
            task = (asked, view.event, view.taxonomy, allowance.steps)
            return evaluated_apart(_answer_anew, task, allowance)
        return asked.answer(dataset, allowance.steps)

    def is_satisfied(self, dataset: Dataset, steps: int) -> bool:
        """Whether the query has a solution; BudgetExceeded, and nothing run apart, where that may take too much."""
        return self.answer_here(dataset, steps) is not None

    def answer_here(self, dataset: Dataset, steps: int) -> QueryAnswer | None:
        """The answer; BudgetExceeded, and nothing run apart, where that may take too much."""
        view = dataset.view
        if not self._could_match(view, steps):
            return None
        if work_bound(self._tree, view) > steps:
            raise BudgetExceeded(f"the evaluation may want more than {steps:,} intermediate bindings")
        return self.asked_of(dataset).answer(dataset, steps)

    def asked_of(self, dataset: Dataset) -> OxigraphQuery:
        """What to ask Oxigraph about an event."""
        absent = self._ends - dataset.view.nodes
        is_opaque = self._always_opaque or dataset.has_rewritten_terms
        text = self._text_without(absent, is_opaque) if absent else self._text(is_opaque)
        return OxigraphQuery(text, is_opaque, self.query.form, self.query.variables)

    def _could_match(self, view: EventView, steps: int) -> bool:
        try:
            return any(_is_satisfied(core, view, steps) for core in self.query.requires)
        except BudgetExceeded:
            # The requirement only saves work: the query itself may have a way to be cheaper.
            return True

    def _text(self, is_opaque: bool) -> str:
        return self._opaque_text if is_opaque else self._plain_text

    def _text_without(self, absent: frozenset[Term], is_opaque: bool) -> str:
        plain = standardised(without_absent_ends(self._tree, absent))
        return self._printed(as_opaque(plain) if is_opaque else plain)

    def _printed(self, tree: Evaluable) -> str:
        """The text for Oxigraph: printed when the query was read, unless something was rewritten since."""
        folded = balanced(tree)
        return self.query.text if folded == self.query.tree else print_query(folded)


def _answer_anew(asked: OxigraphQuery, event: Event, taxonomy: Taxonomy, steps: int) -> QueryAnswer | None:
    return asked.answer(Dataset(EventView(event, taxonomy)), steps)


def _is_satisfied(core: Core, view: EventView, steps: int) -> bool:
    return any(True for _ in solutions(core, view, Budget(steps)))


def _in_order(row: Solution, variables: tuple[Variable, ...]) -> Solution:
    return {variable.name: row[variable.name] for variable in variables if variable.name in row}


def _evaluable(query: GeneralQuery) -> Evaluable:
    """The syntax tree; a CONSTRUCT as the SELECT that gives the solutions of its pattern."""
    tree = query.tree
    if isinstance(tree, ast.SelectQuery | ast.AskQuery):
        return tree
    assert isinstance(tree, ast.ConstructQuery), "a general query holds the tree that it was read from"
    # SELECT * may not stand beside GROUP BY.
    projection = query.variables if tree.modifiers.group_by else None
    return ast.SelectQuery(projection, tree.where, ast.Duplicates.KEPT, tree.modifiers, tree.values)
