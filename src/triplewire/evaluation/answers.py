"""The front door: a query or a pattern, prepared once and asked often.

    prepare(query)            SELECT, ASK, CONSTRUCT or DESCRIBE
    PreparedPattern(group)    what stands in WHERE; also that of an update

An answer is a list of solutions (`Solutions`), a bool, or a list of triples (`Triples`), each triple once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice

from triplewire.algebra.patterns import Variable
from triplewire.evaluation.algebra.translation import pattern_of
from triplewire.evaluation.compilation import Compilation
from triplewire.evaluation.datasets import Dataset
from triplewire.evaluation.forms import AnyQuery, Form, form_of, targets_of
from triplewire.evaluation.triples import Template, description
from triplewire.evaluation.work import Bindings, Budget, Moment, Work
from triplewire.languages.sparql.syntax import ast
from triplewire.languages.sparql.syntax.datasets import DescribeQuery
from triplewire.rdf.solutions import Solution, Solutions, Triples
from triplewire.rdf.terms import Term, Triple

Answer = Solutions | bool | Triples
_NOTHING: Mapping[str, Term] = {}


class PreparedPattern:
    """A group, ready to be asked."""

    def __init__(self, group: ast.Group) -> None:
        self.node = pattern_of(group)
        self._operator = Compilation().operator(self.node)

    def solutions(
        self,
        dataset: Dataset,
        budget: Budget | None = None,
        moment: Moment | None = None,
        seed: Mapping[str, Term] = _NOTHING,
    ) -> Iterator[Solution]:
        """The solutions that are compatible with the seed.

        What a blank node of the pattern matched is not among their terms.
        """
        work = Work(dataset, budget or Budget(), moment or Moment.current())
        for solution in self._operator.solve(work, seed):
            yield shown(solution)


def shown(solution: Bindings) -> Solution:
    """A solution without what has no name outside."""
    return {name: term for name, term in solution.items() if not name.startswith("_:")}


class PreparedQuery:
    """A query, ready to be asked."""

    def __init__(self, query: AnyQuery | Form) -> None:
        self.form = query if isinstance(query, Form) else form_of(query)
        self._operator = Compilation().ordered(self.form.node)
        asked = self.form.query
        self._template = Template(asked.template) if isinstance(asked, ast.ConstructQuery) else None

    def answer(self, dataset: Dataset, budget: Budget | None = None, moment: Moment | None = None) -> Answer:
        """What the query says about the dataset."""
        work = Work(self.form.dataset(dataset), budget or Budget(), moment or Moment.current())
        if isinstance(self.form.query, ast.AskQuery):
            return bool(self.items(work))
        if isinstance(self.form.query, ast.SelectQuery):
            return Solutions(self._operator.solve(work, _NOTHING), self.form.names)
        return Triples(self.items(work))  # type: ignore[arg-type]

    def items(self, work: Work) -> list[Solution | Triple]:
        """The answer as a list: for ASK, one solution without bindings means yes."""
        rows = self._operator.solve(work, _NOTHING)
        query = self.form.query
        if isinstance(query, ast.AskQuery):
            return [{} for _ in islice(rows, 1)]
        if self._template is not None:
            return self._constructed(work, rows, self._template)
        if isinstance(query, DescribeQuery):
            resources = dict.fromkeys(term for row in rows for term in resources_of(query, row))
            return [*dict.fromkeys(triple for term in resources for triple in description(term, work))]
        return [*rows]

    def _constructed(self, work: Work, rows: Iterator[Bindings], template: Template) -> list[Solution | Triple]:
        copies: dict[tuple[tuple[str, Term], ...], int] = {}
        found: dict[Triple, None] = {}
        for row in rows:
            key = tuple(sorted(row.items(), key=lambda item: item[0]))
            copy = copies[key] = copies.get(key, -1) + 1
            found.update(dict.fromkeys(template.triples(row, work, copy)))
        return [*found]


def resources_of(query: DescribeQuery, solution: Bindings) -> Iterator[Term]:
    """What one solution asks to be described."""
    for target in targets_of(query):
        term = solution.get(target.name) if isinstance(target, Variable) else target
        if term is not None:
            yield term


def prepare(query: AnyQuery) -> PreparedQuery:
    """Make a query ready."""
    return PreparedQuery(query)


def evaluate(query: AnyQuery, dataset: Dataset, budget: Budget | None = None, moment: Moment | None = None) -> Answer:
    """Ask a query once.

    >>> from pyoxigraph import Store
    >>> from triplewire.languages.sparql.parsing.parser import parse_query
    >>> from triplewire.evaluation.datasets import OxigraphDataset
    >>> store = Store()
    >>> store.update("INSERT DATA { <urn:a> <urn:knows> <urn:b> }")
    >>> evaluate(parse_query("SELECT ?who { <urn:a> <urn:knows> ?who }"), OxigraphDataset(store))
    [{'who': <NamedNode value=urn:b>}]
    """
    return prepare(query).answer(dataset, budget, moment)
