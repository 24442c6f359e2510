"""Property paths as text, with parentheses only where the grammar needs them."""

from __future__ import annotations

from triplewire.algebra.patterns import Variable
from triplewire.languages.sparql.syntax.ast import (
    Alternative,
    Inverse,
    NegatedSet,
    OneOrMore,
    Path,
    Sequence,
    ZeroOrMore,
    ZeroOrOne,
)

_ALTERNATIVE, _SEQUENCE, _INVERSE, _MODIFIED, _PRIMARY = range(5)
_LEVELS: dict[type, int] = {Alternative: _ALTERNATIVE, Sequence: _SEQUENCE, Inverse: _INVERSE}
_SIGNS = {ZeroOrMore: "*", OneOrMore: "+", ZeroOrOne: "?"}


def print_path(path: Variable | Path) -> str:
    """
    >>> from triplewire.rdf.terms import NamedNode
    >>> print_path(ZeroOrMore(Sequence((NamedNode("urn:p"), Inverse(NamedNode("urn:q"))))))
    '(<urn:p>/^<urn:q>)*'
    """
    if isinstance(path, Sequence):
        return "/".join([_within(step, _INVERSE) for step in path.steps])
    if isinstance(path, Alternative):
        return "|".join([_within(choice, _SEQUENCE) for choice in path.choices])
    if isinstance(path, Inverse):
        return f"^{_within(path.path, _MODIFIED)}"
    if isinstance(path, NegatedSet):
        return _negated(path)
    if isinstance(path, ZeroOrMore | OneOrMore | ZeroOrOne):
        return f"{_within(path.path, _PRIMARY)}{_SIGNS[type(path)]}"
    return str(path)


def _within(path: Path, least: int) -> str:
    text = print_path(path)
    return text if _level(path) >= least else f"({text})"


def _level(path: Path) -> int:
    if type(path) in _SIGNS:
        return _MODIFIED
    return _LEVELS.get(type(path), _PRIMARY)


def _negated(path: NegatedSet) -> str:
    parts = [*(str(iri) for iri in path.forward), *(f"^{iri}" for iri in path.backward)]
    return f"!{parts[0]}" if len(parts) == 1 else f"!({'|'.join(parts)})"
