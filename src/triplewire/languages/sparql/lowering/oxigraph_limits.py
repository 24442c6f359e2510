"""What a query asks of Oxigraph's stack and planner, computed from the tree before Oxigraph sees the text.

Stack, in kibibytes: its parser, planner and evaluator recurse, and a stack that overflows ends the process. What one
level of each construct takes was measured by bisection (tests/matching/general/test_stack.py does it again;
docs/languages.md has the table). Here the weights are rounded up and added along every branch of the tree. A chain
counts with all its operands, since Oxigraph reads it as a tree that leans to the left; what `balanced_trees` folds
counts with its height.

Joins: the planner tries the parts of a group against each other: 50 patterns side by side take it 0.1 s, 100 take
1.3 s and 200 take 23 s, for every evaluation anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from triplewire.algebra.patterns import Variable
from triplewire.errors import LimitExceeded
from triplewire.languages.sparql.lowering.balanced_trees import SHORT, height
from triplewire.languages.sparql.syntax import ast
from triplewire.languages.sparql.syntax.datasets import DescribeQuery
from triplewire.languages.sparql.syntax.limits import DEFAULT_LIMITS, QueryLimits
from triplewire.languages.trees import parts_of, walk

# The smallest stack that a thread of ours may have: what glibc gives where the shell's limit is "unlimited".
SMALLEST_STACK = 2048
# Kibibytes a level.
GROUP = JOIN = PROJECTED = 4
CALL = 10
CUSTOM_CALL = 3
EXISTS = 8
SUBSELECT = 8
MODIFIED = 6
OPERATOR = 3
OPERAND = FOLDED = BRANCH = PATH = 2
CONDITION = 1

Below = Iterator[tuple[object, int]]


def check_evaluable(tree: ast.Query | DescribeQuery, limits: QueryLimits = DEFAULT_LIMITS) -> None:
    """Raise LimitExceeded if Oxigraph would take too much stack or time before it finds a first solution."""
    _check_stack(tree, limits)
    _check_joins(tree, limits)


def _check_stack(tree: object, limits: QueryLimits) -> None:
    """Raise LimitExceeded if evaluating the query may take more stack than is safe."""
    needed = stack_of(tree)
    if needed > limits.stack:
        raise LimitExceeded(
            "stack",
            limits.stack,
            wanted="a query whose parts nest and follow each other so that evaluating them takes at most "
            f"{limits.stack:,} KiB of stack",
            found=f"about {needed:,} KiB",
        )


def stack_of(tree: object) -> int:
    """The kibibytes that the deepest branch takes.

    >>> from triplewire.languages.sparql.parsing.parser import parse_query
    >>> short, long = "?o + ?o", " + ".join(["?o"] * 100)
    >>> [stack_of(parse_query(f"ASK {{ ?s ?p ?o FILTER({text} > 0) }}")) for text in (short, long)]
    [12, 208]
    """
    deepest = 0
    waiting: list[tuple[object, int]] = [(tree, 0)]
    while waiting:
        node, taken = waiting.pop()
        deepest = max(deepest, taken)
        waiting.extend((part, taken + more) for part, more in _below(node))
    return deepest


def _below(node: object) -> Below:
    """The parts of a node, each with the stack that is taken between the two."""
    if isinstance(node, ast.Group):
        return _each(node.elements, _group(node))
    if isinstance(node, ast.TriplesBlock):
        return _each((pattern.predicate for pattern in node.patterns), JOIN * len(node.patterns))
    if isinstance(node, ast.SelectQuery | ast.AskQuery | ast.ConstructQuery | DescribeQuery):
        return _query(node)
    if isinstance(node, ast.Or | ast.And):
        return _each(node.operands, FOLDED * height(len(node.operands)))
    if isinstance(node, ast.Arithmetic):
        operands = (node.first, *(step.operand for step in node.rest))
        return _each(operands, OPERAND * len(operands))
    if isinstance(node, ast.Sequence):
        return _each(node.steps, JOIN * len(node.steps))
    if isinstance(node, ast.Alternative):
        # Outside of `*` it becomes a UNION.
        return _each(node.choices, GROUP + _union(len(node.choices)))
    if isinstance(node, ast.Union):
        return _each(node.branches, _union(len(node.branches)))
    return _each(parts_of(node), _WEIGHTS.get(type(node), 0))


def _each(parts: Iterable[object], taken: int) -> Below:
    return ((part, taken) for part in parts)


def _group(group: ast.Group) -> int:
    """Elements are joined one after the other, and FILTERs become one condition."""
    conditions = sum(isinstance(element, ast.Filter) for element in group.elements)
    return GROUP + JOIN * max(0, len(group.elements) - conditions - 1) + CONDITION * conditions


def _union(branches: int) -> int:
    """Folding puts groups around branches."""
    return (BRANCH if branches <= SHORT else GROUP + BRANCH) * height(branches)


def _query(query: ast.Query | DescribeQuery) -> Below:
    """Every expression that is named, and every key, becomes a level around the pattern."""
    items = query.projection or () if isinstance(query, ast.SelectQuery) else ()
    named = [item for item in items if isinstance(item, ast.Alias)]
    modifiers = query.modifiers
    calls = sum(isinstance(node, ast.Aggregate) for node in walk((tuple(named), modifiers)))
    levels = len(named) + calls + len(modifiers.group_by) + len(modifiers.order_by)
    is_distinct = isinstance(query, ast.SelectQuery) and query.duplicates is not ast.Duplicates.KEPT
    is_modified = is_distinct or modifiers != ast.NO_MODIFIERS
    taken = PROJECTED * levels + CONDITION * len(modifiers.having) + (MODIFIED if is_modified else 0)
    return _each((*named, modifiers, query.where), taken)


_WEIGHTS: dict[type, int] = {
    ast.SubSelect: SUBSELECT,
    ast.Exists: EXISTS,
    ast.NotExists: EXISTS,
    ast.BuiltIn: CALL,
    ast.Aggregate: CALL,
    ast.FunctionCall: CUSTOM_CALL,
    ast.Not: OPERATOR,
    ast.Signed: OPERATOR,
    ast.Compare: OPERATOR,
    ast.In: OPERATOR,
    ast.NotIn: OPERATOR,
    ast.Inverse: PATH,
    ast.ZeroOrMore: PATH,
    ast.OneOrMore: PATH,
    ast.ZeroOrOne: PATH,
}


# Joins


def _check_joins(tree: object, limits: QueryLimits) -> None:
    """Raise LimitExceeded if a group joins more parts than can be planned in reasonable time."""
    most = max((joined_in(node) for node in walk(tree) if isinstance(node, ast.Group)), default=0)
    if most > limits.joins:
        raise LimitExceeded(
            "joins",
            limits.joins,
            wanted=f"at most {limits.joins:,} patterns, steps of paths and other parts joined by one group of a query "
            "that is not compiled",
            found=f"{most:,}",
        )


def joined_in(group: ast.Group) -> int:
    """The parts of a group, nested groups included; the branches of a UNION are planned each for itself.

    >>> from triplewire.languages.sparql.parsing.parser import parse_query
    >>> joined_in(parse_query("ASK { ?s ?p ?o ; <urn:a>/<urn:b> ?x OPTIONAL { ?o ?q ?r } FILTER(?x > 1) }").where)
    5
    """
    return sum(map(_joined, group.elements))


def _joined(element: ast.Element) -> int:
    if isinstance(element, ast.TriplesBlock):
        return sum(_steps(pattern.predicate) for pattern in element.patterns)
    if isinstance(element, ast.Optional | ast.Minus | ast.Graph):
        return 1 + joined_in(element.group)
    if isinstance(element, ast.Group):
        return joined_in(element)
    return 0 if isinstance(element, ast.Filter) else 1


def _steps(path: Variable | ast.Path) -> int:
    if isinstance(path, ast.Inverse):
        return _steps(path.path)
    return sum(map(_steps, path.steps)) if isinstance(path, ast.Sequence) else 1
