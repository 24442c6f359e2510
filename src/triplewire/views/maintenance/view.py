"""A view: a query, and the state that it takes to tell what a change adds to its answer and removes from it.

    pattern --> groups --> rows --> projection --> DISTINCT --> window --> result

The pattern has no state: what changes in it is found from the changed quads (`pattern_delta`). Each stage after it
turns what came and went into what comes and goes. A query for which that does not work is evaluated again, and its
answers are compared (`Reevaluation`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Protocol

from triplewire.algebra.patterns import Variable
from triplewire.evaluation.algebra import nodes
from triplewire.evaluation.algebra.variables import certain, possible
from triplewire.evaluation.answers import PreparedQuery
from triplewire.evaluation.compilation import Compilation
from triplewire.evaluation.expressions.compiler import depends_on_time, variables_in
from triplewire.evaluation.forms import Form, targets_of
from triplewire.evaluation.grouping import Grouping
from triplewire.evaluation.order import total_key
from triplewire.evaluation.triples import Template
from triplewire.evaluation.work import Bindings, Work
from triplewire.languages.sparql.syntax import ast
from triplewire.languages.sparql.syntax.datasets import DescribeQuery
from triplewire.languages.trees import walk
from triplewire.rdf.terms import Quad, Term, Triple
from triplewire.views.maintenance.group_stage import GivenRows, GroupStage, RowStage
from triplewire.views.maintenance.pattern_delta import BeforeAndAfter, PatternDelta
from triplewire.views.maintenance.results import Constructed, Described, Difference, Item, Result, Rows, Truth
from triplewire.views.maintenance.window import Entry, Window

Key = tuple[Term | None, ...]


class Turnover:
    """Solutions that came and went, for who asks why."""

    __slots__ = ("coming", "going")

    def __init__(self) -> None:
        self.coming: list[Bindings] = []
        self.going: list[Bindings] = []


class Maintenance(Protocol):
    """How a view is kept up to date."""

    def start(self, work: Work) -> list[Item]:
        """The whole answer, in order; all state is made anew."""
        ...

    def update(
        self, added: Sequence[Quad], removed: Sequence[Quad], both: BeforeAndAfter, turnover: Turnover | None = None
    ) -> Difference:
        """What a change adds to the answer and removes from it: multisets that have nothing in common.

        A turnover gets the solutions of the pattern that came and went, where items of the answer are made of them.
        """
        ...

    @property
    def size(self) -> int:
        """How many rows, groups or triples are kept."""
        ...

    @property
    def is_stateless(self) -> bool:
        """Whether nothing is ever kept, so that there is nothing to start with."""
        ...


class Plan(Protocol):
    """What views of one template share. `begin` makes one of them, without any state yet."""

    form: Form

    def begin(self) -> Maintenance: ...


def plan_of(form: Form) -> Plan:
    """The best way to keep a query up to date."""
    return PipelinePlan(form) if reason_to_reevaluate(form) is None else ReevaluationPlan(form)


def maintenance_of(form: Form) -> Maintenance:
    """The same for a query that is alone."""
    return plan_of(form).begin()


def reason_to_reevaluate(form: Form) -> str | None:
    """Why no stage can follow the query; None if they can."""
    if depends_on_time(form.node):
        return "NOW() has another value with each change"
    group = top_group(form.wrapped)
    if group is not None and any(isinstance(found, nodes.Exists) for found in walk(_around(form.wrapped))):
        return "EXISTS in HAVING or SELECT depends on the graph, not on the groups"
    if any(isinstance(found, nodes.Exists) for found in walk(form.order)) and form.is_sliced:
        return "EXISTS in ORDER BY depends on the graph, not on the rows"
    if form.is_sliced and form.distinct and not _orders_by_what_is_shown(form):
        return "DISTINCT rows are ordered by what they do not show"
    return None


def top_group(node: nodes.Node) -> nodes.Group | None:
    """The grouping of the query itself, below HAVING, VALUES and the expressions of SELECT."""
    if isinstance(node, nodes.Group):
        return node
    if isinstance(node, nodes.Extend | nodes.Filter):
        return top_group(node.inner)
    if isinstance(node, nodes.Join):
        return next((found for part in node.parts if (found := top_group(part)) is not None), None)
    return None


def _around(node: nodes.Node) -> tuple[object, ...]:
    """The expressions between the top and the grouping."""
    if isinstance(node, nodes.Extend):
        return (node.expression, *_around(node.inner))
    if isinstance(node, nodes.Filter):
        return (node.conditions, *_around(node.inner))
    return tuple(part for below in node.parts for part in _around(below)) if isinstance(node, nodes.Join) else ()


def _orders_by_what_is_shown(form: Form) -> bool:
    needed = [variables_in(key.expression) for key in form.order]
    return all(names is not None and names <= set(form.names) for names in needed)


class PipelinePlan:
    """What views of one template share: everything but their state."""

    def __init__(self, form: Form) -> None:
        self.form = form
        compilation = Compilation()
        group = top_group(form.wrapped)
        pattern = form.wrapped if group is None else group.inner
        self.pattern = PatternDelta(pattern, compilation.operator(pattern))
        self.grouping: Grouping | None = None
        if group is not None:
            self.grouping = compilation.grouping(group)
            given = GivenRows(possible(group), certain(group))
            compilation.give(group, given)
            self.around = RowStage(given, compilation.operator(form.wrapped))
        self.order = compilation.order(form.order, list(form.names))

    def begin(self) -> Pipeline:
        return Pipeline(self)


class Pipeline:
    """Follows changes through stages."""

    __slots__ = ("distinct", "form", "groups", "plan", "result", "window")

    def __init__(self, plan: PipelinePlan) -> None:
        form = plan.form
        self.plan = plan
        self.form = form
        self.groups = None if plan.grouping is None else GroupStage(plan.grouping)
        self.distinct: Counter[Key] | None = Counter() if form.distinct else None
        self.window = Window(form.offset, form.limit) if form.is_sliced else None
        self.result = _result_of(form)

    def start(self, work: Work) -> list[Item]:
        rows = self._whole(work)
        if self.form.order and self.window is None:
            rows.sort(key=lambda row: self.plan.order.key(row, work))
        if self.distinct is not None:
            self.distinct.clear()
        shown = self._first_shown(rows, work)
        self.result = _result_of(self.form)
        items = self.result.change(shown, [], (), work)[0]
        return items if self.form.order else _in_order(items)

    def _first_shown(self, rows: list[Bindings], work: Work) -> list[Bindings]:
        if self.window is None:
            return self._distinct([self._shown(row) for row in rows], [])[0]
        if self.distinct is not None:
            rows = self._distinct([self._shown(row) for row in rows], [])[0]
        self.window.fill(self._entries(rows, work))
        return self.window.rows

    def _whole(self, work: Work) -> list[Bindings]:
        """Every row, all groups made anew."""
        solutions = self.plan.pattern.whole(work)
        if self.groups is None:
            return list(solutions)
        return self.plan.around.rows(self.groups.start(solutions, work), work)

    def update(
        self, added: Sequence[Quad], removed: Sequence[Quad], both: BeforeAndAfter, turnover: Turnover | None = None
    ) -> Difference:
        work = both.after
        coming, going = self.plan.pattern.delta(added, removed, both)
        if turnover is not None and self.groups is None:
            turnover.coming, turnover.going = coming, going
        if self.groups is not None and (coming or going):
            coming, going = self.groups.change(coming, going, work)
            coming, going = self.plan.around.rows(coming, work), self.plan.around.rows(going, work)
        if coming or going:
            coming, going = self._narrowed(coming, going, both)
        found = self.result.change(coming, going, (*added, *removed), work)
        return _in_order(found[0]), _in_order(found[1])

    def _narrowed(
        self, coming: list[Bindings], going: list[Bindings], both: BeforeAndAfter
    ) -> tuple[list[Bindings], list[Bindings]]:
        """Through projection, DISTINCT and the window."""
        if self.window is None:
            return self._distinct(*self._net(map(self._shown, coming), map(self._shown, going)))
        if self.distinct is not None:
            coming, going = self._distinct(*self._net(map(self._shown, coming), map(self._shown, going)))
        return self._windowed(self.window, coming, going, both)

    def _windowed(
        self, window: Window, coming: list[Bindings], going: list[Bindings], both: BeforeAndAfter
    ) -> tuple[list[Bindings], list[Bindings]]:
        before = window.rows
        window.change(self._entries(coming, both.after), self._entries(going, both.before))
        if window.is_short:
            window.fill(self._entries(self._refilled(both.after), both.after))
        return self._net(window.rows, before)

    def _refilled(self, work: Work) -> list[Bindings]:
        if self.distinct is not None:
            return [self._bindings(key) for key in self.distinct]
        return self._whole(work)

    def _entries(self, rows: Iterable[Bindings], work: Work) -> list[Entry]:
        return [(self.plan.order.key(row, work), self._shown(row)) for row in rows]

    def _distinct(self, coming: list[Bindings], going: list[Bindings]) -> tuple[list[Bindings], list[Bindings]]:
        counts = self.distinct
        if counts is None:
            return coming, going
        appeared, vanished = [], []
        for row in coming:
            key = self._key(row)
            counts[key] += 1
            if counts[key] == 1:
                appeared.append(row)
        for row in going:
            key = self._key(row)
            counts[key] -= 1
            if not counts[key]:
                del counts[key]
                vanished.append(row)
        return appeared, vanished

    def _net(self, coming: Iterable[Bindings], going: Iterable[Bindings]) -> tuple[list[Bindings], list[Bindings]]:
        """Without what comes and goes at once."""
        more, fewer = list(coming), list(going)
        if not more or not fewer:
            return more, fewer
        ups, downs = [*map(self._key, more)], [*map(self._key, fewer)]
        if set(ups).isdisjoint(downs):
            return more, fewer
        a, b = Counter(ups), Counter(downs)
        return [*map(self._bindings, (a - b).elements())], [*map(self._bindings, (b - a).elements())]

    def _shown(self, row: Bindings) -> Bindings:
        return {name: row[name] for name in self.form.names if name in row}

    def _key(self, row: Bindings) -> Key:
        return tuple([row.get(name) for name in self.form.names])

    def _bindings(self, key: Key) -> Bindings:
        return {name: term for name, term in zip(self.form.names, key, strict=True) if term is not None}

    @property
    def is_stateless(self) -> bool:
        stages = (self.groups, self.distinct, self.window)
        return all(stage is None for stage in stages) and isinstance(self.result, Rows)

    @property
    def size(self) -> int:
        groups = 0 if self.groups is None else self.groups.size
        return groups + len(self.distinct or ()) + (0 if self.window is None else len(self.window)) + self.result.size


class ReevaluationPlan:
    """A query that is asked again."""

    def __init__(self, form: Form) -> None:
        self.form = form
        self.query = PreparedQuery(form)

    def begin(self) -> Reevaluation:
        return Reevaluation(self)


class Reevaluation:
    """Asks again, and compares with the answer that is kept."""

    def __init__(self, plan: ReevaluationPlan) -> None:
        self._query = plan.query
        self._answer: Counter[object] = Counter()

    def start(self, work: Work) -> list[Item]:
        items = self._query.items(work)
        self._answer = Counter(map(_hashable, items))
        return items

    def update(
        self, added: Sequence[Quad], removed: Sequence[Quad], both: BeforeAndAfter, turnover: Turnover | None = None
    ) -> Difference:
        before = self._answer
        after = Counter(map(_hashable, self._query.items(both.after)))
        self._answer = after
        return _in_order(map(_item, (after - before).elements())), _in_order(map(_item, (before - after).elements()))

    @property
    def size(self) -> int:
        return len(self._answer)

    is_stateless = False


def _result_of(form: Form) -> Result:
    query = form.query
    if isinstance(query, ast.AskQuery):
        return Truth()
    if isinstance(query, ast.ConstructQuery):
        return Constructed(Template(query.template))
    if isinstance(query, DescribeQuery):
        return Described([target.name if isinstance(target, Variable) else target for target in targets_of(query)])
    return Rows()


def _hashable(item: Item) -> object:
    return item if isinstance(item, Triple) else frozenset(item.items())


def _item(key: object) -> Item:
    return key if isinstance(key, Triple) else dict(key)  # type: ignore[call-overload]


def _in_order(items: Iterable[Item]) -> list[Item]:
    """The same on every run, whatever the order in which a store gives quads."""
    found = list(items)
    if len(found) > 1:
        found.sort(key=_order_key)
    return found


def _order_key(item: Item) -> tuple[object, ...]:
    if isinstance(item, Triple):
        return tuple(total_key(term) for term in item)
    return tuple((name, total_key(item[name])) for name in sorted(item))
