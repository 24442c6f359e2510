"""Triple patterns: a triple in which any position may be a variable."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from triplewire.rdf.terms import Literal, NamedNode, Triple


class Variable(Struct, frozen=True, order=True, gc=False):
    """A variable, by its name without the question mark.

    A blank node in a query is a variable that nobody can project or mention: its name begins with `_:`.
    """

    name: str

    @property
    def is_blank(self) -> bool:
        return self.name.startswith("_:")

    def __str__(self) -> str:
        return self.name if self.is_blank else f"?{self.name}"


# What may stand in a pattern. Blank nodes may not: in a query they are variables.
PatternTerm = Variable | NamedNode | Literal | Triple


class Pattern(Struct, frozen=True, gc=False):
    """One triple pattern."""

    subject: PatternTerm
    predicate: PatternTerm
    object: PatternTerm

    def __iter__(self) -> Iterator[PatternTerm]:
        yield self.subject
        yield self.predicate
        yield self.object

    @property
    def variables(self) -> tuple[Variable, ...]:
        """Its variables in order of position, repeats included."""
        return tuple(term for term in self if isinstance(term, Variable))

    def __str__(self) -> str:
        return f"{self.subject} {self.predicate} {self.object}"


def variables_of(patterns: Iterable[Pattern]) -> tuple[Variable, ...]:
    """The variables of some patterns, each once, in order of first appearance."""
    return tuple(dict.fromkeys(v for pattern in patterns for v in pattern.variables))
