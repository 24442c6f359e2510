"""Random histories: peers come and go, ask, offer and publish while a network is broken and mended.

A run has chapters. First the super-peers join, and there is calm until everything has settled. Then storms, in which
things break and are mended in any order; between some of them there is calm. At the end everything is mended.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import msgspec
from msgspec import Struct

from triplewire.testing.simulation.faults import FINE, ROUGH, Weather, both_ways, one_way
from triplewire.testing.simulation.network import Cut
from triplewire.testing.simulation.workload.draws import drawn_fact, drawn_offer, drawn_query, drawn_saying, offer_of
from triplewire.testing.simulation.workload.facts import Offer
from triplewire.testing.simulation.world import World

_PEERS = 2
# What each of them says, the others hear: few are many.
_MOST_RULES = 3

MILD = Weather(slowest=0.1, loss=0.01, repeats=0.02)
SKIES = (FINE, FINE, MILD, MILD, ROUGH)


class Plan(Struct, frozen=True, kw_only=True):
    """How large a history is, and what happens in it. Lengths in seconds, `pace` in deeds of peers a second."""

    size: int
    weather: Weather
    storms: int
    storm: float
    settle: float
    troubles: tuple[str, ...]
    breaks: int
    pace: float = 4.0


TROUBLES = ("cut off", "not heard", "hears nobody", "split", "pair", "one way", "crash", "stall", "join", "leave")


def drawn_plan(seed: int) -> Plan:
    """A plan by seed: from two super-peers to twelve."""
    rng = Random(f"plan {seed}")
    size, weather = rng.randint(2, 12), rng.choice(SKIES)
    return Plan(
        size=size,
        weather=weather,
        storms=rng.randint(1, 2),
        storm=rng.uniform(3.0, 12.0),
        # Where one message in ten is lost and one in twenty comes seconds late, everything takes its time.
        settle=30.0 if weather is ROUGH else 15.0,
        troubles=tuple(rng.sample(TROUBLES, rng.randint(1, len(TROUBLES)))),
        breaks=rng.randint(1, 4),
    )


def hard_plan(seed: int) -> Plan:
    """The same with up to 24 super-peers, and more and longer storms in which more things break at once."""
    rng = Random(seed)
    return msgspec.structs.replace(
        drawn_plan(seed),
        size=rng.randint(2, 24),
        storms=rng.randint(2, 3),
        storm=rng.uniform(5.0, 25.0),
        breaks=rng.randint(4, 14),
        pace=rng.choice((2.0, 6.0, 12.0)),
    )


class Play:
    """Plays a plan in a world."""

    def __init__(self, world: World, plan: Plan) -> None:
        self.world = world
        self.plan = plan
        self._rng = world.rng
        self._cuts: list[Cut] = []
        self._down: list[str] = []
        self._offers: dict[str, tuple[str, str, Offer]] = {}
        self._subscriptions: dict[str, str] = {}
        self._rules: dict[str, tuple[str, str]] = {}
        self._away: list[tuple[str, str]] = []
        self._acts = True
        self._numbers = 1000

    def run(self) -> None:
        """From the first super-peer until everything is mended."""
        self.world.found(self.plan.size, apart=self._rng.uniform(0.0, 0.7))
        for _ in range(self.plan.size * 2):
            self._rng.choice((self._subscribe, self._advertise))()
        for _ in range(self._rng.randint(0, _MOST_RULES - 1)):
            self._listen()
        self.world.later(0.0, self._act)
        self.world.run_for(self.plan.settle + 2)
        for _ in range(self.plan.storms):
            self._storm()
            if self._rng.random() < 0.5:
                self._mend_all()
                self.world.run_for(self.plan.settle + self._rng.random() * 5)
        self._mend_all()
        self._acts = False

    # Peers

    def _act(self) -> None:
        if not self._acts:
            return
        actions: tuple[Callable[[], None], ...] = (
            self._subscribe,
            self._unsubscribe,
            self._advertise,
            self._withdraw,
            self._publish,
            self._listen,
            self._listen_no_more,
            self._go_away,
            self._come_back,
            self._trim,
        )
        self._rng.choices(actions, weights=(4, 2, 3, 1, 20, 1, 0.3, 4, 2, 3))[0]()
        self.world.later(self._rng.expovariate(self.plan.pace), self._act)

    def _subscribe(self) -> None:
        host = self._any_up()
        if host is not None:
            name = self.world.subscribe(host, self._peer(host), drawn_query(self._rng))
            self._subscriptions[name] = host

    def _unsubscribe(self) -> None:
        name = self._one_of(list(self._subscriptions), lambda one: self._subscriptions[one])
        if name is not None:
            self.world.unsubscribe(self._subscriptions.pop(name), name)

    def _advertise(self) -> None:
        host = self._any_up()
        if host is not None:
            peer, offer = self._peer(host), drawn_offer(self._rng)
            self._offers[self.world.advertise(host, peer, offer)] = host, peer, offer

    def _withdraw(self) -> None:
        name = self._one_of(list(self._offers), lambda one: self._offers[one][0])
        if name is not None:
            self.world.withdraw(self._offers.pop(name)[0], name)

    def _publish(self) -> None:
        name = self._one_of(list(self._offers), lambda one: self._offers[one][0])
        if name is not None:
            host, peer, _ = self._offers[name]
            offers = [offer for where, who, offer in self._offers.values() if (where, who) == (host, peer)]
            self.world.publish(host, peer, drawn_fact(self._rng, offers))

    def _listen(self) -> None:
        host = self._any_up()
        if host is not None and len(self._rules) < _MOST_RULES:
            says = drawn_saying(self._rng)
            offer = self.world.advertise(host, f"{host}/rules", offer_of(says))
            self._rules[self.world.listen(host, drawn_query(self._rng), says)] = host, offer

    def _listen_no_more(self) -> None:
        name = self._one_of(list(self._rules), lambda one: self._rules[one][0])
        if name is not None:
            host, offer = self._rules.pop(name)
            self.world.listen_no_more(host, name)
            self.world.withdraw(host, offer)

    def _go_away(self) -> None:
        host = self._any_up()
        if host is not None:
            peer = self._peer(host)
            self._away.append((host, peer))
            self.world.go_away(host, peer)

    def _come_back(self) -> None:
        up = set(self._up())
        reachable = [one for one in self._away if one[0] in up]
        if reachable:
            one = self._rng.choice(reachable)
            self._away.remove(one)
            self.world.come_back(*one)

    def _trim(self) -> None:
        host = self._any_up()
        if host is not None:
            self.world.trim(host)

    def _one_of(self, names: list[str], host_of: Callable[[str], str]) -> str | None:
        """One whose access point can be reached."""
        up = set(self._up())
        reachable = [name for name in names if host_of(name) in up]
        return self._rng.choice(reachable) if reachable else None

    # Troubles

    def _storm(self) -> None:
        for _ in range(self.plan.breaks):
            self.world.later(self._rng.random() * self.plan.storm, self._break)
        self.world.run_for(self.plan.storm)

    def _break(self) -> None:
        trouble = self._rng.choice(self.plan.troubles)
        up = self._up()
        if len(up) < 2:
            return
        one, other = self._rng.sample(up, 2)
        match trouble:
            case "cut off":
                self._for_a_while(self.world.isolate(one))
            case "not heard":
                self._for_a_while(self.world.isolate(one, hears=True))
            case "hears nobody":
                self._for_a_while(self.world.isolate(one, is_heard=True))
            case "split":
                self._for_a_while(self.world.split(self._rng.sample(up, self._rng.randint(1, len(up) - 1))))
            case "pair":
                self._for_a_while(self.world.cut(both_ways([one], [other]), f"{one} and {other} are apart"))
            case "one way":
                self._for_a_while(self.world.cut(one_way([one], [other]), f"{other} does not hear {one}"))
            case "crash":
                self.world.crash(one)
                self._down.append(one)
                self.world.later(self._while(), self._restart, one)
            case "stall":
                self.world.stall(one, self._while())
            case "join":
                self._numbers += 1
                self.world.join(f"sp{self._numbers}", [one, other])
            case "leave" if len(up) > 2:
                self.world.leave(one, self._rng.choice((0.0, self.plan.settle + 3)))

    def _for_a_while(self, cut: Cut) -> None:
        self._cuts.append(cut)
        self.world.later(self._while(), self._mend, cut)

    def _while(self) -> float:
        """Short or long, compared with how long silence is borne."""
        return self._rng.choice((0.5, 3.0, 15.0)) * self._rng.random()

    def _mend(self, cut: Cut) -> None:
        if cut in self._cuts:
            self._cuts.remove(cut)
            self.world.mend(cut)

    def _restart(self, host: str) -> None:
        if host in self._down:
            self._down.remove(host)
            self.world.restart(host)

    def _mend_all(self) -> None:
        for cut in list(self._cuts):
            self._mend(cut)
        for host in list(self._down):
            self._restart(host)
        for host, peer in self._away:
            if host in self.world.hosts:
                self.world.come_back(host, peer)
        self._away.clear()

    # Choices

    def _up(self) -> list[str]:
        hosts = self.world.hosts.values()
        return [host.id for host in hosts if host.id not in self._down and not host.is_leaving]

    def _any_up(self) -> str | None:
        up = self._up()
        return self._rng.choice(up) if up else None

    def _peer(self, host: str) -> str:
        return f"{host}/peer{self._rng.randrange(_PEERS)}"
