"""Answers, and when two of them are the same.

An answer is a list: of solutions for SELECT, of one empty solution for an ASK that holds, of triples for CONSTRUCT.
Order never counts. Blank nodes in solutions are the event's own and are compared by label; those that a CONSTRUCT makes
are new each time, so graphs are compared up to isomorphism.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence

from pyoxigraph import CanonicalizationAlgorithm, Dataset

from triplewire.algebra.queries import Construct
from triplewire.algebra.subscriptions import Subscription
from triplewire.matching.matches import Match
from triplewire.rdf.terms import Quad, Term, Triple

Solution = Mapping[str, Term]
Answers = Sequence[Solution] | Sequence[Triple]


def same_answers(a: Answers | None, b: Answers | None) -> bool:
    """Do two engines say the same? No match at all is `None`, and only equal to itself.

    >>> from triplewire.rdf.terms import Literal
    >>> one, two = {"x": Literal("1")}, {"x": Literal("2")}
    >>> same_answers([one, two], [two, one]), same_answers([one, one], [one]), same_answers([one], None)
    (True, False, False)
    """
    if a is None or b is None:
        return a is b
    if _is_graph(a) or _is_graph(b):
        return len(a) == len(b) == 0 or (_is_graph(a) and _is_graph(b) and same_graph(_triples(a), _triples(b)))
    return Counter(map(_key, _solutions(a))) == Counter(map(_key, _solutions(b)))


def same_graph(a: Sequence[Triple], b: Sequence[Triple]) -> bool:
    """Are two graphs isomorphic? Each triple counts once, as in any graph."""
    return _canonical(a) == _canonical(b)


def _canonical(triples: Sequence[Triple]) -> Dataset:
    dataset = Dataset(Quad(t.subject, t.predicate, t.object) for t in triples)
    dataset.canonicalize(CanonicalizationAlgorithm.UNSTABLE)
    return dataset


def _is_graph(answer: Answers) -> bool:
    return bool(answer) and isinstance(answer[0], Triple)


def _triples(answer: Answers) -> list[Triple]:
    return [row for row in answer if isinstance(row, Triple)]


def _solutions(answer: Answers) -> list[Solution]:
    return [row for row in answer if not isinstance(row, Triple)]


def _key(solution: Solution) -> Hashable:
    return frozenset(solution.items())


def answers_of(subscription: Subscription, match: Match | None) -> Answers | None:
    """What a matcher found, in the oracle's terms: a CONSTRUCT is its triples, and nothing if it made none."""
    if match is None:
        return None
    if isinstance(subscription.query.form, Construct):
        return list(match.construct) or None
    return match.solutions
