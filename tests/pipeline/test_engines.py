"""The cases that the oracle and the matcher agree on, on Spark: one index with all of them, one row."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from tests.conftest import by_oracle
from tests.testing.test_engines import CASES, EVENT, TAXONOMY

from triplewire.algebra.subscriptions import Subscription
from triplewire.algebra.taxonomy import Taxonomy
from triplewire.pipeline import match
from triplewire.pipeline.rows import EVENT_COLUMNS
from triplewire.pipeline.strategies import prepare
from triplewire.rdf.events import Event

pytestmark = pytest.mark.xdist_group("spark")


@pytest.mark.parametrize("strategy", ["replicate", "osma", "csma"])
def test_every_strategy_answers_as_the_oracle_does(spark, tmp_path, strategy):
    (event,) = Event.parse(EVENT)
    taxonomy = Taxonomy.parse(TAXONOMY)
    subscriptions = [Subscription.parse(text, id=name) for name, (text, _) in CASES.items()]
    row = (event.graph.value, "test", datetime(2024, 1, 1, tzinfo=UTC), event.nquads)
    frame = spark.createDataFrame([row], EVENT_COLUMNS)
    prepared = prepare(spark, subscriptions, tmp_path, strategy, taxonomy=taxonomy)
    found = {row.subscription: row.solutions for row in match(frame, prepared).collect()}
    wanted = by_oracle(subscriptions, event, taxonomy)
    assert set(found) == set(wanted)
    for name, solutions in wanted.items():
        spelled = [{variable: str(term) for variable, term in solution.items()} for solution in solutions]
        assert sorted(map(repr, found[name])) == sorted(map(repr, spelled)), name
