"""Each message once and in order, whatever is lost, repeated or late on the way."""

from __future__ import annotations

from random import Random

import pytest

from triplewire.federation.delivery import Acknowledgement, Delivery, Item, Parcel
from triplewire.federation.messages import Message
from triplewire.federation.registration.messages import Unregistered


def numbers(messages: list[Message]) -> list[int]:
    return [int(message.rule) for message in messages if isinstance(message, Unregistered)]


@pytest.mark.parametrize("seed", range(20))
def test_every_message_arrives_once_and_in_order(seed: int):
    rng = Random(seed)
    one, other = Delivery(1.0), Delivery(1.0)
    way: list[tuple[Delivery, Item]] = []
    got: list[int] = []
    now = 0.0
    for number in range(300):
        way += [(other, item) for _, item in one.send(now, "other", Unregistered(str(number)))]
        now += 0.1
        way += [(other, item) for _, item in one.tick(now)]
        pump(way, one, other, got, rng, loss=0.4)
    for _ in range(60):
        now += 1.0
        way += [(other, item) for _, item in one.tick(now)]
        pump(way, one, other, got, rng, loss=0.1)
    assert got == list(range(300))
    assert one.is_flushed


def pump(
    way: list[tuple[Delivery, Item]], one: Delivery, other: Delivery, got: list[int], rng: Random, loss: float
) -> None:
    """Some items arrive, some twice, in any order; the rest is late or lost."""
    rng.shuffle(way)
    for to, item in [way.pop() for _ in range(rng.randint(0, len(way)))]:
        if rng.random() < loss:
            continue
        for _ in range(rng.choice((1, 1, 2))):
            messages, back = to.receive("one" if to is other else "other", item)
            got += numbers(messages)
            way += [(one if to is other else other, answer) for _, answer in back]


def test_only_a_window_is_on_its_way():
    delivery = Delivery(1.0)
    sent = [item for number in range(100) for item in delivery.send(0.0, "x", Unregistered(str(number)))]
    assert len(sent) == 64
    messages, more = delivery.receive("x", Acknowledgement(10))
    assert messages == []
    assert [item.number for _, item in more if isinstance(item, Parcel)] == list(range(65, 75))
