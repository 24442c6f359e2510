"""Section 3.2: the serialisation graph, its subgraphs merged and replicated among those concerned."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from random import Random

import pytest

from triplewire.federation.execution.serialisation import Edge, SerialisationGraph, Untold, Verdict


class Coordinators:
    """Graphs of several super-peers, which tell each other what they have to. Each knows what it has sealed itself."""

    def __init__(self, *names: str, sealed: Iterable[str] = ()) -> None:
        self.graphs = {name: SerialisationGraph(name) for name in names}
        self.victims: set[str] = set()
        self.unbreakable: set[frozenset[str]] = set()
        for node in sealed:
            self.graphs[node[0]].seal(0.0, [node])

    def meet(self, at: str, first: str, second: str, rng: Random | None = None) -> None:
        queue: deque[tuple[str, Untold, str | None]] = deque([(at, Untold(((first, second),)), None)])
        while queue:
            if rng is not None:
                rng.shuffle(queue)
            to, said, sender = queue.popleft()
            graph = self.graphs[to]
            around = graph.seal(0.0, said.sealed, sender)
            for other, untold in graph.add(0.0, said.edges, sender).items():
                queue.append((other, untold, to))
            verdict = graph.judge(0.0, (*said.edges, *around))
            self.unbreakable |= {frozenset(cycle) for cycle in verdict.unbreakable}
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


def test_the_youngest_that_is_not_sealed_aborts_wherever_it_is():
    network = Coordinators("a", "b", "c", sealed=["b/9"])
    network.meet("a", "a/5", "b/9")
    network.meet("b", "b/9", "c/7")
    network.meet("c", "c/7", "a/5")
    assert network.victims == {"c/7"}
    assert all(graph.is_sealed("b/9") for graph in network.graphs.values())


def test_where_all_are_sealed_nobody_aborts_and_it_is_said_once():
    network = Coordinators("a", "b", sealed=["a/1", "b/2"])
    network.meet("a", "a/1", "b/2")
    network.meet("b", "b/2", "a/1")
    assert network.victims == set()
    assert network.unbreakable == {frozenset({"a/1", "b/2"})}
    assert network.graphs["a"].judge(0.0, [("a/1", "b/2")]) == Verdict()


def test_a_way_round_over_somebody_who_can_abort_is_found_beside_one_over_nobody():
    graph = SerialisationGraph("a")
    graph.seal(0.0, ["a/1", "a/2", "a/3"])
    graph.add(0.0, [("a/1", "a/2"), ("a/2", "a/3"), ("a/2", "a/9"), ("a/9", "a/3"), ("a/3", "a/1")])
    verdict = graph.judge(0.0, [("a/3", "a/1")])
    assert verdict.victims == ("a/9",)
    assert set(map(frozenset, verdict.unbreakable)) == {frozenset({"a/1", "a/2", "a/3"})}


def test_two_parts_that_have_come_apart_share_nothing_new():
    network = Coordinators("a", "b")
    network.meet("a", "a/1", "b/1")
    network.graphs["a"].forget(1.0)
    assert network.graphs["a"].add(2.0, [("a/1", "a/2")]) == {}


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


@pytest.mark.parametrize("share", [0.0, 0.3, 0.7])
@pytest.mark.parametrize("seed", range(60))
def test_without_its_victims_every_graph_is_free_of_cycles_over_what_can_abort(seed: int, share: float):
    rng = Random(seed)
    names = ["a", "b", "c", "d"]
    nodes = [f"{name}/{number}" for name in names for number in (1, 2)]
    sealed = [node for node in nodes if rng.random() < share]
    network = Coordinators(*names, sealed=sealed)
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
    loose = {node for node in nodes if node not in sealed}
    assert not network.victims & set(sealed)
    assert not {node for node in loose if reaches(left, node, node)}


def reaches(edges: set[Edge], start: str, end: str) -> bool:
    found: set[str] = set()
    waiting = [start]
    while waiting:
        node = waiting.pop()
        new = {second for first, second in edges if first == node} - found
        found |= new
        waiting += new
    return end in found
