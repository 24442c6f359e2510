"""The compiled index hears what the poset hears, which is what testing every subscription says."""

from __future__ import annotations

import pytest

from triplewire.network.messages import Publication
from triplewire.network.routing.subscriptions.event_matching import CompiledMatcher, PosetMatcher
from triplewire.network.routing.subscriptions.forwarding import Origin
from triplewire.network.routing.subscriptions.poset import Poset
from triplewire.network.routing.subscriptions.reasoner import AlgebraReasoner
from triplewire.network.routing.subscriptions.standing_queries import standing_query
from triplewire.testing import workloads


@pytest.mark.parametrize("kind", ["mixed", "zipf", "substrings"])
def test_both_ways_agree_with_testing_each(kind: str) -> None:
    work = getattr(workloads, kind)(60, 40, seed=3)
    reasoner = AlgebraReasoner()
    poset: Poset[Origin] = Poset(reasoner)
    compiled, descent = CompiledMatcher(), PosetMatcher(poset)
    standings = {query.key: query for query in (standing_query(row.language, row.text) for row in work.rows())}
    for number, query in enumerate(standings.values()):
        poset.add(query, "somebody")
        compiled.add(query, "somebody")
        if number % 7 == 0:
            poset.remove(query.key, "somebody")
            compiled.remove(query.key, "somebody")
    total = 0
    for position, event in enumerate(work.events()):
        publication = Publication("o", position, event.graph.value, "p", event.time.isoformat(), None, event.nquads)
        wanted = {key for key in standings if key in poset and reasoner.matches(standings[key], publication)}
        assert set(descent.matching_keys(publication)) == wanted
        assert set(compiled.matching_keys(publication)) == wanted
        total += len(wanted)
    assert total, "some match"


def publication(event: str = '<urn:s> <urn:p> "1" <urn:e:1> .') -> Publication:
    return Publication("o", 1, "urn:e:1", "p", "2026-01-01T00:00:00+00:00", None, event.encode() + b"\n")


def test_what_only_our_own_peers_want_is_not_matched_for_those_below() -> None:
    ours, both, theirs = (standing_query("sparql", f"SELECT ?s {{ ?s <urn:p> ?o{n} }}") for n in range(3))
    compiled = CompiledMatcher()
    compiled.add(ours, "me/a")
    compiled.add(both, "me/b")
    compiled.add(both, ("other", 1))
    compiled.add(theirs, ("other", 1))
    assert set(compiled.matching_keys(publication())) == {ours.key, both.key, theirs.key}
    assert set(compiled.matching_keys_downstream(publication())) == {both.key, theirs.key}


def test_a_subscription_is_heard_as_long_as_one_origin_has_it() -> None:
    query = standing_query("sparql", "SELECT ?s { ?s <urn:p> ?o }")
    compiled = CompiledMatcher()
    for origin in ("me/a", "me/b", ("other", 1)):
        compiled.add(query, origin)
    compiled.remove(query.key, "me/a")
    compiled.remove(query.key, "me/a")
    compiled.remove(query.key, ("other", 1))
    assert (set(compiled.matching_keys(publication())), set(compiled.matching_keys_downstream(publication()))) == (
        {query.key},
        set(),
    )
    compiled.remove(query.key, "me/b")
    assert set(compiled.matching_keys(publication())) == set()
