"""The front door: a query or a pattern, prepared once and asked often.

    prepare(query)            SELECT, ASK, CONSTRUCT or DESCRIBE
    PreparedPattern(group)    what stands in WHERE; also that of an update

An answer is a list of solutions (`Solutions`), a bool, or a list of triples (`Triples`), each triple once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from triplewire.algebra.patterns import Variable
from triplewire.languages.sparql.syntax import ast
from triplewire.rdf.solutions import Solution, Solutions, Triples
from triplewire.rdf.terms import Term, Triple
from triplewire.views.algebra import nodes
from triplewire.views.algebra.translation import Translation, pattern_of, sliced, visible
from triplewire.views.evaluation.compilation import Compilation
from triplewire.views.evaluation.triples import Template
from triplewire.views.evaluation.work import Bindings, Budget, Moment, Work
from triplewire.views.graphs import DEFAULT_GRAPH, Dataset

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

    def __init__(self, query: ast.Query) -> None:
        self.query = query
        self._variables: tuple[Variable, ...] = ()
        self.node = algebra_of(query)
        self._operator = Compilation().ordered(self.node)
        self._template = Template(query.template) if isinstance(query, ast.ConstructQuery) else None

    def answer(self, dataset: Dataset, budget: Budget | None = None, moment: Moment | None = None) -> Answer:
        """What the query says about the dataset."""
        work = Work(dataset, budget or Budget(), moment or Moment.current())
        rows = self._operator.solve(work, _NOTHING)
        if isinstance(self.query, ast.AskQuery):
            return any(True for _ in rows)
        if self._template is not None:
            return self._constructed(work, rows, self._template)
        assert isinstance(self.query, ast.SelectQuery)
        assert isinstance(self.node, nodes.Project | nodes.Distinct | nodes.Slice)
        return Solutions(map(shown, rows), [variable.name for variable in projection_of(self.node)])

    def _constructed(self, work: Work, rows: Iterator[Bindings], template: Template) -> Triples:
        copies: dict[tuple[tuple[str, Term], ...], int] = {}
        found: dict[Triple, None] = {}
        for row in rows:
            key = tuple(sorted(row.items(), key=lambda item: item[0]))
            copy = copies[key] = copies.get(key, -1) + 1
            found.update(dict.fromkeys(template.triples(row, work, copy)))
        return Triples(found)


def prepare(query: ast.Query) -> PreparedQuery:
    """Make a query ready."""
    return PreparedQuery(query)


def evaluate(query: ast.Query, dataset: Dataset, budget: Budget | None = None, moment: Moment | None = None) -> Answer:
    """Ask a query once.

    >>> from pyoxigraph import Store
    >>> from triplewire.languages.sparql.parsing.parser import parse_query
    >>> from triplewire.views.graphs import OxigraphDataset
    >>> store = Store()
    >>> store.update("INSERT DATA { <urn:a> <urn:knows> <urn:b> }")
    >>> evaluate(parse_query("SELECT ?who { <urn:a> <urn:knows> ?who }"), OxigraphDataset(store))
    [{'who': <NamedNode value=urn:b>}]
    """
    return prepare(query).answer(dataset, budget, moment)


def algebra_of(query: ast.Query) -> nodes.Node:
    """The algebra of any form: ASK, CONSTRUCT and DESCRIBE as the SELECT of all that their pattern shows."""
    if isinstance(query, ast.SelectQuery):
        return Translation().select(query, DEFAULT_GRAPH)
    grouped, _, order = Translation().grouped(query, [], DEFAULT_GRAPH)
    if order:
        grouped = nodes.OrderBy(grouped, order)
    return sliced(nodes.Project(grouped, visible(query)), query.modifiers)


def projection_of(node: nodes.Node) -> tuple[Variable, ...]:
    """What the solutions of a SELECT show."""
    while not isinstance(node, nodes.Project):
        assert isinstance(node, nodes.Distinct | nodes.Slice)
        node = node.inner
    return node.variables
