"""Publishers, subscribers and queries at the nodes of a space of real processes."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

import httpx

from triplewire.cli.space.processes import SpaceNodeProcess

TURTLE = {"Content-Type": "text/turtle"}
QUERY = {"Content-Type": "application/sparql-query"}
# Two patterns, so that the strategies have something to join.
EVERYTHING = "SELECT ?o { ?s <urn:p> ?o . ?s <urn:q> ?number }"
COUNTED = "SELECT DISTINCT ?event { GRAPH ?event { ?s <urn:p> ?o . ?s <urn:q> ?number } }"
_MOST_SECONDS = 300.0


def http(process: SpaceNodeProcess) -> httpx.Client:
    return httpx.Client(base_url=process.url, trust_env=False, timeout=60)


def document(name: str, number: int) -> str:
    """An event of three quadruples, whose subjects lie all over the space."""
    subject = f"<http://example.org/{number * 7919 % 10_007:05d}/{name}>"
    return f'{subject} <urn:p> "{number}" ; <urn:q> {number} ; a <urn:Thing> .'


def subscribe(process: SpaceNodeProcess, text: str = EVERYTHING) -> str:
    """Subscribe; returns the state that the answer tells."""
    with http(process) as client:
        answer = client.put("/subscriptions/all", content=text, headers=QUERY)
        answer.raise_for_status()
        return str(answer.json()["state"])


def publish(process: SpaceNodeProcess, event: str, text: str) -> httpx.Response:
    with http(process) as client:
        return client.post("/events", params={"graph": event}, content=text, headers=TURTLE)


def notified(process: SpaceNodeProcess) -> list[str]:
    """Every event that the subscription was notified of, in order."""
    found: list[str] = []
    after: int | None = 0
    with http(process) as client:
        while after is not None:
            page = client.get("/subscriptions/all/notifications", params={"after": after, "limit": 1_000}).json()
            found += [one["event"] for one in page["notifications"]]
            after = page["next"]
    return found


def stored(process: SpaceNodeProcess) -> set[str]:
    """Every event that a query over the whole space finds, asked at a node."""
    with http(process) as client:
        answer = client.post("/events/sparql", content=COUNTED, headers=QUERY | {"Accept": "text/csv"})
        if answer.status_code == 503:
            return set()
        answer.raise_for_status()
        return set(answer.text.split()[1:])


class Publisher(threading.Thread):
    """Publishes one event after the other until it is told to stop. What is not acknowledged is published again.

    So what it attempted last may be there or not; what was acknowledged must be.
    """

    def __init__(self, process: SpaceNodeProcess, pause: float = 0.005) -> None:
        super().__init__(daemon=True)
        self._process = process
        self._pause = pause
        self._is_told = threading.Event()
        self.name = process.name
        self.attempted: list[str] = []
        self.acknowledged: list[str] = []

    def run(self) -> None:
        number = 0
        with http(self._process) as client:
            while not self._is_told.wait(self._pause):
                event = f"urn:e:{self.name}:{number}"
                self.attempted.append(event)
                while not self._is_told.is_set() and not self._is_published(client, event, number):
                    time.sleep(0.2)
                number += 1

    def _is_published(self, client: httpx.Client, event: str, number: int) -> bool:
        try:
            text = document(self.name, number)
            answer = client.post("/events", params={"graph": event}, content=text, headers=TURTLE)
        except httpx.TransportError:
            return False
        if answer.status_code == 503:
            return False
        assert answer.status_code == 201, answer.text
        self.acknowledged.append(event)
        return True

    def stop(self) -> None:
        self._is_told.set()
        self.join(120)


def until(condition: Callable[[], bool], what: Callable[[], object]) -> None:
    deadline = time.monotonic() + _MOST_SECONDS
    while not condition():
        assert time.monotonic() < deadline, what()
        time.sleep(0.5)


def check(processes: Sequence[SpaceNodeProcess], publishers: Sequence[Publisher]) -> None:
    """Nothing that was acknowledged is lost: neither to queries nor to subscribers, who get it once; nothing else."""
    acknowledged = {event for publisher in publishers for event in publisher.acknowledged}
    attempted = {event for publisher in publishers for event in publisher.attempted}
    for process in processes:
        for found in (stored, notified):
            wait_for(process, acknowledged, found)
            assert set(found(process)) <= attempted
        assert [event for event, count in Counter(notified(process)).items() if count > 1] == []


def wait_for(process: SpaceNodeProcess, events: set[str], found: Callable[[SpaceNodeProcess], Iterable[str]]) -> None:
    def lost() -> str:
        missing = sorted(events - set(found(process)))
        return f"{process.name}: {found.__name__} lacks {len(missing)} of {len(events)}: {missing[:10]}"

    until(lambda: events <= set(found(process)), lost)
