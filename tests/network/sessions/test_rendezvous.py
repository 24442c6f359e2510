"""A resource whose owner is off-line, or whose requester is: section 4.1."""

import pytest
from tests.network.sessions.world import World

from triplewire.network.sessions import access_point_messages, peer_messages
from triplewire.network.sessions.access_point.records import AccessPointSettings
from triplewire.network.sessions.peer.saved_state import ResourceRequest

TERMS = AccessPointSettings(
    keep=30_000.0, rendezvous_lasts=3600.0, requests=3, files=2, pending_uploads=2, file_bytes=100, answer=15.0
)
LOCATION = "papers/hypercup.pdf"


@pytest.fixture
def scene():
    """A at AP and B at AP2, which owns a resource."""
    world = World(settings=TERMS)
    stations = [world.station(name) for name in ("AP", "AP2", "AP3")]
    alice, bob = world.walker("A", stations[0]), world.walker("B", stations[1])
    bob.resources[LOCATION] = b"a paper"
    for walker in (alice, bob):
        walker.start()
    world.run()
    world.take_said()
    return world, alice, bob


def request_id(world, alice, bob, location=LOCATION, at="AP2"):
    token = alice.request_id("request", ResourceRequest(bob.id, world.stations[at].id, location))
    world.run()
    return token


def test_the_owners_access_point_tells_where_it_is(scene):
    world, alice, bob = scene
    token = alice.request_id("locate", bob.id, world.stations["AP2"].id)
    world.run()
    found = alice.answer(token)
    assert (found.is_online, found.address, found.access_point) == (True, "B.example:1", world.stations["AP2"].id)
    bob.stop()
    token = alice.request_id("locate", bob.id, world.stations["AP2"].id)
    world.run()
    found = alice.answer(token)
    assert (found.is_online, found.address) == (False, "")


def test_nobody_is_where_nobody_is_known(scene):
    world, alice, bob = scene
    token = alice.request_id("locate", bob.id, world.stations["AP3"].id)
    world.run()
    assert "none of that name" in alice.answer(token).found


def test_the_owner_is_off_line_and_the_requester_waits(scene):
    world, alice, bob = scene
    bob.stop()
    world.run()
    world.take_said()
    token = request_id(world, alice, bob)
    assert isinstance(alice.answer(token), peer_messages.Done)
    assert list(world.stations["AP2"].store.pending_uploads) == [(bob.id, alice.id, token)]
    assert world.take_said() == [
        ("A", "AP", "RequestRendezvous"),
        ("AP", "AP2", "RendezvousAsked"),
        ("AP2", "AP", "RendezvousAnswered"),
        ("AP", "A", "Done"),
    ]
    bob.start()
    world.run()
    assert alice.got[token].content == b"a paper"
    assert [one for one in world.take_said() if one[2] not in ("Hello", "Challenge", "Proof", "Welcome")] == [
        ("AP2", "B", "UploadRequested"),
        ("B", "AP2", "Upload"),
        ("AP2", "AP", "ResourceUploaded"),
        ("AP", "AP2", "UploadAnswered"),
        ("AP", "A", "Resource"),
        ("AP2", "B", "Done"),
        ("A", "AP", "Collected"),
    ]
    for station in world.stations.values():
        store = station.store
        assert (store.pending_uploads, store.requests, store.files) == ({}, {}, {})
    assert alice.home.requests == {}


def test_the_requester_is_off_line_and_gets_a_rendezvous_notification_on_return(scene):
    world, alice, bob = scene
    bob.stop()
    token = request_id(world, alice, bob)
    alice.stop()
    bob.start()
    world.run()
    assert list(world.stations["AP"].store.files) == [(alice.id, token)]
    world.take_said()
    alice.start()
    world.run()
    assert ("AP", "A", "Ready") in world.take_said()
    assert alice.got[token].content == b"a paper"
    assert world.stations["AP"].store.files == {}


def test_the_requester_has_migrated_before_the_owner_returns(scene):
    world, alice, bob = scene
    bob.stop()
    token = request_id(world, alice, bob)
    alice.do(alice.machine.move(world.now, world.stations["AP3"].place))
    world.run()
    assert world.stations["AP"].machine.peers == []
    bob.start()
    world.run()
    assert alice.got[token].content == b"a paper"


def test_the_file_was_uploaded_before_the_requester_migrated(scene):
    world, alice, bob = scene
    bob.stop()
    token = request_id(world, alice, bob)
    alice.stop()
    bob.start()
    world.run()
    alice.home = alice.home.moving_to(world.stations["AP3"].place)
    alice.start()
    world.run()
    assert alice.got[token].content == b"a paper"
    assert world.stations["AP"].machine.peers == []


def test_the_upload_comes_when_the_requester_has_just_gone(scene):
    """AP says that A is gone; when AP3 asks again, the owner uploads once more."""
    world, alice, bob = scene
    bob.stop()
    token = request_id(world, alice, bob)
    alice.crash()
    world.run()
    world.stations["AP"].store.requests.clear()
    world.stations["AP"].store.peers.clear()
    world.stations["AP"].boot()
    bob.start()
    world.run()
    assert alice.got == {}
    assert list(world.stations["AP2"].store.pending_uploads) == [(bob.id, alice.id, token)]
    alice.start()
    world.run()
    assert alice.got[token].content == b"a paper"


def test_the_owner_has_migrated(scene):
    """What waited for it goes with it, and so do questions that come later."""
    world, alice, bob = scene
    bob.stop()
    token = request_id(world, alice, bob)
    resources, bob.resources = bob.resources, {}
    bob.home = bob.home.moving_to(world.stations["AP3"].place)
    bob._upload = lambda effect: None
    bob.start()
    world.run()
    assert world.stations["AP2"].machine.peers == []
    assert list(world.stations["AP3"].store.pending_uploads) == [(bob.id, alice.id, token)]
    located = alice.request_id("locate", bob.id, world.stations["AP2"].id)
    world.run()
    assert alice.answer(located).access_point == world.stations["AP3"].id
    bob.crash()
    del bob._upload
    bob.resources = resources
    bob.start()
    world.run()
    assert alice.got[token].content == b"a paper"
    later = request_id(world, alice, bob)
    assert alice.got[later].content == b"a paper"


def test_both_at_one_access_point(scene):
    world, _, bob = scene
    carol = world.walker("C", world.stations["AP2"])
    carol.start()
    world.run()
    bob.stop()
    token = request_id(world, carol, bob)
    bob.start()
    world.run()
    assert carol.got[token].content == b"a paper"


def test_an_owner_without_the_resource_says_so(scene):
    world, alice, bob = scene
    token = request_id(world, alice, bob, location="papers/none.pdf")
    assert alice.got[token].problem == "no such resource"
    assert world.stations["AP2"].store.pending_uploads == {}


def test_nobody_uploads_what_was_not_asked_for(scene):
    world, alice, bob = scene
    [line] = [line for who, line, _ in world.connections.values() if who is bob]
    wanted = peer_messages.UploadRequested(alice.id, "t1", LOCATION)
    bob.do(bob.machine.upload(world.now, line, wanted, b"spam"))
    world.run()
    assert ("AP2", "B", "RequestRefused") in world.take_said()
    assert alice.got == {}


def test_an_access_point_takes_only_what_its_peer_wished_for(scene):
    """Another access point that makes up an upload gets nothing into the rendezvous directory."""
    world, alice, bob = scene
    forged = access_point_messages.ResourceUploaded(alice.id, "t1", bob.id, LOCATION, b"spam")
    station = world.stations["AP"]
    station.do(station.machine.relayed(world.now, world.stations["AP3"].id, access_point_messages.encode(forged)))
    world.run()
    assert station.store.files == {}
    assert alice.got == {}


def test_a_file_that_is_too_large_is_refused(scene):
    world, alice, bob = scene
    bob.resources[LOCATION] = bytes(TERMS.file_bytes + 1)
    token = request_id(world, alice, bob)
    assert token not in alice.got
    assert world.stations["AP"].store.files == {}


def test_the_rendezvous_directory_is_bounded(scene):
    world, alice, bob = scene
    bob.stop()
    world.stations["AP2"].machine._state.settings = AccessPointSettings(pending_uploads=10)
    tokens = [request_id(world, alice, bob) for _ in range(3)]
    alice.stop()
    bob.start()
    world.run()
    assert len(world.stations["AP"].store.files) == TERMS.files
    assert len(world.stations["AP2"].store.pending_uploads) == len(tokens) - TERMS.files


def test_wishes_are_bounded(scene):
    world, alice, bob = scene
    bob.stop()
    world.stations["AP2"].machine._state.settings = AccessPointSettings(pending_uploads=10)
    for _ in range(TERMS.requests):
        assert isinstance(alice.answer(request_id(world, alice, bob)), peer_messages.Done)
    assert alice.answer(request_id(world, alice, bob)).wanted == f"at most {TERMS.requests} rendezvous"


def test_what_waits_for_an_owner_is_bounded(scene):
    world, alice, bob = scene
    bob.stop()
    tokens = [request_id(world, alice, bob) for _ in range(3)]
    assert [type(alice.answer(token)) for token in tokens] == [
        peer_messages.Done,
        peer_messages.Done,
        peer_messages.RequestRefused,
    ]
    assert len(world.stations["AP"].store.requests) == 2


def test_a_rendezvous_expires_at_both_ends(scene):
    world, alice, bob = scene
    bob.stop()
    token = request_id(world, alice, bob)
    world.wait(TERMS.rendezvous_lasts + 60, tick=20)
    assert world.stations["AP"].store.requests == {}
    assert world.stations["AP2"].store.pending_uploads == {}
    assert alice.got[token].problem == "the owner did not return in time"
    assert alice.home.requests == {}


def test_a_file_that_is_not_collected_expires(scene):
    world, alice, bob = scene
    bob.stop()
    request_id(world, alice, bob)
    alice.stop()
    bob.start()
    world.wait(TERMS.rendezvous_lasts + 60, tick=20)
    assert world.stations["AP"].store.files == {}


def test_it_survives_that_all_access_points_restart(scene):
    world, alice, bob = scene
    bob.stop()
    token = request_id(world, alice, bob)
    alice.stop()
    world.run()
    for station in world.stations.values():
        station.boot()
    bob.start()
    world.run()
    for station in world.stations.values():
        station.boot()
    alice.start()
    world.wait(60)
    assert alice.got[token].content == b"a paper"


def test_an_access_point_that_does_not_answer(scene):
    world, alice, bob = scene
    world.cut_off.add("AP2")
    token = alice.request_id("locate", bob.id, world.stations["AP2"].id)
    world.wait(TERMS.answer + 1)
    assert alice.answer(token).again
    requested = request_id(world, alice, bob)
    world.wait(TERMS.answer + 1)
    assert alice.answer(requested).again
    world.cut_off.clear()
    alice.crash()
    alice.start()
    world.wait(60)
    assert alice.got[requested].content == b"a paper"
