"""Matches as Arrow columns, and events as canonical text, against the objects that they stand for."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from triplewire import Matcher, Subscription, Taxonomy
from triplewire.matching.kernels.scan.canonical import canonical_events
from triplewire.matching.scanning.scanner import scan
from triplewire.testing import workloads

CREATOR = "<http://purl.org/dc/elements/1.1/creator>"
FORMS = {
    "select": f"SELECT ?x ?who {{ ?x {CREATOR} ?who }}",
    "distinct": f"SELECT DISTINCT ?p {{ ?x {CREATOR} ?who . ?x ?p ?o }}",
    "nothing to tell": f"SELECT ?none {{ ?x {CREATOR} ?who }}",
    "ask": f"ASK {{ ?x {CREATOR} ?who }}",
    "construct": f"CONSTRUCT {{ ?x <urn:by> ?who }} WHERE {{ ?x {CREATOR} ?who }}",
    "general": f"SELECT ?who ?none {{ ?x {CREATOR} ?who OPTIONAL {{ ?x <urn:none> ?none }} }}",
}


def spelled(match):
    return [[(name, str(term)) for name, term in solution.items()] for solution in match.solutions]


def test_every_form_says_the_same_as_its_objects():
    feed = workloads.library(40, 60, seed=3)
    matcher = Matcher(Taxonomy.parse(feed.taxonomy))
    for subscription in feed.subscriptions():
        matcher.add(subscription)
    for name, text in FORMS.items():
        matcher.add(Subscription.parse(text, id=name))
    batch = matcher.match_nquads(feed.nquads())
    table = batch.to_arrow()
    table.validate(full=True)
    found = [tuple(row[name] for name in ("event", "subscription", "solutions", "lane")) for row in table.to_pylist()]
    assert found == [(m.event.graph.value, m.subscription_id, spelled(m), m.lane) for m in batch]
    assert {row[1] for row in found} >= set(FORMS)


def test_a_batch_without_matches_has_the_columns_all_the_same():
    table = Matcher().match_nquads(b"<urn:s> <urn:p> <urn:o> <urn:g> .\n").to_arrow()
    assert len(table) == 0
    assert table.column_names == ["event_index", "event", "subscription", "solutions", "lane"]


TERMS = st.sampled_from(["<urn:a>", "<urn:ab>", "_:b", "_:b1"])
OBJECTS = st.one_of(
    TERMS, st.sampled_from(['"a"', '"a"@en', '"a"^^<urn:t>', '"é\\n"', '"aaaaaaaaaaaa"', '"aaaaaaaaaaab"'])
)
LINES = st.tuples(TERMS, st.sampled_from(["<urn:p>", "<urn:pp>"]), OBJECTS, st.sampled_from(["<urn:g>", "<urn:h>"]))
# What may stand around the terms of a line; the first is ours, and drawn most often.
OTHERWISE = [("\t", " .\n"), ("  ", " .\n"), (" ", ".\n"), (" ", " .\r\n"), (" ", " .\n\n")]
AROUND = st.sampled_from([(" ", " .\n")] * 9 + OTHERWISE)


@settings(max_examples=150)
@given(st.lists(st.tuples(LINES, AROUND), max_size=24), st.booleans())
def test_canonical_text_is_sorted_and_says_each_quad_once(lines, in_order):
    if in_order:
        lines = sorted(set(lines), key=lambda line: (line[0][3], " ".join(line[0])))
    scanned = scan("".join(gap.join(line) + end for line, (gap, end) in lines).encode())
    offsets, data = canonical_events(scanned.buffer, scanned.quads, scanned.events)
    found = [data[offsets[i] : offsets[i + 1]].tobytes() for i in range(len(scanned))]
    assert found == [scanned.nquads(event) for event in range(len(scanned))]


def test_a_rejected_event_has_no_text():
    scanned = scan(b"<urn:s> <urn:p> broken <urn:g> .\n<urn:s> <urn:p> <urn:o> <urn:h> .\n")
    offsets, _ = canonical_events(scanned.buffer, scanned.quads, scanned.events)
    assert offsets.tolist() == [0, 0, 34]
