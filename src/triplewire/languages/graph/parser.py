"""From a graph pattern's text to the algebra."""

from __future__ import annotations

from triplewire.algebra.constraints import ALWAYS, ComparisonTest, Condition, Constraint, TaxonomyTest, Test
from triplewire.algebra.patterns import Pattern, PatternTerm, Variable, variables_of
from triplewire.algebra.queries import Core, FastQuery, Select
from triplewire.languages.graph import tokens
from triplewire.languages.scanner import SPACES_IN_A_LINE, Scanner
from triplewire.languages.terms import TermReader
from triplewire.rdf.terms import RDF, Literal, NamedNode

MAX_EDGES = 1_000


def parse_graph(text: str) -> FastQuery:
    """Read a graph pattern, or say where it is wrong and what was wanted."""
    return _Parser(Scanner(text, SPACES_IN_A_LINE)).graph()


class _Parser:
    def __init__(self, scanner: Scanner) -> None:
        self._scanner = scanner
        self._terms = TermReader(scanner, tokens.QNAME, {})
        self._edges: list[Pattern] = []
        self._tests: dict[Variable, list[Test]] = {}

    def graph(self) -> FastQuery:
        while not self._scanner.at_end:
            if not self._scanner.accept(tokens.LINE_END):
                self._line()
        if not self._edges:
            raise self._scanner.problem(wanted="at least one edge: subject predicate object", found="none")
        projected = tuple(v for v in variables_of(self._edges) if not v.is_blank)
        return FastQuery(Select(projected), Core(tuple(self._edges), self._constraint()))

    def _constraint(self) -> Constraint:
        # Grouped by variable in order of appearance, so that where a constraint was written makes no difference.
        tests = [test for v in variables_of(self._edges) for test in self._tests.get(v, ())]
        return Constraint((tuple(dict.fromkeys(Condition(test) for test in tests)),)) if tests else ALWAYS

    def _line(self) -> None:
        if self._scanner.accept(tokens.TURTLE_PREFIX) or self._scanner.accept(tokens.SPARQL_PREFIX):
            self._prefix()
        else:
            self._edges.append(self._edge())
            self._scanner.check_count("edges", MAX_EDGES, len(self._edges))
        self._scanner.accept(tokens.FULL_STOP)
        if not self._scanner.at_end:
            self._scanner.expect(tokens.LINE_END, "the end of the line after an edge or a prefix")

    def _prefix(self) -> None:
        label = self._scanner.expect(tokens.PREFIX_LABEL, "a prefix and a colon")
        self._terms.declare(label.group(1))

    # Edges

    def _edge(self) -> Pattern:
        return Pattern(self._subject(), self._predicate(), self._object())

    def _subject(self) -> PatternTerm:
        offset = self._scanner.offset
        if self._terms.literal() is not None:
            raise self._scanner.problem(
                "a literal cannot be a subject: wanted an IRI, a variable or a blank node", offset
            )
        return self._node("a subject: an IRI, a variable or a blank node")

    def _predicate(self) -> PatternTerm:
        if self._scanner.accept(tokens.TYPE):
            return RDF["type"]
        term = self._variable() or self._terms.iri()
        if term is None:
            raise self._scanner.problem(wanted="a predicate: an IRI, a or a variable", found=self._scanner.here())
        return self._constrained(term)

    def _object(self) -> PatternTerm:
        return self._node("an object: an IRI, a literal, a variable or a blank node")

    def _node(self, wanted: str) -> PatternTerm:
        term = self._variable() or self._blank() or self._terms.iri() or self._terms.literal()
        if term is None:
            raise self._scanner.problem(wanted=wanted, found=self._scanner.here())
        return self._constrained(term)

    def _variable(self) -> Variable | None:
        found = self._scanner.accept(tokens.VARIABLE)
        return Variable(found.group(1)) if found else None

    def _blank(self) -> Variable | None:
        found = self._scanner.accept(tokens.BLANK)
        return Variable(found.group()) if found else None

    # Constraints

    def _constrained(self, term: PatternTerm) -> PatternTerm:
        offset = self._scanner.offset
        if self._scanner.accept(tokens.OPEN):
            if not isinstance(term, Variable) or term.is_blank:
                raise self._scanner.problem("only a variable can be constrained", offset, found=str(term))
            self._tests.setdefault(term, []).extend(self._constraint_set(term))
        return term

    def _constraint_set(self, variable: Variable) -> list[Test]:
        tests = [self._test(variable)]
        while self._scanner.accept(tokens.COMMA):
            tests.append(self._test(variable))
        self._scanner.expect(tokens.CLOSE, "a comma or a closing parenthesis after a constraint")
        return tests

    def _test(self, variable: Variable) -> Test:
        self._repeated(variable)
        sign = self._scanner.expect(tokens.OPERATOR, "an operator: =, <, <=, > or >=").group()
        operator = tokens.COMPARATORS[sign]
        operand = self._operand()
        if isinstance(operand, NamedNode):
            return TaxonomyTest(tokens.RELATIONS[operator], variable, operand)
        return ComparisonTest(operator, variable, operand)

    def _repeated(self, variable: Variable) -> None:
        """The paper draws `?y (?y <= Publication)`: the variable once more, before its operator."""
        offset = self._scanner.offset
        again = self._variable()
        if again is not None and again != variable:
            raise self._scanner.problem(f"a constraint of {variable} cannot be about {again}", offset)

    def _operand(self) -> NamedNode | Literal:
        operand = self._terms.iri() or self._terms.literal()
        if operand is None:
            raise self._scanner.problem(wanted="an IRI or a literal after the operator", found=self._scanner.here())
        return operand
