"""How large a path or a condition is once every variable is written out.

Variables that use variables double with each LET, and a query grows with them: a few lines may mean more than a store
can answer. So the size is known, and bounded, before anything is written out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct

from triplewire.errors import InputError, LimitExceeded
from triplewire.languages.rdftl.syntax import (
    Both,
    Compared,
    Condition,
    Either,
    Exists,
    Let,
    Not,
    Path,
    Variable,
    Where,
)

# Nested as deep as this, a query is still far from where a store's stack ends.
MAX_SIZE = 250
MAX_DEPTH = 50


class Extent(Struct, frozen=True):
    """`size` counts steps and conditions, `depth` how far qualifiers, parentheses and `not` nest."""

    size: int
    depth: int

    def check(self) -> None:
        """Refuse what is too large to be asked."""
        if self.size > MAX_SIZE:
            allowed = f"a query may have {MAX_SIZE:,} steps and conditions, its variables written out"
            raise LimitExceeded("steps and conditions", MAX_SIZE, allowed, found="more")
        if self.depth > MAX_DEPTH:
            raise too_deep()


def too_deep() -> LimitExceeded:
    """The error for what nests too far."""
    allowed = f"qualifiers, parentheses and not may nest {MAX_DEPTH} deep, variables written out"
    return LimitExceeded("nesting", MAX_DEPTH, allowed, found="more")


Extents = Mapping[str, Extent]


def defined(lets: Iterable[Let]) -> dict[str, Extent]:
    """The extent of each variable."""
    known: dict[str, Extent] = {}
    for let in lets:
        known[let.name] = path_extent(let.path, known)
    return known


def path_extent(path: Path, variables: Extents) -> Extent:
    """The extent of a path over variables that are defined."""
    start = _variable(path.start.name, variables) if isinstance(path.start, Variable) else Extent(1, 0)
    inside = _all_of((step.condition for step in path.steps if isinstance(step, Where)), variables)
    return Extent(start.size + len(path.steps) + inside.size, max(start.depth, inside.depth))


def _variable(name: str, variables: Extents) -> Extent:
    if name not in variables:
        raise InputError(wanted="a variable that a LET has defined", found=f"${name}")
    return variables[name]


def condition_extent(condition: Condition, variables: Extents) -> Extent:
    """The extent of a condition over variables that are defined."""
    match condition:
        case Exists(path):
            return path_extent(path, variables)
        case Compared(left, _, Path() as right):
            return _sum((path_extent(left, variables), path_extent(right, variables)))
        case Compared(left, _, _):
            return path_extent(left, variables)
        case Both(parts) | Either(parts):
            return _all_of(parts, variables)
        case Not(part):
            return _all_of((part,), variables)
    return Extent(1, 0)


def _all_of(parts: Iterable[Condition], variables: Extents) -> Extent:
    inside = _sum(condition_extent(part, variables) for part in parts)
    return Extent(inside.size, inside.depth + 1) if inside.size else inside


def _sum(parts: Iterable[Extent]) -> Extent:
    size = depth = 0
    for part in parts:
        size, depth = size + part.size, max(depth, part.depth)
    return Extent(size, depth)
