"""Reasons for people: what a solution stands on, a line for each quad, and under it how it came about.

>>> from triplewire.wire.reasons import inferred
>>> for line in reason_lines(Reason((inferred("<urn:a> <urn:made> <urn:b>", ("<urn:x> <urn:up> <urn:y>",), ()),))):
...     print(line)
inferred  <urn:a> <urn:made> <urn:b>
          by <urn:x> <urn:up> <urn:y>
"""

from __future__ import annotations

from collections.abc import Iterator

from triplewire.cli.names import shortened
from triplewire.wire.reasons import Origin, QuadReason, Reason

_INDENT = " " * 10
_ENDED = "there may be more, or less would do: the search was ended"


def reason_lines(reason: Reason, graph: str = "") -> Iterator[str]:
    """The lines of a reason. The name of a graph is left out where it is the one that everything is in."""
    for quad in reason.quads:
        yield f"{quad.kind:<10}{_short(quad.quad, graph)}"
        yield from (_INDENT + line for line in _how(quad, graph))
    if reason.truncated:
        yield _ENDED if reason.quads else "not known: the search was ended, or it depends on time or chance"


def _how(quad: QuadReason, graph: str) -> Iterator[str]:
    if quad.axioms:
        yield "by " + ", ".join(_short(axiom) for axiom in quad.axioms)
    if quad.premises:
        yield "from " + ", ".join(_short(premise, graph) for premise in quad.premises)
    if quad.origin is not None:
        yield from _back(quad.origin)


def _back(origin: Origin) -> Iterator[str]:
    """From the rule that inserted it, if it was one, to the update that began it."""
    because = "by "
    for firing in origin.firings:
        yield f"{because}the rule {firing.rule}"
        because = "because of "
    if origin.change is not None:
        yield because + _update(origin)
    if origin.lost is not None:
        yield origin.lost


def _update(origin: Origin) -> str:
    named = "" if origin.transaction is None else f" {origin.transaction}"
    author = "" if origin.author is None else f" of {origin.author}"
    return f"the update{named}{author}, change {origin.change:,}"


def _short(line: str, graph: str = "") -> str:
    return shortened(line.removesuffix(f" <{graph}>") if graph else line)
