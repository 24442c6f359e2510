"""Quads and derivations as reasons: what is asserted first, then what is inferred, each once."""

from __future__ import annotations

from collections.abc import Iterable

from triplewire.algebra.derivations import Derivation
from triplewire.matching.evaluation.event_view import EventView, Row
from triplewire.rdf.terms import Quad, Triple
from triplewire.wire.reasons import QuadReason, Reason, asserted, inferred


def reason(rows: Iterable[Row], derivations: Iterable[Derivation], view: EventView, *, truncated: bool) -> Reason:
    """The reason that says so. What is derived without any axiom is asserted."""
    followed = list(derivations)
    said: dict[str, QuadReason] = {}
    premises = (_row(premise) for derivation in followed for premise in derivation.premises)
    for row in (*rows, *premises):
        quad = Quad(*row, view.graph)  # type: ignore[arg-type]
        said.setdefault(str(quad), asserted(quad))
    for derivation in followed:
        if derivation.axioms:
            named = tuple(Quad(*_row(premise), view.graph) for premise in derivation.premises)  # type: ignore[arg-type]
            said.setdefault(str(derivation.conclusion), inferred(derivation.conclusion, derivation.axioms, named))
    return Reason(tuple(said.values()), truncated)


def _row(triple: Triple) -> Row:
    return triple.subject, triple.predicate, triple.object
