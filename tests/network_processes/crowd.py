"""Publishers and subscribers at the access points of a network of real processes."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence

import httpx

from triplewire.cli.network.processes import SuperPeerProcess

NQUADS = {"Content-Type": "application/n-quads"}
QUERY = {"Content-Type": "application/sparql-query"}
EVERYTHING = "SELECT ?o { ?s <urn:p> ?o }"
_MOST_SECONDS = 300.0


def http(process: SuperPeerProcess) -> httpx.Client:
    return httpx.Client(base_url=process.url, trust_env=False, timeout=60)


def subscribe(process: SuperPeerProcess) -> None:
    with http(process) as client:
        client.put("/subscriptions/all", content=EVERYTHING, headers=QUERY).raise_for_status()


def notified(process: SuperPeerProcess) -> list[str]:
    """Every event that the subscription was notified of, in order."""
    found: list[str] = []
    after: int | None = 0
    with http(process) as client:
        while after is not None:
            page = client.get("/subscriptions/all/notifications", params={"after": after, "limit": 1_000}).json()
            found += [one["event"] for one in page["notifications"]]
            after = page["next"]
    return found


class Publisher(threading.Thread):
    """Publishes one event after the other until it is told to stop; while its access point is away it tries again.

    What it tried and was not told about may be there or not; what was acknowledged must be.
    """

    def __init__(self, process: SuperPeerProcess, pause: float = 0.005) -> None:
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
                number += 1
                try:
                    answer = client.post("/events", content=f'<urn:s> <urn:p> "{number}" <{event}> .', headers=NQUADS)
                except httpx.TransportError:
                    time.sleep(0.2)
                    continue
                assert answer.status_code == 201, answer.text
                self.acknowledged.append(event)

    def stop(self) -> None:
        self._is_told.set()
        self.join(60)


def kill(process: SuperPeerProcess) -> None:
    """kill -9, in the middle of whatever it does."""
    os.kill(process.pid, signal.SIGKILL)
    process.end()


def until(condition: Callable[[], bool], what: Callable[[], object]) -> None:
    deadline = time.monotonic() + _MOST_SECONDS
    while not condition():
        assert time.monotonic() < deadline, what()
        time.sleep(0.5)


def check(processes: Sequence[SuperPeerProcess], publishers: Sequence[Publisher]) -> None:
    """Everybody got everything that was acknowledged, once, and of each publisher in order; and nothing else."""
    acknowledged = {event for publisher in publishers for event in publisher.acknowledged}
    attempted = {event for publisher in publishers for event in publisher.attempted}
    for process in processes:
        until(lambda p=process: acknowledged <= set(notified(p)), lambda p=process: missing(p, acknowledged))  # type: ignore[misc]
        got = notified(process)
        assert [event for event, count in Counter(got).items() if count > 1] == []
        assert set(got) <= attempted
        for publisher in publishers:
            order = {event: place for place, event in enumerate(publisher.attempted)}
            places = [order[event] for event in got if event in order]
            assert places == sorted(places), f"{publisher.name} at {process.name}: not in order"


def missing(process: SuperPeerProcess, acknowledged: set[str]) -> str:
    lost = sorted(acknowledged - set(notified(process)))
    return f"{process.name} lacks {len(lost)} of {len(acknowledged)}: {lost[:10]}"
