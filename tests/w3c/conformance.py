"""The W3C's tests of SPARQL: queries, by asking and as views, updates of the living graph, and syntax.

Run by `make test-w3c`, which brings the tests through Maven. Those that come out otherwise stand in `departures`, each
with its reason, and have to go on doing so.
"""

from __future__ import annotations

import os
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from pyoxigraph import Store as Oxigraph
from tests.w3c.departures import NOT_RUN, OTHERWISE
from tests.w3c.manifests import Case, Dataset, cases, quads_of
from tests.w3c.results import Answer, are_same, expected_in, same_graphs

from triplewire.errors import InputError, RefusedFeature
from triplewire.evaluation.answers import evaluate
from triplewire.evaluation.datasets import OxigraphDataset
from triplewire.languages.sparql.parsing.parser import parse_dataset_query, parse_update
from triplewire.languages.sparql.syntax import ast
from triplewire.languages.sparql.syntax.datasets import DatasetQuery
from triplewire.node.living.graph import LivingGraph
from triplewire.node.living.sparql_update import prepared, updates_of
from triplewire.node.living.store import LivingStore
from triplewire.node.store import Store
from triplewire.rdf.terms import NamedNode, Triple
from triplewire.rules.execution import Status
from triplewire.store import Database
from triplewire.store.disk import Connection
from triplewire.views.changes import Change
from triplewire.views.maintenance.results import Item
from triplewire.views.view_set import ViewDelta, ViewFailed, ViewSet

SUITE = Path(os.environ.get("TRIPLEWIRE_W3C", ".venv/w3c")).absolute() / "suite"
ALL = [case for case in cases(SUITE) if case.name.rpartition("/")[0] not in NOT_RUN]
SECONDS = 60


def those(*kinds: str) -> list[Any]:
    return [pytest.param(case, id=case.name) for case in ALL if case.kind in kinds]


QUERIES = those("QueryEvaluationTest")
UPDATES = those("UpdateEvaluationTest")
GOOD = those("PositiveSyntaxTest", "PositiveSyntaxTest11")
BAD = those("NegativeSyntaxTest", "NegativeSyntaxTest11")
GOOD_UPDATES = those("PositiveUpdateSyntaxTest11")
BAD_UPDATES = those("NegativeUpdateSyntaxTest11")


def test_all_of_them_are_there() -> None:
    counted = Counter(case.kind for case in ALL)
    assert counted["QueryEvaluationTest"] >= 425
    assert counted["UpdateEvaluationTest"] >= 90
    assert set(OTHERWISE) <= {case.name for case in ALL}


def holds(case: Case, is_right: bool) -> None:
    """What departs from the tests has to be known, and what is known has to depart."""
    assert is_right is (case.name not in OTHERWISE), OTHERWISE.get(case.name, "")


def data_of(case: Case, query: DatasetQuery) -> Oxigraph:
    """The dataset of a test; where it has none, the files that the query names."""
    store = Oxigraph()
    named = [*query.default_graphs, *query.named_graphs]
    store.extend(quads_of(case.data))
    store.extend(quads_of(Dataset((), tuple((name.value, file_of(name)) for name in named))))
    return store


def file_of(name: NamedNode) -> Path:
    return Path(name.value.removeprefix("file://"))


def parsed(case: Case) -> DatasetQuery | None:
    """The query, None if it is refused."""
    try:
        return parse_dataset_query(case.text.read_text("utf-8"), base=case.base)
    except InputError:
        return None


@pytest.mark.parametrize("case", QUERIES)
def test_a_query_is_answered(case: Case) -> None:
    assert isinstance(case.expected, Path)
    query = parsed(case)
    if query is None:
        holds(case, False)
        return
    found = evaluate(query, OxigraphDataset(data_of(case, query)))
    answer: Answer = found if isinstance(found, bool) else list(found)
    holds(case, are_same(answer, expected_in(case.expected), is_lax=case.is_lax))


@pytest.mark.parametrize("case", QUERIES)
def test_a_view_comes_to_the_same_answer(case: Case) -> None:
    """A view of an empty dataset is told of the data in parts; one of them goes, and comes again."""
    assert isinstance(case.expected, Path)
    query = parsed(case)
    if query is None:
        holds(case, False)
        return
    quads, store, views = list(data_of(case, query)), Oxigraph(), ViewSet()
    told = list(views.add("view", query, OxigraphDataset(store)).items)
    half = len(quads) // 2
    steps = [(quads[half:], []), (quads[:half], []), ([], quads[half:]), (quads[half:], [])]
    for position, (added, removed) in enumerate(steps, 1):
        for quad in removed:
            store.remove(quad)
        store.extend(added)
        told = _after(told, views.apply(Change.of(added, removed, position), OxigraphDataset(store)))
    answer: Answer = bool(told) if isinstance(query.query, ast.AskQuery) else told  # type: ignore[assignment]
    holds(case, are_same(answer, expected_in(case.expected), is_lax=case.is_lax))


def _after(told: list[Item], said: list[ViewDelta | ViewFailed]) -> list[Item]:
    """The answer after a change, from the one before and what the view says of the change."""
    items = {_key(item): item for item in told}
    counted = Counter(map(_key, told))
    for delta in said:
        assert isinstance(delta, ViewDelta), delta
        items.update((_key(item), item) for item in delta.added)
        counted.update(map(_key, delta.added))
        counted.subtract(map(_key, delta.removed))
    assert min(counted.values(), default=0) >= 0, "nothing is removed that was not there"
    return [items[key] for key in counted.elements()]


def _key(item: Item) -> object:
    return item if isinstance(item, Triple) else frozenset(item.items())


@pytest.mark.parametrize("case", UPDATES)
def test_an_update_does_what_it_should(case: Case) -> None:
    assert isinstance(case.expected, Dataset)
    try:
        operations = [prepared(each) for each in parse_update(case.text.read_text("utf-8"), base=case.base)]
    except RefusedFeature:
        holds(case, False)
        return

    def work(tx: Connection, living: LivingGraph) -> bool:
        outcome = living.run(updates_of(operations, living.repository, 1_000_000, 10_000, "t"))
        return [entry.status for entry in outcome.entries] == [Status.COMMITTED]

    with tempfile.TemporaryDirectory() as folder:
        database = Database(Path(folder))
        store = LivingStore(Store(database))
        store.read(lambda living: living.repository.store.extend(quads_of(case.data)))
        is_done = store.submit(work).result(SECONDS)
        held = store.read(lambda living: list(living.repository.store))
        database.close()
    holds(case, is_done and same_graphs(held, quads_of(case.expected)))


@pytest.mark.parametrize("case", GOOD)
def test_a_query_is_read(case: Case) -> None:
    holds(case, parsed(case) is not None)


@pytest.mark.parametrize("case", BAD)
def test_a_query_that_is_wrong_is_refused(case: Case) -> None:
    holds(case, parsed(case) is None)


@pytest.mark.parametrize("case", GOOD_UPDATES)
def test_an_update_is_read(case: Case) -> None:
    holds(case, _is_update(case))


@pytest.mark.parametrize("case", BAD_UPDATES)
def test_an_update_that_is_wrong_is_refused(case: Case) -> None:
    holds(case, not _is_update(case))


def _is_update(case: Case) -> bool:
    try:
        parse_update(case.text.read_text("utf-8"), base=case.base)
    except InputError:
        return False
    return True
