"""A library's feed, played in an event space: publish, subscribe and query at different nodes, then kill one of them.

Papers are published at all nodes but the first, where a reader subscribes to those of one author, and the last one is
asked how many there are. Then one node is killed with SIGKILL. Its zones are taken over from their replica: every
paper is still found, and the next ones are stored and notified as before.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from functools import cache

from triplewire.cli.node.remote import client_at
from triplewire.cli.screen import complain, output, plain
from triplewire.cli.space.processes import SpaceNodeProcess
from triplewire.cli.space.show import show
from triplewire.client import Client
from triplewire.errors import MissedNotifications, NetworkError, NodeRefused, NodeUnreachable

_DC = "@prefix dc: <http://purl.org/dc/elements/1.1/> ."
_AUTHORS = ("Pellegrino", "Huet", "Baude", "Alshabani")
_BEFORE, _AFTER = 80, 12
SUBSCRIPTION = """PREFIX dc: <http://purl.org/dc/elements/1.1/>
SELECT ?title WHERE { ?paper dc:creator "Pellegrino" . ?paper dc:title ?title }"""
QUERY = """PREFIX dc: <http://purl.org/dc/elements/1.1/>
SELECT ?paper ?title WHERE { ?paper dc:creator ?who . ?paper dc:title ?title }"""
_MOST_SECONDS = 90.0
_EVEN, _EVEN_SECONDS = 2.5, 30.0
_LOOK_SECONDS = 0.2


def play(processes: Sequence[SpaceNodeProcess]) -> bool:
    """Play it; whether everything came out as it must."""
    reader, *others = processes
    asked = others[-1]
    # Not closed: its thread follows until the process ends.
    notified = Reader(client_at(reader.url, None))
    _print(f"1. {reader.name} has a subscription to the papers of {_AUTHORS[0]}")
    problems = [*_publish(notified, others, 0, _BEFORE, "2"), *_query(asked, _BEFORE, "3")]
    _even_out(asked)
    killed = _fullest(others[:-1])
    _show(asked)
    killed.kill()
    _print(f"4. {killed.name} was killed, which stores most of them; its zones are taken over from their replica")
    left = [process for process in others if process is not killed]
    problems += [*_query(asked, _BEFORE, "5"), *_publish(notified, left, _BEFORE, _BEFORE + _AFTER, "6")]
    problems += _query(asked, _BEFORE + _AFTER, "7")
    _show(asked)
    for problem in problems:
        complain(problem)
    if not problems:
        output().print(plain("nothing was lost", "bold green"))
    return not problems


def _even_out(process: SpaceNodeProcess) -> None:
    """Give nodes that store next to nothing some time to move to where the papers are."""
    deadline = time.monotonic() + _EVEN_SECONDS
    while time.monotonic() < deadline:
        view = process.view()
        if view is not None and max(node.quads for node in view.nodes) * len(view.nodes) <= _EVEN * sum(
            node.quads for node in view.nodes
        ):
            return
        time.sleep(_LOOK_SECONDS)


def _fullest(processes: Sequence[SpaceNodeProcess]) -> SpaceNodeProcess:
    """The process whose node stores most."""
    views = [(process, view) for process in processes if (view := process.view()) is not None]
    quads = {process.name: node.quads for process, view in views for node in view.nodes if node.id == view.id}
    return max(processes, key=lambda process: quads.get(process.name, 0))


class Reader:
    """Follows a subscription on a thread of its own. `got` are the events that it was notified of."""

    def __init__(self, client: Client) -> None:
        self.got: set[str] = set()
        self._notifications = client.subscribe(SUBSCRIPTION, name="reader")
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        try:
            for notification in self._notifications:
                self.got.add(notification.event)
        except (NodeRefused, NodeUnreachable, MissedNotifications) as problem:
            complain(str(problem))


def paper(number: int) -> bytes:
    """A paper as an event of four quadruples."""
    return f"""{_DC} <urn:example:event:{number}> {{ <urn:example:paper:{number}> a dc:article ;
        dc:title "Paper {number}" ; dc:creator "{_AUTHORS[number % len(_AUTHORS)]}" ; dc:date {1990 + number % 30} . }}
    """.encode()


def _publish(reader: Reader, publishers: Sequence[SpaceNodeProcess], first: int, last: int, step: str) -> Iterator[str]:
    started = time.monotonic()
    for number in range(first, last):
        url = publishers[number % len(publishers)].url
        _until(lambda number=number, url=url: _published(url, number), f"paper {number} to be stored")  # type: ignore[misc]
    names = ", ".join(process.name for process in publishers)
    _print(f"{step}. {last - first} papers were published at {names}, in {time.monotonic() - started:.1f} s")
    wanted = {f"urn:example:event:{number}" for number in range(last) if number % len(_AUTHORS) == 0}
    try:
        _until(lambda: wanted <= reader.got, "all notifications")
    except NetworkError:
        yield f"wanted {len(wanted)} notifications, found {len(reader.got)}"
    if extra := reader.got - wanted:
        yield f"wanted no other notifications, found {sorted(extra)}"
    _print(f"   the reader has {len(reader.got)} notifications of {len(wanted)}")


def _published(url: str, number: int) -> bool:
    try:
        _client(url).publish(paper(number), "trig")
    except NodeRefused as problem:
        # The node's log has it, and the space will: the same again changes nothing.
        if not problem.is_retryable:
            raise
        return False
    return True


@cache
def _client(url: str) -> Client:
    return client_at(url, None)


def _query(process: SpaceNodeProcess, wanted: int, step: str) -> Iterator[str]:
    found: list[int] = []

    def complete() -> bool:
        with client_at(process.url, None) as client:
            try:
                found.append(client.query_document(QUERY, "text/csv", over="/events/sparql").count(b"\n") - 1)
            except (NodeRefused, NodeUnreachable):
                return False
        return found[-1] == wanted

    try:
        _until(complete, "an answer with all papers")
    except NetworkError:
        yield f"wanted {wanted} papers at {process.name}, found {found[-1] if found else 'no answer'}"
    many = found[-1] if found else "no"
    _print(f"{step}. {process.name}, asked over the whole space, finds {many} papers of {wanted}")


def _until(condition: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + _MOST_SECONDS
    while not condition():
        if time.monotonic() > deadline:
            raise NetworkError(wanted=f"{what} within {_MOST_SECONDS:g} seconds", found="that it did not come")
        time.sleep(_LOOK_SECONDS)


def _show(process: SpaceNodeProcess) -> None:
    if (view := process.view()) is not None:
        show(view)


def _print(text: str) -> None:
    output().print(plain(text), soft_wrap=True)
    output().file.flush()
