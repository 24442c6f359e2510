"""Where subscriptions are filed and what leads events there, without Spark."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from triplewire.algebra.subscriptions import Subscription
from triplewire.errors import InputError
from triplewire.matching import Matcher
from triplewire.matching.chains.anchors import anchors_of
from triplewire.pipeline.strategies.fingerprints import OBJECT, PREDICATE, key_of, keys_of, mask_of, quads_in
from triplewire.pipeline.strategies.partitions import Partitioning, options_of, partitioned, routes_of
from triplewire.rdf.events import Event
from triplewire.testing import strategies, workloads

SEED = 7


def batch_of(*payloads: bytes | None) -> pa.RecordBatch:
    names = [f"urn:{row}" for row in range(len(payloads))]
    return pa.RecordBatch.from_pydict({"event": names, "payload": pa.array(payloads, pa.binary())})


def parse(text: str) -> Subscription:
    return Subscription.parse(text)


def filing_of(subscriptions: list[Subscription], parts: int) -> Partitioning:
    return partitioned([options_of(subscription, SEED) for subscription in subscriptions], parts)


def parts_of(event: Event, filing: Partitioning, parts: int) -> set[int]:
    _, led = routes_of(filing, parts).of(quads_in(batch_of(event.nquads), SEED))
    return set(led.tolist())


@settings(max_examples=80)
@given(strategies.events(), st.integers(1, 5), st.data())
def test_osma_leads_an_event_to_the_part_of_every_subscription_that_it_satisfies(
    event: Event, parts: int, data: st.DataObject
) -> None:
    drawn = data.draw(st.lists(strategies.subscriptions(event.triples), min_size=3, max_size=8))
    subscriptions = list({s.id: s for s in drawn}.values())
    filing = filing_of(subscriptions, parts)
    led = parts_of(event, filing, parts)
    matcher = Matcher()
    for subscription in subscriptions:
        matcher.add(subscription)
    satisfied = {match.subscription_id for match in matcher.match(event)}
    homes = {s.id: int(part) for s, part in zip(subscriptions, filing.part_of, strict=True)}
    assert {homes[name] for name in satisfied} <= led


def test_an_event_goes_only_where_one_of_its_quads_leads() -> None:
    subscriptions = [parse(f"ASK {{ ?x <urn:p> <urn:{n}> }}") for n in range(100)]
    filing = filing_of(subscriptions, 10)
    [event] = Event.parse("<urn:s> <urn:p> <urn:42> <urn:e> .\n<urn:s> <urn:q> <urn:7> <urn:e> .")
    assert parts_of(event, filing, 10) == {filing.part_of[42]}


def test_parts_are_of_about_the_same_size() -> None:
    filing = filing_of(list(workloads.zipf(3_000, 0, seed=1).subscriptions()), 7)
    sizes = np.bincount(filing.part_of, minlength=7)
    assert sizes.max() - sizes.min() <= 3_000 // 7


def test_a_key_that_is_too_much_for_one_part_is_split() -> None:
    subscriptions = [parse(f"ASK {{ ?x <urn:p> ?y FILTER(?y > {n}) }}") for n in range(60)]
    filing = filing_of(subscriptions, 3)
    assert np.bincount(filing.part_of).tolist() == [20, 20, 20]
    [event] = Event.parse('<urn:s> <urn:p> "1" <urn:e> .')
    assert parts_of(event, filing, 3) == {0, 1, 2}


def test_subscriptions_without_a_constant_get_parts_of_their_own_that_every_event_visits() -> None:
    closed = [parse(f"ASK {{ ?x <urn:p> <urn:{n}> }}") for n in range(9)]
    filing = filing_of([*closed, parse("ASK { ?x ?y ?x }")], 4)
    assert filing.open_parts == (3,)
    assert 3 not in filing.part_of[:9]
    [event] = Event.parse("<urn:s> <urn:other> <urn:o> <urn:e> .")
    assert parts_of(event, filing, 4) == {3}


def test_a_union_lives_in_one_part_and_each_of_its_sides_leads_there() -> None:
    union = parse("ASK { { ?x <urn:p> <urn:1> } UNION { ?x <urn:q> <urn:2> } }")
    others = [parse(f"ASK {{ ?x <urn:p> <urn:{n}> }}") for n in range(50, 90)]
    filing = filing_of([union, *others], 8)
    home = {int(filing.part_of[0])}
    for line in ("<urn:s> <urn:p> <urn:1> <urn:e> .", "<urn:s> <urn:q> <urn:2> <urn:e> ."):
        [event] = Event.parse(line)
        assert parts_of(event, filing, 8) == home


def test_a_predicate_alone_is_the_last_resort() -> None:
    [core] = anchors_of(parse("ASK { ?x <urn:rare> ?y . ?x <urn:p> <urn:o> }"))
    filing = filing_of([parse("ASK { ?x <urn:rare> ?y . ?x <urn:p> <urn:o> }")], 1)
    assert [mask_of(anchor.terms) for anchor in core] == [PREDICATE | OBJECT, PREDICATE]
    assert filing.masks == (PREDICATE | OBJECT,)


def test_the_constant_that_fewest_ask_for_is_chosen() -> None:
    kind = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
    texts = [f"ASK {{ ?x <{kind}> <urn:Paper> . ?x <urn:by> <urn:author{n}> }}" for n in range(20)]
    filing = filing_of([parse(text) for text in texts], 4)
    [paper] = Event.parse(f"<urn:s> <{kind}> <urn:Paper> <urn:e> .")
    assert parts_of(paper, filing, 4) == set()


def test_what_can_never_match_is_filed_and_leads_nowhere() -> None:
    filing = filing_of([parse("ASK { ?x <urn:p> ?y FILTER(false) }")], 2)
    [event] = Event.parse("<urn:s> <urn:p> <urn:o> <urn:e> .")
    assert parts_of(event, filing, 2) == set()


def test_no_subscriptions_at_all() -> None:
    [event] = Event.parse("<urn:s> <urn:p> <urn:o> <urn:e> .")
    assert parts_of(event, filing_of([], 3), 3) == set()


def test_no_parts_is_an_error_that_says_so() -> None:
    with pytest.raises(InputError, match="wanted at least one part, found 0"):
        partitioned([], 0)


def test_quads_and_anchors_are_numbered_alike() -> None:
    quads = quads_in(batch_of(b'<urn:s> <urn:p> "a\\nb"@en <urn:e> .\n'), SEED)
    [[anchor]] = anchors_of(parse('ASK { ?x <urn:p> "a\\nb"@en }'))
    assert keys_of(PREDICATE | OBJECT, quads.fingerprints).tolist() == [key_of(anchor, SEED)]


def test_rows_are_told_apart_even_where_neighbours_are_the_same_event() -> None:
    good = b"<urn:s> <urn:p> <urn:o> <urn:e> ."
    quads = quads_in(batch_of(good, good + b"\n\n" + good, good), SEED)
    assert quads.rows.tolist() == [0, 1, 1, 2]
    assert quads.total == 3


@pytest.mark.parametrize(
    ("payload", "reason"),
    [(b"broken\n", "event urn:1: payload line 1"), (b"", "found none"), (None, "found none")],
)
def test_a_payload_that_is_no_event_is_an_error_that_names_it(payload: bytes | None, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        quads_in(batch_of(b"<urn:s> <urn:p> <urn:o> <urn:e> .\n", payload), SEED)
