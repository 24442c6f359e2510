"""Event queries over a change, on the state right after it, whatever has happened since."""

from __future__ import annotations

from random import Random

import pytest
from tests.federation.federation import a, called
from tests.rules.execution.town import PREAMBLE
from tests.rules.family import EX, FAMILY

from triplewire.federation.sites.detection import moments
from triplewire.federation.sites.requests import Detect, Detected, EventQuery, Forget, Numbered, NumberedReply, Told
from triplewire.federation.sites.site import PeerSite
from triplewire.languages.rdftl import parse_rule, parse_updates
from triplewire.languages.rdftl.syntax import Component, Update
from triplewire.rdf.terms import Triple
from triplewire.rules.changes import Edits
from triplewire.rules.graphs import Graph
from triplewire.rules.name_resolution import resolved

ANN = "resource(http://example.org/ann)"
NAMED = f"INSERT ({ANN}, ex:name, 'x');;"


def site(*triples: Triple) -> PeerSite:
    peer = PeerSite("p", FAMILY)
    peer.load([a("ann", "Person"), *triples])
    return peer


def updates(text: str) -> tuple[Update, ...]:
    return parse_updates(PREAMBLE + text)


def query(event: str) -> EventQuery:
    rule = resolved(parse_rule(f"{PREAMBLE} ON {event} IF True DO DELETE $delta"), FAMILY)
    return EventQuery("r", rule.event, rule.lets)


def found(peer: PeerSite, of: int, event: str, number: int = 1) -> list[str]:
    """The sources of the `$delta`s."""
    answer = peer.receive(Numbered(number, Detect(of, (query(event),))))
    assert isinstance(answer, Told)
    assert isinstance(answer.what, NumberedReply)
    assert isinstance(answer.what.reply, Detected)
    return [str(delta[Component.TARGET].value) for delta in answer.what.reply.deltas.get("r", ())]


def test_what_has_gone_since_is_found():
    peer = site()
    peer.change(updates(NAMED))
    peer.change(updates(f"DELETE {ANN};;"))
    assert found(peer, 1, "INSERT (_, ex:name, _)") == ["x"]
    # Its event looks at ann as she was right after the change.
    assert found(peer, 1, f"INSERT ({ANN}[target(ex:name)], ex:name, _)", 2) == ["x"]


def test_what_has_come_since_is_not_seen():
    peer = site()
    peer.change(updates(NAMED))
    peer.change(updates(f"INSERT ({ANN}, ex:age, 7);;"))
    assert found(peer, 1, f"INSERT ({ANN}[target(ex:age)], ex:name, _)") == []
    assert found(peer, 2, f"INSERT ({ANN}[target(ex:name)], ex:age, _)", 2) == ["7"]


def test_each_update_of_a_report_counts_also_what_does_not_stay():
    peer = site()
    peer.change(updates(f"TRANSACTION t {NAMED} DELETE ({ANN}, ex:name, _);; INSERT ({ANN}, ex:name, 'y');; {NAMED}"))
    assert found(peer, 1, "INSERT (_, ex:name, _)") == ["x", "y"]
    assert found(peer, 1, "DELETE (_, ex:name, _)", 2) == ["x"]


def test_a_resource_that_is_gone_is_described_by_what_it_was():
    peer = site(called("ann", "x"))
    peer.change(updates(f"DELETE {ANN};;"))
    answer = peer.receive(Numbered(1, Detect(1, (query("DELETE (_, ex:name, _)"),))))
    assert isinstance(answer, Told)
    assert isinstance(answer.what, NumberedReply)
    assert EX["Person"] in answer.what.reply.classes[EX["ann"]]  # type: ignore[union-attr]


def test_what_is_forgotten_is_refused():
    peer = site()
    peer.change(updates(NAMED))
    peer.receive(Forget(1))
    answer = peer.receive(Numbered(1, Detect(1, (query("INSERT (_, ex:name, _)"),))))
    assert "forgotten at p" in str(answer)


def listed(graph: Graph) -> set[Triple]:
    return set(graph.match(None, None, None))


@pytest.mark.parametrize("seed", range(60))
def test_the_states_around_each_update_are_those_that_were(seed: int):
    rng = Random(seed)
    peer = site()
    names = [called("ann", name) for name in "xyz"] + [a("bob", "Nurse")]
    states: dict[int, list[tuple[set[Triple], set[Triple]]]] = {}
    for serial in range(1, 7):
        around = []
        edits = []
        probe = PeerSite("probe", FAMILY)
        probe.load(peer.repository.asserted)
        for _ in range(rng.randint(1, 3)):
            some = tuple(rng.sample(names, rng.randint(1, 3)))
            edits.append(Edits(inserted=some) if rng.random() < 0.5 else Edits(deleted=some))
            before = set(probe.repository)
            probe.repository.apply(edits[-1])
            around.append((before, set(probe.repository)))
        assert peer.change(edits).serial == serial
        states[serial] = around
    forgotten = rng.randint(0, 3)
    peer.receive(Forget(forgotten))
    for serial in peer.stream.kept:
        assert serial > forgotten
        seen = moments(peer.repository, peer.stream.kept, serial)
        assert [(listed(one.before), listed(one.after)) for one in seen] == states[serial]
