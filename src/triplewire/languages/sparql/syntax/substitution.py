"""Terms in place of variables, wherever in a query or an update those stand.

A variable that is projected stays projected, with the term as its value, and a key of GROUP BY stays a key. One that
the text itself gives a value (`AS`, VALUES) cannot be given another. Nothing is put into text, so that no value can
be taken for syntax; where a term cannot stand, such as a literal for a predicate, reading the printed tree again says
so.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from msgspec.structs import replace

from triplewire.algebra.patterns import Variable
from triplewire.errors import InputError
from triplewire.languages.sparql.syntax.ast import Alias, Bind, BuiltIn, Modifiers, SelectQuery, Term, Values
from triplewire.languages.sparql.syntax.scope import visible_in
from triplewire.languages.sparql.syntax.terms import BOOLEAN
from triplewire.languages.trees import transform
from triplewire.rdf.terms import Literal

Tree = TypeVar("Tree")

_TRUE = Literal("true", datatype=BOOLEAN)
# What gives a variable its name, rather than asking for its value.
_NAMING = (Alias, Bind, BuiltIn, SelectQuery, Values, Modifiers)


def substituted(tree: Tree, terms: Mapping[Variable, Term]) -> Tree:
    """The tree with each of the variables replaced by its term.

    >>> from triplewire.languages.sparql.parsing.parser import parse_query
    >>> from triplewire.languages.sparql.printing.printer import print_query
    >>> print_query(substituted(parse_query("SELECT ?x ?y { ?x <urn:p> ?y }"), {Variable("x"): Literal("'")}))
    'SELECT (\"\\'\" AS ?x) ?y WHERE { \"\\'\" <urn:p> ?y . }'
    """
    return _Substitution(terms).of(tree) if terms else tree


class _Substitution:
    def __init__(self, terms: Mapping[Variable, Term]) -> None:
        self._terms = terms

    def of(self, tree: Tree) -> Tree:
        return transform(tree, self._rewritten, _NAMING)

    def _rewritten(self, node: Any) -> Any:
        if isinstance(node, Variable):
            return self._terms.get(node, node)
        if isinstance(node, Alias | Bind):
            return type(node)(self.of(node.expression), self._free(node.variable))
        if isinstance(node, Values):
            return Values(tuple(map(self._free, node.variables)), node.rows)
        if isinstance(node, BuiltIn):
            return self._call(node)
        if isinstance(node, Modifiers):
            return self._modifiers(node)
        return self._select(node) if isinstance(node, SelectQuery) else node

    def _free(self, name: Variable) -> Variable:
        if name in self._terms:
            wanted = "a variable to bind that the text gives no value itself, by AS or VALUES"
            raise InputError(wanted=wanted, found=str(name))
        return name

    def _call(self, call: BuiltIn) -> BuiltIn | Literal:
        if call.name == "BOUND":
            return _TRUE if call.arguments[0] in self._terms else call
        return replace(call, arguments=self.of(call.arguments))

    def _modifiers(self, modifiers: Modifiers) -> Modifiers:
        keys = tuple([self._named(key) if isinstance(key, Variable) else self.of(key) for key in modifiers.group_by])
        return Modifiers(
            keys, self.of(modifiers.having), self.of(modifiers.order_by), modifiers.limit, modifiers.offset
        )

    def _select(self, query: SelectQuery) -> SelectQuery:
        where = self.of(query.where)
        modifiers = self.of(query.modifiers)
        values = self.of(query.values)
        named = {key.variable for key in modifiers.group_by if isinstance(key, Alias)} | set(visible_in(where))
        projection = query.projection and tuple(
            [
                item if isinstance(item, Variable) and item in named else self._projected(item)
                for item in query.projection
            ]
        )
        return SelectQuery(projection, where, query.duplicates, modifiers, values)

    def _projected(self, item: Variable | Alias) -> Variable | Alias:
        return self._named(item) if isinstance(item, Variable) else self.of(item)

    def _named(self, name: Variable) -> Variable | Alias:
        """The variable, or the term under its name."""
        term = self._terms.get(name)
        return name if term is None else Alias(term, name)
