"""Algebra to plans.

A pattern is a selection from `quads`; of the default graph, each triple once. What combines patterns becomes a join of
Spark's, conditions and BIND become functions over rows in tasks, and a whole `GRAPH ?g { … }` is evaluated an event at
a time, since nothing inside it sees another event. What remains would need the triples of all events in one place:
paths of any length over all events, EXISTS that is more than a pattern, and LIMIT inside a sub-select. It is refused
by name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NoReturn

from triplewire.algebra.patterns import Variable
from triplewire.errors import RefusedFeature
from triplewire.evaluation.algebra import nodes
from triplewire.evaluation.algebra.nodes import ACTIVE, Node
from triplewire.evaluation.algebra.variables import certain, possible
from triplewire.evaluation.compilation import required_anywhere
from triplewire.evaluation.expressions.compiler import variables_in
from triplewire.evaluation.modifiers import CANDIDATE
from triplewire.languages.sparql.syntax import ast
from triplewire.languages.sparql.syntax.functions import TAXONOMY_FUNCTIONS
from triplewire.languages.trees import walk
from triplewire.pipeline.asking.dataset import Quads, keeping, kept_objects
from triplewire.pipeline.asking.graph_groups import evaluating
from triplewire.pipeline.asking.grouping import Column, aggregating
from triplewire.pipeline.asking.plans import Plan, Plans
from triplewire.pipeline.asking.row_functions import When, expressions, extending, filtering, text_columns
from triplewire.rdf.terms import DefaultGraph, Literal, NamedNode

if TYPE_CHECKING:
    from pyspark.sql import Column as SparkColumn
    from pyspark.sql import DataFrame, SparkSession

_QUADS = "subject string, predicate string, object string, event string"
_PATHS = {ast.ZeroOrMore: "*", ast.OneOrMore: "+", ast.ZeroOrOne: "?"}
_LEAVES = (nodes.QuadPattern, nodes.NegatedPattern, nodes.PathPattern)
_IN_EXISTS = (nodes.QuadPattern, nodes.NegatedPattern, nodes.Table)
# Constants of a pattern that tell events apart, and how well.
_WEIGHTS = {"graph": 8, "object": 4, "subject": 4, "predicate": 1}
_TIMES = "times"


class Planner:
    """Plans one query over quads that `dataset.quads_of` gave."""

    def __init__(self, spark: SparkSession, quads: Quads, when: When) -> None:
        self._quads: DataFrame = quads.frame
        self._repeat = quads.repeat
        self._when = when
        self._plans = Plans(spark)

    def plan(self, node: Node) -> Plan:
        """The solutions of a node."""
        if isinstance(node, nodes.QuadPattern | nodes.NegatedPattern):
            return self._pattern(node)
        if isinstance(node, nodes.PathPattern):
            return self._path(node)
        if isinstance(node, nodes.GraphExists):
            return self._graph_exists(node)
        if isinstance(node, nodes.GraphEach):
            return self._graph_each(node)
        if isinstance(node, nodes.Table):
            names = tuple(variable.name for variable in node.variables)
            rows = [tuple(None if cell is None else str(cell) for cell in row) for row in node.rows]
            return self._plans.of_rows(names, rows)
        if isinstance(node, nodes.Join):
            return self._join(node.parts)
        if isinstance(node, nodes.Union):
            return self._plans.union(self.plan(branch) for branch in node.branches)
        if isinstance(node, nodes.LeftJoin):
            return self._left_join(node)
        if isinstance(node, nodes.Minus):
            return self._plans.without(self.plan(node.left), self.plan(node.right))
        return self._wrapper(node)

    def _wrapper(self, node: Node) -> Plan:
        if isinstance(node, nodes.Filter):
            return self._filter(node)
        if isinstance(node, nodes.Extend):
            return self._extended(self.plan(node.inner), {node.variable.name: node.expression})
        if isinstance(node, nodes.Group):
            return self._group(node)
        if isinstance(node, nodes.Project):
            return self._plans.projected(self.plan(node.inner), [variable.name for variable in node.variables])
        if isinstance(node, nodes.Distinct):
            return self._plans.distinct(self.plan(node.inner))
        if isinstance(node, nodes.OrderBy):
            return self.plan(node.inner)
        return _refuse("LIMIT or OFFSET in a sub-select")

    # Patterns

    def _pattern(self, node: nodes.QuadPattern | nodes.NegatedPattern) -> Plan:
        from pyspark.sql import functions as F  # noqa: N812  as everybody names it

        frame, places = self._selected(node)
        columns: dict[str, SparkColumn] = {}
        for place, name in places:
            # The same variable in two places: the same term.
            if name in columns:
                frame = frame.where(columns[name] == _shown(place))
            else:
                columns[name] = _shown(place)
        kept = columns
        if isinstance(node, nodes.NegatedPattern):
            # One solution for each quad, whatever its predicate is.
            kept = {**columns, "_:predicate": F.col("predicate")}
        plan = self._plans.of_columns(frame, kept, kept)
        if self._repeat or isinstance(node.graph, DefaultGraph):
            plan = Plan(plan.frame.dropDuplicates(), plan.columns, plan.certain)
        return self._plans.projected(plan, columns) if kept is not columns else plan

    def _selected(self, node: nodes.QuadPattern | nodes.NegatedPattern) -> tuple[DataFrame, list[tuple[str, str]]]:
        """The quads that have the pattern's constants, and which of their places are which variables."""
        from pyspark.sql import functions as F  # noqa: N812

        frame = self._quads
        if isinstance(node, nodes.NegatedPattern):
            frame = frame.where(~F.col("predicate").isin([str(iri) for iri in node.excluded]))
            predicate = None
        else:
            predicate = node.predicate
        if isinstance(node.graph, NamedNode):
            frame = frame.where(F.col("event") == node.graph.value)
        places = []
        for place, term in (("predicate", predicate), ("subject", node.subject), ("event", node.graph)):
            if isinstance(term, Variable):
                places.append((place, term.name))
            elif isinstance(term, NamedNode | Literal) and place != "event":
                frame = frame.where(F.col(place) == str(term))
        if isinstance(node.object, Variable):
            return frame.mapInArrow(kept_objects, _QUADS), [*places, ("object", node.object.name)]
        return self._with_object(frame, str(node.object)), places

    def _with_object(self, frame: DataFrame, spelled: str) -> DataFrame:
        """The quads with an object. One of a datatype that is kept by value is found in whatever form it is written."""
        from pyspark.sql import functions as F  # noqa: N812

        if not spelled.startswith('"') or "^^<" not in spelled:
            return frame.where(F.col("object") == spelled)
        same, other = F.col("object") == spelled, F.expr(keeping("object"))
        return frame.where(same | other).mapInArrow(kept_objects, _QUADS).where(same)

    def _path(self, node: nodes.PathPattern) -> Plan:
        if not isinstance(node.graph, NamedNode):
            _refuse(f"the path {_PATHS[type(node.path)]} outside GRAPH")
        from pyspark.sql import functions as F  # noqa: N812

        return self._by_event(node, self._quads.where(F.col("event") == node.graph.value))

    def _graph_exists(self, node: nodes.GraphExists) -> Plan:
        from pyspark.sql import functions as F  # noqa: N812

        return self._plans.of_columns(self._quads.where(F.col("event") == node.name.value).limit(1), {}, ())

    # An event at a time

    def _graph_each(self, node: nodes.GraphEach) -> Plan:
        for inner in walk(node.inner):
            if isinstance(inner, nodes.GraphEach | nodes.GraphExists) or (
                isinstance(inner, _LEAVES) and inner.graph is not ACTIVE
            ):
                _refuse("GRAPH inside GRAPH")
        quads = self._quads
        for pattern in required_anywhere(node.inner):
            if any(isinstance(term, NamedNode | Literal) for term in _terms(pattern)):
                frame, places = self._selected(pattern)
                assert ("event", CANDIDATE) in places
                quads = quads.join(frame.select("event").distinct(), "event", "left_semi")
        return self._by_event(node, quads)

    def _by_event(self, node: nodes.GraphEach | nodes.PathPattern, quads: DataFrame) -> Plan:
        variables = sorted(name for name in possible(node) if not name.startswith("_:"))
        names = [self._plans.fresh() for _ in variables]
        together = quads.repartition("event").sortWithinPartitions("event")
        function = evaluating(node, [*variables, ""], [*names, "unit"], self._when)
        frame = together.select("subject", "predicate", "object", "event").mapInArrow(
            function, text_columns([*names, "unit"])
        )
        return Plan(frame, dict(zip(variables, names, strict=True)), certain(node).intersection(variables))

    # Joins

    def _join(self, parts: Sequence[Node]) -> Plan:
        waiting = list(parts)
        first = max(waiting, key=_weight)
        waiting.remove(first)
        found = self.plan(first)
        while waiting:
            part = max(waiting, key=lambda part: (bool(possible(part).intersection(found.columns)), _weight(part)))
            waiting.remove(part)
            found = self._plans.joined(found, self.plan(part))
        return found

    def _left_join(self, node: nodes.LeftJoin) -> Plan:
        left, right = self.plan(node.left), self.plan(node.right)
        inside = [c for c in node.conditions if _asks_only(c, right.certain)]
        right = self._kept(right, inside)
        conditions = [c for c in node.conditions if c not in inside]
        if not conditions and self._plans.is_equality_join(left, right):
            return self._plans.left_joined(left, right)
        pairs, beside = self._plans.pairs_beside(left, right)
        matched = self._kept(pairs, conditions)
        alone = self._plans.unmatched(left, matched.frame, beside)
        return self._plans.union([matched, alone])

    # Conditions and expressions

    def _filter(self, node: nodes.Filter) -> Plan:
        exists = [condition for condition in node.conditions if _pattern_of(condition) is not None]
        conditions = [condition for condition in node.conditions if condition not in exists]
        if isinstance(node.inner, nodes.Join):
            parts, conditions = _pushed(node.inner.parts, conditions)
            found = self._kept(self._join(parts), conditions)
        else:
            found = self._kept(self.plan(node.inner), conditions)
        for condition in exists:
            pattern = _pattern_of(condition)
            assert pattern is not None
            found = self._plans.having(found, self.plan(_joinable(pattern)), wanted=not isinstance(condition, ast.Not))
        return found

    def _kept(self, plan: Plan, conditions: Sequence[ast.Expression]) -> Plan:
        if not conditions:
            return plan
        for condition in conditions:
            _check(condition)
            expressions().condition(condition)
        frame = plan.frame.mapInArrow(filtering(conditions, plan.columns, self._when), plan.frame.schema)
        return Plan(frame, plan.columns, plan.certain)

    def _extended(self, plan: Plan, computed: Mapping[str, ast.Expression]) -> Plan:
        """With the values of expressions. One that is a variable costs nothing."""
        from pyspark.sql import functions as F  # noqa: N812

        copied = {name: plan.columns[e.name] for name, e in computed.items() if _is_bound(e, plan)}  # type: ignore[union-attr]
        columns = {**plan.columns, **{name: self._plans.fresh() for name in computed}}
        frame = plan.frame.withColumns({columns[name]: F.col(column) for name, column in copied.items()})
        asked = {columns[name]: e for name, e in computed.items() if name not in copied}
        if asked:
            for expression in asked.values():
                _check(expression)
                expressions().term(expression)
            schema = f"{text_columns_of(frame)}, {text_columns(asked)}"
            frame = frame.mapInArrow(extending(asked, plan.columns, self._when), schema)
        sure = [name for name, e in computed.items() if isinstance(e, Variable) and e.name in plan.certain]
        return Plan(frame, columns, plan.certain.union(sure))

    # Groups

    def _group(self, node: nodes.Group) -> Plan:
        from pyspark.sql import functions as F  # noqa: N812

        inner = self.plan(node.inner)
        keys = {f"_:by/{name.name}": key for name, key in node.keys}
        arguments = {f"_:of/{name.name}": a.argument for name, a in node.aggregates if a.argument is not None}
        plan = self._extended(inner, {**keys, **arguments})
        key_columns = [plan.columns[name] for name in keys]
        into = {name.name: self._plans.fresh() for name, _ in node.aggregates}
        frame, columns = plan.frame, []
        for name, aggregate in node.aggregates:
            argument = plan.columns.get(f"_:of/{name.name}")
            if aggregate.argument is None and aggregate.distinct:
                argument = self._plans.fresh()
                frame = frame.withColumn(argument, _whole(inner))
            columns.append(Column(aggregate, into[name.name], argument))
        told = [*key_columns, *(column.argument for column in columns if column.argument is not None)]
        counted = frame.groupBy(*told).agg(F.count(F.lit(1)).alias(_TIMES))
        if keys:
            together = counted.repartition(*key_columns).sortWithinPartitions(*key_columns)
        else:
            empty = counted.sparkSession.createDataFrame([(None,) * len(told) + (0,)], counted.schema)
            together = counted.unionByName(empty).repartition(1)
        schema = text_columns([*key_columns, *into.values()])
        rows = together.mapInArrow(aggregating(key_columns, columns, _TIMES), schema)
        found = {name.name: plan.columns[f"_:by/{name.name}"] for name, _ in node.keys} | into
        return Plan(rows, found, certain(node).intersection(found))


def require_answerable(query: ast.Query) -> None:
    """Raise `RefusedFeature` for a function that no dataset can answer."""
    for part in walk(query):
        if isinstance(part, ast.FunctionCall) and part.function in TAXONOMY_FUNCTIONS:
            _refuse(f"the function {part.function}, which needs a taxonomy")


def _refuse(construct: str) -> NoReturn:
    raise RefusedFeature(
        construct,
        subject="a question to a lake",
        wanted="what can be joined, or evaluated an event at a time inside GRAPH ?g { … }",
        found=construct,
    )


def _check(expression: ast.Expression) -> None:
    """Raise `RefusedFeature` for what an expression may not hold."""
    if any(isinstance(part, nodes.Exists) for part in walk(expression)):
        _refuse("EXISTS inside another expression, or in OPTIONAL")


def _shown(place: str) -> SparkColumn:
    """A place of a quad as a term: the event's name is kept as an IRI without brackets."""
    from pyspark.sql import functions as F  # noqa: N812

    return F.concat(F.lit("<"), F.col(place), F.lit(">")) if place == "event" else F.col(place)


def _terms(node: nodes.QuadPattern | nodes.NegatedPattern) -> tuple[object, ...]:
    predicate = node.predicate if isinstance(node, nodes.QuadPattern) else None
    return node.subject, predicate, node.object


def _weight(node: Node) -> int:
    """How few solutions a part of a join is likely to have."""
    if isinstance(node, nodes.Table | nodes.GraphExists):
        return 20
    if isinstance(node, nodes.Filter):
        return _weight(node.inner) + 1
    if not isinstance(node, _LEAVES):
        return 0
    constants = (place for place in _WEIGHTS if isinstance(getattr(node, place, None), NamedNode | Literal))
    return sum(_WEIGHTS[place] for place in constants)


def _asks_only(condition: ast.Expression, names: frozenset[str]) -> bool:
    needs = variables_in(condition)
    return needs is not None and needs <= names


def _pushed(parts: Sequence[Node], conditions: Iterable[ast.Expression]) -> tuple[list[Node], list[ast.Expression]]:
    """Each condition at the first part that is certain to bind what it asks for; the others are left."""
    at: dict[int, list[ast.Expression]] = {}
    left = []
    for condition in conditions:
        for number, part in enumerate(parts):
            if _asks_only(condition, certain(part)):
                at.setdefault(number, []).append(condition)
                break
        else:
            left.append(condition)
    return [nodes.Filter(part, tuple(at[n])) if n in at else part for n, part in enumerate(parts)], left


def _pattern_of(condition: ast.Expression) -> Node | None:
    """What EXISTS or NOT EXISTS asks for, if that is the condition."""
    inner = condition.operand if isinstance(condition, ast.Not) else condition
    return inner.pattern if isinstance(inner, nodes.Exists) else None


def _joinable(node: Node) -> Node:
    """What EXISTS asks for, if a join says the same. It would be asked anew for each solution otherwise."""
    parts = node.parts if isinstance(node, nodes.Join) else (node,)
    for part in parts:
        inner = part.inner if isinstance(part, nodes.Filter) else part
        if isinstance(part, nodes.Filter) and not all(_asks_only(c, certain(inner)) for c in part.conditions):
            _refuse("EXISTS with a FILTER that asks for what is outside it")
        if isinstance(inner, nodes.Join):
            _joinable(inner)
        elif not isinstance(inner, _IN_EXISTS):
            _refuse("EXISTS with more than patterns and FILTERs in it")
    return node


def _is_bound(expression: ast.Expression, plan: Plan) -> bool:
    return isinstance(expression, Variable) and expression.name in plan.columns


def _whole(plan: Plan) -> SparkColumn:
    """One term for a whole solution."""
    from pyspark.sql import functions as F  # noqa: N812

    visible = [F.col(column) for name, column in plan.columns.items() if not name.startswith("_:")]
    text = F.to_json(F.array(*visible)) if visible else F.lit("")
    return F.concat(F.lit("<urn:solution:"), F.sha2(text, 256), F.lit(">"))


def text_columns_of(frame: DataFrame) -> str:
    """The columns of a frame as a schema."""
    return ", ".join(f"`{field.name}` {field.dataType.simpleString()}" for field in frame.schema.fields)
