"""The compiled index hears what the poset hears, which is what testing every subscription says."""

from __future__ import annotations

import pytest

from triplewire.network.messages import Publication
from triplewire.network.routing.hearing import Compiled, Descent
from triplewire.network.routing.poset import Poset
from triplewire.network.routing.reasoning import AlgebraReasoner
from triplewire.network.routing.standings import standing_of
from triplewire.testing import workloads


@pytest.mark.parametrize("kind", ["mixed", "zipf", "substrings"])
def test_both_ways_agree_with_testing_each(kind: str) -> None:
    work = getattr(workloads, kind)(60, 40, seed=3)
    reasoner = AlgebraReasoner()
    poset: Poset[str] = Poset(reasoner)
    compiled, descent = Compiled(), Descent(poset)
    standings = {standing.key: standing for standing in (standing_of(row.language, row.text) for row in work.rows())}
    for number, standing in enumerate(standings.values()):
        poset.add(standing, "somebody")
        compiled.begin(standing)
        if number % 7 == 0:
            poset.remove(standing.key, "somebody")
            compiled.end(standing.key)
    total = 0
    for position, event in enumerate(work.events()):
        publication = Publication("o", position, event.graph.value, "p", event.time.isoformat(), None, event.nquads)
        wanted = {key for key in standings if key in poset and reasoner.matches(standings[key], publication)}
        assert set(descent.hearers(publication)) == wanted
        assert set(compiled.hearers(publication)) == wanted
        total += len(wanted)
    assert total, "some match"
