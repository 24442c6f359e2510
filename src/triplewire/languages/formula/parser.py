"""From a formula's text to the algebra."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from triplewire.algebra.constraints import (
    ALWAYS,
    Comparator,
    ComparisonTest,
    Condition,
    Constraint,
    IntegerTest,
    Test,
    TextRelation,
    TextTest,
    conjunction,
)
from triplewire.algebra.patterns import Pattern, Variable
from triplewire.algebra.queries import Core, FastQuery, Select
from triplewire.errors import LimitExceeded
from triplewire.languages.formula import tokens
from triplewire.languages.scanner import Scanner, check_count, shortened
from triplewire.rdf.literals.values import is_integer
from triplewire.rdf.terms import XSD, Literal, NamedNode

MAX_DEPTH = 100
MAX_TRIPLES = 1_000


class _Mention(Struct, frozen=True):
    """A variable, and where it stands."""

    variable: Variable
    offset: int


class _Triple(Struct, frozen=True):
    """A triple, and where it stands."""

    pattern: Pattern
    offset: int


def parse_formula(text: str) -> FastQuery:
    """Read a formula, or say where it is wrong and what was wanted."""
    return _Parser(Scanner(text)).formula()


class _Parser:
    def __init__(self, scanner: Scanner) -> None:
        self._scanner = scanner
        self._terms = tokens.FormulaTerms(scanner)
        self._resource: Variable | None = None
        self._triples: list[_Triple] = []
        self._constrained: list[_Mention] = []

    def formula(self) -> FastQuery:
        self._prefixes()
        head = self._head()
        constraint = self._disjunction(0)
        self._end()
        self._check_bindings(head)
        patterns = tuple(triple.pattern for triple in self._triples)
        return FastQuery(
            Select(tuple(mention.variable for mention in head), distinct=True),
            Core(patterns, constraint),
        )

    # What comes before the body

    def _prefixes(self) -> None:
        while self._scanner.accept(tokens.PREFIX_KEYWORD):
            wanted = "a prefix that begins with a small letter, and a colon"
            label = self._scanner.expect(tokens.PREFIX_LABEL, wanted)
            self._terms.declare(label.group(1))
            self._scanner.accept(tokens.FULL_STOP)

    def _head(self) -> list[_Mention]:
        head = [self._variable("a variable to project")]
        while self._scanner.accept(tokens.COMMA):
            head.append(self._variable("another variable to project"))
        self._scanner.expect(tokens.COLON, "a comma, or the colon after the projected variables")
        return head

    def _variable(self, wanted: str) -> _Mention:
        offset = self._scanner.offset
        name = self._scanner.expect(tokens.VARIABLE, f"{wanted} (a name that begins with a capital letter)").group()
        return _Mention(Variable(name), offset)

    # The body

    def _disjunction(self, depth: int) -> Constraint:
        if depth > MAX_DEPTH:
            error = LimitExceeded("parentheses", MAX_DEPTH, f"a formula may nest {MAX_DEPTH} parentheses", found="more")
            raise error.standing_in(self._scanner.text, self._scanner.offset)
        triples_before = len(self._triples)
        parts = [self._conjunction(depth)]
        while self._scanner.accept(tokens.OR):
            parts.append(self._conjunction(depth))
        if len(parts) == 1:
            return parts[0]
        if len(self._triples) > triples_before:
            raise self._scanner.problem(
                "a triple cannot stand in an alternative: put parentheses around the constraint",
                self._triples[triples_before].offset,
            )
        return disjunction(parts)

    def _conjunction(self, depth: int) -> Constraint:
        parts = [self._unit(depth)]
        while self._scanner.accept(tokens.AND):
            parts.append(self._unit(depth))
        return conjunction(parts, _check_size)

    def _unit(self, depth: int) -> Constraint:
        if self._scanner.sees(tokens.TRIPLE):
            self._triples.append(self._triple())
            self._scanner.check_count("triples", MAX_TRIPLES, len(self._triples))
            return ALWAYS
        if self._scanner.accept(tokens.OPEN):
            inside = self._disjunction(depth + 1)
            self._scanner.expect(tokens.CLOSE, "a connective or a closing parenthesis")
            return inside
        return self._atom()

    def _end(self) -> None:
        if self._scanner.sees(tokens.CLOSE):
            raise self._scanner.problem(wanted="the end of the formula", found=") that nothing opened")
        if not self._scanner.at_end:
            raise self._scanner.problem(wanted="a connective or the end", found=self._scanner.here())

    # Triples: definition 2

    def _triple(self) -> _Triple:
        offset = self._scanner.offset
        self._scanner.expect(tokens.TRIPLE, "t(")
        subject = self._subject()
        self._scanner.expect(tokens.COMMA, "a comma after the subject")
        predicate = self._predicate()
        self._scanner.expect(tokens.COMMA, "a comma after the predicate")
        pattern = Pattern(subject, predicate, self._object(subject))
        self._scanner.expect(tokens.CLOSE, "a closing parenthesis after the object")
        return _Triple(pattern, offset)

    def _subject(self) -> Variable:
        mention = self._variable("a subject variable")
        self._resource = self._resource or mention.variable
        if mention.variable != self._resource:
            raise self._scanner.problem(
                f"all triples of a formula have one subject, wanted {self._resource.name},"
                f" found {mention.variable.name} (definition 2; SPARQL can join more)",
                mention.offset,
            )
        return mention.variable

    def _predicate(self) -> NamedNode:
        predicate = self._terms.iri()
        if predicate is None:
            raise self._scanner.problem(wanted="a predicate, which must be an IRI", found=self._scanner.here())
        return predicate

    def _object(self, subject: Variable) -> Variable | NamedNode | Literal:
        if not self._scanner.sees(tokens.VARIABLE):
            return self._constant("an object: a variable, an IRI or a literal")
        mention = self._variable("an object variable")
        if mention.variable == subject or mention.variable in (t.pattern.object for t in self._triples):
            raise self._scanner.problem(
                "object variables must be distinct",
                mention.offset,
                found=f"{mention.variable.name} again (definition 2; SPARQL can join more)",
            )
        return mention.variable

    # Constraints: definition 1

    def _atom(self) -> Constraint:
        mention = self._variable("a triple, a parenthesis or a variable to constrain")
        self._constrained.append(mention)
        if self._scanner.accept(tokens.CONTAINS):
            return _all(self._containment(mention.variable))
        operator = self._scanner.expect(tokens.COMPARATOR, "contains, =, !=, <, <=, > or >=").group()
        return self._comparison(mention.variable, tokens.COMPARATORS[operator])

    def _containment(self, variable: Variable) -> TextTest:
        offset = self._scanner.offset
        text = self._terms.literal()
        if text is None or not (text.language or text.datatype == XSD["string"]):
            raise self._scanner.problem(subject="contains", wanted="a string in quotes", offset=offset)
        return TextTest(TextRelation.CONTAINS, variable, text)

    def _comparison(self, variable: Variable, operator: Comparator) -> Constraint:
        offset = self._scanner.offset
        constant = self._constant("an IRI or a literal to compare with")
        comparison = ComparisonTest(operator, variable, constant)
        if isinstance(constant, Literal) and is_integer(constant):
            return _all(comparison, IntegerTest(variable))
        if isinstance(constant, Literal) and constant.datatype == XSD["integer"]:
            raise self._scanner.problem(
                wanted="an xsd:integer of at most 64 bits", found=repr(shortened(constant.value)), offset=offset
            )
        if isinstance(constant, NamedNode) and operator not in (Comparator.EQUAL, Comparator.NOT_EQUAL):
            raise self._scanner.problem("an IRI has no order", wanted="= or !=", found=operator.value, offset=offset)
        return _all(comparison)

    def _constant(self, wanted: str) -> NamedNode | Literal:
        constant = self._terms.iri() or self._terms.literal()
        if constant is None:
            raise self._scanner.problem(wanted=wanted, found=self._scanner.here())
        return constant

    # What must hold of the whole

    def _check_bindings(self, head: list[_Mention]) -> None:
        if not self._triples:
            raise self._scanner.problem(wanted="at least one triple t(S, p, O)", found="none")
        bound = {v for triple in self._triples for v in triple.pattern.variables}
        for mention in head:
            self._check_bound(mention, bound, "projected")
        for mention in self._constrained:
            self._check_bound(mention, bound, "constrained")
        self._check_distinct(head)

    def _check_bound(self, mention: _Mention, bound: set[Variable], role: str) -> None:
        if mention.variable not in bound:
            names = ", ".join(sorted(v.name for v in bound))
            summary = f"the {role} variable {mention.variable.name} is in no triple"
            raise self._scanner.problem(summary, mention.offset, wanted=f"one of {names}")

    def _check_distinct(self, head: list[_Mention]) -> None:
        seen: set[Variable] = set()
        for mention in head:
            if mention.variable in seen:
                raise self._scanner.problem(f"the variable {mention.variable.name} is projected twice", mention.offset)
            seen.add(mention.variable)


def _all(*tests: Test) -> Constraint:
    return Constraint((tuple(Condition(test) for test in tests),))


# Disjunctive normal form


MAX_ALTERNATIVES = 1_000
MAX_CONDITIONS = 20_000


def disjunction(parts: Iterable[Constraint]) -> Constraint:
    """Any of the parts."""
    alternatives: list[tuple[Condition, ...]] = []
    for part in parts:
        alternatives.extend(part.alternatives)
        check_count("alternatives", MAX_ALTERNATIVES, len(alternatives))
    return Constraint(tuple(dict.fromkeys(alternatives)))


def _check_size(alternatives: int, conditions: int) -> None:
    check_count("alternatives", MAX_ALTERNATIVES, alternatives)
    check_count("conditions", MAX_CONDITIONS, conditions)
