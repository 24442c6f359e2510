"""SPARQL 1.1 Update over the living graph: each operation is planned as edits when its turn comes.

An operation sees what the ones before it have done, with the rules that they triggered. WHERE is evaluated under a
budget of steps. A graph is there if it holds a quad: CREATE makes none, and DROP and CLEAR are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from triplewire.algebra.patterns import Variable
from triplewire.errors import UpdateRefused
from triplewire.evaluation.answers import PreparedPattern
from triplewire.evaluation.datasets import Dataset, Graph, OxigraphDataset, Selected
from triplewire.evaluation.datasets import GraphName as AnyGraphName
from triplewire.evaluation.work import Budget
from triplewire.languages.sparql.syntax.updates import (
    Add,
    Clear,
    Copy,
    Create,
    DeleteData,
    DeleteWhere,
    Drop,
    Graphs,
    InsertData,
    Modify,
    Move,
    OneGraph,
    QuadTemplate,
    UpdateOperation,
)
from triplewire.node.living.edits import DEFAULT, Collector, GraphName, asserted_in, in_graph
from triplewire.rdf.terms import BlankNode, NamedNode, Quad, Term
from triplewire.rules.changes import Edits
from triplewire.rules.execution import DatasetAction, DatasetUpdate
from triplewire.rules.execution.dataset_updates import Check
from triplewire.rules.repository import Repository

_EVERY = 1_000
_NOTHING: Mapping[str, Term] = {}


class PreparedOperation(Struct, frozen=True):
    """An operation, and its WHERE ready to be asked, if it has one."""

    operation: UpdateOperation
    where: PreparedPattern | None = None


def prepared(operation: UpdateOperation) -> PreparedOperation:
    """Make an operation ready, which needs no dataset: before its turn comes, on any thread."""
    if isinstance(operation, DeleteWhere):
        operation = Modify(operation.where, delete=operation.quads)
    return PreparedOperation(operation, PreparedPattern(operation.where) if isinstance(operation, Modify) else None)


def updates_of(
    operations: Sequence[PreparedOperation], repository: Repository, steps: int, most: int, transaction: str
) -> list[DatasetUpdate]:
    """The operations of one request, as one transaction. Each WHERE may take `steps`, each operation `most` quads."""
    return [
        DatasetUpdate(action=DatasetAction(_plan(operation, repository, steps, most)), transaction=transaction)
        for operation in operations
    ]


def _plan(operation: PreparedOperation, repository: Repository, steps: int, most: int) -> Callable[[Check], Edits]:
    return lambda check: _Operation(repository, Budget(steps), most, check).edits(operation)


class _Operation:
    """One operation, planned over the dataset as it is now."""

    def __init__(self, repository: Repository, budget: Budget, most: int, check: Check) -> None:
        self._repository = repository
        self._dataset = _Timed(OxigraphDataset(repository.store), check)
        self._budget = budget
        self._check = check
        self._found = Collector(most)

    def edits(self, planned: PreparedOperation) -> Edits:
        match planned.operation:
            case InsertData(quads):
                self._found.insert(_instantiated(quads, _NOTHING, DEFAULT, {}))
            case DeleteData(quads):
                self._found.delete(_instantiated(quads, _NOTHING, DEFAULT, {}))
            case Modify() as operation:
                assert planned.where is not None
                self._modify(operation, planned.where)
            case Clear(target) | Drop(target):
                self._clear(target)
            case Create(target, silent):
                self._create(target, silent)
            case Add(source, target):
                self._copy(_graph(source), _graph(target), clears=False, moves=False)
            case Copy(source, target):
                self._copy(_graph(source), _graph(target), clears=True, moves=False)
            case Move(source, target):
                self._copy(_graph(source), _graph(target), clears=True, moves=True)
        return self._found.edits

    def _modify(self, operation: Modify, where: PreparedPattern) -> None:
        graph: GraphName = operation.with_ or DEFAULT
        solutions = where.solutions(self._where(operation), self._budget)
        for number, solution in enumerate(solutions):
            if number % _EVERY == 0:
                self._check()
            self._found.delete(_instantiated(operation.delete, solution, graph, {}))
            self._found.insert(_instantiated(operation.insert, solution, graph, {}))

    def _where(self, operation: Modify) -> Dataset:
        """What WHERE is asked over."""
        if operation.using or operation.using_named:
            return Selected(self._dataset, operation.using, operation.using_named)
        return self._dataset if operation.with_ is None else _WithDefault(self._dataset, operation.with_)

    def _clear(self, target: NamedNode | Graphs) -> None:
        if target in (Graphs.DEFAULT, Graphs.ALL):
            self._found.delete(asserted_in(self._repository, DEFAULT))
        if target in (Graphs.NAMED, Graphs.ALL):
            self._found.delete(self._dataset.match(None, None, None, None))
        if isinstance(target, NamedNode):
            self._found.delete(asserted_in(self._repository, target))

    def _create(self, target: NamedNode, silent: bool) -> None:
        if not silent and any(True for _ in self._dataset.match(None, None, None, target)):
            raise UpdateRefused(wanted=f"no graph {target} for CREATE GRAPH", found="one; CREATE SILENT lets it be")

    def _copy(self, source: GraphName, target: GraphName, *, clears: bool, moves: bool) -> None:
        if source == target:
            return
        if clears:
            self._found.delete(asserted_in(self._repository, target))
        # What follows in the default graph is copied as well: it holds there.
        copied = self._dataset.match(None, None, None, source)
        self._found.insert(in_graph(quad.triple, target) for quad in copied)
        if moves:
            self._found.delete(asserted_in(self._repository, source))


class _Timed:
    """A dataset that is asked only as long as there is time."""

    def __init__(self, dataset: Dataset, check: Check) -> None:
        self._match = dataset.match
        self._check = check
        self.named_graphs = dataset.named_graphs

    def match(
        self,
        subject: Term | None,
        predicate: Term | None,
        object: Term | None,  # noqa: A002  as the protocol calls it
        graph: Graph | None,
    ) -> Iterable[Quad]:
        self._check()
        return self._match(subject, predicate, object, graph)


class _WithDefault:
    """A dataset whose default graph is one of its named ones, as WITH says."""

    def __init__(self, dataset: Dataset, default: NamedNode) -> None:
        self._dataset = dataset
        self._default = default

    def match(
        self,
        subject: Term | None,
        predicate: Term | None,
        object: Term | None,  # noqa: A002  as the protocol calls it
        graph: Graph | None,
    ) -> Iterable[Quad]:
        return self._dataset.match(subject, predicate, object, self._default if graph == DEFAULT else graph)

    def named_graphs(self) -> Iterable[AnyGraphName]:
        return self._dataset.named_graphs()


def _graph(named: OneGraph) -> GraphName:
    return named if isinstance(named, NamedNode) else DEFAULT


def _instantiated(
    templates: Iterable[QuadTemplate], solution: Mapping[str, Term], graph: GraphName, blanks: dict[str, BlankNode]
) -> Iterator[Quad]:
    """The quads of templates. One with an unbound variable, or with a term where it cannot stand, is left out.

    A blank node is a new one.
    """
    for template in templates:
        subject = _term(template.subject, solution, blanks)
        predicate = _term(template.predicate, solution, blanks)
        target = _term(template.object, solution, blanks)
        place = graph if template.graph is None else _term(template.graph, solution, blanks)
        if (
            isinstance(subject, NamedNode | BlankNode)
            and isinstance(predicate, NamedNode)
            and target is not None
            and (template.graph is None or isinstance(place, NamedNode))
        ):
            yield Quad(subject, predicate, target, place)  # type: ignore[arg-type]


def _term(term: object, solution: Mapping[str, Term], blanks: dict[str, BlankNode]) -> Term | None:
    if not isinstance(term, Variable):
        return term  # type: ignore[return-value]
    if term.name.startswith("_:"):
        return blanks.setdefault(term.name, BlankNode())
    return solution.get(term.name)
