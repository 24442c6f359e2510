"""Queries over a dataset: FROM, FROM NAMED and DESCRIBE, which a subscription may not have."""

from __future__ import annotations

import pytest
from hypothesis import given
from pyoxigraph import QueryBoolean, QueryTriples, Store
from tests.languages.sparql import corpus
from tests.languages.sparql.test_printer import RELAXED
from tests.languages.sparql.test_updates import dataset
from tests.languages.sparql.trees import DATASET_QUERIES, in_normal_form
from tests.languages.text_pairs import text_pairs, texts

from triplewire.errors import InputError, LimitExceeded, RefusedFeature
from triplewire.languages.sparql import parse_dataset_query, parse_query, print_dataset_query, print_query
from triplewire.languages.sparql.lowering.oxigraph_limits import check_evaluable
from triplewire.languages.sparql.syntax.datasets import DatasetQuery
from triplewire.rdf.terms import NamedNode

H, J = NamedNode("urn:h"), NamedNode("urn:j")


@pytest.mark.parametrize(("text", "printed"), text_pairs("sparql/datasets.txt"))
def test_read_printed_and_answered_by_oxigraph(text: str, printed: str) -> None:
    text = corpus.with_prologue(text)
    query = parse_dataset_query(text)
    assert corpus.shortened(print_dataset_query(query)) == printed
    assert parse_dataset_query(print_dataset_query(query)) == query
    if "HAVING" not in text and "?s :b ?s" not in text:  # which Oxigraph does not read as SPARQL 1.1 allows them
        assert answers(text) == answers(print_dataset_query(query))


def answers(text: str) -> object:
    found = dataset().query(text)
    if isinstance(found, QueryTriples):
        return sorted(map(str, found))
    return bool(found) if isinstance(found, QueryBoolean) else list(map(str, found))


@pytest.mark.parametrize(("text", "message"), text_pairs("sparql/datasets_refused.txt"))
def test_refused_with_place_and_reason(text: str, message: str) -> None:
    with pytest.raises(InputError) as refused:
        parse_dataset_query(corpus.with_prologue(text))
    assert message in str(refused.value)


@pytest.mark.parametrize("text", texts("sparql/accepted.txt"))
def test_every_query_for_events_is_one_over_a_dataset_too(text: str) -> None:
    text = corpus.with_prologue(text)
    query = parse_dataset_query(text)
    assert query == DatasetQuery(parse_query(text))
    assert print_dataset_query(query) == print_query(parse_query(text))


@RELAXED
@given(DATASET_QUERIES)
def test_printing_and_reading_gives_the_same_tree_which_oxigraph_accepts(query: DatasetQuery) -> None:
    query = in_normal_form(query)
    text = print_dataset_query(query)
    assert parse_dataset_query(text) == query
    Store().query(text)


@pytest.mark.parametrize("text", ["DESCRIBE <urn:a>", "ASK FROM <urn:g> {}", "SELECT * FROM NAMED <urn:g> {}"])
def test_a10_a_subscription_goes_on_refusing_them_by_name(text: str) -> None:
    with pytest.raises(RefusedFeature) as refused:
        parse_query(text)
    assert refused.value.feature in text


def test_the_graphs_of_a_request_win_over_those_of_the_text() -> None:
    query = parse_dataset_query("ASK FROM <urn:g> {}")
    assert query.names_its_dataset
    assert query.over((), ()) == query
    assert query.over((H,), (J,)) == DatasetQuery(query.query, (H,), (J,))
    assert not parse_dataset_query("ASK {}").names_its_dataset


def test_a2_a_describe_is_measured_before_oxigraph_sees_it() -> None:
    check_evaluable(parse_dataset_query("DESCRIBE ?s { ?s ?p ?o }").query)
    summed = "+".join(["?o"] * 400)
    with pytest.raises(LimitExceeded) as refused:
        check_evaluable(parse_dataset_query(f"DESCRIBE ?s {{ ?s ?p ?o }} ORDER BY ({summed})").query)
    assert refused.value.limit == "stack"
