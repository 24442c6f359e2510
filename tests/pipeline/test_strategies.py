"""Oracle, matcher and Spark with each strategy give the same answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from triplewire.algebra.queries import Construct
from triplewire.algebra.subscriptions import Subscription
from triplewire.algebra.taxonomy import Taxonomy
from triplewire.errors import InputError
from triplewire.matching import Matcher
from triplewire.matching.scanning.term_decoding import term_of
from triplewire.pipeline import match
from triplewire.pipeline.rows import EVENT_COLUMNS
from triplewire.pipeline.strategies import prepare
from triplewire.rdf.events import Event
from triplewire.rdf.terms import Triple
from triplewire.testing import Oracle, OracleUndecided, same_answers, workloads
from triplewire.testing import strategies as drawn

# Half a minute each on a busy machine; `test_engines.py` holds every strategy against the oracle in `make test`.
pytestmark = [pytest.mark.xdist_group("spark"), pytest.mark.slow]

STRATEGIES = ("replicate", "osma", "csma")
MOMENT = datetime(2024, 5, 1, 12, tzinfo=UTC)
PARTS = 3

Rows = Counter[tuple[object, ...]]


def frame(spark: SparkSession, payloads: Iterable[tuple[str, bytes]]) -> DataFrame:
    rows = [(name, "test", MOMENT, bytearray(payload)) for name, payload in payloads]
    return spark.createDataFrame(rows, EVENT_COLUMNS)


def events_frame(spark: SparkSession, events: Iterable[Event]) -> DataFrame:
    return frame(spark, ((event.graph.value, event.nquads) for event in events))


def row(subscription: str, event: str, solutions: Iterable[Iterable[tuple[str, str]]], lane: str) -> tuple[object, ...]:
    return subscription, event, tuple(sorted(tuple(sorted(solution)) for solution in solutions)), lane


def by_matcher(subscriptions: Iterable[Subscription], events: Iterable[Event], taxonomy: Taxonomy | None) -> Rows:
    matcher = Matcher(taxonomy)
    for subscription in subscriptions:
        matcher.add(subscription)
    found = (entry for event in events for entry in matcher.match_nquads(event.nquads).to_arrow().to_pylist())
    return Counter(row(m["subscription"], m["event"], m["solutions"], m["lane"]) for m in found)


def collected(df: DataFrame) -> Rows:
    return Counter(row(m.subscription, m.event, (s.items() for s in m.solutions), m.lane) for m in df.collect())


def by_spark(
    df: DataFrame, subscriptions: Sequence[Subscription], strategy: str, root: Path, taxonomy: Taxonomy | None = None
) -> Rows:
    prepared = prepare(df.sparkSession, subscriptions, root, strategy, taxonomy=taxonomy, parts=PARTS)
    return collected(match(df, prepared))


EX = "http://example.org/"
TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
TAXONOMY = Taxonomy.parse(f"<{EX}Article> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <{EX}Publication> .")
CASES = {
    "constants": f"ASK {{ ?x <{EX}by> <{EX}bob> . ?x <{TYPE}> <{EX}Article> }}",
    "join": f"SELECT ?x ?z {{ ?x <{EX}cites> ?y . ?y <{EX}by> ?z }}",
    "two joins and a range": f"SELECT ?x {{ ?x <{EX}cites> ?y . ?y <{EX}by> ?z . ?x <{EX}year> ?n FILTER(?n > 2000) }}",
    "a chain longer than csma follows": f"SELECT ?a {{ ?a <{EX}by> ?b . ?a <{EX}year> ?c . ?a <{EX}cites> ?d . "
    f"?a <{TYPE}> ?e . ?d <{EX}by> ?f . ?d <{TYPE}> ?g }}",
    "the same variable twice": f"SELECT ?x {{ ?x <{EX}cites> ?x }}",
    "a filter that fixes a term": f"SELECT ?x ?y {{ ?x <{EX}by> ?y FILTER(?y = <{EX}bob>) }}",
    "equal by value, not the same term": f"SELECT ?x {{ ?x <{EX}year> ?n FILTER(?n = 1999) }}",
    "a cross product": f"SELECT ?x ?y {{ ?x <{EX}by> <{EX}bob> . ?y <{EX}by> <{EX}eve> }}",
    "no constant": "SELECT ?p { ?x ?p ?y . ?y ?p ?z }",
    "no constant but a substring": 'SELECT ?x { ?x ?p ?t FILTER(CONTAINS(?t, "wire")) }',
    "a constant predicate in the second pattern only": f"SELECT ?p {{ ?x ?p ?y . ?x <{EX}by> ?z }}",
    "the graph as a variable": f"SELECT ?g {{ GRAPH ?g {{ ?x <{EX}by> <{EX}bob> }} }}",
    "the graph as a constant": "SELECT ?x { GRAPH <urn:event:2> { ?x ?p ?o } }",
    "a class": f"SELECT ?x {{ ?x ?p ?y FILTER(<urn:triplewire:isA>(?x, <{EX}Publication>)) }}",
    "union": f"SELECT ?x {{ {{ ?x <{EX}by> <{EX}bob> }} UNION {{ ?x <{EX}year> ?y FILTER(?y > 2010) }} }}",
    "union with an open side": f"SELECT ?x {{ {{ ?x <{EX}by> <{EX}bob> }} UNION {{ ?x ?p <{EX}nobody> }} }}",
    "optional": f"SELECT * {{ ?x <{EX}by> ?y OPTIONAL {{ ?x <{EX}year> ?n }} }}",
    "minus": f"SELECT ?x {{ ?x <{EX}by> ?y MINUS {{ ?x <{TYPE}> <{EX}Article> }} }}",
    "a path": f"SELECT ?x ?y {{ ?x <{EX}cites>+ ?y }}",
    "an aggregate, which always has a solution": f"SELECT (COUNT(*) AS ?n) {{ ?x <{EX}nothing> ?y }}",
    "construct": f"CONSTRUCT {{ ?y <urn:wrote> ?x }} WHERE {{ ?x <{EX}by> ?y }}",
    "never": f"ASK {{ ?x <{EX}by> ?y FILTER(false) }}",
    "distinct": f"SELECT DISTINCT ?y {{ ?x <{EX}by> ?y }}",
}
_INTEGER = "http://www.w3.org/2001/XMLSchema#integer"
EVENTS = [
    [f"<{EX}a> <{EX}by> <{EX}bob>", f"<{EX}a> <{TYPE}> <{EX}Article>", f'<{EX}a> <{EX}year> "2015"^^<{_INTEGER}>'],
    [f"<{EX}b> <{EX}cites> <{EX}c>", f"<{EX}c> <{EX}by> <{EX}eve>", f'<{EX}b> <{EX}year> "01999"^^<{_INTEGER}>'],
    [f"<{EX}d> <{EX}cites> <{EX}d>", f"<{EX}d> <{EX}by> <{EX}bob>", f"<{EX}d> <{EX}by> <{EX}eve>"],
    [f'<{EX}e> <{EX}title> "a tripwire"', f"_:x <{EX}by> <{EX}bob>", f"_:y <{EX}by> <{EX}bob>"],
    [
        f"<{EX}f> <{EX}by> <{EX}eve>",
        f'<{EX}f> <{EX}year> "2020"^^<{_INTEGER}>',
        f"<{EX}f> <{EX}cites> <{EX}g>",
        f"<{EX}f> <{TYPE}> <{EX}Article>",
        f"<{EX}g> <{EX}by> <{EX}bob>",
        f"<{EX}g> <{TYPE}> <{EX}Book>",
    ],
    [f"<{EX}h> <{EX}unasked> <{EX}i>"],
]


def case_events() -> list[Event]:
    texts = ["".join(f"{line} <urn:event:{n}> .\n" for line in lines) for n, lines in enumerate(EVENTS)]
    return [event for text in texts for event in Event.parse(text)]


def case_subscriptions() -> list[Subscription]:
    return [Subscription.parse(text, id=name) for name, text in CASES.items()]


def test_the_cases_mean_something() -> None:
    found = by_matcher(case_subscriptions(), case_events(), TAXONOMY)
    silent = set(CASES) - {str(name) for name, *_ in found}
    assert silent == {"never"}


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_kind_of_subscription(spark: SparkSession, tmp_path: Path, strategy: str) -> None:
    subscriptions, events = case_subscriptions(), case_events()
    df = events_frame(spark, events)
    assert by_spark(df, subscriptions, strategy, tmp_path, TAXONOMY) == by_matcher(subscriptions, events, TAXONOMY)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_row_is_an_event_even_if_its_neighbour_has_the_same_graph(
    spark: SparkSession, tmp_path: Path, strategy: str
) -> None:
    one = f"<{EX}a> <{EX}by> <{EX}bob> <urn:event:0> .\n".encode()
    other = f"<{EX}a> <{TYPE}> <{EX}Article> <urn:event:0> .\n".encode()
    df = frame(spark, [("urn:event:0", payload) for payload in (one, one, other)]).coalesce(1)
    found = by_spark(df, case_subscriptions(), strategy, tmp_path)
    assert sum(found[key] for key in found if key[0] == "distinct") == 2
    assert not [key for key in found if key[0] == "constants"]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_no_events_and_no_subscriptions(spark: SparkSession, tmp_path: Path, strategy: str) -> None:
    nothing = spark.createDataFrame([], EVENT_COLUMNS)
    assert by_spark(nothing, case_subscriptions(), strategy, tmp_path) == Counter()
    assert by_spark(events_frame(spark, case_events()), [], strategy, tmp_path) == Counter()


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_payload_that_is_no_event_fails_by_name(spark: SparkSession, tmp_path: Path, strategy: str) -> None:
    df = frame(spark, [("urn:bad", b"this is not a quad\n")])
    with pytest.raises((PySparkException, Py4JJavaError), match="urn:bad"):
        by_spark(df, case_subscriptions(), strategy, tmp_path)


def test_a_library_feed_in_three_languages(spark: SparkSession, tmp_path: Path) -> None:
    feed = workloads.library(400, 300, seed=5, matches_per_event=3)
    taxonomy = Taxonomy.parse(feed.taxonomy or "")
    subscriptions, events = list(feed.subscriptions()), list(feed.events())
    wanted = by_matcher(subscriptions, events, taxonomy)
    assert len(wanted) > 300
    df = events_frame(spark, events).repartition(3).cache()
    for strategy in STRATEGIES:
        assert by_spark(df, subscriptions, strategy, tmp_path, taxonomy) == wanted, strategy


@st.composite
def situations(draw: st.DrawFn) -> tuple[list[Event], list[Subscription]]:
    """Events with names of their own, and subscriptions that imitate each of them."""
    raw = draw(st.lists(drawn.events(), min_size=8, max_size=16))
    events = [Event.from_triples(f"urn:event:{n}", event.triples) for n, event in enumerate(raw)]
    lists = [draw(st.lists(drawn.subscriptions(event.triples), min_size=2, max_size=4)) for event in events]
    return events, list({s.id: s for some in lists for s in some}.values())


# Shrinking would run Spark a hundred times: what fails is shown as it was drawn.
@settings(max_examples=2, phases=[Phase.generate], suppress_health_check=list(HealthCheck), database=None)
@given(situations(), drawn.taxonomies())
def test_whatever_is_drawn(
    spark: SparkSession,
    tmp_path_factory: pytest.TempPathFactory,
    situation: tuple[list[Event], list[Subscription]],
    known: tuple[Triple, ...],
) -> None:
    events, subscriptions = situation
    taxonomy = Taxonomy.from_triples(known)
    df = events_frame(spark, events)
    root = tmp_path_factory.mktemp("index")
    wanted = by_matcher(subscriptions, events, taxonomy)
    for strategy in STRATEGIES:
        found = by_spark(df, subscriptions, strategy, root, taxonomy)
        assert found == wanted, strategy
    _check_with_oracle(wanted, events, subscriptions, known)


def _check_with_oracle(
    found: Rows, events: list[Event], subscriptions: list[Subscription], known: tuple[Triple, ...]
) -> None:
    """The same rows, as the oracle judges them. A CONSTRUCT's row holds solutions, of which the oracle says nothing."""
    oracle = Oracle(known)
    by_pair = {(key[0], key[1]): key[2] for key in found}
    for subscription in (s for s in subscriptions if not isinstance(s.query.form, Construct)):
        for event in events:
            try:
                wanted = oracle.match(subscription, event)
            except OracleUndecided:
                continue
            told = by_pair.get((subscription.id, event.graph.value))
            got = None if told is None else [{k: term_of(v.encode()) for k, v in s} for s in told]  # type: ignore[attr-defined]
            assert same_answers(got, wanted), f"{subscription.text}\non {event.nquads!r}"


def test_what_is_prepared_once_is_found_again(spark: SparkSession, tmp_path: Path) -> None:
    for strategy in STRATEGIES:
        first, again = (prepare(spark, case_subscriptions(), tmp_path, strategy, parts=PARTS) for _ in range(2))
        assert first == again


def test_auto_replicates_what_fits(spark: SparkSession, tmp_path: Path) -> None:
    assert prepare(spark, case_subscriptions(), tmp_path, "auto").name == "replicate"


def test_an_unknown_strategy_is_refused_by_name(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="replicate, osma, csma, auto, found 'broadcast'"):
        prepare(spark, [], tmp_path, "broadcast")
