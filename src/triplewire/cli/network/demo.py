"""The introduction of Chirita et al., played: Bob wants the new publications of Nejdl and Koubarakis.

A Hannover peer announces what it will publish, a Crete peer does the same, another peer speaks of something else. Bob
subscribes with the paper's example 1 at an access point of his own. Both publish papers that match and papers that do
not. What Bob got, over which path, and how many messages that took is printed and checked.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence

from msgspec import Struct

from triplewire.cli.network.processes import SuperPeerProcess
from triplewire.cli.network.traffic import count, look, of_kind, path, quiet, until
from triplewire.cli.node.remote import client_at
from triplewire.cli.screen import complain, output, plain, show_table
from triplewire.client import Client
from triplewire.errors import MissedNotifications, NodeRefused, NodeUnreachable
from triplewire.network.hypercube.cube import Cube

_DC = "@prefix dc: <http://purl.org/dc/elements/1.1/> . @prefix tw: <urn:triplewire:> ."
EXAMPLE_1 = """@prefix dc: <http://purl.org/dc/elements/1.1/>
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#>
X: t(X, <rdf:type>, <dc:article>) ^ t(X, <dc:creator>, Y) ^
   t(X, <dc:date>, D) ^ (Y sqsupseteq "Nejdl" v Y sqsupseteq "Koubarakis") ^ D=2004
"""
_OFFER = """{prefixes} [] a tw:PropertyAdvertisement ; tw:property dc:title, dc:date .
[] a tw:ValueAdvertisement ; tw:offers [ tw:property dc:creator ; tw:value {creators} ] ."""
_HANNOVER = _OFFER.format(prefixes=_DC, creators='"W. Nejdl", "P. Chirita"')
_CRETE = _OFFER.format(prefixes=_DC, creators='"M. Koubarakis", "S. Idreos"')
_COURSES = f"{_DC} [] a tw:SchemaAdvertisement ; tw:schema <http://ltsc.ieee.org/2002/09/lom-base#> ."

OFFERS = {"Hannover": _HANNOVER, "Crete": _CRETE, "somebody with courses": _COURSES}
BOB = 0


class Paper(Struct, frozen=True):
    """Something published. `is_wanted` by Bob's subscription."""

    name: str
    creator: str
    year: int
    is_wanted: bool

    @property
    def trig(self) -> bytes:
        text = f"""{_DC} <urn:example:event:{self.name}> {{ <urn:example:paper:{self.name}> a dc:article ;
            dc:title "{self.name}" ; dc:creator "{self.creator}" ; dc:date {self.year} . }}"""
        return text.encode()

    @property
    def event(self) -> str:
        return f"urn:example:event:{self.name}"


# Of each publisher one that does not match and then one that does: where the second has come, the first had its chance.
PAPERS = {
    "Hannover": (
        Paper("edutella-2002", "W. Nejdl", 2002, False),
        Paper("personalization-2004", "P. Chirita", 2004, False),
        Paper("rdf-pubsub-2004", "W. Nejdl", 2004, True),
    ),
    "Crete": (
        Paper("dias-2001", "M. Koubarakis", 2001, False),
        Paper("p2p-diet-2004", "M. Koubarakis", 2004, True),
    ),
}


class Actor(Struct, frozen=True):
    """A client at an access point."""

    name: str
    place: int
    client: Client


def play(processes: Sequence[SuperPeerProcess]) -> bool:
    """Play it; whether everything came out as it must."""
    views = look(processes)
    by_place = {view.slot: process for view, process in zip(views, processes, strict=True) if view.slot is not None}
    places = zip(OFFERS, _far_from_bob(len(by_place)), strict=False)
    actors = [_actor(name, place, by_place[place]) for name, place in places]
    bob = Reader(_actor("Bob", BOB, by_place[BOB]))
    _announce(processes, actors)
    problems = [*_subscribe(processes, actors, bob), *_publish(processes, actors, bob)]
    for problem in problems:
        complain(problem)
    if not problems:
        output().print(plain("everything came out as it must", "bold green"))
    return not problems


class Reader:
    """Bob: follows his subscription on a thread of his own."""

    def __init__(self, actor: Actor) -> None:
        self.actor = actor
        self.got: list[str] = []
        self._thread = threading.Thread(target=self._read, daemon=True)

    def subscribe(self) -> None:
        self._notifications = self.actor.client.subscribe(EXAMPLE_1, name="bob", language="formula")
        self._thread.start()

    def wait_for(self, many: int) -> None:
        until(lambda: len(self.got) >= many, f"{many} papers for Bob")

    def _read(self) -> None:
        try:
            for notification in self._notifications:
                self.got.append(notification.event)
        except (NodeRefused, NodeUnreachable, MissedNotifications) as problem:
            complain(str(problem))


def _announce(processes: Sequence[SuperPeerProcess], actors: Sequence[Actor]) -> None:
    before = quiet(processes)
    for actor in actors:
        actor.client.advertise("publications", OFFERS[actor.name])
    messages = count(quiet(processes) - before, "advertise")
    where = ", ".join(f"{actor.name} at place {actor.place}" for actor in actors)
    _print(f"1. advertising: {where}: {messages} messages")


def _subscribe(processes: Sequence[SuperPeerProcess], actors: Sequence[Actor], bob: Reader) -> Iterator[str]:
    before = quiet(processes)
    bob.subscribe()
    wanted = {place for actor in actors if actor.name in PAPERS for place in _way(len(processes), actor.place)}
    until(lambda: wanted <= _standing(processes), "Bob's subscription at both access points")
    sent, standing = count(quiet(processes) - before, "subscribe"), _standing(processes)
    everybody = len(processes) - 1
    _print(f"2. subscribing: Bob at place 0, with the paper's example 1: {sent} messages; to everybody: {everybody}")
    _print(f"   it stands at the places {', '.join(map(str, sorted(standing)))}")
    if standing != wanted:
        yield f"wanted the subscription at the places {sorted(wanted)}, found it at {sorted(standing)}"
    if sent != len(wanted) - 1:
        yield f"wanted {len(wanted) - 1} messages for the subscription, found {sent}"


def _publish(processes: Sequence[SuperPeerProcess], actors: Sequence[Actor], bob: Reader) -> Iterator[str]:
    rows: list[tuple[str, ...]] = []
    expected: list[str] = []
    for actor in actors:
        papers = PAPERS.get(actor.name, ())
        before = quiet(processes)
        for paper in papers:
            actor.client.publish(paper.trig, "trig")
        expected += [paper.event for paper in papers if paper.is_wanted]
        bob.wait_for(len(expected))
        steps = of_kind(quiet(processes) - before, "notify")
        found, wanted = path(steps, actor.place), _way(len(processes), actor.place)[::-1]
        rows += [_row(actor, paper, bob, found) for paper in papers]
        if papers and (found != wanted or count(steps, "notify") != len(wanted) - 1):
            yield f"wanted one message a step from {actor.name} over the places {wanted}, found {dict(steps)}"
    _print("3. publishing")
    show_table(("published by", "paper", "creator", "year", "Bob got it", "over the places", "messages"), rows)
    if bob.got != expected:
        yield f"wanted Bob to get {expected}, found {bob.got}"


def _row(actor: Actor, paper: Paper, bob: Reader, way: list[int]) -> tuple[str, ...]:
    got = paper.event in bob.got
    shown, messages = (" > ".join(map(str, way)), str(len(way) - 1)) if got else ("", "0")
    return actor.name, paper.name, paper.creator, str(paper.year), "yes" if got else "no", shown, messages


def _way(size: int, place: int) -> list[int]:
    """The places on the route of a subscription from Bob to another place, by the arithmetic of the cube."""
    cube, way = Cube(size), [BOB]
    while way[-1] != place:
        way.append(cube.next_towards(way[-1], place))
    return way


def _far_from_bob(size: int) -> list[int]:
    """Places, those with the longest way to Bob first."""
    others = [place for place in range(size) if place != BOB]
    return sorted(others, key=lambda place: (len(_way(size, place)), place), reverse=True)


def _standing(processes: Sequence[SuperPeerProcess]) -> set[int]:
    """Where Bob's subscription stands."""
    views = look(processes)
    return {view.slot for view in views if view.slot is not None and any("Koubarakis" in line for line in view.poset)}


def _actor(name: str, place: int, process: SuperPeerProcess) -> Actor:
    with client_at(process.url, None) as administrator:
        secret = administrator.register(name).secret
    return Actor(name, place, client_at(process.url, secret))


def _print(text: str) -> None:
    output().print(plain(text), soft_wrap=True)
