"""A3, A7: one event that is too large costs nobody but itself."""

from __future__ import annotations

from triplewire import Matcher, Subscription
from triplewire.matching.scanning.event_limits import within
from triplewire.matching.scanning.scanner import scan
from triplewire.rdf.limits import Limits

SMALL = b"<urn:s> <urn:p> <urn:o> <urn:small> .\n"
LARGE = b"".join(b"<urn:s> <urn:p> <urn:%d> <urn:large> .\n" % n for n in range(4))


def test_an_event_is_rejected_by_its_quads_or_its_bytes_and_the_others_are_not():
    for limits in (Limits(quads=3), Limits(event_bytes=len(LARGE) - 1)):
        found = within(scan(SMALL + LARGE + SMALL), limits)
        assert [found.rejected(event) for event in range(3)] == [False, True, False]
        [error] = found.errors
        assert (error.line, error.column, error.event) == (2, 0, 1)
        assert f"found {len(LARGE)} bytes and 4 quads" in error.message


def test_limits_are_exact_and_a_quad_that_comes_again_does_not_count():
    found = within(scan(SMALL + LARGE + LARGE + SMALL), Limits(quads=4, event_bytes=len(LARGE)))
    assert found.errors == ()


def test_errors_stay_in_the_order_of_lines_and_a_broken_event_is_not_told_twice():
    found = within(
        scan(b"nonsense\n" + LARGE + b"nonsense <urn:large> .\n" + LARGE.replace(b"large", b"other")), Limits(quads=3)
    )
    assert [error.line for error in found.errors] == [1, 6, 7]


def test_a_large_event_is_matched_in_every_lane_unless_limits_are_given():
    matcher = Matcher()
    matcher.add(Subscription.parse("ASK { ?s ?p ?o OPTIONAL { ?o ?q ?r } }", id="general"))
    data = b"".join(b'<urn:s> <urn:p> "%s%d" <urn:e> .\n' % (b"x" * 1_000, n) for n in range(1_300))
    assert matcher.match_nquads(data).subscription_ids == ["general"]
    assert matcher.match_nquads(data, Limits()).subscription_ids == []
