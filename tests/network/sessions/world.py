"""Access points, peers and what lies between them, in memory: the same state machines, and a store that is a model.

Every origin has a log. Access points hear the others' logs event by event, when a test says so. What an effect does to
the store survives a crash; what was about to be told of it does not.
"""

from __future__ import annotations

import random
from collections import deque
from dataclasses import dataclass, field

from triplewire.network.sessions import access_point_messages, peer_messages
from triplewire.network.sessions.access_point import effects
from triplewire.network.sessions.access_point.access_point import AccessPoint
from triplewire.network.sessions.access_point.records import (
    AccessPointSettings,
    PeerWithSubscriptions,
    SavedAccessPoint,
)
from triplewire.network.sessions.envelopes import MessageKind, clear_body, kind_of
from triplewire.network.sessions.identity import new_secret, public_key_of
from triplewire.network.sessions.peer import effects as doing
from triplewire.network.sessions.peer.peer import Peer
from triplewire.network.sessions.peer.saved_state import AccessPointInfo, PeerKeys, SavedPeer

ENVELOPE_HEAD = 60
_READ_SAID, _READ_TOLD = peer_messages.decode_peer_message, peer_messages.decode_access_point_message


@dataclass
class Subscription:
    text: str
    outbox: list[effects.PendingNotification] = field(default_factory=list)
    cursor: int = 0
    gap: int = 0


@dataclass
class Store:
    """What survives at an access point."""

    peers: dict = field(default_factory=dict)
    subscriptions: dict = field(default_factory=dict)
    requests: dict = field(default_factory=dict)
    pending_uploads: dict = field(default_factory=dict)
    files: dict = field(default_factory=dict)
    pointers: dict = field(default_factory=dict)
    advertised: dict = field(default_factory=dict)
    accepted: dict = field(default_factory=dict)
    heard: dict = field(default_factory=dict)
    log: list = field(default_factory=list)
    floor: int = 0

    def memory(self) -> SavedAccessPoint:
        names = {peer: tuple(name for owner, name in self.subscriptions if owner == peer) for peer in self.peers}
        return SavedAccessPoint(
            tuple(PeerWithSubscriptions(record, names[peer]) for peer, record in self.peers.items()),
            tuple(self.requests.values()),
            tuple(self.pending_uploads.values()),
            tuple(file for file, _ in self.files.values()),
            tuple(self.pointers.values()),
        )


class Station:
    """An access point with its store."""

    def __init__(self, world: World, name: str, settings: AccessPointSettings) -> None:
        self.world, self.name, self.settings = world, name, settings
        self.key = world.rng.randbytes(32)
        self.place = AccessPointInfo(public_key_of(self.key), f"inproc://{name}")
        self.store = Store()
        self.invitations: set[str] | None = None
        self.watched: set[str] = set()
        self.rules: list[tuple[str, bytes]] = []
        self.rule_answers: dict[tuple[str, str], bytes] = {}
        self.boot()

    @property
    def id(self) -> str:
        """What super-peers call it, which is not what its key says."""
        return "sp-" + self.place.id.removeprefix("tw-")[::-1]

    def boot(self) -> None:
        self.watched = set()
        memory, invited = self.store.memory(), None if self.invitations is None else self.invitations.__contains__
        self.machine = AccessPoint(
            self.key, self.world.rng.randbytes, self.settings, memory, id=self.id, invited=invited
        )
        self.do(self.machine.start(self.world.now))

    def do(self, todo: list) -> None:
        for effect in todo:
            if isinstance(effect, effects.SendToPeer):
                self.world.send(self, effect.connection, effect.data)
            elif isinstance(effect, effects.SendToAccessPoint):
                self.world.relay(self, effect.to, effect.body)
            else:
                outcome = getattr(self, f"_{type(effect).__name__}")(effect)
                ticket = getattr(effect, "ticket", None)
                if ticket is not None:
                    self.world.queue.append(("done", self, self.machine, ticket, outcome or effects.OK))

    # Events

    def publish(self, event: str, topic: str) -> None:
        self.world.logs[self.id].append((event, topic))
        self.hear(self.id)

    def hear(self, origin: str) -> bool:
        """Take the next event of an origin's log; whether there was one."""
        heard = self.store.heard.get(origin, 0)
        if heard >= len(self.world.logs[origin]):
            return False
        self.store.heard[origin] = heard + 1
        event, topic = self.world.logs[origin][heard]
        self.store.log.append((event, topic, origin, heard + 1))
        for key, subscription in self.store.subscriptions.items():
            self._note(key, subscription, len(self.store.log))
        return True

    def trim(self, floor: int) -> None:
        """Retention removes everything up to a position, and what waits about it."""
        self.store.floor = max(self.store.floor, min(floor, len(self.store.log)))
        for subscription in self.store.subscriptions.values():
            removed = [one.position for one in subscription.outbox if one.position <= self.store.floor]
            subscription.outbox = subscription.outbox[len(removed) :]
            subscription.gap = max([subscription.gap, *removed])

    def _note(self, key: tuple, subscription: Subscription, position: int) -> None:
        event, topic, origin, _ = self.store.log[position - 1]
        if subscription.text != topic:
            return
        subscription.outbox.append(effects.PendingNotification(position, event, "tw-publisher", origin, b"{}"))
        if key[0] in self.watched:
            self.world.queue.append(("notifications_available", self, self.machine, *key))

    # What effects do

    def _KeepPeer(self, effect):  # noqa: N802
        self.store.peers[effect.record.id] = effect.record
        self.store.pointers.pop(effect.record.id, None)

    def _ForgetPeer(self, effect):  # noqa: N802
        peer = effect.peer
        self.store.peers.pop(peer, None)
        self.store.advertised.pop(peer, None)
        for kept in (self.store.subscriptions, self.store.requests, self.store.files, self.store.pending_uploads):
            for key in [key for key in kept if key[0] == peer]:
                del kept[key]
        if effect.pointer:
            self.store.pointers[peer] = effect.pointer

    def _ForgetPointer(self, effect):  # noqa: N802
        self.store.pointers.pop(effect.peer, None)

    def _AddSubscription(self, effect):  # noqa: N802
        key = (effect.peer, effect.name)
        if effect.text == "refuse me":
            return effects.Failed("a query", effect.text)
        head = len(self.store.log)
        if effect.since is None:
            self.store.subscriptions.setdefault(key, Subscription(effect.text, cursor=head))
            return None
        # It begins anew, further back: before the first event that was not seen elsewhere.
        unseen = [
            position
            for position, (_, _, origin, number) in enumerate(self.store.log, start=1)
            if number > effect.since.get(origin, number)
        ]
        start = min(unseen, default=head + 1) - 1
        subscription = self.store.subscriptions[key] = Subscription(effect.text, cursor=start)
        subscription.gap = self.store.floor if start < self.store.floor else 0
        for position in range(max(start, self.store.floor) + 1, head + 1):
            self._note(key, subscription, position)
        return None

    def _RemoveSubscription(self, effect):  # noqa: N802
        self.store.subscriptions.pop((effect.peer, effect.name), None)

    def _StoreEvents(self, effect):  # noqa: N802
        key = (effect.peer, effect.key)
        if key not in self.store.accepted:
            event, topic = effect.nquads.decode().split()
            self.publish(event, topic)
            self.store.accepted[key] = peer_messages.Receipt(event, len(self.world.logs[self.id]))
        return effects.Stored((self.store.accepted[key],))

    def _PutAdvertisement(self, effect):  # noqa: N802
        if effect.rdf == "not RDF":
            return effects.Failed("a registration in RDF", effect.rdf)
        self.store.advertised[effect.peer] = effect.rdf
        return None

    def _RemoveAdvertisement(self, effect):  # noqa: N802
        self.store.advertised.pop(effect.peer, None)

    def _Watch(self, effect):  # noqa: N802
        self.watched.add(effect.peer)

    def _Unwatch(self, effect):  # noqa: N802
        self.watched.discard(effect.peer)

    def _ReadPending(self, effect):  # noqa: N802
        subscription = self.store.subscriptions.get((effect.peer, effect.name))
        if subscription is None:
            return effects.Failed("a subscription", "none")
        after = subscription.cursor if effect.after is None else effect.after
        waiting = [one for one in subscription.outbox if one.position > after]
        lost = subscription.gap if max(after, subscription.cursor) < subscription.gap else None
        return effects.NotificationPage(tuple(waiting[: effect.limit]), len(waiting) > effect.limit, lost, after)

    def _Acknowledge(self, effect):  # noqa: N802
        subscription = self.store.subscriptions.get((effect.peer, effect.name))
        if subscription is not None:
            subscription.cursor = max(subscription.cursor, effect.position)
            subscription.outbox = [one for one in subscription.outbox if one.position > subscription.cursor]

    def _ReadWatermarks(self, effect):  # noqa: N802
        return effects.WatermarksRead(dict(self.store.heard))

    def _KeepRequest(self, effect):  # noqa: N802
        self.store.requests[effect.request.requester, effect.request.id] = effect.request

    def _ForgetRequest(self, effect):  # noqa: N802
        self.store.requests.pop((effect.requester, effect.id), None)

    def _KeepPendingUpload(self, effect):  # noqa: N802
        pending_upload = effect.pending_upload
        self.store.pending_uploads[pending_upload.owner, pending_upload.requester, pending_upload.id] = pending_upload

    def _ForgetPendingUpload(self, effect):  # noqa: N802
        self.store.pending_uploads.pop((effect.owner, effect.requester, effect.id), None)

    def _KeepFile(self, effect):  # noqa: N802
        key = (effect.file.requester, effect.file.id)
        self.store.files[key] = (effect.file, effect.content)
        self.store.requests.pop(key, None)

    def _ReadFile(self, effect):  # noqa: N802
        found = self.store.files.get((effect.requester, effect.id))
        return effects.Failed("a file", "none") if found is None else effects.Content(found[1])

    def _ForgetFile(self, effect):  # noqa: N802
        self.store.files.pop((effect.requester, effect.id), None)

    def _RulesReceived(self, effect):  # noqa: N802
        self.rules.append((effect.peer, effect.body))

    def _AnswerRuleRequest(self, effect):  # noqa: N802
        if effect.body == b"refuse me":
            return effects.Failed("a rule", "none")
        number = len(self.rule_answers)
        answer = self.rule_answers.setdefault((effect.peer, effect.key), b"answer %d to %s" % (number, effect.body))
        return effects.RuleRequestAnswered(answer)


class Walker:
    """A peer with its disk: what it has saved, and its resources."""

    def __init__(self, world: World, name: str, at: Station) -> None:
        self.world, self.name = world, name
        self.keys = PeerKeys(world.rng.randbytes(32), new_secret(world.rng.randbytes))
        self.home = SavedPeer(at=at.place, address=f"{name}.example:1")
        self.saved: list[tuple[str, str]] = []
        self.gaps: list[tuple[str, str, int, int]] = []
        self.got: dict[str, peer_messages.Resource] = {}
        self.resources: dict[str, bytes] = {}
        self.answers: dict[str, list] = {}
        self.sessions: list[str] = []
        self.rules: list[bytes] = []
        self.not_taken: list[doing.RulesNotTaken] = []
        self.machine: Peer | None = None
        self.boots = 0

    @property
    def id(self) -> str:
        return self.keys.id

    @property
    def seen(self) -> set[tuple[str, str]]:
        return set(self.saved)

    def start(self) -> None:
        self.boots += 1
        self.machine = Peer(self.keys, self.home, self.world.rng.randbytes)
        self.do(self.machine.start(self.world.now))

    def stop(self) -> None:
        self.do(self.machine.stop(self.world.now))
        self.machine = None

    def crash(self) -> None:
        self.machine = None
        self.world.cut(self)

    def request_id(self, method: str, *args) -> str:
        """Ask for something under a new token; its answers are in `answers`."""
        token = f"t{self.world.rng.getrandbits(32):x}"
        self.do(getattr(self.machine, method)(self.world.now, token, *args))
        return token

    def answer(self, token: str):
        return self.answers[token][-1]

    def do(self, todo: list) -> None:
        for effect in todo:
            match effect:
                case doing.Connect():
                    self.world.dial(self, effect.connection, effect.access_point)
                case doing.Disconnect():
                    self.world.hang_up(self, effect.connection)
                case doing.SendBytes():
                    self.world.send_up(self, effect.connection, effect.data)
                case doing.SaveState():
                    self.home = effect.saved
                case doing.NotificationReceived():
                    self.saved.append((effect.message.name, effect.message.event))
                    self.do(self.machine.notification_saved(self.world.now, effect.connection, effect.message))
                case doing.NotificationsLost():
                    message = effect.message
                    self.gaps.append((message.name, effect.access_point.id, message.after, message.until))
                    self.do(self.machine.loss_saved(self.world.now, effect.connection, message))
                case doing.FileReceived():
                    self.got[effect.message.id] = effect.message
                    self.do(self.machine.file_saved(self.world.now, effect.connection, effect.message))
                case doing.UploadNeeded():
                    self._upload(effect)
                case doing.RequestAnswered():
                    self.answers.setdefault(effect.token, []).append(effect.message)
                case doing.SessionBegun() | doing.RulesReceived() | doing.RulesNotTaken():
                    self._note_rules(effect)

    def _note_rules(self, effect: doing.SessionBegun | doing.RulesReceived | doing.RulesNotTaken) -> None:
        match effect:
            case doing.SessionBegun():
                self.sessions.append(effect.super_peer)
            case doing.RulesReceived():
                self.rules.append(effect.body)
            case _:
                self.not_taken.append(effect)

    def _upload(self, effect: doing.UploadNeeded) -> None:
        content = self.resources.get(effect.message.location)
        problem = "" if content is not None else "no such resource"
        todo = self.machine.upload(self.world.now, effect.connection, effect.message, content or b"", problem)
        self.do(todo)


class World:
    """Everybody, and one queue of what happens next."""

    def __init__(self, seed: int = 1, settings: AccessPointSettings | None = None) -> None:
        self.rng = random.Random(seed)
        self.now = 1000.0
        self.settings = settings or AccessPointSettings()
        self.queue: deque[tuple] = deque()
        self.stations: dict[str, Station] = {}
        self.walkers: dict[str, Walker] = {}
        self.logs: dict[str, list[tuple[str, str]]] = {}
        self.connections: dict[str, tuple[Walker, str, Station]] = {}
        self.said: list[tuple[str, str, str]] = []
        self.wire: list[tuple[str, str, bytes]] = []
        self.cut_off: set[str] = set()

    def station(self, name: str) -> Station:
        station = Station(self, name, self.settings)
        self.stations[name] = station
        self.logs[station.id] = []
        # Whoever is in the network is known to all, before anything is heard of it.
        for one in self.stations.values():
            one.store.heard = dict.fromkeys(self.logs, 0) | one.store.heard
        return station

    def walker(self, name: str, at: Station) -> Walker:
        self.walkers[name] = Walker(self, name, at)
        return self.walkers[name]

    def name_of(self, place_id: str) -> str:
        return next(name for name, station in self.stations.items() if station.id == place_id)

    # Connections

    def dial(self, walker: Walker, line: str, place: AccessPointInfo) -> None:
        station = next(one for one in self.stations.values() if one.place.id == place.id)
        self.connections[f"{walker.name}/{walker.boots}/{line}"] = (walker, line, station)

    def hang_up(self, walker: Walker, line: str) -> None:
        connection = f"{walker.name}/{walker.boots}/{line}"
        if connection in self.connections:
            self.queue.append(("gone", self.connections.pop(connection)[2], connection))

    def cut(self, walker: Walker) -> None:
        for connection in [key for key, (who, _, _) in self.connections.items() if who is walker]:
            self.queue.append(("gone", self.connections.pop(connection)[2], connection))

    def send_up(self, walker: Walker, line: str, data: bytes) -> None:
        connection = f"{walker.name}/{walker.boots}/{line}"
        if connection in self.connections:
            station = self.connections[connection][2]
            self._note(walker.name, station.name, data, _READ_SAID)
            self.queue.append(("up", station, connection, data))

    def send(self, station: Station, connection: str, data: bytes) -> None:
        found = self.connections.get(connection)
        if found is not None:
            walker, line, _ = found
            self._note(station.name, walker.name, data, _READ_TOLD)
            self.queue.append(("down", walker, walker.machine, line, data))

    def relay(self, station: Station, to: str, body: bytes) -> None:
        name = self.name_of(to)
        self.said.append((station.name, name, type(access_point_messages.decode(body)).__name__))
        self.wire.append((station.name, name, body))
        self.queue.append(("relay", station, self.stations[name], body))

    def _note(self, sender: str, receiver: str, data: bytes, read) -> None:
        is_clear = kind_of(data) is MessageKind.CLEAR
        message = peer_messages.decode_handshake_message(clear_body(data)) if is_clear else read(data[ENVELOPE_HEAD:])
        self.said.append((sender, receiver, type(message).__name__))
        self.wire.append((sender, receiver, data))

    # Time

    def step(self) -> bool:
        """Let the next thing happen; whether there was one."""
        if not self.queue:
            return False
        kind, who, *rest = self.queue.popleft()
        if kind == "up":
            if who.name not in self.cut_off and rest[0] in self.connections:
                who.do(who.machine.receive(self.now, *rest))
        elif kind == "down":
            machine, line, data = rest
            if machine is not None and machine is who.machine:
                who.do(machine.receive(self.now, line, data))
        elif kind == "relay":
            to, body = rest
            if to.name not in self.cut_off:
                to.do(to.machine.relayed(self.now, who.id, body))
        elif kind == "gone":
            who.do(who.machine.disconnected(self.now, *rest))
        else:
            machine, *what = rest
            if machine is who.machine:
                who.do(getattr(machine, kind)(self.now, *what))
        return True

    def run(self, most: int = 100_000) -> None:
        for _ in range(most):
            if not self.step():
                return
        raise AssertionError("this does not come to rest")

    def wait(self, seconds: float, tick: float = 1.0) -> None:
        """Let time pass for everybody."""
        self.run()
        end = self.now + seconds
        while self.now < end:
            self.now = min(end, self.now + tick)
            for station in self.stations.values():
                station.do(station.machine.tick(self.now))
            for walker in self.walkers.values():
                if walker.machine is not None:
                    walker.do(walker.machine.tick(self.now))
            self.run()

    def hear_all(self) -> None:
        for station in self.stations.values():
            for origin in self.logs:
                while station.hear(origin):
                    pass

    def take_said(self) -> list[tuple[str, str, str]]:
        said, self.said = self.said, []
        return said
