"""Syntax tree to Python functions over a solution.

An expression is compiled as a term, None being an error, or as a condition, which is true, false or None. A variable is
looked up in the solution, then in the solution around an EXISTS.
"""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from triplewire.algebra.constraints import TaxonomyRelation
from triplewire.algebra.patterns import Variable
from triplewire.errors import RefusedFeature
from triplewire.evaluation.algebra import nodes
from triplewire.evaluation.datasets import LIVING, DatasetKind
from triplewire.evaluation.expressions import functions
from triplewire.evaluation.expressions.by_oxigraph import computed
from triplewire.evaluation.expressions.digests import digest
from triplewire.evaluation.expressions.durations import weight
from triplewire.evaluation.work import Bindings, Work
from triplewire.languages.sparql.syntax import ast
from triplewire.languages.sparql.syntax.functions import TAXONOMY_FUNCTIONS
from triplewire.languages.trees import walk
from triplewire.rdf.literals.kept import as_kept
from triplewire.rdf.literals.values import compare
from triplewire.rdf.terms import XSD, BlankNode, Literal, NamedNode, Term

TermFunction = Callable[[Bindings, Work], Term | None]
Condition = Callable[[Bindings, Work], bool | None]
# Whether a pattern has a solution that is compatible with another.
HasSolution = Callable[[Bindings, Work], bool]
CompilePattern = Callable[[nodes.Node], HasSolution]

_CONDITIONS = (ast.Or, ast.And, ast.Not, ast.Compare, ast.In, ast.NotIn, nodes.Exists)
_FRESH = frozenset(("BNODE", "UUID", "STRUUID", "RAND"))
_COMPILED = frozenset((*functions.FUNCTIONS, *functions.TESTS, *_FRESH, "BOUND", "COALESCE", "IF", "NOW", "STRDT"))
_STRING = XSD["string"]
# A string up to this long costs nothing beside the call that makes it.
_LIGHT = 256


def depends_on_time(tree: object) -> bool:
    """Whether NOW() is called somewhere."""
    return any(isinstance(node, ast.BuiltIn) and node.name == "NOW" for node in walk(tree))


def depends_on_moment(tree: object) -> bool:
    """Whether evaluating it again may give something else: by the time, or by chance."""
    return any(isinstance(node, ast.BuiltIn) and (node.name == "NOW" or node.name in _FRESH) for node in walk(tree))


def asked_of_oxigraph(tree: object) -> tuple[str, ...]:
    """The calls in an expression, or a query, that are not compiled: Oxigraph computes them, one at a time.

    >>> from triplewire.languages.sparql.parsing.parser import parse_query
    >>> asked_of_oxigraph(parse_query("ASK { ?s ?p ?o FILTER(REGEX(STR(?o), 'a') || STRLEN(?o) > 1) }"))
    ('REGEX',)
    """
    return tuple(dict.fromkeys(name for node in walk(tree) if (name := _not_compiled(node)) is not None))


def _not_compiled(node: object) -> str | None:
    if isinstance(node, ast.FunctionCall) and node.function not in TAXONOMY_FUNCTIONS:
        return str(node.function)
    if isinstance(node, ast.BuiltIn) and node.base is None and node.name not in _COMPILED:
        return node.name
    return None


def variables_in(expression: ast.Expression) -> frozenset[str] | None:
    """The variables on which an expression depends; None if they are those of a pattern as well."""
    found = list(walk(expression))
    if any(isinstance(node, nodes.Exists) or (isinstance(node, ast.BuiltIn) and node.name in _FRESH) for node in found):
        return None
    return frozenset(node.name for node in found if isinstance(node, Variable))


class Compiler:
    """Compiles the expressions of one query, over a dataset of this kind."""

    def __init__(self, compile_pattern: CompilePattern, kind: DatasetKind = LIVING) -> None:
        self._compile_pattern = compile_pattern
        self._kind = kind
        self._places = 0
        self._beside: frozenset[str] = frozenset()

    def term(self, expression: ast.Expression) -> TermFunction:
        """The function that computes a term."""
        if isinstance(expression, Variable):
            return _variable(expression.name)
        if isinstance(expression, NamedNode | Literal):
            return _constant(expression)
        if isinstance(expression, nodes.Parameter):
            return _parameter(expression.number)
        if isinstance(expression, ast.Arithmetic):
            return self._arithmetic(expression)
        if isinstance(expression, ast.Signed):
            sign = "+ {}" if expression.sign is ast.Operator.PLUS else "- {}"
            return self._applied(lambda a: computed(sign, a), (expression.operand,))
        if isinstance(expression, ast.FunctionCall):
            return self._call(expression)
        if isinstance(expression, ast.BuiltIn):
            return self._built_in(expression)
        return _as_term(self.condition(expression))

    def term_beside(self, expression: ast.Expression, beside: frozenset[str]) -> TermFunction:
        """The same where a solution already shows what was computed from it under these names.

        `BNODE("a")` is one node in all that is computed from one solution.
        """
        before, self._beside = self._beside, beside
        try:
            return self.term(expression)
        finally:
            self._beside = before

    def condition(self, expression: ast.Expression) -> Condition:
        """The function that computes a truth value."""
        if isinstance(expression, ast.And):
            return _all([self.condition(operand) for operand in expression.operands])
        if isinstance(expression, ast.Or):
            return _any([self.condition(operand) for operand in expression.operands])
        if isinstance(expression, ast.Not):
            return _not(self.condition(expression.operand))
        if isinstance(expression, ast.Compare):
            return _compared(expression.operator.value, self.term(expression.left), self.term(expression.right))
        if isinstance(expression, ast.In):
            return self._membership(expression)
        if isinstance(expression, ast.NotIn):
            return _not(self._membership(expression))
        if isinstance(expression, nodes.Exists):
            return self._compile_pattern(expression.pattern)
        if isinstance(expression, ast.BuiltIn) and (expression.name in functions.TESTS or expression.name == "BOUND"):
            return self._test(expression)
        return _as_condition(self.term(expression))

    def _membership(self, expression: ast.In | ast.NotIn) -> Condition:
        operand = self.term(expression.operand)
        return _any([_compared("=", operand, self.term(choice)) for choice in expression.choices])

    def _test(self, call: ast.BuiltIn) -> Condition:
        if call.name == "BOUND":
            bound = self.term(call.arguments[0])
            return lambda solution, work: bound(solution, work) is not None
        test = functions.TESTS[call.name]
        if len(call.arguments) == 1:
            only = self.term(call.arguments[0])

            def one(solution: Bindings, work: Work) -> bool | None:
                term = only(solution, work)
                return None if term is None else test(term)

            return one
        left, right = map(self.term, call.arguments)

        def two(solution: Bindings, work: Work) -> bool | None:
            a, b = left(solution, work), right(solution, work)
            return None if a is None or b is None else test(a, b)

        return two

    def _arithmetic(self, expression: ast.Arithmetic) -> TermFunction:
        first = self.term(expression.first)
        rest = [(_OPERATIONS[step.operator], self.term(step.operand)) for step in expression.rest]

        def calculated(solution: Bindings, work: Work) -> Term | None:
            result = first(solution, work)
            for operation, operand in rest:
                other = operand(solution, work)
                if result is None or other is None:
                    return None
                work.budget.left -= weight(result, other)
                if work.budget.left < 0:
                    work.budget.exceed()
                result = operation(result, other)
            return result

        return calculated

    def _call(self, call: ast.FunctionCall) -> TermFunction:
        relation = TAXONOMY_FUNCTIONS.get(call.function)
        if relation is not None:
            return self._related(relation, call)
        text = f"{call.function}({{}})"
        return self._applied(lambda *arguments: computed(text, *arguments), call.arguments)

    def _related(self, relation: TaxonomyRelation, call: ast.FunctionCall) -> TermFunction:
        holds = self._kind.holds
        if holds is None:
            raise RefusedFeature(
                str(call.function),
                wanted="a function over the living graph",
                found=f"{call.function}, which needs a taxonomy",
            )
        node, cls = map(self.term, call.arguments)

        def related(solution: Bindings, work: Work) -> Term | None:
            a, b = node(solution, work), cls(solution, work)
            return None if a is None or b is None else functions.boolean(holds(work.dataset, relation, a, b))

        return related

    def _built_in(self, call: ast.BuiltIn) -> TermFunction:
        name = call.name
        if name in functions.TESTS or name == "BOUND":
            return _as_term(self._test(call))
        if name == "IF":
            return self._if(call)
        if name == "COALESCE":
            return _first([self.term(argument) for argument in call.arguments])
        if name == "NOW":
            return lambda solution, work: work.moment.now
        if name in _FRESH:
            return self._fresh(call)
        if call.base is not None:
            base = call.base
            return self._applied(lambda term: functions.iri(term, base), call.arguments)
        if name == "STRDT":
            kept = self._kind.kept
            return self._applied(lambda text, datatype: functions.typed(text, datatype, kept), call.arguments)
        own = functions.FUNCTIONS.get(name)
        if own is not None:
            return self._applied(own, call.arguments)
        if name == "REPLACE":
            return self._replaced(call)
        text = f"{name}({', '.join(['{}'] * len(call.arguments))})"
        return self._applied(lambda *arguments: computed(text, *arguments), call.arguments)

    def _if(self, call: ast.BuiltIn) -> TermFunction:
        condition = self.condition(call.arguments[0])
        yes, no = self.term(call.arguments[1]), self.term(call.arguments[2])

        def chosen(solution: Bindings, work: Work) -> Term | None:
            holds = condition(solution, work)
            return None if holds is None else yes(solution, work) if holds else no(solution, work)

        return chosen

    def _fresh(self, call: ast.BuiltIn) -> TermFunction:
        """BNODE(name) is the same node for the same name in one solution; all else differs by its place."""
        self._places += 1
        place = f"{call.name}{self._places}"
        if call.arguments:
            name, beside = self.term(call.arguments[0]), self._beside

            def named(solution: Bindings, work: Work) -> Term | None:
                label = name(solution, work)
                if not isinstance(label, Literal) or label.datatype != _STRING:
                    return None
                shared = {key: term for key, term in solution.items() if key not in beside} if beside else solution
                return _MAKERS["BNODE"](digest(work.moment.salt, f"BNODE({label.value})", shared))

            return named
        make = _MAKERS[call.name]
        return lambda solution, work: make(digest(work.moment.salt, place, solution))

    def _applied(self, function: functions.Function, arguments: tuple[ast.Expression, ...]) -> TermFunction:
        compiled = [self.term(argument) for argument in arguments]

        def applied(solution: Bindings, work: Work) -> Term | None:
            terms = []
            for argument in compiled:
                term = argument(solution, work)
                if term is None:
                    return None
                terms.append(term)
            result = function(*terms)
            if isinstance(result, Literal):
                _charge(work, len(result.value))
            return result

        return applied

    def _replaced(self, call: ast.BuiltIn) -> TermFunction:
        """REPLACE, whose result may be as long as its text times its replacement: known beforehand."""
        text = f"REPLACE({', '.join(['{}'] * len(call.arguments))})"
        compiled = [self.term(argument) for argument in call.arguments]

        def replaced(solution: Bindings, work: Work) -> Term | None:
            terms = [argument(solution, work) for argument in compiled]
            if not all(isinstance(term, Literal) for term in terms):
                return None
            _charge(work, (len(terms[0].value) + 1) * (len(terms[2].value) + 1))  # type: ignore[union-attr]
            return computed(text, *terms)  # type: ignore[arg-type]

        return replaced


def _charge(work: Work, length: int) -> None:
    """Long strings count as many steps: each is a copy."""
    if length > _LIGHT:
        work.budget.spend(length // _LIGHT)


_OPERATIONS = {
    ast.Operator.PLUS: functions.add,
    ast.Operator.MINUS: functions.subtract,
    ast.Operator.TIMES: functions.multiply,
    ast.Operator.DIVIDED: functions.divide,
}

_MAKERS: dict[str, Callable[[bytes], Term]] = {
    "BNODE": lambda found: BlankNode(f"b{found.hex()[:32]}"),
    "UUID": lambda found: NamedNode(f"urn:uuid:{UUID(bytes=found[:16], version=4)}"),
    "STRUUID": lambda found: Literal(str(UUID(bytes=found[:16], version=4))),
    "RAND": lambda found: as_kept(Literal(repr((int.from_bytes(found[:8]) >> 11) / (1 << 53)), datatype=XSD["double"])),
}


def _variable(name: str) -> TermFunction:
    def bound(solution: Bindings, work: Work) -> Term | None:
        term = solution.get(name)
        return term if term is not None else work.outer.get(name)

    return bound


def _constant(term: Term) -> TermFunction:
    return lambda solution, work: term


def _parameter(number: int) -> TermFunction:
    return lambda solution, work: work.constants[number]


def _as_term(condition: Condition) -> TermFunction:
    return lambda solution, work: functions.boolean(condition(solution, work))


def _as_condition(term: TermFunction) -> Condition:
    return lambda solution, work: functions.effective_boolean_value(term(solution, work))


def _first(terms: list[TermFunction]) -> TermFunction:
    def chosen(solution: Bindings, work: Work) -> Term | None:
        return next((found for term in terms if (found := term(solution, work)) is not None), None)

    return chosen


def _compared(operator: str, left: TermFunction, right: TermFunction) -> Condition:
    def compared(solution: Bindings, work: Work) -> bool | None:
        a, b = left(solution, work), right(solution, work)
        return None if a is None or b is None else compare(operator, a, b)

    return compared


def _not(condition: Condition) -> Condition:
    def negated(solution: Bindings, work: Work) -> bool | None:
        holds = condition(solution, work)
        return None if holds is None else not holds

    return negated


def _all(conditions: list[Condition]) -> Condition:
    """False if one is false, else an error if one is an error."""

    def conjunction(solution: Bindings, work: Work) -> bool | None:
        result: bool | None = True
        for condition in conditions:
            holds = condition(solution, work)
            if holds is False:
                return False
            if holds is None:
                result = None
        return result

    return conjunction


def _any(conditions: list[Condition]) -> Condition:
    """True if one is true, else an error if one is an error."""

    def disjunction(solution: Bindings, work: Work) -> bool | None:
        result: bool | None = False
        for condition in conditions:
            holds = condition(solution, work)
            if holds:
                return True
            if holds is None:
                result = None
        return result

    return disjunction
