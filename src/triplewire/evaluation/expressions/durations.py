"""Durations that take Oxigraph long to add: it does so month by month.

Measured: three microseconds for a duration of 10^8 seconds besides its months, a third of a second for 10^13, hours for
the longest that it can hold. So an addition counts as many steps as there are 10^8 seconds.
"""

from __future__ import annotations

from triplewire.rdf.literals.dates import SECOND
from triplewire.rdf.literals.durations import Duration
from triplewire.rdf.literals.values import value_of
from triplewire.rdf.terms import XSD, Literal, Term

_PLAIN = frozenset(XSD[name] for name in ("integer", "decimal", "double", "float", "int", "long", "string"))
_LIGHT = 10**8 * SECOND


def weight(*terms: Term) -> int:
    """How many steps more it takes to calculate with some terms than with numbers.

    >>> hours = Literal("PT5H", datatype=XSD["duration"])
    >>> weight(Literal(1), Literal(2)), weight(hours), weight(Literal("PT100000000000S", datatype=XSD["duration"]))
    (0, 0, 1000)
    """
    return sum(map(_far, terms))


def _far(term: Term) -> int:
    if not isinstance(term, Literal) or term.datatype in _PLAIN:
        return 0
    content = value_of(term).content
    return int(abs(content.time) // _LIGHT) if isinstance(content, Duration) else 0
