"""Bodies and requests about rules in a session: whole or not at all, from the peer whose session it is, both ways."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.network.sessions.world import World

from triplewire.errors import LimitExceeded
from triplewire.network.sessions import peer_messages
from triplewire.network.sessions.access_point.records import AccessPointSettings
from triplewire.network.sessions.rule_data import MOST_BYTES, PART_BYTES, RuleData, RuleDataAssembler, RuleDataSplitter

LARGE = bytes(range(256)) * (3 * PART_BYTES // 256) + b"rest"


def online(settings: AccessPointSettings | None = None) -> tuple:
    world = World(settings=settings)
    station = world.station("AP")
    alice = world.walker("A", station)
    alice.start()
    world.run()
    return world, station, alice


@pytest.mark.parametrize("body", [b"", b"a body", LARGE])
def test_a_body_goes_whole_either_way(body: bytes):
    world, station, alice = online()
    alice.do(alice.machine.tell_rules(world.now, body))
    station.do(station.machine.tell_rules(world.now, alice.id, body))
    world.run()
    assert station.rules == [(alice.id, body)]
    assert alice.rules == [body]


def test_the_session_says_where_the_peer_is_each_time_that_it_begins():
    world, station, alice = online()
    assert alice.sessions == [station.id]
    alice.stop()
    world.run()
    alice.start()
    world.run()
    assert alice.sessions == [station.id, station.id]


def test_what_is_too_large_is_not_sent_and_the_session_stands():
    world, station, alice = online()
    with pytest.raises(LimitExceeded):
        alice.machine.tell_rules(world.now, bytes(MOST_BYTES + 1))
    with pytest.raises(LimitExceeded):
        station.machine.tell_rules(world.now, alice.id, bytes(MOST_BYTES + 1))
    alice.do(alice.machine.tell_rules(world.now, b"after"))
    world.run()
    assert station.rules == [(alice.id, b"after")]


def test_who_is_not_there_is_told_nothing():
    world, station, alice = online()
    alice.stop()
    world.run()
    assert station.machine.tell_rules(world.now, alice.id, b"body") == []
    assert station.machine.tell_rules(world.now, "tw-nobody", b"body") == []


def test_a_body_that_lacks_a_part_is_lost_and_the_next_one_arrives():
    world, station, alice = online()
    effects = alice.machine.tell_rules(world.now, LARGE)
    alice.do([*effects[:1], *effects[2:]])
    alice.do(alice.machine.tell_rules(world.now, b"next"))
    world.run()
    assert station.rules == [(alice.id, b"next")]


def test_incomplete_bodies_of_all_peers_have_one_limit_and_it_is_free_again_when_a_session_ends():
    world, station, alice = online(AccessPointSettings(rules_waiting_bytes=3 * PART_BYTES))
    bob = world.walker("B", station)
    bob.start()
    world.run()
    alice.do(alice.machine.tell_rules(world.now, LARGE)[:2])
    world.run()
    bob.do(bob.machine.tell_rules(world.now, LARGE))
    world.run()
    assert station.rules == []
    assert bob.not_taken
    assert bob.not_taken[0].wanted == f"at most {3 * PART_BYTES:,} bytes of incomplete messages about rules"
    alice.stop()
    world.run()
    bob.do(bob.machine.tell_rules(world.now, LARGE[: 2 * PART_BYTES]))
    world.run()
    assert station.rules == [(bob.id, LARGE[: 2 * PART_BYTES])]


def test_a_request_that_comes_again_has_the_same_answer():
    world, _, alice = online()
    token = alice.request_id("ask_rules", b"list")
    world.run()
    alice.do(alice.machine.ask_rules(world.now, token, b"list"))
    world.run()
    assert [answer.body for answer in alice.answers[token]] == [b"answer 0 to list"] * 2


def test_a_request_waits_for_the_session_and_a_refusal_is_its_answer():
    world, _, alice = online()
    alice.crash()
    world.run()
    alice.start()
    token = alice.request_id("ask_rules", b"refuse me")
    assert token not in alice.answers
    world.run()
    answer = alice.answer(token)
    assert isinstance(answer, peer_messages.RequestRefused)
    assert (answer.wanted, answer.found) == ("a rule", "none")


def test_a_previous_access_point_has_no_say_about_rules():
    world, before, alice = online()
    after = world.station("AP3")
    world.cut_off = {"AP"}
    alice.do(alice.machine.move(world.now, after.place))
    world.run()
    world.cut_off = set()
    before.do(before.machine.tell_rules(world.now, alice.id, b"old"))
    after.do(after.machine.tell_rules(world.now, alice.id, b"new"))
    world.run()
    assert alice.rules == [b"new"]


@given(st.lists(st.binary(max_size=9), max_size=4), st.randoms(use_true_random=False))
def test_an_assembler_gives_only_what_was_split_in_order(bodies: list[bytes], rng):
    """Whatever is lost: parts of 256 KiB are cut down to a byte here."""
    sent = [
        RuleData(number, part, max(1, len(body)), body[part : part + 1])
        for number, body in enumerate(bodies, start=1)
        for part in range(max(1, len(body)))
    ]
    arrived = [message for message in sent if rng.random() < 0.8]
    assembler = RuleDataAssembler()
    whole = [body for message in arrived if (body := assembler.add(message)) is not None]
    expected = [
        body
        for number, body in enumerate(bodies, start=1)
        if [m for m in sent if m.number == number] == [m for m in arrived if m.number == number]
    ]
    assert whole == expected


def test_a_splitter_numbers_bodies():
    splitter = RuleDataSplitter()
    assert [(part.number, part.part, part.parts) for body in (b"a", LARGE) for part in splitter.parts(body)] == [
        (1, 0, 1),
        *((2, part, 4) for part in range(4)),
    ]
