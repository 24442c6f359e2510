"""Heavy churn by seed: joins, leaves, pauses, kills with restart, losses for good, cuts into halves."""

from __future__ import annotations

from itertools import product
from random import Random

from tests.network.can.simulation import World

from triplewire.network.can.geometry.space import Point

_STEPS = ("join", "join", "join", "leave", "pause", "kill", "kill", "lose", "return", "return", "cut", "heal")
# So long after a node was lost for good, nothing that it stored is in one place only.
_RECOVERY = 60.0


class Churn:
    """One run. `n0` is never lost, so that there is somebody to join at."""

    def __init__(self, seed: int, loss: float = 0.1, doubling: float = 0.1, delay: float = 0.3) -> None:
        self.world = World(seed, loss=loss, doubling=doubling, delay=delay)
        self.rng = Random(seed)
        self.log: list[str] = []
        self._number = 0
        self._lost_at = -_RECOVERY
        self._killed: set[str] = set()

    def run(self, steps: int = 25, first: int = 5) -> World:
        """Grow a space, then let steps follow each other; at the end heal everything, and wait until all is settled."""
        self.world.found()
        for _ in range(first):
            self._join()
            self.world.run(self.rng.uniform(0.5, 4))
        for _ in range(steps):
            for _ in range(3):
                self._put()
            self._do(self.rng.choice(_STEPS))
            self.world.run(self.rng.choice([0.2, 1, 3, 8, 20]))
        self._recover()
        self.world.run_until_settled(most=400)
        return self.world

    def _put(self) -> None:
        graph, subject, predicate, object_ = (
            b"<%s%d>" % (kind, self.rng.randrange(8)) for kind in (b"g", b"s", b"p", b"o")
        )
        point: Point = (graph, subject, predicate, object_)
        if self.world.members:
            self.world.put(point)

    def _do(self, step: str) -> None:
        world = self.world
        others = sorted(set(world.members) - {"n0"})
        away = sorted(world.stopped - world.dead)
        self.log.append(f"{world.now:.1f} {step}")
        if step == "join" and len(world.running) < 12:
            self._join()
        elif step == "leave" and len(others) > 2:
            world.leave(self._noted(self.rng.choice(others)))
        elif step == "pause" and others:
            world.stop(self._noted(self.rng.choice(others)))
        elif step == "kill" and others:
            node = self._noted(self.rng.choice([*others, "n0"]))
            if node in world.members:
                world.kill(node)
                self._killed.add(node)
        elif step == "lose" and others:
            self._lose(self.rng.choice(others))
        elif step == "return" and away:
            self._return(self._noted(self.rng.choice(away)))
        elif step == "cut" and not world.cut:
            self._cut()
        elif step == "heal":
            world.cut = set()

    def _join(self) -> None:
        self._number += 1
        seeds = [self.world.anybody()] if self.world.members else []
        self.world.join(f"n{self._number}", *seeds, "n0")

    def _lose(self, node: str) -> None:
        """Only if everything is somewhere else, and what was lost before has been replaced."""
        world = self.world
        if world.now - self._lost_at >= _RECOVERY and not world.cut and world.is_dispensable(self._noted(node)):
            world.lose(node)
            self._lost_at = world.now

    def _return(self, node: str) -> None:
        if node in self._killed:
            self._killed.discard(node)
            self.world.restart(node)
        else:
            self.world.proceed(node)

    def _cut(self) -> None:
        """Part the nodes in two, several on each side."""
        nodes = sorted(self.world.nodes)
        self.rng.shuffle(nodes)
        half = len(nodes) // 2
        self.world.cut = {frozenset(pair) for pair in product(nodes[:half], nodes[half:])}
        self.log.append(f"  {nodes[:half]} | {nodes[half:]}")

    def _recover(self) -> None:
        self.world.cut = set()
        for node in sorted(self.world.stopped - self.world.dead):
            self._return(node)
        self.log.append(f"{self.world.now:.1f} recover")

    def _noted(self, node: str) -> str:
        self.log.append(f"  {node}")
        return node
