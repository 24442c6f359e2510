"""Runs find a space that is broken. Each test takes one thing out of the protocol, and expects a rule to be broken."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from msgspec.structs import replace
from tests.simulation.eventspace.test_faults import CSMA, TWICE_AND_SHUFFLED, scenario

from triplewire.network.can.messaging.messenger import Messenger
from triplewire.network.can.ownership.joins import Joins
from triplewire.network.can.ownership.takeovers import Takeovers
from triplewire.network.eventspace import member
from triplewire.network.eventspace.chunks import RecordingStorage
from triplewire.network.eventspace.fetches import QuadsRead, read
from triplewire.network.eventspace.gateway import gateway
from triplewire.network.eventspace.gateway.gateway import Gateway
from triplewire.network.eventspace.quads import nquads_of
from triplewire.network.eventspace.zones.zone_holder import ZoneHolder
from triplewire.rdf.events import Event
from triplewire.testing.memory_storage import MemoryStorage
from triplewire.testing.simulation.eventspace import RELIABLE, SpaceChecker, SpaceWorld, run
from triplewire.testing.simulation.eventspace.history import Published
from triplewire.testing.simulation.eventspace.host import SpaceHost

Patch = tuple[object, str, Callable[..., Any]]

SEEDS = (5, 1, 2, 3, 4)


def nothing(*_: object) -> list[Any]:
    return []


def no_effects(*_: object) -> Iterator[Any]:
    return iter(())


def all_events(storage: MemoryStorage, *_: object) -> Iterator[bytes]:
    return iter([header for header, _ in storage._events.values()])


def reading(change: Callable[[tuple[Any, ...]], tuple[Any, ...]]) -> Callable[..., QuadsRead]:
    """An owner that answers something else than it has."""

    def wrong(*arguments: Any) -> QuadsRead:
        answer = read(*arguments)
        return replace(answer, quads=change(answer.quads))

    return wrong


def send_at_once(host: SpaceHost, effects: list[Any]) -> None:
    """Send first, and commit then."""
    for effect in [*effects, *host._running.flush(host.now)]:
        host._do(effect)
    if not host._is_committing:
        host._is_committing = True
        host.later(host.disk_moment(), host._commit)


def invented(quads: tuple[Any, ...]) -> tuple[Any, ...]:
    return (*quads, (b"<urn:g>", b"<urn:s>", b"<urn:p>", b"<urn:o>"))


@pytest.mark.parametrize(
    ("rule", "kinds", "patches"),
    [
        pytest.param(
            "missing",
            (),
            [(ZoneHolder, "_serve_waiting", no_effects)],
            id="rewritten subscriptions do not meet what comes later",
        ),
        pytest.param(
            "causal",
            ("shuffled",),
            [(MemoryStorage, "events_following", no_effects)],
            id="a subscription does not meet events that came before it",
        ),
        pytest.param(
            "twice",
            ("crash",),
            [(SpaceHost, "_knows", lambda *_: False), (Gateway, "accepted", lambda *_: None)],
            id="nobody remembers what has arrived",
        ),
        pytest.param(
            "false",
            (),
            [(gateway, "nquads_of", lambda event, rows: nquads_of(event, rows[:-1] or rows))],
            id="events are handed over before they are whole",
        ),
        pytest.param(
            "early",
            (),
            [(MemoryStorage, "events_following", all_events)],
            id="a subscription meets all events that came before it",
        ),
        pytest.param("unacknowledged", (), [(Messenger, "receipt", nothing)], id="nobody sends receipts"),
        pytest.param("unestablished", (), [(Gateway, "_established", no_effects)], id="nothing is established"),
        pytest.param("lingering", ("leave",), [(Joins, "hand_over", nothing)], id="a leaver hands nothing over"),
        pytest.param("unanswered", (), [(Messenger, "answer", nothing)], id="owners do not answer"),
        pytest.param("incomplete", (), [(member, "read", reading(lambda quads: quads[1:]))], id="answers lack one"),
        pytest.param("invented", (), [(member, "read", reading(invented))], id="answers have one too many"),
        pytest.param("repeated", (), [(member, "read", reading(lambda quads: quads + quads))], id="answers twice"),
        pytest.param("tiling", ("destroy",), [(Takeovers, "take_over", nothing)], id="nobody takes over"),
        pytest.param("stored", ("join",), [(ZoneHolder, "discard", lambda *_: None)], id="givers keep what they gave"),
        pytest.param("replica", (), [(RecordingStorage, "take", lambda _: b"")], id="nothing is replicated"),
    ],
)
def test_a_broken_part_is_found(
    rule: str, kinds: tuple[str, ...], patches: list[Patch], monkeypatch: pytest.MonkeyPatch
):
    for part, name, broken in patches:
        monkeypatch.setattr(part, name, broken)
    assert any(rule in rules_broken(seed, *kinds) for seed in SEEDS)


def rules_broken(seed: int, *kinds: str) -> set[str]:
    fault_model = TWICE_AND_SHUFFLED if "shuffled" in kinds else RELIABLE
    wanted = scenario(*(kind for kind in kinds if kind != "shuffled"), fault_model=fault_model, strategy=CSMA)
    outcome = run(seed, wanted, patience=30.0)
    return {violation.rule for violation in outcome.violations}


def publish_two_contents() -> set[str]:
    """Two nodes publish under one IRI, one after the other; returns the rules that are broken."""
    world = SpaceWorld(seed=1)
    world.found(3, interval=3.0)
    for host, content in (("n1", b'<urn:s> <urn:p> "1" <urn:e> .'), ("n2", b'<urn:s> <urn:p> "2" <urn:e> .')):
        world.publish(host, Event.parse(content)[0])
        world.run_for(10)
    return {violation.rule for violation in SpaceChecker(world.history).violations()}


def test_another_content_under_a_known_iri_is_refused():
    assert publish_two_contents() == set()


def test_another_content_that_is_not_refused_is_found(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(gateway, "digest_of", lambda _: bytes(16))
    assert publish_two_contents() == {"refused"}


def kill_all_after_acknowledgement() -> set[str]:
    """All nodes are killed as soon as an event is acknowledged, and start again; returns the rules that are broken.

    Whoever published it knows that it was acknowledged, and does not repeat it.
    """
    world = SpaceWorld(seed=1)
    world.found(3, interval=3.0)
    world.publish("n1", Event.parse('<urn:s> <urn:p> "1" <urn:e> .')[0])
    world.run_while(lambda: not any(isinstance(r, Published) for r in world.history.records), at_most=20, step=0.001)
    for host in list(world.hosts):
        world.crash(host)
    for publication in world.hosts["n1"].disk.log.values():
        publication.is_acknowledged = True
    for host in list(world.hosts):
        world.restart(host)
    world.run_for(30)
    world.ask("n0", is_strict=True)
    world.run_for(10)
    return {violation.rule for violation in SpaceChecker(world.history).violations()}


def test_f1_what_was_acknowledged_survives_when_all_nodes_are_killed():
    assert kill_all_after_acknowledgement() == set()


def test_what_is_sent_before_it_is_committed_is_found(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(SpaceHost, "_step", send_at_once)
    monkeypatch.setattr(SpaceHost, "disk_moment", lambda _: 4.0)
    assert "incomplete" in kill_all_after_acknowledgement()
