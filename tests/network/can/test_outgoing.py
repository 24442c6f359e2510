"""Messages to a node that does not answer: one of them is repeated, and all arrive when it is back."""

from __future__ import annotations

from tests.network.can.simulation import World

from triplewire.network.can.messages import Address
from triplewire.network.can.messaging.outgoing import KeptCast, OutgoingCasts
from triplewire.testing.memory_storage import MemoryStorage

_TO = Address("gone", "tcp://gone")


def _attempts(casts: OutgoingCasts, since: float, seconds: float) -> list[tuple[float, str]]:
    """What is sent in some seconds, and when."""
    found = []
    for step in range(int(seconds * 4)):
        now = since + step / 4
        for cast in casts.due(now):
            casts.attempt(now, cast)
            found.append((now, cast.id))
    return found


def _casts(names: str) -> OutgoingCasts:
    casts = OutgoingCasts(MemoryStorage(), retry=1.0)
    for name in names:
        casts.add(name, KeptCast(b"", to=_TO), is_durable=True)
    return casts


def test_of_messages_to_one_who_does_not_answer_one_is_repeated_less_and_less_often():
    casts = _casts("abc")
    assert len(_attempts(casts, 0, 60)) >= 3 * 8
    assert {name for _, name in _attempts(casts, 60, 600)} == {"a"}
    assert len(_attempts(casts, 660, 86_400)) < 200
    assert casts.is_idle


def test_a_new_message_to_one_who_does_not_answer_is_sent_once():
    casts = _casts("a")
    _attempts(casts, 0, 60)
    new = casts.add("b", KeptCast(b"", to=_TO), is_durable=True)
    assert new is not None
    casts.attempt(60, new)
    assert {name for _, name in _attempts(casts, 60, 600)} == {"a"}
    assert casts.is_idle


def test_a_later_message_that_waits_is_as_futile_as_the_one_that_is_repeated():
    casts = _casts("a")
    _attempts(casts, 0, 40)
    casts.add("b", KeptCast(b"", to=_TO), is_durable=True)
    _attempts(casts, 40, 20)
    assert casts.is_idle
    assert not casts.durable


def test_where_the_repeated_message_is_withdrawn_another_takes_its_place():
    casts = _casts("abc")
    _attempts(casts, 0, 60)
    casts.cancel("a")
    assert {name for _, name in _attempts(casts, 60, 60)} == {"b"}


def test_all_are_due_when_it_is_heard_or_receipts_one():
    for wake in (lambda casts: casts.heard("gone"), lambda casts: casts.receipted("a", (), (), "gone")):
        casts = _casts("abc")
        _attempts(casts, 0, 60)
        wake(casts)
        assert {name for _, name in _attempts(casts, 60, 1)} >= {"b", "c"}
        assert not casts.is_idle


def test_f7_a_node_that_is_away_for_long_costs_few_messages_and_gets_all_of_them_when_it_is_back():
    world = World(3)
    world.grow(4)
    world.run_until_settled()
    world.stop("n3")
    for number in range(50):
        at = world.nodes["n0"]
        world.do("n0", at.send_direct(world.now, f"d{number}", Address("n3", "n3"), b"direct", durable=True))
        world.run(0.5)
    world.run(120)
    before = world.sent["Cast"]
    world.run(600)
    assert world.sent["Cast"] - before < 100
    world.proceed("n3")
    world.run(15)
    assert {f"d{number}" for number in range(50)} <= world.completed
