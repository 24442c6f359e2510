"""The language L of Chirita et al.: one resource, its properties, and a constraint on their values.

    tokens   what the parts of a formula look like, and how its qualified names are resolved
    parser   from a formula's text to the algebra
    printer  from the algebra to a formula's text: what L cannot express is refused, never bent

    @prefix dc: <http://purl.org/dc/elements/1.1/>
    X, Y: t(X, <rdf:type>, <dc:article>) ^ t(X, <dc:creator>, Y) ^ t(X, <dc:date>, D) ^
          (Y contains "Nejdl" v Y contains "Koubarakis") ^ D = 2004

Names
    Variables begin with a capital letter, everything else with a small one; that is why `v` is a connective and `V` is
    a variable. `<dc:article>` and `dc:article` are the same, a qualified name; dc, rdf, rdfs, xsd and isl need no
    declaration. `<http://...>`, or any name whose prefix nobody declared, is an IRI as it stands. `#` begins a comment.

Connectives and operators
    and: `^` `∧` `&&` `and`; or: `v` `∨` `||` `or`; `^` binds tighter. Containment: `contains` `⊒` `sqsupseteq`.
    Comparison: `=` `<` `<=` `≤` `>` `>=` `≥`.

What is L (definitions 1 and 2)
    One subject variable, common to all triples; constant predicates; distinct object variables, or a constant in
    their place (footnote 1; it must then be that very term); a constraint made of `X = <iri>`, of comparisons with
    an integer, which type their variable as an integer, and of `X contains "text"`. Answers are sets.

What we add
    `!=`, and comparisons with strings, decimals, dates and other literals, by value as in SPARQL; a constraint
    in any place among the triples and in any nesting, not only in disjunctive normal form. Anything else is
    SPARQL's business, and is refused here with the place and the reason.
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
