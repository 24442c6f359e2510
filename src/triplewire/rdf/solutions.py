"""Solutions of a query, in one shape wherever they come from: a match, a notification, an answer of a node.

A list of dictionaries from a variable's name to its term, with the ways out of it that people ask for. An unbound
variable is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from triplewire.extras import needing
from triplewire.rdf.literals.values import Kind, number, value_of
from triplewire.rdf.terms import Literal, NamedNode, Term, Triple

if TYPE_CHECKING:
    import pandas as pd
    import rdflib.query

Solution = dict[str, Term]

_MOST_ROWS_SHOWN = 100


class Solutions(list[Solution]):
    """Solutions in their order.

    >>> rows = Solutions([{"name": Literal("Ann")}, {"name": Literal("Bob"), "age": Literal(7)}])
    >>> rows.variables, rows[1]["age"].value
    (('name', 'age'), '7')
    """

    def __init__(self, rows: Iterable[Solution] = (), variables: Sequence[str] = ()) -> None:
        super().__init__(rows)
        self._variables = tuple(variables)

    @property
    def variables(self) -> tuple[str, ...]:
        """The projected variables, or those that are bound somewhere if nobody said which are projected."""
        return self._variables or tuple(dict.fromkeys(name for row in self for name in row))

    def to_pandas(self) -> pd.DataFrame:
        """A row a solution, a column a variable, with plain Python values; needs pandas."""
        with needing("interop"):
            import pandas as pd
        rows = [[_plain(row.get(name)) for name in self.variables] for row in self]
        return pd.DataFrame(rows, columns=list(self.variables))

    def to_rdflib(self) -> rdflib.query.Result:
        """What rdflib's own `Graph.query` gives; needs rdflib."""
        from triplewire.rdf.interop import rdflib_result

        return rdflib_result(self.variables, self)

    def _repr_html_(self) -> str:
        """A table for notebooks, of the first rows."""
        head = "".join(f"<th>{escape(name)}</th>" for name in self.variables)
        shown = "".join(f"<tr>{self._cells(row)}</tr>" for row in self[:_MOST_ROWS_SHOWN])
        more = len(self) - _MOST_ROWS_SHOWN
        rest = f"<caption>and {more:,} more</caption>" if more > 0 else ""
        return f"<table>{rest}<thead><tr>{head}</tr></thead><tbody>{shown}</tbody></table>"

    def _cells(self, row: Solution) -> str:
        return "".join(f"<td>{escape(_shown(row.get(name)))}</td>" for name in self.variables)


class Triples(list[Triple]):
    """What a CONSTRUCT or DESCRIBE makes."""

    def to_rdflib(self) -> rdflib.Graph:
        """The same as an rdflib Graph; needs rdflib."""
        from triplewire.rdf.interop import rdflib_graph

        return rdflib_graph(None, self)

    def _repr_html_(self) -> str:
        return Solutions({"s": t.subject, "p": t.predicate, "o": t.object} for t in self)._repr_html_()


def _plain(term: Term | None) -> Any:
    """A number, a boolean, or text; None where nothing is bound."""
    if term is None:
        return None
    if not isinstance(term, Literal):
        return _shown(term)
    found = number(term)
    if found is not None:
        return found
    value = value_of(term)
    return value.content if value.kind is Kind.BOOLEAN else term.value


def _shown(term: Term | None) -> str:
    if term is None:
        return ""
    return term.value if isinstance(term, NamedNode | Literal) else str(term)
