"""RSS 1.0, RSS 2.0 and Atom as events."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from triplewire import Event, Matcher, Subscription
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
        if triple.predicate.value.endswith("title") and "/b/" in triple.subject.value
    ]
    assert titles == ["Publish/Subscribe for RDF", "Semantic Overlay Networks"]


FIGURE_5 = b"""<?xml version="1.0" encoding="utf-8"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
         xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:sy="http://purl.org/rss/1.0/modules/syndication/"
         xmlns:slash="http://purl.org/rss/1.0/modules/slash/" xmlns:p="http://example.org/papers#">
  <channel rdf:about="http://msrg.example/papers">
    <title>Papers</title><link>http://msrg.example/</link><description>New papers</description>
    <dc:date>2004-05-11T09:00:00Z</dc:date><sy:updatePeriod>hourly</sy:updatePeriod><dc:language>en</dc:language>
    <items><rdf:Seq><rdf:li resource="http://msrg.example/17"/><rdf:li resource="http://msrg.example/18"/></rdf:Seq></items>
  </channel>
  <item rdf:about="http://msrg.example/17">
    <title>Arno's paper 17</title><link>http://msrg.example/17</link><dc:date>2004-05-11T09:00:00Z</dc:date>
    <slash:comments>12</slash:comments>
    <p:author rdf:resource="http://example.org/people#arno"/>
    <p:conference><rdf:Description rdf:about="http://example.org/SIGMOD"><p:year>2001</p:year></rdf:Description></p:conference>
    <p:cites rdf:resource="http://msrg.example/18"/>
    <p:review rdf:parseType="Resource"><p:grade>A</p:grade></p:review>
  </item>
  <item rdf:about="http://msrg.example/18">
    <title>Another</title><link>http://msrg.example/18</link><dc:date>2004-05-10T09:00:00Z</dc:date>
  </item>
</rdf:RDF>"""
SUBSCRIPTION_5A = """PREFIX p: <http://example.org/papers#> SELECT ?paper ?year WHERE {
    ?paper p:author <http://example.org/people#arno> ; p:conference <http://example.org/SIGMOD> .
    <http://example.org/SIGMOD> p:year ?year FILTER(STR(?year) > "2000") }"""


def text_of(event) -> str:
    return event.nquads.decode()


def test_gtopss_figure_5_modules_of_rss_1_reach_the_subscription():
    matcher = Matcher()
    matcher.add(Subscription.parse(SUBSCRIPTION_5A, id="5a"))
    [match] = [match for event in events_of_feed(FIGURE_5, SOURCE) for match in matcher.match(event)]
    assert match.solutions[0]["paper"].value == "http://msrg.example/17"


def test_an_item_has_its_modules_and_no_other_item():
    other, paper = events_of_feed(FIGURE_5, SOURCE)
    assert "/papers#" not in text_of(other).replace("http://msrg.example/papers", "")
    assert '_:b0 <http://example.org/papers#grade> "A"' in text_of(paper)
    assert '"Another"' not in text_of(paper)


def test_what_changes_without_the_entry_changes_no_event():
    later = FIGURE_5.replace(b"<slash:comments>12", b"<slash:comments>13").replace(b"hourly", b"daily")
    later = later.replace(b"</description>\n    <dc:date>2004-05-11", b"</description>\n    <dc:date>2004-06-11")
    assert later != FIGURE_5
    assert events_of_feed(later, SOURCE) == events_of_feed(FIGURE_5, SOURCE)


def test_an_rss_1_feed_that_is_no_rdf_is_read_as_any_other():
    broken = FIGURE_5.replace(b"<p:author rdf", b'<p:author rdf:ID="not an id" rdf')
    assert len(events_of_feed(broken, SOURCE)) == 2


@pytest.mark.parametrize(
    ("name", "title"), [("rss1.rdf", "New in the library"), ("rss2.xml", None), ("atom.xml", None)]
)
def test_the_channel_is_kept(name, title):
    for event in events_of_feed(feed(name), SOURCE):
        [part] = [t for t in event.triples if t.predicate.value == "http://purl.org/dc/terms/isPartOf"]
        said = {t.predicate.value: t.object.value for t in event.triples if t.subject == part.object}
        assert said["http://www.w3.org/1999/02/22-rdf-syntax-ns#type"] == "http://purl.org/rss/1.0/channel"
        assert said["http://purl.org/rss/1.0/title"]
        assert title in (None, said["http://purl.org/rss/1.0/title"])


def test_enclosures_are_kept():
    text = b"""<rss version="2.0"><channel><title>Pod</title><link>http://pod.example/</link><item>
        <title>One</title><guid isPermaLink="false">one</guid><link>http://pod.example/1</link>
        <enclosure url="http://pod.example/1.mp3" length="123" type="audio/mpeg"/></item></channel></rss>"""
    [event] = events_of_feed(text, SOURCE)
    enclosure = "http://purl.oclc.org/net/rss_2.0/enc#"
    assert f"<http://pod.example/1> <{enclosure}enclosure> <http://pod.example/1.mp3>" in text_of(event)
    assert f'<http://pod.example/1.mp3> <{enclosure}type> "audio/mpeg"' in text_of(event)
    assert f'<http://pod.example/1.mp3> <{enclosure}length> "123"' in text_of(event)


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
    try:
        found = events_of_feed(whole[:at] + noise + whole[at + len(noise) :], SOURCE)
    except InputError:
        return
    assert [Event.parse(event.nquads)[0].nquads for event in found] == [event.nquads for event in found]
