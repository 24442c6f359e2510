"""The event space's benchmark measures what it says."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from benchmarks.eventcloud.costs import Commit, Step, StorageWork, fitted
from benchmarks.eventcloud.driving import outcome_of
from benchmarks.eventcloud.outcomes import CSMA, OSMA, Outcome
from benchmarks.eventcloud.simulator import Links, Modelled, Simulator
from benchmarks.eventcloud.tables import asked
from benchmarks.eventcloud.tiling import tiling
from benchmarks.eventcloud.workload import Workload
from msgspec import Struct, field

from triplewire import Matcher
from triplewire.network.can.effects import Send
from triplewire.network.can.geometry.space import SPACE
from triplewire.network.can.ownership.claims import minus


def test_events_are_as_large_as_the_papers_and_each_matches_one_subscription_in_turn():
    workload = Workload(subscriptions=4)
    texts = list(workload.nquads(0, 40))
    assert {len(text) for text in texts} == {670}
    assert {text.count(b"\n") for text in texts} == {5}
    matcher = Matcher()
    for query in workload.queries():
        matcher.add(query)
    found = [[match.subscription_id for match in matcher.match(event)] for event in workload.events(0, 40)]
    assert found == [[f"s{number % 4}"] for number in range(40)]


def test_the_zones_of_a_simulated_space_tile_it_and_have_about_as_much_of_the_data_each():
    workload = Workload(subscriptions=3)
    zones = tiling(25, workload.points(400))
    assert not any(one.touches(other) for one, other in combinations(zones, 2))
    assert not minus([SPACE], zones)
    loads = Counter(next(zone for zone in zones if point in zone) for point in workload.points(400))
    assert max(loads.values()) <= 2.1 * 2_000 / 25


def test_a_model_finds_what_steps_of_known_cost_cost():
    chance = np.random.default_rng(7)
    steps = []
    for number in range(400):
        step = Step("ab"[number % 2], *map(int, chance.integers(9, size=5)), size=1000)
        once = 20e-6 if step.kind == "a" else 50e-6
        step.seconds = once + 1e-6 * (10 * step.quads + 5 * step.looked_at + 4 * step.receipts + 3 * step.sent)
        steps.append(step)
    commits = [Commit(changes, 1e-3 + 2e-6 * changes) for changes in range(1, 30)]
    model, of_steps, of_commits = fitted(steps, commits, 3e-3)
    assert model.of_step(Step("a", quads=2, looked_at=1, receipts=1, sent=1, size=1000)) == pytest.approx(52e-6)
    assert model.of_commit(10) == pytest.approx(4.02e-3)
    assert model.of_commit(0) == 0
    assert of_steps.r_squared == pytest.approx(1)
    assert of_commits.total_off < 0.01


class Echo(Struct):
    """A member that answers, and says how often it was committed when it was asked."""

    storage: Storage

    def receive(self, now: float, sender: str, message: str) -> list[object]:
        self.storage.work.puts += 1
        return [f"{message} at {now:.4f}"] if message == "answer" else [Send(sender, "answer")]

    def flush(self, now: float) -> list[object]:
        return []


class Storage(Struct):
    """Counts changes and commits."""

    work: StorageWork = field(default_factory=StorageWork)
    commits: int = 0
    most_in_batch: int = 2

    def commit(self) -> None:
        self.commits += 1


def test_time_is_what_steps_commits_and_links_cost_and_a_machine_does_one_thing_at_a_time():
    steps = [*[Step("m", seconds=1e-3)] * 30, *[Step("flush")] * 30]
    model, _, _ = fitted(steps, [Commit(1, 2e-3), Commit(2, 2e-3)], 3e-3)
    members = {name: Echo(Storage()) for name in "xy"}
    space = {name: (member, member.storage) for name, member in members.items()}
    simulator = Simulator(space, Modelled(model), lambda message, size: Step("m"), Links(latency=1e-2, overhead=0))
    told = []
    simulator.told = lambda now, name, effect: told.append((round(now, 4), name, effect))
    for _ in range(2):
        simulator.submit("y", Step("m"), lambda now: members["y"].receive(now, "x", "question"))
    assert simulator.run_until(lambda: len(told) == 2, 10)
    # y: two steps and a commit, 7 ms. The link: 10 ms. x: a step and a commit, 6 ms, and then the other answer's.
    assert told == [(0.023, "x", "answer at 0.0170"), (0.029, "x", "answer at 0.0230")]
    assert (members["y"].storage.commits, members["x"].storage.commits) == (1, 2)


def test_what_was_asked_is_said_of_the_papers_size_and_of_eight_processes():
    simulated = [Outcome("a", CSMA, 25, 1, 100, 100.0, 1.0), Outcome("a", OSMA, 25, 1, 100, 600.0, 1.0)]
    real = [Outcome("c", OSMA, 8, 60, 100, 900.0, 1.0)]
    figures = asked(simulated, real)
    assert (figures[0].measured, figures[0].met) == (6.0, True)
    assert (figures[1].measured, figures[1].met) == (900.0, False)


@pytest.mark.parametrize("workload", [Workload(subscriptions=3), Workload(accepts_all=True), Workload(subscriptions=0)])
def test_every_event_is_stored_and_notified_in_simulated_time_and_osma_needs_fewer_messages(workload):
    steps = [Step("any", seconds=1e-4)] * 30
    model, _, _ = fitted(steps, [Commit(1, 1e-4), Commit(2, 1e-4)], 1e-3)
    csma, osma = (outcome_of("a", workload, 6, name, 40, Modelled(model)) for name in (CSMA, OSMA))
    assert (csma.events, csma.nodes, csma.subscriptions) == (40, 6, workload.subscriptions)
    assert 0 < osma.messages < csma.messages
    assert osma.stored > 0
    assert (osma.throughput > 0) == (workload.subscriptions > 0)
    assert 0 < osma.busiest <= 1.01
