"""Members over a network that loses, doubles and reorders: nothing that was acknowledged is missed."""

from __future__ import annotations

from random import Random

import pytest
from tests.network.eventspace.members import MemberWorld
from tests.network.eventspace.test_matching import Run, check, renamed

from triplewire.algebra.subscriptions import Subscription
from triplewire.network.can.geometry.space import SPACE
from triplewire.network.eventspace.effects import Published
from triplewire.network.eventspace.strategy import PublicationStrategy
from triplewire.rdf.events import Event
from triplewire.testing.decider import Notify

_QUERIES = (
    "SELECT ?x ?z { ?x <http://example.org/p> ?y . ?y <http://example.org/q> ?z }",
    "ASK { ?x <http://example.org/q> ?y FILTER(?y = <http://example.org/b>) }",
    "SELECT * { ?x ?p ?y . ?y ?q ?z . ?z <http://example.org/r> ?w }",
    "ASK { GRAPH ?g { ?x <http://example.org/r> ?y } FILTER NOT EXISTS { ?x <http://example.org/p> ?y } }",
)
STRATEGIES = [PublicationStrategy.CSMA, PublicationStrategy.OSMA]


def drawn_event(rng: Random, number: int) -> Event:
    def name(letters: str) -> str:
        return f"<http://example.org/{rng.choice(letters)}>"

    lines = {f"{name('abcd')} {name('pqr')} {name('abcd')} <urn:e> ." for _ in range(6)}
    return renamed(Event.parse("\n".join(lines))[0], number)


class Clients:
    """Clients of some members that subscribe and publish in turn."""

    def __init__(self, world: MemberWorld, nodes: int) -> None:
        self.world = world
        self.run = Run(world, clients=2)  # type: ignore[arg-type]
        self._nodes = nodes
        self._events = 0

    def act(self, number: int) -> None:
        """A subscription and two events."""
        self.run.subscribe(self._anywhere(), number % 2, Subscription.parse(_QUERIES[number % 4], id=f"s{number}"))
        for turn in range(2):
            self._events += 1
            self.run.publish(self._anywhere(), (number + turn) % 2, drawn_event(self.world.rng, self._events))
            self.world.run(self.world.rng.choice([0, 0.5, 5]))

    def check(self) -> int:
        """Hold what was notified against the oracle; returns how many matches were due."""
        for effect in self.world.told:
            if isinstance(effect, Published):
                # Published again after a crash, it has a new place in the log.
                self.run.sent[effect.ticket].stamp = effect.stamp
        return check(self.run)

    def _anywhere(self) -> int:
        return self.world.rng.choice([at for at in range(self._nodes) if f"n{at}" in self.world.members])


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_f9_matches_while_nodes_join_are_those_of_the_oracle(strategy: PublicationStrategy, seed: int) -> None:
    world = MemberWorld(seed, [strategy], loss=0.1, doubling=0.2, delay=0.6)
    world.grow(4)
    clients = Clients(world, nodes=4)
    for number in range(4):
        clients.act(number)
        world.add(f"m{number}", "n0", "n1")
        world.run(world.rng.choice([0, 3]))
    world.run_until_quiet()
    assert clients.check() > 0
    assert not any(member.waiting for member in world.members.values())


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_f1_a_member_killed_under_load_comes_back_and_nothing_is_missed(
    strategy: PublicationStrategy, seed: int
) -> None:
    """At once, or after others have taken over its zones."""
    world = MemberWorld(seed, [strategy], loss=0.05, doubling=0.1, delay=0.3)
    world.grow(4)
    world.run_until_quiet()
    clients = Clients(world, nodes=4)
    for number in range(4):
        clients.act(number)
        victim = world.rng.choice(sorted(world.members))
        world.kill(victim)
        world.run(world.rng.choice([0, 2, 25]))
        clients.act(number + 4)
        world.restart(victim)
        world.run(25)
    world.run_until_quiet()
    assert clients.check() > 0
    assert not any(member.waiting for member in world.members.values())


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_f1_who_takes_over_sends_what_the_failed_member_had_to_send(strategy: PublicationStrategy, seed: int) -> None:
    """Members without clients are killed for good, with messages under way."""
    world = MemberWorld(seed, [strategy], loss=0.05, doubling=0.1, delay=0.3)
    world.grow(2)
    for number in range(3):
        world.add(f"m{number}", "n0")
        world.run(6)
    world.run_until_quiet()
    clients = Clients(world, nodes=2)
    for number in range(3):
        clients.act(number)
        clients.act(number + 4)
        world.kill(f"m{number}")
        clients.act(number + 8)
        world.run(30)
    world.run_until_quiet()
    assert clients.check() > 0
    assert not any(member.waiting for member in world.members.values())


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_f7_who_leaves_leaves_nothing_unsent(strategy: PublicationStrategy, seed: int) -> None:
    world = MemberWorld(seed, [strategy], loss=0.05, doubling=0.1, delay=0.3)
    world.grow(2)
    for number in range(3):
        world.add(f"m{number}", "n0")
        world.run(6)
    clients = Clients(world, nodes=2)
    for number in range(3):
        clients.act(number)
        world.leave(f"m{number}")
        clients.act(number + 4)
        world.run(world.rng.choice([0, 10]))
    world.run_until_quiet()
    assert clients.check() > 0
    assert not any(f"m{number}" in world.running for number in range(3))


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_events_are_matched_while_members_move_to_where_most_is_stored(strategy: PublicationStrategy) -> None:
    """All members join an empty space, and all terms begin alike: at first one of them stores everything."""
    world = MemberWorld(3, [strategy], loss=0.02, doubling=0.05, delay=0.2)
    world.grow(6)
    world.run_until_quiet()
    clients = Clients(world, nodes=6)
    for number in range(40):
        clients.act(number)
    world.run(100)
    world.run_until_quiet()
    assert clients.check() > 0
    loads = [member.record.load for member in world.members.values()]
    assert max(loads) <= 4 * sum(loads) / len(loads)


def test_who_leaves_has_others_send_on_to_a_member_that_does_not_answer() -> None:
    world = MemberWorld(5, [PublicationStrategy.OSMA])
    world.grow(4)
    world.run_until_quiet()
    clients = Clients(world, nodes=4)
    clients.run.subscribe(3, 0, Subscription.parse(_QUERIES[1], id="s"))
    world.run_until_quiet()
    world.kill("n3")
    for number in range(6):
        clients.run.publish(0, 0, drawn_event(world.rng, number + 1))
    world.run(30)
    for name in ("n1", "n2"):
        world.leave(name)
        world.run(120)
        assert name not in world.running
    assert not any(isinstance(effect, Notify) for effect in world.told)
    world.restart("n3")
    world.run_until_quiet()
    assert clients.check() > 0


def test_f7_who_has_left_comes_back_as_a_newcomer() -> None:
    world = MemberWorld(8, [PublicationStrategy.OSMA])
    world.grow(3)
    world.run_until_quiet()
    clients = Clients(world, nodes=3)
    for number in range(4):
        clients.act(number)
    world.run_until_quiet()
    world.leave("n2")
    world.run(60)
    assert "n2" not in world.running
    host = world.hosts["n2"]
    host.subscribed.clear()
    world.restart("n2")
    world.run_until_quiet()
    assert world.members["n2"].zones


def test_f7_the_last_of_those_who_leave_takes_everything_along_and_goes_on_with_it() -> None:
    world = MemberWorld(9, [PublicationStrategy.CSMA])
    world.grow(3)
    clients = Clients(world, nodes=3)
    clients.act(0)
    world.run_until_quiet()
    for name in ("n0", "n1", "n2"):
        world.leave(name)
    world.run(200)
    assert not world.running
    [last] = [host for host in world.hosts.values() if host.member.zones]
    before = last.storage.quads(SPACE)
    assert before
    world.restart(last.name)
    world.run_until_quiet()
    assert last.member.zones == (SPACE,)
    assert last.storage.quads(SPACE) == before


def test_f7_who_leaves_before_anybody_has_let_it_in_has_left_at_once() -> None:
    world = MemberWorld(12, [PublicationStrategy.OSMA])
    world.add("n0", "nobody")
    world.run(3)
    world.leave("n0")
    world.run(1)
    assert "n0" not in world.running
