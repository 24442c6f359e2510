"""The SeLeNe scenario over four peer groups, as eight processes: super-peers, each with a peer that has a home.

    group 0  learning objects: some in the living graph of the super-peer, some at the peer, which changes by itself
    group 1  Ann, with her interests and messages
    group 2  Bob, the same
    group 3  a desk, where everything that anybody was told of is noted

A learning object on logic at group 0 is a message for Ann and for Bob, and each message is a note on the desk. So a
transaction goes over four super-peers. Lists are bags, in which what is done twice stands twice.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct
from pyoxigraph import RdfFormat, parse

from triplewire.cli.network.key import make_key
from triplewire.cli.network.processes import SuperPeerProcess, settle
from triplewire.cli.node.processes import free_port, running
from triplewire.cli.node.remote import client_at
from triplewire.client import Client
from triplewire.client.peer import Folder
from triplewire.client.peer.home_repository import HomeRepository, site_on_disk
from triplewire.client.peer.inbox import Inbox
from triplewire.errors import NodeRefused, NodeUnreachable
from triplewire.network.sessions.identity import key_of_text
from triplewire.network.sessions.peer.saved_state import AccessPointInfo
from triplewire.rdf.terms import Literal, Namespace, Triple
from triplewire.rules.schema import Schema
from triplewire.rules.vocabulary import number_of
from triplewire.wire.network_rules import AbortName, NetworkPrivileges

S = Namespace("http://example.org/selene/")
U = Namespace("http://example.org/users/")
LO = Namespace("http://example.org/los/")
SUBJECT = "http://purl.org/dc/elements/1.1/subject"
OBJECTS, ANN, BOB, DESK = range(4)
GROUPS = 4
# A machine that is busy with other things too must not make super-peers take each other for dead.
PATIENCE = ("--network-patience", "2")
MOST_SECONDS = 300.0

_PREFIXES = f"""
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix tw: <urn:triplewire:> .
@prefix dc: <http://purl.org/dc/elements/1.1/> .
@prefix s: <{S}> .
@prefix u: <{U}> .
@prefix lo: <{LO}> .
"""
_OBJECTS_SCHEMA = "s:Book rdfs:subClassOf s:LO . dc:subject rdfs:domain s:LO ; rdfs:range xsd:string ."
_DESK_SCHEMA = "s:LO a rdfs:Class . s:Desk rdfs:subClassOf rdf:Bag ; tw:elementClass s:LO ."
# Where nothing is of a class or a property, rules on it sleep.
_OBJECTS = 'lo:{0} a s:Book ; dc:subject "Music" .'
_USER = """
u:{0} a s:User ; s:name "{0}" ; s:interests u:{0}-interests ; s:messages u:{0}-messages .
u:{0}-interests a s:Interests ; rdf:_1 u:{0}-logic . u:{0}-logic a s:Interest ; s:typename "Logic" .
u:{0}-messages a s:Messages ; s:new_LOs u:{0}-new ; s:updated_LOs u:{0}-updated .
u:{0}-new a s:NewLOs . u:{0}-updated a s:UpdatedLOs .
"""
_DESK_DATA = "u:desk a s:Desk ."

USING = f"USING NAMESPACE dc http://purl.org/dc/elements/1.1/ USING NAMESPACE s {S}\n"
_TELL = (
    USING
    + "LET $user := resource(http://example.org/users/{0}) ON INSERT (_, dc:subject, _) "
    + "IF $delta.target = $user/target(s:interests)/element()/target(s:typename) "
    + "DO INSERT ($user/target(s:messages)/target(s:{1}), seq++, $delta)"
)
_NOTE = (
    USING
    + "ON INSERT (resource()/target(s:new_LOs), _, _) IF True "
    + "DO INSERT (resource(http://example.org/users/desk), seq++, $delta.target)"
)


class RuleSpec(Struct, frozen=True):
    """A rule: the group at whose super-peer it is put, and the dependency that it is put with."""

    name: str
    group: int
    text: str
    abort: AbortName


RULES = (
    RuleSpec("tell_ann", ANN, _TELL.format("ann", "new_LOs"), "MUTUAL"),
    RuleSpec("tell_bob", BOB, _TELL.format("bob", "new_LOs"), "PARENTCHILD"),
    RuleSpec("note", DESK, _NOTE, "MUTUAL"),
    # What nobody may: the list of what has changed is closed to others, and only that of what is new is open.
    RuleSpec("deface", OBJECTS, _TELL.format("bob", "updated_LOs"), "INDEPENDENT"),
)


def _privileges(open_list: str) -> NetworkPrivileges:
    return NetworkPrivileges(
        otherwise="read-only", nodes={S["name"].value: "private"}, resources={U[open_list].value: "read-write"}
    )


def object_text(name: str) -> str:
    """The update that brings a learning object."""
    book = f"resource({LO[name].value})"
    return f"{USING}TRANSACTION {name}\nINSERT {book} AS INSTANCE OF Book;;\nINSERT ({book}, dc:subject, 'Logic');;"


class PeerProcess:
    """`triplewire peer listen`, in a home with a repository."""

    def __init__(self, home: Path) -> None:
        self.name = home.name
        self.folder = Folder(home)
        self._log = home.parent / f"{home.name}.log"
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def id(self) -> str:
        return self.folder.keys().id

    @property
    def pid(self) -> int:
        return 0 if self._process is None else self._process.pid

    def start(self) -> None:
        command = [sys.executable, "-m", "triplewire", "peer", "--home", str(self.folder.path), "listen"]
        with self._log.open("ab") as output:
            self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output)

    def end(self, number: int) -> None:
        if self._process is not None and self._process.poll() is None:
            os.kill(self._process.pid, number)
            self._process.wait(60)

    def change(self, text: str) -> None:
        """Have it change by itself, whether or not it runs."""
        Inbox(self.folder.inbox).put(text)

    @property
    def triples(self) -> list[Triple]:
        """What is asserted there, by the disk."""
        return list(site_on_disk(self.folder.repository, self.id).repository.asserted)

    @property
    def has_told(self) -> bool:
        """Whether nothing waits there to be done, or to be received by the super-peer."""
        is_done = not Inbox(self.folder.inbox).waiting()
        return is_done and not site_on_disk(self.folder.repository, self.id).stream.unreceived


class Town:
    """The processes, by group, and what is asked of them."""

    def __init__(self, super_peers: list[SuperPeerProcess]) -> None:
        self.super_peers = super_peers
        self.peers: list[PeerProcess] = []
        self.ids: list[str] = []
        self.rule_names: dict[str, str] = {}

    def kill(self, victim: int) -> str:
        """kill -9 of a super-peer, or of the peer of a group; returns its name."""
        process = self._process(victim)
        if isinstance(process, PeerProcess):
            process.end(signal.SIGKILL)
        else:
            process.kill()
        return process.name

    def restart(self, victim: int) -> None:
        """With nothing but its folder."""
        process = self._process(victim)
        if isinstance(process, PeerProcess):
            process.start()
        else:
            process.start(())
            process.wait()

    def _process(self, victim: int) -> SuperPeerProcess | PeerProcess:
        return [*self.super_peers, *self.peers][victim]

    def client(self, group: int) -> Client:
        return client_at(self.super_peers[group].url, None)

    def submit(self, name: str) -> str:
        """Submit a learning object, once, whoever is killed meanwhile; returns the transaction."""

        def submitted(client: Client) -> str:
            return client.federation.submit(object_text(name), wait=0.0, idempotency_key=name).transaction

        return self.persistently(OBJECTS, submitted)

    def persistently(self, group: int, call: Callable[[Client], str]) -> str:
        """Ask a super-peer until it answers."""
        deadline = time.monotonic() + MOST_SECONDS
        while True:
            try:
                with self.client(group) as client:
                    return call(client)
            except NodeUnreachable:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.2)

    def listed(self, group: int, name: str) -> Counter[str]:
        """The learning objects in a list at the peer of a group, and how often each stands there."""
        elements = (t for t in self.peers[group].triples if t.subject == U[name] and number_of(t.predicate))
        return Counter(element.object.value.removeprefix(str(LO)) for element in elements)  # type: ignore[union-attr]

    def objects(self) -> set[str]:
        """The learning objects in the living graph of the first super-peer, and at its peer."""
        with self.client(OBJECTS) as client:
            living = client.query(f"SELECT ?lo {{ ?lo <{SUBJECT}> 'Logic' }}")
        there = {str(row["lo"].value) for row in living}
        there |= {t.subject.value for t in self.peers[OBJECTS].triples if t.object == Literal("Logic")}  # type: ignore[union-attr]
        return {iri.removeprefix(str(LO)) for iri in there}


@contextmanager
def town(folder: Path) -> Iterator[Town]:
    """Eight processes that know each other, their data and their rules; ended by their process ids."""
    key = folder / "network.key"
    make_key(key)
    super_peers = [
        SuperPeerProcess(folder, group, key, ("--peers", f"tcp://127.0.0.1:{free_port()}", *PATIENCE))
        for group in range(GROUPS)
    ]
    made = Town(super_peers)
    with running(super_peers, print, lambda: None):
        made.ids = [view.id for view in settle(super_peers)]
        try:
            for group in range(GROUPS):
                made.peers.append(_peer(folder / f"peer-{group}", super_peers[group], group))
                made.peers[group].start()
            _furnish(made)
            yield made
        finally:
            for peer in made.peers:
                peer.end(signal.SIGTERM)


def _peer(home: Path, at: SuperPeerProcess, group: int) -> PeerProcess:
    with urllib.request.urlopen(f"{at.url}/health", timeout=60) as answer:
        told = json.loads(answer.read())
    folder = Folder.make(home, AccessPointInfo(key_of_text(told["key"]), told["peers"]))
    schemas = (_OBJECTS_SCHEMA, _users_schema(), _users_schema(), _DESK_SCHEMA)
    data = (_OBJECTS.format("fugue"), _USER.format("ann"), _USER.format("bob"), _DESK_DATA)
    with folder:
        repository = HomeRepository(folder.repository, folder.keys().id)
        repository.put_schema(Schema.parse(_PREFIXES + schemas[group]))
        repository.load(_triples(data[group]))
        repository.close()
    return PeerProcess(home)


def _users_schema() -> str:
    text = (Path(__file__).parents[2] / "examples" / "selene" / "schema.ttl").read_text()
    return "\n".join(line for line in text.splitlines() if not line.startswith(("@", "#")))


def _triples(text: str) -> Iterable[Triple]:
    return [Triple(*quad.triple) for quad in parse(_PREFIXES + text, RdfFormat.TURTLE)]


def _furnish(made: Town) -> None:
    with made.client(OBJECTS) as client:
        client.put_schema(_PREFIXES + _OBJECTS_SCHEMA)
        client.put_graph(None, _PREFIXES + _OBJECTS.format("canon"))
    for group, open_list in enumerate(("none", "ann-new", "bob-new", "desk")):
        with made.client(group) as client:
            client.federation.grant(_privileges(open_list))
    for rule in RULES:
        until(lambda rule=rule: _put(made, rule), f"the rule {rule.name} names what nobody declares")


def _put(made: Town, rule: RuleSpec) -> bool:
    """Whether it is registered: its names have to be known."""
    with made.client(rule.group) as client:
        try:
            put = client.federation.put_rule(rule.name, rule.text, abort=rule.abort)
        except NodeRefused as refusal:
            if "of the schema" not in refusal.detail:
                raise
            return False
    made.rule_names[put.id] = rule.name
    return True


def until(holds: Callable[[], bool], otherwise: str | Callable[[], str]) -> None:
    """Wait until something holds."""
    deadline = time.monotonic() + MOST_SECONDS
    while not holds():
        assert time.monotonic() < deadline, otherwise if isinstance(otherwise, str) else otherwise()
        time.sleep(0.3)
