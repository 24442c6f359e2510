"""Hypothesis strategies for syntax trees, in the normal form in which the parser makes them."""

from __future__ import annotations

from itertools import count
from typing import Any

from hypothesis import strategies as st

from triplewire.algebra.constraints import Comparator
from triplewire.algebra.patterns import Variable
from triplewire.languages.sparql.syntax import ast, updates
from triplewire.languages.sparql.syntax.datasets import DatasetQuery, DescribeQuery
from triplewire.languages.sparql.syntax.functions import BUILT_INS, CASTS
from triplewire.languages.trees import transform
from triplewire.rdf.terms import XSD, Literal, NamedNode

VARIABLES = st.sampled_from([Variable(name) for name in ("a", "b", "x1", "日本", "_u")])
BLANKS = st.sampled_from([Variable("_:x"), Variable("_:y")])
IRIS = st.sampled_from([NamedNode(f"urn:{name}") for name in ("p", "q", "é", "a#b", "C?x=1&y")])
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
LITERALS = st.one_of(
    TEXTS.map(Literal),
    TEXTS.map(lambda text: Literal(text, language="en-gb")),
    TEXTS.map(lambda text: Literal(text, datatype=NamedNode("urn:type"))),
    st.integers().map(lambda number: Literal(str(number), datatype=XSD["integer"])),
    st.sampled_from(["true", "false", "yes"]).map(lambda word: Literal(word, datatype=XSD["boolean"])),
)
TERMS = st.one_of(VARIABLES, BLANKS, IRIS, LITERALS)
CONSTANTS = st.one_of(IRIS, LITERALS)

FIXED_BUILT_INS = sorted(name for name, (least, most) in BUILT_INS.items() if least == most and name != "BOUND")
NEW = Variable("new")


def _tuples(strategy: st.SearchStrategy[Any], least: int, most: int = 3) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(strategy, min_size=least, max_size=most).map(tuple)


def _longer_paths(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(
        inner.map(ast.Inverse),
        _tuples(inner, 2).map(ast.Sequence),
        _tuples(inner, 2).map(ast.Alternative),
        inner.map(ast.ZeroOrMore),
        inner.map(ast.OneOrMore),
        inner.map(ast.ZeroOrOne),
    )


NEGATED = st.builds(ast.NegatedSet, _tuples(IRIS, 1), _tuples(IRIS, 0)) | st.builds(
    ast.NegatedSet, st.just(()), _tuples(IRIS, 1)
)
PATHS = st.recursive(st.one_of(IRIS, NEGATED), _longer_paths, max_leaves=5)
PATTERNS = st.builds(ast.TriplePattern, TERMS, st.one_of(VARIABLES, IRIS, PATHS), TERMS)
BLOCKS = _tuples(PATTERNS, 1).map(ast.TriplesBlock)

SUMS = st.sampled_from([ast.Operator.PLUS, ast.Operator.MINUS])
PRODUCTS = st.sampled_from([ast.Operator.TIMES, ast.Operator.DIVIDED])


def _built_ins(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    def with_arguments(name: str) -> st.SearchStrategy[Any]:
        number = BUILT_INS[name][0]
        return _tuples(inner, number, number).map(lambda arguments: ast.BuiltIn(name, arguments))

    return st.one_of(
        st.sampled_from(FIXED_BUILT_INS).flatmap(with_arguments),
        _tuples(inner, 0).map(lambda arguments: ast.BuiltIn("COALESCE", arguments)),
        VARIABLES.map(lambda variable: ast.BuiltIn("BOUND", (variable,))),
    )


def _longer_expressions(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    def chain(operators: st.SearchStrategy[ast.Operator]) -> st.SearchStrategy[Any]:
        return st.builds(ast.Arithmetic, inner, _tuples(st.builds(ast.Operation, operators, inner), 1))

    return st.one_of(
        _tuples(inner, 2).map(ast.Or),
        _tuples(inner, 2).map(ast.And),
        inner.map(ast.Not),
        st.builds(ast.Compare, st.sampled_from(Comparator), inner, inner),
        st.builds(ast.In, inner, _tuples(inner, 0)),
        st.builds(ast.NotIn, inner, _tuples(inner, 0)),
        chain(SUMS),
        chain(PRODUCTS),
        st.builds(ast.Signed, SUMS, inner),
        st.builds(ast.FunctionCall, st.sampled_from(sorted(CASTS, key=str)), st.tuples(inner)),
        _built_ins(inner),
    )


EXPRESSIONS = st.recursive(st.one_of(VARIABLES, IRIS, LITERALS), _longer_expressions, max_leaves=6)
AGGREGATES = st.one_of(
    st.builds(ast.Aggregate, st.just("COUNT"), st.none(), st.booleans()),
    st.builds(ast.Aggregate, st.sampled_from(["COUNT", "SUM", "MIN", "MAX", "AVG", "SAMPLE"]), EXPRESSIONS),
    st.builds(ast.Aggregate, st.just("GROUP_CONCAT"), EXPRESSIONS, st.booleans(), st.none() | TEXTS),
)


@st.composite
def values(draw: st.DrawFn) -> ast.Values:
    names = draw(st.lists(VARIABLES, max_size=2, unique=True))
    row = st.tuples(*([st.none() | CONSTANTS] * len(names)))
    return ast.Values(tuple(names), draw(_tuples(row, 0)))


FLAT_ELEMENTS = st.one_of(
    BLOCKS,
    BLOCKS,
    EXPRESSIONS.map(ast.Filter),
    EXPRESSIONS.map(lambda expression: ast.Bind(expression, NEW)),
    values(),
)


def _groups(elements: st.SearchStrategy[Any]) -> st.SearchStrategy[ast.Group]:
    return _tuples(elements, 0, 4).map(ast.Group)


def _longer_elements(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    groups = _groups(inner)
    return st.one_of(
        groups,
        groups.map(ast.Optional),
        groups.map(ast.Minus),
        _tuples(groups, 2).map(ast.Union),
        st.builds(ast.Graph, st.one_of(VARIABLES, IRIS), groups),
        groups.map(lambda group: ast.Filter(ast.Exists(group))),
        groups.map(lambda group: ast.Filter(ast.Or((ast.NotExists(group), Variable("a"))))),
        selects(groups).map(ast.SubSelect),
    )


@st.composite
def selects(draw: st.DrawFn, groups: st.SearchStrategy[ast.Group]) -> ast.SelectQuery:
    where = draw(groups)
    duplicates = draw(st.sampled_from(ast.Duplicates))
    trailing = draw(st.none() | values())
    if draw(st.booleans()):
        return ast.SelectQuery(draw(_projections()), where, duplicates, draw(plain_modifiers()), trailing)
    key = draw(VARIABLES)
    modifiers = ast.Modifiers(
        group_by=(key, *draw(_tuples(EXPRESSIONS | st.builds(ast.Alias, EXPRESSIONS, st.just(NEW)), 0, 2))),
        having=draw(_tuples(AGGREGATES | EXPRESSIONS, 0, 2)),
        order_by=draw(_tuples(st.builds(ast.OrderKey, AGGREGATES | EXPRESSIONS, st.booleans()), 0, 2)),
    )
    computed = draw(_tuples(st.builds(ast.Alias, AGGREGATES, st.just(NEW)), 0, 2))
    return ast.SelectQuery((key, *computed), where, duplicates, modifiers, trailing)


def _projections() -> st.SearchStrategy[Any]:
    names = st.lists(VARIABLES, min_size=1, max_size=3, unique=True)
    aliases = _tuples(st.builds(ast.Alias, EXPRESSIONS, st.just(NEW)), 0, 2)
    return st.none() | st.tuples(names, aliases).map(lambda parts: (*parts[0], *parts[1]))


def plain_modifiers() -> st.SearchStrategy[ast.Modifiers]:
    return st.builds(
        ast.Modifiers,
        order_by=_tuples(st.builds(ast.OrderKey, EXPRESSIONS, st.booleans()), 0, 2),
        limit=st.none() | st.integers(0, 99),
        offset=st.none() | st.integers(0, 99),
    )


GROUPS = _groups(st.recursive(FLAT_ELEMENTS, _longer_elements, max_leaves=8))
TEMPLATES = _tuples(st.builds(ast.TriplePattern, TERMS, st.one_of(VARIABLES, IRIS), TERMS), 0)
QUERIES = st.one_of(
    selects(GROUPS),
    st.builds(ast.AskQuery, GROUPS, plain_modifiers(), st.none() | values()),
    st.builds(ast.ConstructQuery, TEMPLATES, GROUPS, plain_modifiers(), st.none() | values()),
)


GRAPH_NAMES = _tuples(IRIS, 0, 2)
DESCRIBES = st.builds(
    DescribeQuery,
    st.none() | st.lists(VARIABLES | IRIS, min_size=1, max_size=3, unique=True).map(tuple),
    GROUPS,
    plain_modifiers(),
    st.none() | values(),
)
DATASET_QUERIES = st.builds(DatasetQuery, QUERIES | DESCRIBES, GRAPH_NAMES, GRAPH_NAMES)


def _quads(terms: st.SearchStrategy[Any], names: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    # Oxigraph has no literal as a subject of a template.
    subjects = terms.filter(lambda term: not isinstance(term, Literal))
    return _tuples(st.builds(updates.QuadTemplate, subjects, names, terms, st.none() | names), 0, 4)


ONE_GRAPH = IRIS | st.just(updates.Graphs.DEFAULT)
MODIFIES = st.builds(
    updates.Modify,
    GROUPS,
    _quads(VARIABLES | CONSTANTS, VARIABLES | IRIS),
    _quads(TERMS, VARIABLES | IRIS),
    st.none() | IRIS,
    GRAPH_NAMES,
    GRAPH_NAMES,
)
UPDATES = _tuples(
    st.one_of(
        _quads(BLANKS | CONSTANTS, IRIS).map(updates.InsertData),
        _quads(CONSTANTS, IRIS).map(updates.DeleteData),
        _quads(VARIABLES | CONSTANTS, VARIABLES | IRIS).map(updates.DeleteWhere),
        MODIFIES,
        # Silent, since Oxigraph does what it reads, and the graphs are not there.
        st.builds(updates.Clear, IRIS | st.sampled_from(updates.Graphs), st.just(True)),
        st.builds(updates.Drop, IRIS | st.sampled_from(updates.Graphs), st.just(True)),
        st.builds(updates.Create, IRIS, st.just(True)),
        st.builds(updates.Add, ONE_GRAPH, ONE_GRAPH, st.just(True)),
        st.builds(updates.Move, ONE_GRAPH, ONE_GRAPH, st.just(True)),
        st.builds(updates.Copy, ONE_GRAPH, ONE_GRAPH, st.just(True)),
    ),
    0,
)


def in_normal_form(tree: Any) -> Any:
    """Blank labels apart per block, new names for what must be new, one block between what ends a block."""
    numbers = count()
    return transform(tree, lambda node: _normal(node, numbers))


def _normal(node: Any, numbers: count[int]) -> Any:
    if isinstance(node, ast.TriplesBlock | updates.InsertData):
        number = next(numbers)
        return transform(node, lambda n: Variable(f"{n.name}{number}") if _is_blank(n) else n)
    if isinstance(node, ast.Bind | ast.Alias):
        return type(node)(node.expression, Variable(f"new{next(numbers)}"))
    if isinstance(node, ast.Group):
        return ast.Group(tuple(_merged(node.elements)))
    return node


def _is_blank(node: object) -> bool:
    return isinstance(node, Variable) and node.is_blank


def _merged(elements: tuple[ast.Element, ...]) -> list[ast.Element]:
    kept: list[ast.Element] = []
    has_block = False
    for element in elements:
        if isinstance(element, ast.TriplesBlock):
            if has_block:
                continue
            has_block = True
        elif not isinstance(element, ast.Filter):
            has_block = False
        kept.append(_unwrapped(element))
    return kept


def _unwrapped(element: ast.Element) -> ast.Element:
    if isinstance(element, ast.Group) and len(element.elements) == 1 and isinstance(element.elements[0], ast.SubSelect):
        return element.elements[0]
    return element
