"""What a subscription wants of a program's solutions: which variables, under which names, and in which form.

Subscriptions that differ only in the names of their variables share a program; many share a shape. So a shape is kept
once, as plain data that goes into a snapshot as it is.
"""

from __future__ import annotations

from msgspec import Struct

from triplewire.algebra.patterns import Variable
from triplewire.algebra.queries import Ask, Construct, FastQuery, Query

SELECT, DISTINCT, ASK, CONSTRUCT, GENERAL = "select", "distinct", "ask", "construct", "general"


class SolutionShape(Struct, frozen=True):
    """`names[i]` is the value of the program's variable `columns[i]`.

    A CONSTRUCT keeps its template in the subscription's text only, and a general query is evaluated from its text.
    """

    form: str
    names: tuple[str, ...] = ()
    columns: tuple[int, ...] = ()

    @property
    def wants_all(self) -> bool:
        """Whether every solution matters, not just that there is one."""
        return self.form in (SELECT, DISTINCT, CONSTRUCT)


def shape_of(query: Query, variables: tuple[Variable, ...]) -> SolutionShape:
    """The shape of a query whose core has these variables, in the order of their indices."""
    if not isinstance(query, FastQuery):
        return SolutionShape(GENERAL)
    form = query.form
    if isinstance(form, Ask):
        return SolutionShape(ASK)
    if isinstance(form, Construct):
        return _named(CONSTRUCT, tuple(v for v in query.core.variables if not v.is_blank), variables)
    return _named(DISTINCT if form.distinct else SELECT, form.variables, variables)


def _named(form: str, wanted: tuple[Variable, ...], variables: tuple[Variable, ...]) -> SolutionShape:
    index = {variable: place for place, variable in enumerate(variables)}
    bound = [v for v in wanted if v in index]
    return SolutionShape(form, tuple(v.name for v in bound), tuple(index[v] for v in bound))
