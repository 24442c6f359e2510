"""Precedence: rules that others precede wait for them, and everything else keeps its place."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triplewire.errors import PrecedenceCycle
from triplewire.languages.rdftl import parse_rule
from triplewire.languages.rdftl.syntax import Rule
from triplewire.rules.precedence import Precedence

NAMES = "abcdef"


def rule(name: str, *precedes: str) -> Rule:
    clause = f"PRECEDES {', '.join(precedes)} " if precedes else ""
    return parse_rule(f"{clause}ON INSERT (_, <urn:p>, _) IF True DO DELETE (_, <urn:p>, _)", id=name)


def naive_order(items: list[str], later: dict[str, set[str]]) -> list[str]:
    """Again and again the first that none of those left precedes, with the others of its rule."""
    if not any(later[one] & set(items) for one in items):
        return items
    done: list[str] = []
    while items:
        free = next(one for one in items if not any(one in later[other] for other in items))
        done += [one for one in items if one == free]
        items = [one for one in items if one != free]
    return done


@given(
    st.sets(st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES)).filter(lambda pair: pair[0] < pair[1])),
    st.permutations(NAMES),
    st.lists(st.sampled_from(NAMES), max_size=10),
)
def test_items_come_in_the_order_of_a_naive_twin(edges, names, items) -> None:
    """`names` makes every order of the alphabet possible; rules precede others that are not among the items as well."""
    called = dict(zip(NAMES, names, strict=True))
    follows = {name: {called[to] for start, to in edges if called[start] == name} for name in NAMES}
    later = {name: set(follows[name]) for name in NAMES}
    for _ in NAMES:
        later = {name: found.union(*(later[one] for one in found)) for name, found in later.items()}
    precedence = Precedence(rule(name, *sorted(follows[name])) for name in NAMES)
    assert precedence.ordered(items, lambda item: item) == naive_order(items, later)


def test_a_rule_that_would_precede_itself_is_refused_and_changes_nothing() -> None:
    precedence = Precedence([rule("a", "b"), rule("b", "c")])
    with pytest.raises(PrecedenceCycle, match="c"):
        precedence.add(rule("c", "a"))
    assert precedence.ordered(["c", "b", "a"], lambda item: item) == ["a", "b", "c"]
