"""Many views over one dataset: what each of them gains and loses with a change.

    views = ViewSet()
    views.add("papers", parse_dataset_query("SELECT ?x { ?x a ex:Paper }"), dataset)
    views.apply(change, dataset_after)   -> [ViewDelta("papers", added=[...], removed=[])]

Which views a change can touch is asked of an index; each of those is brought up to date under a budget of its own. One
that exceeds it fails alone, and is no longer kept. Views with the same query are one. Nothing here reads a clock or
does I/O: a change brings its time. To take a change back, apply `change.reverse` over the dataset as it was.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from triplewire.errors import BudgetExceeded, DuplicateSubscription, UnknownSubscription
from triplewire.languages.sparql.syntax.datasets import DatasetQuery
from triplewire.rdf.terms import Quad, Term
from triplewire.views.changes import Change
from triplewire.views.evaluation.answers import PreparedQuery
from triplewire.views.evaluation.expressions.compiler import depends_on_time
from triplewire.views.evaluation.forms import AnyQuery, Form, form_of
from triplewire.views.evaluation.work import DEFAULT_STEPS, Budget, Moment, Work
from triplewire.views.explanation import Explanation, explanation_of
from triplewire.views.graphs import Dataset
from triplewire.views.index.shapes import Constants, Lifting, Shape
from triplewire.views.index.touch_index import TouchIndex
from triplewire.views.maintenance.leaves import leaves_of
from triplewire.views.maintenance.results import Described, Item
from triplewire.views.maintenance.states import States, quads_seen
from triplewire.views.maintenance.view import Maintenance, Pipeline, maintenance_of

_UPDATE_STEPS = 1_000_000


class ViewAnswer(Struct, frozen=True):
    """The whole answer. For ASK, one solution without bindings means yes; CONSTRUCT and DESCRIBE have triples."""

    variables: tuple[str, ...]
    items: list[Item]


class ViewDelta(Struct, frozen=True):
    """What a change added to an answer and removed from it: multisets that have nothing in common."""

    view: str
    added: list[Item]
    removed: list[Item]


class ViewFailed(Struct, frozen=True):
    """A view that could not be kept up to date, and is kept no longer."""

    view: str
    reason: str


class _Member:
    """A query, and the views that ask it. Compared by identity."""

    def __init__(self, number: int, query: DatasetQuery) -> None:
        self.number = number
        self.query = query
        self.form: Form = form_of(query)
        self.maintenance: Maintenance = maintenance_of(self.form)
        self.is_timed = depends_on_time(self.form.node)
        self.views: dict[str, None] = {}
        self.subjects: frozenset[Term] = frozenset()
        self.shape, self.constants = self._lifted()

    def _lifted(self) -> tuple[Shape, Constants]:
        form, lifting = self.form, Lifting()
        if isinstance(self.maintenance, Pipeline):
            pattern = self.maintenance.pattern
            shape = lifting.shape(pattern.leaves, pattern.node, form.default_graphs, form.named_graphs)
        else:
            shape = lifting.shape(leaves_of(form.node), None, form.default_graphs, form.named_graphs)
        return shape, tuple(lifting.constants)

    @property
    def described(self) -> frozenset[Term]:
        """The subjects of which a DESCRIBE tells everything that is said."""
        maintenance = self.maintenance
        if isinstance(maintenance, Pipeline) and isinstance(maintenance.result, Described):
            return frozenset(maintenance.result.subjects)
        return frozenset()


class ViewSet:
    """Views by their names. `steps` is what one change may cost a view, `start_steps` what its first answer may."""

    def __init__(self, steps: int = _UPDATE_STEPS, start_steps: int = DEFAULT_STEPS) -> None:
        self._steps = steps
        self._start_steps = start_steps
        self._views: dict[str, _Member] = {}
        self._members: dict[DatasetQuery, _Member] = {}
        self._index: TouchIndex[_Member] = TouchIndex()
        self._timed: dict[_Member, None] = {}
        self._described: dict[Term, dict[_Member, None]] = {}
        self._count = 0

    def __len__(self) -> int:
        return len(self._views)

    def __contains__(self, view: object) -> bool:
        return view in self._views

    def __iter__(self) -> Iterator[str]:
        return iter(self._views)

    # Coming and going

    def add(self, view: str, query: AnyQuery, dataset: Dataset, time: float = 0.0) -> ViewAnswer:
        """Keep a view from now on; returns its whole answer. Raises BudgetExceeded if that is too much work."""
        member, is_new = self._member(view, query)
        work = self._starting(member, dataset, time)
        items = member.maintenance.start(work) if is_new else PreparedQuery(member.form).items(work)
        self._register(view, member, is_new)
        return ViewAnswer(member.form.names, items)

    def restore(self, view: str, query: AnyQuery, dataset: Dataset, time: float = 0.0) -> None:
        """The same without the answer: a view that keeps nothing costs nothing."""
        member, is_new = self._member(view, query)
        if is_new and not member.maintenance.is_stateless:
            member.maintenance.start(self._starting(member, dataset, time))
        self._register(view, member, is_new)

    def remove(self, view: str) -> None:
        """Keep a view no longer."""
        member = self._known(view)
        del self._views[view]
        del member.views[view]
        if not member.views:
            self._drop(member)

    def _member(self, view: str, query: AnyQuery) -> tuple[_Member, bool]:
        if view in self._views:
            raise DuplicateSubscription(wanted="a view that is not there yet", found=view)
        asked = query if isinstance(query, DatasetQuery) else DatasetQuery(query)
        member = self._members.get(asked)
        return (member, False) if member is not None else (_Member(self._count, asked), True)

    def _starting(self, member: _Member, dataset: Dataset, time: float) -> Work:
        return Work(member.form.dataset(dataset), Budget(self._start_steps), Moment.at(time))

    def _register(self, view: str, member: _Member, is_new: bool) -> None:
        self._views[view] = member
        member.views[view] = None
        if not is_new:
            return
        self._count += 1
        self._members[member.query] = member
        if member.is_timed:
            self._timed[member] = None
        else:
            self._index.add(member, member.shape, member.constants)
        self._note_described(member)

    def _drop(self, member: _Member) -> None:
        del self._members[member.query]
        if member.is_timed:
            del self._timed[member]
        else:
            self._index.remove(member, member.shape)
        self._describe(member, frozenset())

    # Changes

    def apply(self, change: Change, after: Dataset) -> list[ViewDelta | ViewFailed]:
        """What a change means to each view that it touches, in the order in which they came.

        Nothing where nothing changed.
        """
        states = States(change, after)
        told: list[ViewDelta | ViewFailed] = []
        for member, (added, removed) in self._touched(change, states):
            told += self._updated(member, added, removed, states)
        return told

    def _updated(
        self, member: _Member, added: list[Quad], removed: list[Quad], states: States
    ) -> Iterable[ViewDelta | ViewFailed]:
        try:
            moments = states.moments(member.form, Budget(self._steps))
            found = member.maintenance.update(*quads_seen(member.form, added, removed, moments), moments)
        except (BudgetExceeded, RecursionError) as error:
            # What is kept may be half changed.
            self._drop(member)
            for view in member.views:
                del self._views[view]
            return [ViewFailed(view, str(error)) for view in member.views]
        self._note_described(member)
        return [ViewDelta(view, *found) for view in member.views] if found[0] or found[1] else []

    def _touched(self, change: Change, states: States) -> list[tuple[_Member, tuple[list[Quad], list[Quad]]]]:
        """Each view that a quad may touch, with the quads that may; a view that asks for the time, with none."""
        found: dict[_Member, tuple[list[Quad], list[Quad]]] = {member: ([], []) for member in self._timed}
        work = Work(states.either, Budget(), states.moment)
        for side, quads in enumerate((change.added, change.removed)):
            for quad in quads:
                for member in self._touched_by(quad, work):
                    found.setdefault(member, ([], []))[side].append(quad)
        return sorted(found.items(), key=lambda item: item[0].number)

    def _touched_by(self, quad: Quad, work: Work) -> Iterable[_Member]:
        touched = self._index.touched(quad, work)
        described = self._described.get(quad.subject) if self._described else None
        return {**dict.fromkeys(touched), **described} if described else touched

    def _note_described(self, member: _Member) -> None:
        if member.subjects or isinstance(getattr(member.maintenance, "result", None), Described):
            self._describe(member, member.described)

    def _describe(self, member: _Member, subjects: frozenset[Term]) -> None:
        for subject in member.subjects - subjects:
            del self._described[subject][member]
            if not self._described[subject]:
                del self._described[subject]
        for subject in subjects - member.subjects:
            self._described.setdefault(subject, {})[member] = None
        member.subjects = subjects

    # Explanations

    def variables(self, view: str) -> tuple[str, ...]:
        """What the solutions of a view may bind, in the order of its SELECT."""
        return self._known(view).form.names

    def explain(self, view: str) -> Explanation:
        """How a view is kept up to date, and what that takes."""
        member = self._known(view)
        alike = len(self._timed) if member.is_timed else self._index.members(member.shape)
        return explanation_of(member.form, member.maintenance, member.shape, alike, len(member.views))

    def _known(self, view: str) -> _Member:
        member = self._views.get(view)
        if member is None:
            raise UnknownSubscription(wanted="the name of a view", found=view)
        return member
