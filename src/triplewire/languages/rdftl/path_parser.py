"""Reading paths and conditions. They hold each other: a step may be qualified by a condition, which asks for paths."""

from __future__ import annotations

from triplewire.errors import LimitExceeded
from triplewire.languages.rdftl import tokens
from triplewire.languages.rdftl.expanded_size import MAX_DEPTH, Extent, condition_extent, path_extent, too_deep
from triplewire.languages.rdftl.scope import NO_EVENT_YET, RuleScope
from triplewire.languages.rdftl.syntax import (
    Always,
    Both,
    Compared,
    Condition,
    Delta,
    Either,
    Element,
    Exists,
    Name,
    Never,
    Not,
    Path,
    Resource,
    Source,
    Start,
    Step,
    Target,
    Variable,
    Where,
)
from triplewire.languages.scanner import Scanner
from triplewire.rdf.terms import Literal

_A_PATH = "a path: resource(...) or a $variable"


class QueryReader:
    """Reads paths and conditions at a scanner. `scope` says what `$` may stand for, and changes along a rule."""

    def __init__(self, scanner: Scanner, terms: tokens.RdftlTerms) -> None:
        self._scanner = scanner
        self._terms = terms
        self._depth = 0
        self._qualifiers = 0
        self.scope = RuleScope({}, NO_EVENT_YET)

    # Paths

    def path(self, wanted: str = _A_PATH) -> Path:
        """A whole path, not larger than can be asked."""
        offset = self._scanner.offset
        path = self._absolute(wanted)
        self._check(path_extent(path, self.scope.variables), offset)
        return path

    def _absolute(self, wanted: str) -> Path:
        return Path(self._start(wanted), self._steps([]))

    def _start(self, wanted: str) -> Start:
        if self._scanner.accept(tokens.RESOURCE):
            iri = None if self._scanner.sees(tokens.CLOSE) else self._terms.uri("a URI, or ) for every resource")
            self._scanner.expect(tokens.CLOSE, ") after the URI of a resource")
            return Resource(iri)
        return self.variable(wanted)

    def variable(self, wanted: str) -> Variable | Delta:
        """`$name`, which must be defined, or `$delta`, which must be possible here."""
        offset = self._scanner.offset
        found = self._scanner.expect(tokens.VARIABLE, wanted)
        return self.scope.meaning(self._scanner, found.group(1), found.group(2), offset)

    def _steps(self, steps: list[Step]) -> tuple[Step, ...]:
        while True:
            if self._scanner.accept(tokens.SLASH):
                steps.append(self._move())
            elif self._scanner.accept(tokens.OPEN_QUALIFIER):
                steps.append(self._where())
            else:
                return tuple(steps)

    def _move(self) -> Step:
        if self._scanner.accept(tokens.TARGET):
            return Target(self._arc("target"))
        if self._scanner.accept(tokens.SOURCE):
            return Source(self._arc("source"))
        self._scanner.expect(tokens.ELEMENT, "target(...), source(...) or element(...)")
        return self._element()

    def _arc(self, step: str) -> Name:
        name = self._terms.name(f"an arc name for {step}(...)")
        self._scanner.expect(tokens.CLOSE, f") after the arc name of {step}")
        return name

    def _element(self) -> Element:
        if self._scanner.accept(tokens.CLOSE):
            return Element()
        wanted = "the number of an element, from 1 to 999,999,999, or ) for each of them"
        number = int(self._scanner.expect(tokens.NUMBER, wanted).group())
        self._scanner.expect(tokens.CLOSE, ") after the number of an element")
        return Element(number)

    def _where(self) -> Where:
        self._qualifiers += 1
        condition = self._inside()
        self._qualifiers -= 1
        self._scanner.expect(tokens.CLOSE_QUALIFIER, "], or and/or with another condition")
        return Where(condition)

    # Conditions: `not` binds tightest, then `and`, then `or`

    def condition(self) -> Condition:
        """A whole condition, not larger than can be asked."""
        offset = self._scanner.offset
        condition = self._either()
        self._check(condition_extent(condition, self.scope.variables), offset)
        return condition

    def _inside(self) -> Condition:
        self._enter()
        condition = self._either()
        self._depth -= 1
        return condition

    def _either(self) -> Condition:
        parts = [self._both()]
        while self._scanner.accept(tokens.OR):
            parts.append(self._both())
        return parts[0] if len(parts) == 1 else Either(tuple(parts))

    def _both(self) -> Condition:
        parts = [self._unit()]
        while self._scanner.accept(tokens.AND):
            parts.append(self._unit())
        return parts[0] if len(parts) == 1 else Both(tuple(parts))

    def _unit(self) -> Condition:
        if self._scanner.accept(tokens.NOT):
            self._enter()
            part = self._unit()
            self._depth -= 1
            return Not(part)
        if self._scanner.accept(tokens.OPEN):
            inside = self._inside()
            self._scanner.expect(tokens.CLOSE, "), or and/or with another condition")
            return inside
        return self._atom()

    def _atom(self) -> Condition:
        if self._scanner.accept(tokens.TRUE):
            return Always()
        if self._scanner.accept(tokens.FALSE):
            return Never()
        left = self._operand("a condition: a path, True, False, not or a parenthesis")
        found = self._scanner.accept(tokens.COMPARISON)
        if found is None:
            return Exists(left)
        return Compared(left, tokens.COMPARISONS[found.group()], self._right())

    def _right(self) -> Literal | Path:
        literal = self._terms.literal()
        return literal if literal is not None else self._operand("a string in quotes or a path to compare with")

    def _operand(self, wanted: str) -> Path:
        relative = any(map(self._scanner.sees, (tokens.TARGET, tokens.SOURCE, tokens.ELEMENT)))
        if not relative:
            return self._absolute(wanted)
        if not self._qualifiers:
            raise self._scanner.problem(
                wanted=_A_PATH, found=f"{self._scanner.here()}: a path without a start stands in a qualifier"
            )
        return Path(None, self._steps([self._move()]))

    def _enter(self) -> None:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise too_deep().standing_in(self._scanner.text, self._scanner.offset)

    def _check(self, extent: Extent, offset: int) -> None:
        try:
            extent.check()
        except LimitExceeded as error:
            raise error.standing_in(self._scanner.text, offset) from None
