"""The same question to Spark and to Oxigraph, over the dataset of `/events/sparql`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from pyoxigraph import QueryBoolean, QuerySolutions, Store
from pyspark.sql import SparkSession

from triplewire.languages.sparql.lowering.balanced_trees import balanced
from triplewire.languages.sparql.parsing.parser import parse_query
from triplewire.languages.sparql.printing.printer import print_query
from triplewire.pipeline.asking.dataset import Quads
from triplewire.pipeline.asking.row_functions import TRIPLE_COLUMNS
from triplewire.pipeline.jobs.questions.asking import Question
from triplewire.rdf.events import Event
from triplewire.rdf.terms import DefaultGraph, Quad

Rows = Counter[frozenset[tuple[str, str]]]
COLUMNS = "subject string, predicate string, object string, event string"


def by_spark(spark: SparkSession, query: str, events: Iterable[Event]) -> bool | Rows:
    """What Spark says, over rows as `quads` has them."""
    # Events come again.
    quads = 2 * [(*map(str, triple), event.graph.value) for event in events for triple in event.triples]
    answer = Question(spark, query, Quads(spark.createDataFrame(quads, COLUMNS))).answer()
    return answer if isinstance(answer, bool) else Counter(bound(answer.names, row) for row in answer.rows)


def by_oxigraph(query: str, events: Iterable[Event]) -> bool | Rows:
    """What Oxigraph says of a store with every event as a named graph, and all of them in the default graph."""
    store = store_of(events)
    found = store.query(print_query(balanced(parse_query(query))))
    if isinstance(found, QueryBoolean):
        return bool(found)
    if isinstance(found, QuerySolutions):
        names = [variable.value for variable in found.variables]
        return Counter(bound(names, row) for row in found)
    return Counter(bound(TRIPLE_COLUMNS, triple) for triple in found)


def bound(names: Iterable[str], row: Iterable[object]) -> frozenset[tuple[str, str]]:
    """What a row binds. The order of columns is nobody's affair where a query says `*`."""
    return frozenset((name, str(term)) for name, term in zip(names, row, strict=True) if term is not None)


def store_of(events: Iterable[Event]) -> Store:
    store = Store()
    for event in events:
        for triple in event.triples:
            store.add(Quad(*triple, event.graph))
            store.add(Quad(*triple, DefaultGraph()))
    return store
