"""USING NAMESPACE and LET: what a preamble defines, and what of it holds for the statements that follow.

The first preamble of a file holds for the whole file. A later one may define the same again, for its own statement. A
statement keeps what its own preamble defines, and of the rest only what it uses, so that it says the same when it
stands alone.
"""

from __future__ import annotations

from msgspec import Struct

from triplewire.languages.rdftl import tokens
from triplewire.languages.rdftl.expanded_size import Extent, path_extent
from triplewire.languages.rdftl.path_parser import QueryReader
from triplewire.languages.rdftl.scope import NO_EVENT_YET, RuleScope
from triplewire.languages.rdftl.syntax import Let
from triplewire.languages.scanner import Scanner, shortened


class Definition(Struct, frozen=True):
    """A variable, how large it is, and which variables it rests on, directly or not."""

    let: Let
    extent: Extent
    uses: frozenset[str]


class Preamble(Struct, frozen=True):
    """What was defined."""

    namespaces: dict[str, str] = {}
    variables: dict[str, Definition] = {}


class Definitions:
    """The definitions of one statement, on top of those that hold already."""

    def __init__(self, scanner: Scanner, inherited: Preamble) -> None:
        self._scanner = scanner
        self._inherited = inherited
        self._namespaces: dict[str, str] = {}
        self._own: dict[str, Definition] = {}
        self._visible = dict(inherited.variables)
        self.terms = tokens.RdftlTerms(scanner, inherited.namespaces)
        self.queries = QueryReader(scanner, self.terms)
        self.queries.scope = RuleScope({name: known.extent for name, known in self._visible.items()}, NO_EVENT_YET)

    def accept(self) -> bool:
        """Read one definition, if one stands here."""
        if self._scanner.accept(tokens.USING):
            self._namespace()
        elif self._scanner.accept(tokens.LET):
            self._let()
        else:
            return False
        return True

    def whole(self) -> Preamble:
        """All that is defined here, for the statements that follow."""
        return Preamble({**self._inherited.namespaces, **self._namespaces}, self._visible)

    def namespaces(self) -> tuple[tuple[str, str], ...]:
        """What the statement declares and what it uses of the rest."""
        others = self.terms.used - self._namespaces.keys()
        used = {name: uri for name, uri in self._inherited.namespaces.items() if name in others}
        return tuple((used | self._namespaces).items())

    def lets(self) -> tuple[Let, ...]:
        """What the statement defines and what it uses of the rest, each after what it rests on."""
        needed = set(self.queries.scope.used)
        needed.update(*(self._visible[name].uses for name in self.queries.scope.used))
        return tuple(known.let for name, known in self._visible.items() if name in needed or name in self._own)

    def _namespace(self) -> None:
        self._scanner.expect(tokens.NAMESPACE, "NAMESPACE after USING")
        offset = self._scanner.offset
        name = self._scanner.expect(tokens.NAMESPACE_NAME, "the name of a namespace").group()
        uri = self.terms.namespace(name)
        taken = tokens.AMBIENT.get(name) or self._namespaces.get(name)
        if taken not in (None, uri):
            summary = f"the namespace {shortened(name)} already means {taken}"
            raise self._scanner.problem(summary, offset, found=shortened(uri))
        self._namespaces[name] = self.terms.prefixes[name] = uri

    def _let(self) -> None:
        offset = self._scanner.offset
        found = self._scanner.expect(tokens.VARIABLE, "a $variable to define")
        name = found.group(1)
        if name == "delta" or found.group(2) is not None:
            raise self._scanner.problem(
                wanted="a $variable to define",
                found=f"{shortened(found.group())}: $delta is what triggers a rule",
                offset=offset,
            )
        self._forget(name, offset)
        self._scanner.expect(tokens.ASSIGN, f":= after ${shortened(name)}")
        self._define(name)

    def _define(self, name: str) -> None:
        scope = self.queries.scope
        self.queries.scope = RuleScope(scope.variables, NO_EVENT_YET)
        path = self.queries.path()
        direct = self.queries.scope.used
        self.queries.scope = scope
        scope.used.update(direct)
        uses = direct.union(*(self._visible[used].uses for used in direct))
        known = Definition(Let(name, path), path_extent(path, scope.variables), frozenset(uses))
        self._own[name] = self._visible[name] = known
        scope.variables[name] = known.extent

    def _forget(self, name: str, offset: int) -> None:
        """Make room for a variable that an earlier preamble defined. What rests on the old one goes with it."""
        if name in self._own:
            raise self._scanner.problem(f"${shortened(name)} is defined twice", offset)
        for own in self._own.values():
            if name in own.uses:
                message = f"${shortened(own.let.name)} rests on the ${shortened(name)} of before: define this one first"
                raise self._scanner.problem(message, offset)
        for other, known in list(self._visible.items()):
            if other == name or name in known.uses:
                del self._visible[other], self.queries.scope.variables[other]
