"""RSS 1.0, RSS 2.0 and Atom as events."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from triplewire import Matcher, Subscription
from triplewire.client.feeds import MAX_FEED_BYTES, events_of_feed
from triplewire.errors import InputError, LimitExceeded, RefusedFeature

FEEDS = Path(__file__).parents[1] / "fixtures" / "feeds"
SOURCE = "http://library.example/new"
QUERY = """
    PREFIX rss: <http://purl.org/rss/1.0/> PREFIX dc: <http://purl.org/dc/elements/1.1/>
    PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>
    SELECT ?item ?title WHERE {
        ?item a rss:item ; rss:title ?title ; dc:creator ?who ; dc:subject "P2P" ; dc:date ?when
        FILTER(CONTAINS(?who, "Nejdl") && ?when > "2004-05-11T00:00:00Z"^^xsd:dateTime)
    }"""


def feed(name: str) -> bytes:
    return (FEEDS / name).read_bytes()


@pytest.mark.parametrize("name", ["rss1.rdf", "rss2.xml", "atom.xml"])
def test_gtopss_application_one_subscription_reads_every_format(name):
    matcher = Matcher()
    matcher.add(Subscription.parse(QUERY, id="nejdl"))
    [match] = [match for event in events_of_feed(feed(name), SOURCE) for match in matcher.match(event)]
    assert match.solutions[0]["title"].value == "Semantic Overlay Networks"
    assert match.solutions[0]["item"].value == "http://library.example/b/2"


@pytest.mark.parametrize("name", ["rss1.rdf", "rss2.xml", "atom.xml"])
def test_reading_again_gives_the_same_events(name):
    assert events_of_feed(feed(name), SOURCE) == events_of_feed(feed(name), SOURCE)


def test_an_update_is_another_event_about_the_same_entry():
    [before] = events_of_feed(feed("atom.xml"), SOURCE)
    changed = feed("atom.xml").replace(b"<updated>2004-05-11T09:00:00Z", b"<updated>2004-05-12T09:00:00Z")
    [after] = events_of_feed(changed, SOURCE)
    assert before.graph != after.graph
    assert before.triples[0].subject == after.triples[0].subject


def test_other_words_under_the_same_date_keep_the_name():
    [before] = events_of_feed(feed("atom.xml"), SOURCE)
    [after] = events_of_feed(feed("atom.xml").replace(b"All of it", b"Some of it"), SOURCE)
    assert before.graph == after.graph


def test_the_same_entry_in_two_feeds_is_two_events():
    [one], [other] = (events_of_feed(feed("atom.xml"), source) for source in (SOURCE, SOURCE + "/2"))
    assert one.graph != other.graph


def test_entries_come_oldest_first():
    titles = [
        triple.object.value
        for event in events_of_feed(feed("rss1.rdf"), SOURCE)
        for triple in event.triples
        if triple.predicate.value.endswith("title")
    ]
    assert titles == ["Publish/Subscribe for RDF", "Semantic Overlay Networks"]


def test_a4_a_feed_that_defines_entities_is_refused():
    bomb = b'<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><rss version="2.0"><channel>&b;</channel></rss>'
    with pytest.raises(RefusedFeature, match="entities"):
        events_of_feed(bomb, SOURCE)


def test_a7_a_huge_feed_is_refused():
    with pytest.raises(LimitExceeded):
        events_of_feed(b" " * (MAX_FEED_BYTES + 1), SOURCE)


@pytest.mark.parametrize("other", [b"", b"hello", b"<html><body/></html>", b"http://example.org/feed", b"/etc/passwd"])
def test_what_is_no_feed_is_named_and_never_fetched(other):
    with pytest.raises(InputError, match=r"wanted RSS 1\.0, RSS 2\.0 or Atom"):
        events_of_feed(other, SOURCE)


@given(st.integers(0, 1000), st.binary(max_size=6))
@example(30, b"\x80")
@example(30, b"\x00")
def test_a_damaged_feed_gives_events_or_an_error_of_ours(at, noise):
    whole = feed("atom.xml")
    at %= len(whole)
    with suppress(InputError):
        events_of_feed(whole[:at] + noise + whole[at + len(noise) :], SOURCE)
