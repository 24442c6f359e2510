"""The language L of Chirita et al.: one resource, its properties, and a constraint on their values.

parser   from a formula's text to the algebra
printer  from the algebra to a formula's text: a query that L cannot express is refused, never bent
tokens   what the parts of a formula look like, and how its qualified names are resolved
"""

from __future__ import annotations

from triplewire.algebra.queries import Query
from triplewire.languages.formula.parser import parse_formula
from triplewire.languages.formula.printer import print_formula


class FormulaLanguage:
    """The language as subscriptions use it."""

    name = "formula"
    suffix = ".formula"

    def parse(self, text: str) -> Query:
        return parse_formula(text)

    def print(self, query: Query) -> str:
        return print_formula(query)
