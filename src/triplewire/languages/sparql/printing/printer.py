"""Syntax tree to text, with full IRIs, so that reading the text gives the same tree again."""

from __future__ import annotations

from triplewire.algebra.patterns import Variable
from triplewire.languages.sparql.printing.expressions import constraint, register, text_of
from triplewire.languages.sparql.syntax.ast import (
    Alias,
    Alternative,
    AskQuery,
    Bind,
    BuiltIn,
    ConstructQuery,
    Duplicates,
    Expression,
    Filter,
    Graph,
    Group,
    Inverse,
    Minus,
    Modifiers,
    NegatedSet,
    OneOrMore,
    Optional,
    OrderKey,
    Path,
    Query,
    SelectQuery,
    Sequence,
    SubSelect,
    TriplePattern,
    TriplesBlock,
    Union,
    Values,
    ZeroOrMore,
    ZeroOrOne,
)
from triplewire.languages.sparql.syntax.datasets import DatasetQuery, DescribeQuery
from triplewire.languages.trees import walk


def print_query(query: Query) -> str:
    """The text of a query, on one line.

    >>> from triplewire.languages.sparql.parsing.parser import parse_query
    >>> print_query(parse_query("PREFIX ex: <urn:ex:> ask where { ?s ex:p ?o ; ex:q 1 filter (?o<3) }"))
    'ASK { ?s <urn:ex:p> ?o . ?s <urn:ex:q> "1"^^<http://www.w3.org/2001/XMLSchema#integer> . \
FILTER(?o < "3"^^<http://www.w3.org/2001/XMLSchema#integer>) }'
    """
    return _printed(query, "")


def print_dataset_query(query: DatasetQuery) -> str:
    """The text of a query over a dataset.

    >>> from triplewire.languages.sparql.parsing.parser import parse_dataset_query
    >>> print_dataset_query(parse_dataset_query("describe ?s from <urn:g> from named <urn:h> { ?s ?p 'x' }"))
    'DESCRIBE ?s FROM <urn:g> FROM NAMED <urn:h> WHERE { ?s ?p "x" . }'
    """
    clauses = [f"FROM {graph} " for graph in query.default_graphs]
    clauses += [f"FROM NAMED {graph} " for graph in query.named_graphs]
    return _printed(query.query, "".join(clauses))


def _printed(query: Query | DescribeQuery, graphs: str) -> str:
    where = "" if isinstance(query, AskQuery) else "WHERE "
    return _with_tail(f"{base_of(query)}{_head(query)} {graphs}{where}{print_group(query.where)}", query)


def base_of(tree: object) -> str:
    """The declaration of what IRI() resolves relative ones against; nothing if nobody asks."""
    bases = (node.base for node in walk(tree) if isinstance(node, BuiltIn) and node.base is not None)
    base = next(bases, None)
    return "" if base is None else f"BASE <{base}> "


def _head(query: Query | DescribeQuery) -> str:
    if isinstance(query, SelectQuery):
        return _select_head(query)
    if isinstance(query, AskQuery):
        return "ASK"
    if isinstance(query, ConstructQuery):
        return f"CONSTRUCT {braced(_triples(query.template))}"
    return "DESCRIBE " + ("*" if query.targets is None else " ".join([str(target) for target in query.targets]))


def print_group(group: Group) -> str:
    """A group with its braces."""
    if len(group.elements) == 1 and isinstance(group.elements[0], SubSelect):
        return text_of(group.elements[0])
    return braced(" ".join([text_of(element) for element in group.elements]))


def braced(inner: str) -> str:
    """What stands in braces, with them."""
    return f"{{ {inner} }}" if inner else "{ }"


def _select_head(query: SelectQuery) -> str:
    words = ["SELECT"]
    if query.duplicates is not Duplicates.KEPT:
        words.append(query.duplicates.value)
    words.append("*" if query.projection is None else " ".join([_projected(item) for item in query.projection]))
    return " ".join(words)


def _with_tail(text: str, query: Query | DescribeQuery) -> str:
    parts = [text, *_modifiers(query.modifiers)]
    if query.values is not None:
        parts.append(_values(query.values))
    return " ".join(parts)


def _projected(item: Expression | Alias) -> str:
    if isinstance(item, Alias):
        return f"({text_of(item.expression)} AS {item.variable})"
    return text_of(item)


def _modifiers(modifiers: Modifiers) -> list[str]:
    parts: list[str] = []
    if modifiers.group_by:
        parts.append("GROUP BY " + " ".join([_group_key(key) for key in modifiers.group_by]))
    if modifiers.having:
        parts.append("HAVING " + " ".join([constraint(condition) for condition in modifiers.having]))
    if modifiers.order_by:
        parts.append("ORDER BY " + " ".join([_order_key(key) for key in modifiers.order_by]))
    if modifiers.limit is not None:
        parts.append(f"LIMIT {modifiers.limit}")
    if modifiers.offset is not None:
        parts.append(f"OFFSET {modifiers.offset}")
    return parts


def _group_key(key: Expression | Alias) -> str:
    return _projected(key) if isinstance(key, Alias) else _bare_or_bracketed(key)


def _order_key(key: OrderKey) -> str:
    return f"DESC({text_of(key.expression)})" if key.descending else _bare_or_bracketed(key.expression)


def _bare_or_bracketed(expression: Expression) -> str:
    return str(expression) if isinstance(expression, Variable) else constraint(expression)


def _triples(patterns: tuple[TriplePattern, ...]) -> str:
    return " ".join([_triple(pattern) for pattern in patterns])


def _triple(pattern: TriplePattern) -> str:
    return f"{pattern.subject} {print_path(pattern.predicate)} {pattern.object} ."


def _block(block: TriplesBlock) -> str:
    return _triples(block.patterns)


def _optional(optional: Optional) -> str:
    return f"OPTIONAL {print_group(optional.group)}"


def _union(union: Union) -> str:
    return " UNION ".join([print_group(branch) for branch in union.branches])


def _minus(minus: Minus) -> str:
    return f"MINUS {print_group(minus.group)}"


def _graph(graph: Graph) -> str:
    return f"GRAPH {graph.name} {print_group(graph.group)}"


def _filter(filtered: Filter) -> str:
    condition = constraint(filtered.condition)
    return f"FILTER{condition}" if condition[0] == "(" else f"FILTER {condition}"


def _bind(bind: Bind) -> str:
    return f"BIND({text_of(bind.expression)} AS {bind.variable})"


def _values(values: Values) -> str:
    names = " ".join([str(name) for name in values.variables])
    rows = " ".join([f"({' '.join([_datum(datum) for datum in row])})" for row in values.rows])
    return f"VALUES ({names}) {braced(rows)}"


def _datum(datum: object) -> str:
    return "UNDEF" if datum is None else str(datum)


def _subselect(subselect: SubSelect) -> str:
    return braced(print_query(subselect.query))


register(
    {
        TriplesBlock: _block,
        Optional: _optional,
        Union: _union,
        Minus: _minus,
        Graph: _graph,
        Filter: _filter,
        Bind: _bind,
        Values: _values,
        SubSelect: _subselect,
        Group: print_group,
    }
)


# Property paths


_ALTERNATIVE, _SEQUENCE, _INVERSE, _MODIFIED, _PRIMARY = range(5)
_LEVELS: dict[type, int] = {Alternative: _ALTERNATIVE, Sequence: _SEQUENCE, Inverse: _INVERSE}
_SIGNS = {ZeroOrMore: "*", OneOrMore: "+", ZeroOrOne: "?"}


def print_path(path: Variable | Path) -> str:
    """
    >>> from triplewire.rdf.terms import NamedNode
    >>> print_path(ZeroOrMore(Sequence((NamedNode("urn:p"), Inverse(NamedNode("urn:q"))))))
    '(<urn:p>/^<urn:q>)*'
    """
    if isinstance(path, Sequence):
        return "/".join([_within(step, _INVERSE) for step in path.steps])
    if isinstance(path, Alternative):
        return "|".join([_within(choice, _SEQUENCE) for choice in path.choices])
    if isinstance(path, Inverse):
        return f"^{_within(path.path, _MODIFIED)}"
    if isinstance(path, NegatedSet):
        return _negated(path)
    if isinstance(path, ZeroOrMore | OneOrMore | ZeroOrOne):
        return f"{_within(path.path, _PRIMARY)}{_SIGNS[type(path)]}"
    return str(path)


def _within(path: Path, least: int) -> str:
    text = print_path(path)
    return text if _level(path) >= least else f"({text})"


def _level(path: Path) -> int:
    if type(path) in _SIGNS:
        return _MODIFIED
    return _LEVELS.get(type(path), _PRIMARY)


def _negated(path: NegatedSet) -> str:
    parts = [*(str(iri) for iri in path.forward), *(f"^{iri}" for iri in path.backward)]
    return f"!{parts[0]}" if len(parts) == 1 else f"!({'|'.join(parts)})"
