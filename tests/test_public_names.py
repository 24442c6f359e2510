"""The names that later work and other people's code call."""

from __future__ import annotations

import triplewire
from triplewire import Event, Matcher, Subscription, Taxonomy


def test_everything_public_is_there():
    assert set(triplewire.__all__) >= {
        "Advertisement",
        "Event",
        "Match",
        "Matcher",
        "Subscription",
        "Taxonomy",
        "TriplewireError",
        "covers",
        "implies",
        "satisfiable",
        "subsumes",
    }
    assert all(hasattr(triplewire, name) for name in triplewire.__all__)


def test_a_script_in_three_languages():
    [event] = Event.parse(
        '<urn:a> <urn:year> "2004"^^<http://www.w3.org/2001/XMLSchema#integer> .', graph="urn:event:1"
    )
    matcher = Matcher(taxonomy=Taxonomy.parse(""))
    matcher.add(Subscription.parse("SELECT ?x { ?x <urn:year> 2004 }", id="sparql"))
    matcher.add(Subscription.parse("?x <urn:year> ?y(> 2000) .", language="graph", id="graph"))
    found = {match.subscription_id: match.solutions for match in matcher.match(event)}
    assert set(found) == {"sparql", "graph"}
    assert found["sparql"][0]["x"].value == "urn:a"
