"""Many views over one dataset: what each of them gains and loses with a change.

    views = ViewSet()
    views.add("papers", parse_dataset_query("SELECT ?x { ?x a ex:Paper }"), dataset)
    views.apply(change, dataset_after)   -> [ViewDelta("papers", added=[...], removed=[])]

Which views a change can touch is asked of an index; each of those is brought up to date under a budget of its own. One
that exceeds it fails alone, and is no longer kept. Views with the same query are one. Nothing here reads a clock or
does I/O: a change brings its time. To take a change back, apply `change.reverse` over the dataset as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence

from msgspec import Struct

from triplewire.errors import BudgetExceeded, DuplicateSubscription, UnknownSubscription
from triplewire.evaluation.algebra.parameters import Constants, template_of
from triplewire.evaluation.datasets import Dataset
from triplewire.evaluation.expressions.compiler import depends_on_time
from triplewire.evaluation.forms import AnyQuery, Form, form_of
from triplewire.evaluation.work import DEFAULT_STEPS, Budget, Moment, Work
from triplewire.languages.sparql.syntax.datasets import DatasetQuery
from triplewire.rdf.terms import Quad, Term
from triplewire.views.allowances import STEPS, Allowances
from triplewire.views.changes import Change
from triplewire.views.explanation import Explanation, explanation_of
from triplewire.views.index.members import Search
from triplewire.views.index.shapes import Pin, Shape, Shaping, Value, pins_in, value_sought
from triplewire.views.index.touch_index import TouchIndex
from triplewire.views.maintenance.leaves import leaves_of
from triplewire.views.maintenance.reasons import Quads, Reasons
from triplewire.views.maintenance.results import Described, Difference, Item
from triplewire.views.maintenance.states import States, quads_seen
from triplewire.views.maintenance.view import Maintenance, Pipeline, PipelinePlan, Turnover, plan_of

_MOST_KEPT = 1_000_000
# To find the views that one quad touches; with more, all of a shape are taken to be.
_TOUCH_STEPS = 20_000
_UNASKED = (None, None)


class ViewAnswer(Struct, frozen=True):
    """The whole answer. For ASK, one solution without bindings means yes; CONSTRUCT and DESCRIBE have triples."""

    variables: tuple[str, ...]
    items: list[Item]


class ViewDelta(Struct, frozen=True):
    """What a change added to an answer and removed from it: multisets that have nothing in common."""

    view: str
    added: list[Item]
    removed: list[Item]
    # If asked for: for each item the quads that it stands on, or stood on; None if not found within the budget.
    added_from: list[Quads | None] | None = None
    removed_from: list[Quads | None] | None = None


class ViewFailed(Struct, frozen=True):
    """A view that could not be kept up to date, and is kept no longer."""

    view: str
    reason: str


class _Template:
    """A query without its constants, and the members that have it."""

    def __init__(self, query: DatasetQuery) -> None:
        self.query = query
        self.form: Form = form_of(query)
        self.plan = plan_of(self.form)
        self.is_timed = depends_on_time(self.form.node)
        self.members: dict[Constants, _Member] = {}
        followed = self.plan.pattern if isinstance(self.plan, PipelinePlan) else None
        self._pattern = None if followed is None else followed.node
        self._leaves = leaves_of(self.form.node) if followed is None else followed.leaves
        self._pins = () if self._pattern is None else tuple(pins_in(self._pattern))
        self.reasons = Reasons(self.form)
        self._shapes: dict[tuple[Pin, ...], Shape] = {}

    def shaped(self, constants: Constants) -> tuple[Shape, tuple[Value, ...]]:
        """The shape, and the values by which a member is found in it."""
        values: list[Value] = [*constants]
        pins = []
        for pin in self._pins:
            value = value_sought(constants[pin.parameter])
            if value is not None:
                values[pin.parameter] = value
                pins.append(pin)
        key = tuple(pins)
        shape = self._shapes.get(key)
        if shape is None:
            form = self.form
            shape = Shaping().shape(self._leaves, self._pattern, key, form.default_graphs, form.named_graphs)
            self._shapes[key] = shape
        return shape, tuple(values)


class _Member:
    """A query, and the views that ask it. Compared by identity."""

    __slots__ = ("constants", "maintenance", "number", "shape", "subjects", "template", "values", "views")

    def __init__(self, number: int, template: _Template, constants: Constants) -> None:
        self.number = number
        self.template = template
        self.constants = constants
        self.shape, self.values = template.shaped(constants)
        self.maintenance: Maintenance = template.plan.begin()
        self.views: dict[str, None] = {}
        self.subjects: frozenset[Term] = frozenset()

    @property
    def form(self) -> Form:
        return self.template.form

    @property
    def described(self) -> Described | None:
        """Of a DESCRIBE: what it tells."""
        result = self.maintenance.result if isinstance(self.maintenance, Pipeline) else None
        return result if isinstance(result, Described) else None


class ViewSet:
    """Views by their names.

    `steps` is what one change may cost a view, `start_steps` what its first answer may, and `most_kept` how many rows,
    groups or triples it may keep in memory. With `owner_of`, what a change costs all views of an owner is bounded, too.
    """

    def __init__(
        self,
        steps: int = STEPS,
        start_steps: int = DEFAULT_STEPS,
        most_kept: int = _MOST_KEPT,
        owner_of: Callable[[str], str] | None = None,
    ) -> None:
        self._allowances = Allowances(steps, owner_of)
        self._most_kept = most_kept
        self._start_steps = start_steps
        self._views: dict[str, _Member] = {}
        self._templates: dict[DatasetQuery, _Template] = {}
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

    @property
    def timed(self) -> list[str]:
        """Views that ask for the time: they are evaluated again with each change."""
        return [view for member in self._timed for view in member.views]

    def is_timed(self, view: str) -> bool:
        """Whether a view asks for the time."""
        return self._known(view) in self._timed

    # Coming and going

    def add(self, view: str, query: AnyQuery, dataset: Dataset, time: float = 0.0) -> ViewAnswer:
        """Keep a view from now on; returns its whole answer. Raises BudgetExceeded if that is too much work."""
        member, is_new = self._member(view, query)
        work = self._starting(member, dataset, time)
        items = (member.maintenance if is_new else member.template.plan.begin()).start(work)
        self._check_size(member)
        self._register(view, member, is_new)
        return ViewAnswer(member.form.names, items)

    def restore(self, view: str, query: AnyQuery, dataset: Dataset, time: float = 0.0) -> None:
        """The same without the answer: a view that keeps nothing costs nothing."""
        member, is_new = self._member(view, query)
        if is_new and not member.maintenance.is_stateless:
            member.maintenance.start(self._starting(member, dataset, time))
            self._check_size(member)
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
        query, constants = template_of(query if isinstance(query, DatasetQuery) else DatasetQuery(query))
        template = self._templates.get(query)
        if template is None:
            template = _Template(query)
        member = template.members.get(constants)
        return (member, False) if member is not None else (_Member(self._count, template, constants), True)

    def _starting(self, member: _Member, dataset: Dataset, time: float) -> Work:
        seen = member.form.dataset(dataset)
        return Work(seen, Budget(self._start_steps), Moment.at(time), constants=member.constants)

    def _check_size(self, member: _Member) -> None:
        size = member.maintenance.size
        if size > self._most_kept:
            raise BudgetExceeded(
                "the view keeps too much",
                wanted=f"at most {self._most_kept:,} rows, groups or triples",
                found=f"{size:,}",
            )

    def _register(self, view: str, member: _Member, is_new: bool) -> None:
        self._views[view] = member
        member.views[view] = None
        if not is_new:
            return
        self._count += 1
        template = member.template
        self._templates[template.query] = template
        template.members[member.constants] = member
        if template.is_timed:
            self._timed[member] = None
        else:
            self._index.add(member, member.shape, member.values)
        self._note_described(member)

    def _drop(self, member: _Member) -> None:
        template = member.template
        del template.members[member.constants]
        if not template.members:
            del self._templates[template.query]
        if template.is_timed:
            del self._timed[member]
        else:
            self._index.remove(member, member.shape)
        self._describe(member, frozenset())

    # Changes

    def apply(self, change: Change, after: Dataset, why: Container[str] = ()) -> list[ViewDelta | ViewFailed]:
        """What a change means to each view that it touches, in the order in which they came; else nothing.

        `why` has the names of the views for which the quads behind each item are wanted, too.
        """
        self._allowances.begin()
        states = States(change, after)
        told: list[ViewDelta | ViewFailed] = []
        for member, (added, removed) in self._touched(change, states):
            told += self._updated(member, added, removed, states, why)
        return told

    def _updated(
        self, member: _Member, added: list[Quad], removed: list[Quad], states: States, why: Container[str]
    ) -> Iterable[ViewDelta | ViewFailed]:
        turnover = Turnover() if any(view in why for view in member.views) else None
        first = next(iter(member.views))
        budget = self._allowances.budget(first)
        try:
            both = states.seen_by(member.form, budget, member.constants)
            seen = quads_seen(member.form, added, removed, both)
            found = member.maintenance.update(*seen, both, turnover)
            self._check_size(member)
        except (BudgetExceeded, RecursionError) as error:
            # What is kept may be half changed.
            self._drop(member)
            for view in member.views:
                del self._views[view]
            return [ViewFailed(view, self._allowances.reason(budget, error)) for view in member.views]
        finally:
            self._allowances.note(first, budget)
        self._note_described(member)
        if not found[0] and not found[1]:
            return []
        reasons = _UNASKED if turnover is None else self._reasons(member, found, turnover, states)
        return [ViewDelta(view, *found, *(reasons if view in why else _UNASKED)) for view in member.views]

    def _reasons(
        self, member: _Member, found: Difference, turnover: Turnover, states: States
    ) -> tuple[list[Quads | None], list[Quads | None]]:
        both = states.seen_by(member.form, Budget(self._allowances.steps), member.constants)
        reasons = member.template.reasons
        gained = reasons.of(found[0], turnover.coming, both.after)
        return gained, reasons.of(found[1], turnover.going, both.before)

    def _touched(self, change: Change, states: States) -> list[tuple[_Member, tuple[list[Quad], list[Quad]]]]:
        """Each view that a quad may touch, with the quads that may; a view that asks for the time, with none."""
        found: dict[_Member, tuple[list[Quad], list[Quad]]] = {member: ([], []) for member in self._timed}
        search = Search(Work(states.either, Budget(_TOUCH_STEPS), states.moment))
        for side, quads in enumerate((change.added, change.removed)):
            for quad in quads:
                search.work.budget.left = _TOUCH_STEPS
                for member in self._touched_by(quad, search):
                    found.setdefault(member, ([], []))[side].append(quad)
        return sorted(found.items(), key=lambda item: item[0].number)

    def _touched_by(self, quad: Quad, search: Search) -> Iterable[_Member]:
        touched = self._index.touched(quad, search)
        described = self._described.get(quad.subject) if self._described else None
        return {**dict.fromkeys(touched), **described} if described else touched

    def _note_described(self, member: _Member) -> None:
        described = member.described
        if described is not None:
            self._describe(member, frozenset(described.subjects))

    def _describe(self, member: _Member, subjects: frozenset[Term]) -> None:
        for subject in member.subjects - subjects:
            del self._described[subject][member]
            if not self._described[subject]:
                del self._described[subject]
        for subject in subjects - member.subjects:
            self._described.setdefault(subject, {})[member] = None
        member.subjects = subjects

    # Explanations

    def quads_behind(self, view: str, items: Sequence[Item], dataset: Dataset, time: float = 0.0) -> list[Quads | None]:
        """For each item of the answer over a dataset, the quads of one derivation.

        None for what is not in it, and for what was not found within the budget of a change.
        """
        member = self._known(view)
        budget = Budget(self._allowances.steps)
        work = Work(member.form.dataset(dataset), budget, Moment.at(time), constants=member.constants)
        return member.template.reasons.of(items, (), work)

    def variables(self, view: str) -> tuple[str, ...]:
        """What the solutions of a view may bind, in the order of its SELECT."""
        return self._known(view).form.names

    def explain(self, view: str) -> Explanation:
        """How a view is kept up to date, and what that takes."""
        member = self._known(view)
        template = member.template
        alike = len(template.members) if template.is_timed else self._index.members(member.shape)
        return explanation_of(member.form, member.maintenance, member.shape, member.constants, alike, len(member.views))

    def _known(self, view: str) -> _Member:
        member = self._views.get(view)
        if member is None:
            raise UnknownSubscription(wanted="the name of a view", found=view)
        return member
