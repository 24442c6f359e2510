"""What rules do, as events that anyone can subscribe to."""

from __future__ import annotations

from datetime import UTC, datetime

from tests.rules.execution.town import a, arc, run, town

from triplewire.algebra.subscriptions import Subscription
from triplewire.matching import Matcher
from triplewire.rules.execution import events_of

TIME = datetime(2024, 5, 1, 12, tzinfo=UTC)


def test_inserted_and_deleted_triples_of_each_transaction_are_events() -> None:
    repository = town(arc("ann", "likes", "bob"))
    outcome = run(
        repository,
        "ON DELETE (_, ex:likes, _) IF True DO INSERT ($delta, ex:owns, resource(ex:mug));;",
        """
        TRANSACTION t
        DELETE (resource(ex:ann), ex:likes, _);;
        TRANSACTION u
        INSERT (resource(ex:ann), ex:owns, resource(ex:bob));;
        TRANSACTION v
        INSERT resource(ex:dan) AS INSTANCE OF Person;;
        DELETE resource(ex:dan);;
        """,
    )
    events = list(events_of(outcome.committed, source="node", time=TIME))
    deleted, inserted = (frozenset(t for t in event.triples if t.subject != event.graph) for event in events)
    assert deleted == {arc("ann", "likes", "bob"), arc("ann", "knows", "bob")}
    assert inserted == {arc("ann", "owns", "mug")}
    again = list(events_of(outcome.committed, source="node", time=TIME))
    assert [event.graph for event in again] == [event.graph for event in events]


def test_a_subscription_hears_what_rules_did() -> None:
    outcome = run(
        town(),
        "ON INSERT resource() AS INSTANCE OF Person IF True DO INSERT (resource(ex:log), seq++, $delta);;",
        "INSERT resource(ex:dan) AS INSTANCE OF Nurse;;",
    )
    (event,) = events_of(outcome.committed, source="node", time=TIME)
    matcher = Matcher()
    element = "<http://example.org/log> ?member ?x . ?x a <http://example.org/Being>"
    asked = f"SELECT ?x {{ ?e a <urn:triplewire:Inserted> . {element} }}"
    matcher.add(Subscription.parse(asked, id="news"))
    matcher.add(Subscription.parse("ASK { ?e a <urn:triplewire:Deleted> }", id="losses"))
    (match,) = matcher.match(event)
    assert match.subscription_id == "news"
    assert match.solutions == [{"x": a("dan", "Person").subject}]
