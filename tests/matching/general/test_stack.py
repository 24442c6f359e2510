"""Row A2: whatever a query is made of, evaluating it overflows no stack, and planning it does not take for ever."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.matching.general import stack_probe
from tests.matching.general.stack_probe import CONSTRUCTS

from triplewire import Event, Matcher, Subscription
from triplewire.errors import LimitExceeded
from triplewire.languages.sparql import QueryLimits
from triplewire.languages.sparql.lowering.oxigraph_limits import SMALLEST_STACK, stack_of
from triplewire.languages.sparql.parsing.parser import parse_query

[EVENT] = Event.parse('<urn:s> <urn:p> "1"^^<http://www.w3.org/2001/XMLSchema#integer> .', graph="urn:e")


def long_sum(terms: int, in_parentheses: int = 150) -> str:
    """A sum with a pair of parentheses every so many terms."""
    text = "?o"
    for _ in range(terms // in_parentheses):
        text = f"({text}{'+?o' * in_parentheses})"
    return f"SELECT ?s {{ ?s <urn:p> ?o FILTER({text} > 0) }}"


def test_a2_a_sum_of_8000_terms_in_nested_parentheses_is_refused() -> None:
    with pytest.raises(LimitExceeded) as refused:
        Subscription.parse(long_sum(8_000))
    assert refused.value.limit == "stack"
    assert "640 KiB" in str(refused.value)


LONG_AND_FINE = {
    "or": "FILTER(" + " || ".join(f"?o * ?o = {n}" for n in range(300)) + ")",
    "and": "FILTER(" + " && ".join(f"?o * ?o != {n}" for n in range(2, 300)) + ")",
    "sum": "FILTER(" + " + ".join(["?o"] * 200) + " = 200)",
    "in": "FILTER(?o * ?o IN (" + ", ".join(map(str, range(1_000))) + "))",
    "union": " UNION ".join(f"{{ ?s <urn:p> {n} }}" for n in range(300)),
    "alternative": ". ?s " + "|".join(f"<urn:p{n}>" for n in range(300)) + "|<urn:p> ?o",
    "alternative repeated": ". ?s (" + "|".join(f"<urn:p{n}>" for n in range(300)) + "|<urn:p>)+ ?o",
    "filters": " ".join(f"FILTER(?o * ?o != {n})" for n in range(2, 200)),
}


@pytest.mark.parametrize("kind", LONG_AND_FINE)
def test_a2_long_lists_are_evaluated_all_the_same(kind: str) -> None:
    matcher = Matcher()
    matcher.add(Subscription.parse(f"SELECT ?s {{ ?s <urn:p> ?o {LONG_AND_FINE[kind]} }}", id="long"))
    [match] = matcher.match(EVENT)
    assert len(match.solutions) == 1


@pytest.mark.parametrize("inner", ["?s <urn:p> ?o ", "?s <urn:p>/<urn:p> ?o "])
def test_a2_what_oxigraph_would_plan_for_ever_is_refused(inner: str) -> None:
    with pytest.raises(LimitExceeded) as refused:
        Subscription.parse(f"ASK {{ {'. '.join([inner] * 120)} OPTIONAL {{ ?s ?p ?x }} }}")
    assert refused.value.limit == "joins"


NESTED = {
    "groups": "ASK " + "{" * 60 + "?s <urn:p> ?o OPTIONAL {}" + "}" * 60,
    "optional": "ASK { ?s <urn:p> ?o " + "OPTIONAL { ?s <urn:p> ?o " * 20 + "}" * 21,
    "exists": "ASK { ?s <urn:p> ?o " + "FILTER EXISTS { ?s <urn:p> ?o " * 20 + "}" * 21,
}


@pytest.mark.parametrize("kind", NESTED)
def test_a11_work_is_bounded_in_time_that_does_not_double_with_every_level(kind: str) -> None:
    """Of 60 groups it took longer than anybody has."""
    matcher = Matcher()
    matcher.add(Subscription.parse(NESTED[kind], id="nested"))
    assert len(matcher.match(EVENT)) == 1


def probed(*arguments: str) -> list[int]:
    probe = subprocess.run(
        [sys.executable, Path(stack_probe.__file__), *arguments], capture_output=True, text=True, check=False
    )
    assert probe.returncode == 0, probe.stderr
    return [int(word) for word in probe.stdout.split()]


@pytest.mark.slow
@pytest.mark.parametrize("construct", CONSTRUCTS)
def test_a2_what_is_accepted_is_evaluated_on_a_third_of_the_smallest_stack(construct: str) -> None:
    [most] = probed("accepted", construct, str(SMALLEST_STACK // 3))
    assert most > 0, "the largest query that is accepted ends the process"


# Where a count of levels can be had by two stacks, without what `balanced_trees` folds or the planner takes minutes
# for.
MEASURED = [
    "sum",
    "sum in parentheses",
    "product",
    "not",
    "sign",
    "equal",
    "in nested",
    "call",
    "if",
    "coalesce",
    "cast",
    "filters",
    "binds",
    "union nested",
    "groups",
    "minus",
    "minus nested",
    "graph nested",
    "exists",
    "not exists",
    "sub-select",
    "sub-select with modifiers",
    "path nested",
    "path inverse",
    "projection",
    "aggregates",
    "group keys",
    "order keys",
    "having",
]
UNLIMITED = QueryLimits(text=1 << 30, depth=1 << 20, patterns=1 << 20, chain=1 << 20)


@pytest.mark.slow
@pytest.mark.parametrize("construct", MEASURED)
def test_a2_no_construct_takes_more_stack_than_is_counted_for_it(construct: str) -> None:
    """By bisection on two stacks: what lies between them, divided by how many more levels it holds."""
    small, large = 256, 512
    fewer, more = probed(construct, str(small), str(large))
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(100_000)
    try:
        counted = [stack_of(parse_query(CONSTRUCTS[construct](count), UNLIMITED)) for count in (fewer, more)]
    finally:
        sys.setrecursionlimit(limit)
    assert counted[1] - counted[0] >= 0.9 * (large - small), (fewer, more)
