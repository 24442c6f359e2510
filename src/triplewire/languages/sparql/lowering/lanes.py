"""Which lane a query takes, and the algebra it becomes.

The fast lane takes a SELECT (DISTINCT), ASK or CONSTRUCT whose pattern is triple patterns, GRAPH and nested groups that
merely join, with FILTERs that the algebra has tests for. Everything else takes the general lane: the query is kept as
its syntax tree, beside what it requires.

The `tree` and `text` of a general CONSTRUCT are the CONSTRUCT itself; its `variables` are those in scope at its
pattern's end.
"""

from __future__ import annotations

from triplewire.algebra.patterns import Pattern, Variable
from triplewire.algebra.queries import Ask, Construct, FastQuery, Form, GeneralQuery, Query, Select
from triplewire.errors import LimitExceeded
from triplewire.languages.sparql.lowering.fast_lane import fast_core
from triplewire.languages.sparql.lowering.oxigraph_limits import check_evaluable
from triplewire.languages.sparql.lowering.requirements import requirements
from triplewire.languages.sparql.printing.printer import print_query
from triplewire.languages.sparql.syntax import ast
from triplewire.languages.sparql.syntax.limits import DEFAULT_LIMITS, QueryLimits
from triplewire.languages.sparql.syntax.scope import projected, visible_in
from triplewire.languages.trees import transform, walk
from triplewire.rdf.terms import NamedNode


def compile_query(tree: ast.Query, limits: QueryLimits = DEFAULT_LIMITS) -> Query:
    """The algebra of a query."""
    form = _form(tree)
    core = fast_core(tree.where, limits.alternatives) if _is_plain(tree) else None
    if core is not None:
        return FastQuery(form, core)
    check_evaluable(tree, limits)
    text = print_query(tree)
    if len(text) > limits.text:
        raise LimitExceeded(
            "text",
            limits.text,
            wanted=f"at most {limits.text:,} characters with every IRI spelled out",
            found=f"{len(text):,}",
        )
    required = requirements(tree, limits.alternatives)
    return GeneralQuery(form, required, tree, text, canonical_text(tree), _variables(tree))


def canonical_text(tree: ast.Query) -> str:
    """A query's text with variables and blank nodes renamed in order of appearance.

    >>> from triplewire.languages.sparql.parsing.parser import parse_query
    >>> canonical_text(parse_query("SELECT ?who { [] <urn:p>+ ?who OPTIONAL { ?who ?how ?what } }"))
    'SELECT ?v0 WHERE { _:v1 <urn:p>+ ?v0 . OPTIONAL { ?v0 ?v2 ?v3 . } }'
    """
    names: dict[Variable, Variable] = {}
    for node in walk(tree):
        if isinstance(node, Variable) and node not in names:
            names[node] = Variable(f"{'_:' if node.is_blank else ''}v{len(names)}")
    return print_query(transform(tree, lambda node: names[node] if isinstance(node, Variable) else node))


def _is_plain(tree: ast.Query) -> bool:
    if tree.modifiers != ast.NO_MODIFIERS or tree.values is not None:
        return False
    if not isinstance(tree, ast.SelectQuery):
        return True
    return tree.duplicates is not ast.Duplicates.REDUCED and not any(
        isinstance(item, ast.Alias) for item in tree.projection or ()
    )


def _form(tree: ast.Query) -> Form:
    if isinstance(tree, ast.SelectQuery):
        return Select(projected(tree), tree.duplicates is ast.Duplicates.DISTINCT)
    if isinstance(tree, ast.AskQuery):
        return Ask()
    return Construct(tuple([_template_pattern(pattern) for pattern in tree.template]))


def _template_pattern(pattern: ast.TriplePattern) -> Pattern:
    assert isinstance(pattern.predicate, Variable | NamedNode), "the grammar allows no path in a template"
    return Pattern(pattern.subject, pattern.predicate, pattern.object)


def _variables(tree: ast.Query) -> tuple[Variable, ...]:
    if isinstance(tree, ast.SelectQuery):
        return projected(tree)
    if isinstance(tree, ast.AskQuery):
        return ()
    return visible_in(tree.where, *([tree.values] if tree.values else []))
