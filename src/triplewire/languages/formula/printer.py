"""From the algebra to a formula's text: a query that L cannot express is refused, never bent."""

from __future__ import annotations

from triplewire.algebra.constraints import (
    ComparisonTest,
    Condition,
    Constraint,
    IntegerTest,
    TextRelation,
    TextTest,
)
from triplewire.algebra.patterns import Pattern, Variable
from triplewire.algebra.queries import FastQuery, Query, Select
from triplewire.errors import InputError
from triplewire.languages.formula import tokens
from triplewire.languages.formula.parser import parse_formula
from triplewire.languages.scanner import inexpressible
from triplewire.languages.terms import printed_literal
from triplewire.rdf.terms import Literal, NamedNode


def print_formula(query: Query) -> str:
    """Write a query that reads back as itself, or say what L has no words for."""
    if not isinstance(query, FastQuery) or not isinstance(query.form, Select):
        raise _cannot("more than a SELECT over one basic graph pattern")
    if not query.form.distinct or query.core.graphs:
        raise _cannot("repeated answers or named graphs; its answers are sets over one event")
    text = _Printer().formula(query.form.variables, query.core.patterns, query.core.constraint)
    _check_reading(text, query)
    return text


def _check_reading(text: str, query: FastQuery) -> None:
    try:
        read = parse_formula(text)
    except InputError as error:
        raise _cannot(f"this query: {error.message}") from None
    if read != query:
        raise _cannot("this query; what comes nearest means something else")


class _Printer:
    """Writes one formula, and remembers the prefixes that it must declare."""

    def __init__(self) -> None:
        self._prefixes: set[str] = set()

    def formula(self, head: tuple[Variable, ...], patterns: tuple[Pattern, ...], constraint: Constraint) -> str:
        projected = ", ".join(_variable(v) for v in head)
        triples = [f"t({', '.join(self._term(term) for term in pattern)})" for pattern in patterns]
        body = " ^ ".join([*triples, *self._constraint(constraint)])
        declarations = "".join(f"@prefix {prefix}: <{prefix}:>\n" for prefix in sorted(self._prefixes))
        return f"{declarations}{projected}: {body}\n"

    def _constraint(self, constraint: Constraint) -> list[str]:
        written = [" ^ ".join(self._conditions(alternative)) for alternative in constraint.alternatives]
        if not written:
            raise _cannot("a constraint that nothing satisfies")
        if written == [""]:
            return []
        return written if len(written) == 1 else [f"({' v '.join(written)})"]

    def _conditions(self, alternative: tuple[Condition, ...]) -> list[str]:
        # An integer test is not written: a comparison with an integer says it.
        written = [c for c in alternative if not isinstance(c.test, IntegerTest)]
        return [self._condition(condition) for condition in written]

    def _condition(self, condition: Condition) -> str:
        match condition:
            case Condition(ComparisonTest(operator, Variable() as left, NamedNode() | Literal() as right), True):
                return f"{_variable(left)} {operator.value} {self._term(right)}"
            case Condition(TextTest(TextRelation.CONTAINS, variable, text), True):
                return f"{_variable(variable)} contains {self._term(text)}"
        raise _cannot(f"the condition {condition}")

    def _term(self, term: object) -> str:
        match term:
            case Variable():
                return _variable(term)
            case NamedNode():
                self._keep(term)
                return str(term)
            case Literal():
                self._keep(term.datatype)
                return printed_literal(term)
        raise _cannot(f"the term {term}")

    def _keep(self, iri: NamedNode) -> None:
        # `<dc:x>` would be read as a qualified name; declaring `dc:` to mean `dc:` keeps the IRI what it is.
        scheme, _, rest = iri.value.partition(":")
        if scheme in tokens.DEFAULT_PREFIXES and not rest.startswith("//"):
            self._prefixes.add(scheme)


def _variable(variable: Variable) -> str:
    if tokens.VARIABLE.fullmatch(variable.name):
        return variable.name
    raise _cannot(f"the variable {variable}; its variables begin with a capital letter")


def _cannot(what: str) -> InputError:
    return inexpressible("formula", what)
