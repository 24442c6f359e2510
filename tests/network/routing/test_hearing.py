"""The compiled index hears what the poset hears, which is what testing every subscription says."""

from __future__ import annotations

import pytest

from triplewire.network.messages import Publication
from triplewire.network.routing.subscriptions.event_matching import Compiled, Descent
from triplewire.network.routing.subscriptions.forwarding import Origin
from triplewire.network.routing.subscriptions.poset import Poset
from triplewire.network.routing.subscriptions.reasoner import AlgebraReasoner
from triplewire.network.routing.subscriptions.standing_queries import standing_of
from triplewire.testing import workloads


@pytest.mark.parametrize("kind", ["mixed", "zipf", "substrings"])
def test_both_ways_agree_with_testing_each(kind: str) -> None:
    work = getattr(workloads, kind)(60, 40, seed=3)
    reasoner = AlgebraReasoner()
    poset: Poset[Origin] = Poset(reasoner)
    compiled, descent = Compiled(), Descent(poset)
    standings = {standing.key: standing for standing in (standing_of(row.language, row.text) for row in work.rows())}
    for number, standing in enumerate(standings.values()):
        poset.add(standing, "somebody")
        compiled.begin(standing, "somebody")
        if number % 7 == 0:
            poset.remove(standing.key, "somebody")
            compiled.end(standing.key, "somebody")
    total = 0
    for position, event in enumerate(work.events()):
        publication = Publication("o", position, event.graph.value, "p", event.time.isoformat(), None, event.nquads)
        wanted = {key for key in standings if key in poset and reasoner.matches(standings[key], publication)}
        assert set(descent.hearers(publication)) == wanted
        assert set(compiled.hearers(publication)) == wanted
        total += len(wanted)
    assert total, "some match"


def publication(event: str = '<urn:s> <urn:p> "1" <urn:e:1> .') -> Publication:
    return Publication("o", 1, "urn:e:1", "p", "2026-01-01T00:00:00+00:00", None, event.encode() + b"\n")


def test_what_only_our_own_peers_want_is_not_matched_for_those_below() -> None:
    ours, both, theirs = (standing_of("sparql", f"SELECT ?s {{ ?s <urn:p> ?o{n} }}") for n in range(3))
    compiled = Compiled()
    compiled.begin(ours, "me/a")
    compiled.begin(both, "me/b")
    compiled.begin(both, ("other", 1))
    compiled.begin(theirs, ("other", 1))
    assert set(compiled.hearers(publication())) == {ours.key, both.key, theirs.key}
    assert set(compiled.hearers_below(publication())) == {both.key, theirs.key}


def test_a_subscription_is_heard_as_long_as_one_origin_has_it() -> None:
    standing = standing_of("sparql", "SELECT ?s { ?s <urn:p> ?o }")
    compiled = Compiled()
    for origin in ("me/a", "me/b", ("other", 1)):
        compiled.begin(standing, origin)
    compiled.end(standing.key, "me/a")
    compiled.end(standing.key, "me/a")
    compiled.end(standing.key, ("other", 1))
    assert (set(compiled.hearers(publication())), set(compiled.hearers_below(publication()))) == ({standing.key}, set())
    compiled.end(standing.key, "me/b")
    assert set(compiled.hearers(publication())) == set()
