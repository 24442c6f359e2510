"""What a view has said, from its whole answer on, makes up its answer now: by the oracle, whatever happens."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyoxigraph import Store
from tests.node.brokers import ME, broker_at
from tests.node.views.following import Reader
from tests.sweeps import sweep
from tests.views.generating import World, dataset_query, store_of
from tests.views.oracle import as_multiset, by_oxigraph, is_certain

from triplewire.errors import InputError, UpdateRefused
from triplewire.evaluation.answers import evaluate
from triplewire.evaluation.datasets import OxigraphDataset
from triplewire.evaluation.work import Moment
from triplewire.languages.sparql.parsing.parser import parse_dataset_query
from triplewire.node.broker.broker import Broker
from triplewire.node.living.edits import patching
from triplewire.node.living.graph import LivingGraph
from triplewire.rdf.patches import Patch
from triplewire.rdf.terms import Quad
from triplewire.rules.execution import DatasetAction, DatasetUpdate
from triplewire.store.disk import Connection
from triplewire.store.tables.registry import SubscriptionOptions


class Views:
    """Views of a broker, a reader of each, and the quads that hold."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.world = World(rng)
        self.quads: set[Quad] = set()
        self.texts: dict[int, str] = {}
        self.readers: dict[int, Reader] = {}

    async def put(self, broker: Broker) -> None:
        try:
            text = dataset_query(self.world, self.quads)
            parse_dataset_query(text)
        except InputError:
            return
        name = f"view {len(self.texts)}"
        record = await broker.views.put(ME, name, text, SubscriptionOptions())
        self.texts[record.number] = text
        self.readers[record.number] = Reader()

    async def change(self, broker: Broker) -> None:
        added, removed = self.world.change(self.quads)
        await broker.living.patch(ME, [Patch(tuple(added), tuple(removed))])
        self.quads = (self.quads - removed) | added

    async def rolled_back(self, broker: Broker) -> None:
        """A change that views were told of, and that did not happen."""
        added, removed = self.world.change(self.quads)
        action = DatasetAction(lambda _: patching(added, removed, 1_000))

        def work(tx: Connection, living: LivingGraph) -> None:
            broker.living._executed(tx, living, ME, lambda _: [DatasetUpdate(action=action, transaction="patch")])
            raise UpdateRefused("it was not to be")

        with pytest.raises(UpdateRefused):
            await asyncio.wrap_future(broker.living.store.submit(work))

    async def reloaded(self, broker: Broker) -> None:
        """A commit that failed: what is in memory is not to be trusted, and is read again."""
        broker.living.store._is_stale = True

    async def check(self, broker: Broker) -> None:
        """Each reader reads some, and whoever has read all has the answer."""
        for number, reader in self.readers.items():
            if self.rng.random() < 0.6:
                await reader.read(broker, number, limit=self.rng.choice((1, 2, 100)))
                if self.rng.random() < 0.3:
                    await broker.notifications.acknowledge(number, reader.position)
                assert reader.failed is None
                assert reader.answer == self.answer(number), self.texts[number]

    def answer(self, number: int) -> object:
        held, text = store_of(self.quads), self.texts[number]
        return by_oxigraph(held, text) if is_certain(text) else evaluated(held, text)


def evaluated(store: Store, text: str) -> object:
    # Blank nodes of a template have the labels that a view gives them.
    return as_multiset(evaluate(parse_dataset_query(text), OxigraphDataset(store), moment=Moment.at(0)))


async def run(seed: int, folder: Path) -> None:
    rng = Random(seed)
    views = Views(rng)
    for _ in range(2):
        async with broker_at(folder) as broker:
            for _ in range(8):
                step = rng.choice(
                    (views.put, views.change, views.change, views.change, views.rolled_back, views.reloaded)
                )
                await step(broker)
                await views.check(broker)
            assert len(broker.views.follower) == len(views.readers)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(0, 2**40))
def test_views_made_at_any_moment_and_read_at_any_cursor(seed: int):
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(run(seed, Path(folder)))


test_many_more = sweep(test_views_made_at_any_moment_and_read_at_any_cursor, st.integers(0, 2**40), examples=300)
