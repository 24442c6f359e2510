"""Section 3.2: the serialisation graph, its subgraphs merged and replicated among those concerned."""

from __future__ import annotations

from collections import deque
from random import Random

import pytest

from triplewire.federation.execution.serialisation import Edge, SerialisationGraph


class Coordinators:
    """Graphs of several super-peers, which tell each other what they have to."""

    def __init__(self, *names: str) -> None:
        self.graphs = {name: SerialisationGraph(name) for name in names}
        self.victims: set[str] = set()

    def meet(self, at: str, first: str, second: str, rng: Random | None = None) -> None:
        queue: deque[tuple[str, tuple[Edge, ...], str | None]] = deque([(at, ((first, second),), None)])
        while queue:
            if rng is not None:
                rng.shuffle(queue)
            to, edges, sender = queue.popleft()
            for other, untold in self.graphs[to].add(0.0, edges, sender).items():
                queue.append((other, untold.edges, to))
            verdict = self.graphs[to].judge(0.0, edges)
            self.victims |= {victim for victim in verdict.victims if victim.startswith(f"{to}/")}


def test_coordinators_of_one_part_know_all_of_it_and_others_nothing():
    network = Coordinators("a", "b", "c", "d")
    network.meet("a", "a/1", "b/1")
    network.meet("c", "c/1", "d/1")
    assert network.graphs["b"].edges == (("a/1", "b/1"),)
    assert set(network.graphs["c"].edges) == {("c/1", "d/1")}
    network.meet("b", "b/1", "c/1")
    whole = {("a/1", "b/1"), ("b/1", "c/1"), ("c/1", "d/1")}
    assert all(set(graph.edges) == whole for graph in network.graphs.values())


def test_a_cycle_over_three_is_seen_and_the_youngest_aborts():
    network = Coordinators("a", "b", "c")
    network.meet("a", "a/5", "b/9")
    network.meet("b", "b/9", "c/7")
    assert network.victims == set()
    network.meet("c", "c/7", "a/5")
    assert network.victims == {"b/9"}


def test_what_has_aborted_is_ordered_with_nobody():
    graph = SerialisationGraph("a")
    graph.add(0.0, [("a/1", "b/1"), ("b/1", "c/1")])
    assert graph.withdraw(0.0, "b/1") == {"b", "c"}
    assert graph.edges == ()
    graph.add(0.0, [("c/1", "b/1")])
    assert graph.edges == ()
    assert graph.withdraw(0.0, "b/1") == set()


def test_what_is_old_is_forgotten():
    graph = SerialisationGraph("a")
    graph.add(1.0, [("a/1", "b/1")])
    graph.add(5.0, [("b/1", "a/2")])
    graph.forget(3.0)
    assert graph.edges == (("b/1", "a/2"),)


@pytest.mark.parametrize("seed", range(60))
def test_without_its_victims_every_graph_is_free_of_cycles(seed: int):
    rng = Random(seed)
    names = ["a", "b", "c", "d"]
    network = Coordinators(*names)
    nodes = [f"{name}/{number}" for name in names for number in (1, 2)]
    edges = set()
    for _ in range(rng.randint(3, 14)):
        first, second = rng.sample(nodes, 2)
        edges.add((first, second))
        network.meet(rng.choice(names), first, second, rng)
    left = {(first, second) for first, second in edges if not {first, second} & network.victims}
    while True:
        # Take away what nothing leads to: in the end nothing is left, or a cycle.
        ends = {second for _, second in left}
        kept = {(first, second) for first, second in left if first in ends}
        if kept == left:
            break
        left = kept
    assert left == set()
