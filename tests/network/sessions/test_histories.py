"""Any history of coming, going, publishing, moving, losing and crashing: everything arrives, secrets stay secret.

What retention has removed is told to be lost instead.
"""

import os

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from tests.network.sessions.world import World

from triplewire.network.sessions.access_point.records import AccessPointSettings
from triplewire.network.sessions.peer.saved_state import ResourceRequest, SubscriptionQuery

STATIONS = ("AP", "AP2", "AP3")
WALKERS = ("A", "B")
TOPICS = ("news", "weather")
STATION, WALKER, TOPIC = st.sampled_from(STATIONS), st.sampled_from(WALKERS), st.sampled_from(TOPICS)
# Longer runs: TRIPLEWIRE_SESSION_EXAMPLES=2000.
EXAMPLES = int(os.environ.get("TRIPLEWIRE_SESSION_EXAMPLES", "40"))


class Histories(RuleBasedStateMachine):
    """The model: what a peer must have is every event of its topics that was published after it subscribed."""

    @initialize(seed=st.integers(0, 1 << 32))
    def begin(self, seed):
        self.world = World(seed, AccessPointSettings(window=3))
        for name in STATIONS:
            self.world.station(name)
        for name in WALKERS:
            walker = self.world.walker(name, self.world.stations["AP"])
            walker.resources["r"] = b"resource of " + name.encode()
            walker.start()
        self.world.run()
        self.expected = {name: set() for name in WALKERS}
        self.events = 0
        self.scanned = 0
        self.requests = []

    @rule(name=WALKER, topic=TOPIC)
    def subscribe(self, name, topic):
        walker = self.world.walkers[name]
        if walker.machine is None or topic in walker.home.subscriptions:
            return
        token = walker.request_id("subscribe", topic, SubscriptionQuery("topic", topic))
        self.world.wait(40, tick=5)
        assert token in walker.answers

    @rule(at=STATION, topic=TOPIC, count=st.sampled_from([1, 2, 8]))
    def publish(self, at, topic, count):
        for _ in range(count):
            self.events += 1
            event = f"urn:e:{self.events}"
            self.world.stations[at].publish(event, topic)
            for name, walker in self.world.walkers.items():
                if topic in walker.home.subscriptions:
                    self.expected[name].add((topic, event))

    @rule(name=WALKER, topic=TOPIC)
    def publish_as_a_peer(self, name, topic):
        walker = self.world.walkers[name]
        if walker.machine is None:
            return
        self.events += 1
        event = f"urn:e:{self.events}"
        walker.request_id("publish", f"{event} {topic}".encode())
        self.world.wait(40, tick=5)
        published = [one for log in self.world.logs.values() for one, _ in log]
        assert published.count(event) == 1
        for other, subscriber in self.world.walkers.items():
            if topic in subscriber.home.subscriptions:
                self.expected[other].add((topic, event))

    @rule(at=STATION, origin=STATION, most=st.sampled_from([1, 5, 50]))
    def hear(self, at, origin, most):
        for _ in range(most):
            if not self.world.stations[at].hear(self.world.stations[origin].id):
                break

    @rule(count=st.integers(1, 30))
    def go_on(self, count):
        for _ in range(count):
            self.world.step()

    @rule(seconds=st.sampled_from([1, 6, 40]))
    def wait(self, seconds):
        self.world.wait(seconds, tick=2)

    @rule(name=WALKER)
    def come_or_go(self, name):
        walker = self.world.walkers[name]
        walker.start() if walker.machine is None else walker.stop()

    @rule(name=WALKER)
    def crash_peer(self, name):
        if self.world.walkers[name].machine is not None:
            self.world.walkers[name].crash()

    @rule(at=STATION)
    def crash_access_point(self, at):
        self.world.stations[at].boot()

    @rule(at=STATION, kept=st.sampled_from([0, 1, 3]))
    def trim(self, at, kept):
        """Retention leaves so many events of an access point, whoever has not read the others."""
        station = self.world.stations[at]
        station.trim(len(station.store.log) - kept)

    @rule(name=WALKER, at=STATION)
    def move(self, name, at):
        walker = self.world.walkers[name]
        place = self.world.stations[at].place
        if walker.machine is None:
            walker.home = walker.home.moving_to(place)
            walker.start()
        else:
            walker.do(walker.machine.move(self.world.now, place))

    @rule(place=st.integers(0, 1000))
    def lose(self, place):
        on_the_way = [entry for entry in self.world.queue if entry[0] in ("up", "down", "relay")]
        if on_the_way:
            self.world.queue.remove(on_the_way[place % len(on_the_way)])

    @rule(name=WALKER)
    def request(self, name):
        walker = self.world.walkers[name]
        other = self.world.walkers["B" if name == "A" else "A"]
        if walker.machine is not None:
            [at] = [station for station in self.world.stations.values() if station.place == other.home.at]
            token = walker.request_id("request", ResourceRequest(other.id, at.id, "r"))
            self.requests.append((walker, other, token))

    @invariant()
    def nothing_else_arrives(self):
        for walker in getattr(self, "world", World()).walkers.values():
            for name, event in walker.seen:
                assert (event, name) in [one for log in self.world.logs.values() for one in log]

    @invariant()
    def private_identifiers_are_seen_by_their_access_points_only(self):
        if not hasattr(self, "world"):
            return
        for sender, receiver, data in self.world.wire[self.scanned :]:
            for name, walker in self.world.walkers.items():
                if walker.keys.secret.encode() in data or walker.keys.private_key in data:
                    assert sender == name
                    assert receiver in STATIONS
        self.scanned = len(self.world.wire)

    def is_told_to_be_lost(self, walker, topic, event):
        """Whether retention removed an event at an access point that told the peer so."""
        for station in self.world.stations.values():
            events = [one for one, *_ in station.store.log[: station.store.floor]]
            place = events.index(event) + 1 if event in events else None
            told = [gap for gap in walker.gaps if gap[:2] == (topic, station.place.id)]
            if place is not None and any(after < place <= until for _, _, after, until in told):
                return True
        return False

    def teardown(self):
        if not hasattr(self, "world"):
            return
        for walker in self.world.walkers.values():
            if walker.machine is None:
                walker.start()
        for _ in range(2):
            self.world.wait(90, tick=5)
            self.world.hear_all()
        self.world.wait(30, tick=5)
        for name, walker in self.world.walkers.items():
            for topic, event in self.expected[name] - walker.seen:
                assert self.is_told_to_be_lost(walker, topic, event), (name, topic, event)
            assert walker.home.previous == ()
            assert walker.home.since is None
            homes = [station for station in self.world.stations.values() if walker.id in station.machine.peers]
            assert [station.place for station in homes] == [walker.home.at]
        for walker, other, token in self.requests:
            # Either it came, or the access points said that it will not.
            answers = walker.answers.get(token, [])
            assert token in walker.got or any(not getattr(message, "again", True) for message in answers)
            if token in walker.got:
                assert walker.got[token].content == b"resource of " + other.name.encode()


Histories.TestCase.settings = settings(
    max_examples=EXAMPLES, stateful_step_count=40, deadline=None, suppress_health_check=list(HealthCheck)
)
TestHistories = Histories.TestCase
