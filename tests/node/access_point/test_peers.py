"""A node as an access point, with peers over real sockets."""

from __future__ import annotations

import asyncio

import msgspec
import pytest
from tests.node.access_point.peerage import QUERY, court_at, events, file_of, gets, here, place_of, until
from tests.node.http.serving import api_of

from triplewire import Event
from triplewire.algebra.advertisements.advertisement import Advertisement
from triplewire.client.peer import Folder, Gap, PeerProgram
from triplewire.errors import NodeUnreachable, PeerRefused
from triplewire.network.routing.advertisements.registration import Registration
from triplewire.network.sessions.identity import new_private_key, new_secret, public_key_of
from triplewire.network.sessions.peer.saved_state import AccessPointInfo, PeerKeys, ResourceRequest
from triplewire.node.broker.publish_step import Submission
from triplewire.store.retention import Retention

DC = "http://purl.org/dc/elements/1.1/"


async def test_what_is_published_is_notified_and_saved(tmp_path):
    async with court_at(tmp_path) as court:
        node = await court.open("AP")
        async with here(court.peer("A", node), court.peer("B", node)) as [alice, bob]:
            await alice.subscribe("all", "sparql", QUERY)
            [receipt] = await bob.publish(events("urn:e:1"))
            assert receipt.position == 1
            await gets(alice, "urn:e:1")
            [saved] = alice.folder.notifications()
            assert (saved.publisher, saved.origin) == (bob.id, node.id)
            content = msgspec.json.decode(saved.content)
            assert content["solutions"][0]["s"]["value"] == "urn:s"
            assert content["data"] == events("urn:e:1").decode()
            assert node.peers.machine.online == sorted([alice.id, bob.id])


async def test_off_line_and_back_over_a_restart_of_the_node(tmp_path):
    async with court_at(tmp_path) as court:
        node = await court.open("AP")
        place = place_of(node)
        async with here(court.peer("A", node)) as [alice]:
            await alice.subscribe("all", "sparql", QUERY)
        await until(lambda: node.peers.machine.online == [])
        async with here(court.peer("B", node)) as [bob]:
            await bob.publish(events("urn:e:1", "urn:e:2"))
            await court.close(node)
            node = await court.open("AP", peers_address=place.address)
            assert place_of(node) == place
            await bob.publish(events("urn:e:3"))
        async with here(court.peer("A", node)) as [alice]:
            await gets(alice, "urn:e:1", "urn:e:2", "urn:e:3")
            number = node.broker.subscriptions.require(alice.id, "all").number
            await until(lambda: node.broker.subscriptions.index.require(number).cursor == 3)


async def test_what_retention_removed_meanwhile_is_told_once(tmp_path):
    async with court_at(tmp_path) as court:
        node = await court.open("AP")
        home = court.peer("A", node)
        async with here(home) as [alice]:
            await alice.subscribe("all", "sparql", QUERY)
        await until(lambda: node.peers.machine.online == [])
        names = [f"urn:e:{number}" for number in range(1, 10)]
        async with here(court.peer("B", node)) as [bob]:
            await bob.publish(events(*names))
        await node.broker.housekeeping.trim(Retention(size=3 * len(events(names[0]))))
        lost = Gap("all", place_of(node).id, 0, 6)
        async with here(home) as [alice]:
            arrivals = alice.arrivals()
            assert await anext(arrivals) == lost
            assert [(await anext(arrivals)).event for _ in range(3)] == names[6:]
            number = node.broker.subscriptions.require(alice.id, "all").number
            await until(lambda: node.broker.subscriptions.index.require(number).cursor == 9)
        await until(lambda: node.peers.machine.online == [])
        async with here(home, court.peer("B", node)) as [alice, bob]:
            await bob.publish(events("urn:e:10"))
            assert (await anext(alice.arrivals())).event == "urn:e:10"
            assert home.gaps() == [lost]


async def test_a_peer_is_a_client_of_the_node_and_only_the_hash_of_its_secret_is_kept(tmp_path):
    async with court_at(tmp_path) as court:
        node = await court.open("AP")
        folder = court.peer("A", node)
        async with here(folder) as [alice]:
            secret = folder.keys().secret
            assert node.client(secret).id == alice.id
            await alice.subscribe("all", "sparql", QUERY)
        await court.close(node)
        data = b"".join(file.read_bytes() for file in (tmp_path / "AP").rglob("*") if file.is_file())
        assert secret.encode() not in data
        assert alice.id.encode() in data


async def test_what_a_peer_asks_in_vain_is_told(tmp_path):
    async with court_at(tmp_path) as court:
        node = await court.open("AP")
        async with here(court.peer("A", node)) as [alice]:
            with pytest.raises(PeerRefused, match="SELECT"):
                await alice.subscribe("bad", "sparql", "SELECT nonsense")
            with pytest.raises(PeerRefused, match=r"1:1"):
                await alice.publish(b"not RDF at all")
            with pytest.raises(PeerRefused, match="wanted the registration of"):
                await alice.advertise(Registration("tw-" + "a" * 32, (Advertisement.schemas([DC]),)).to_turtle())


async def test_registering_puts_a_peer_into_the_indices_and_forgetting_takes_it_out(tmp_path):
    async with court_at(tmp_path) as court:
        node = await court.open("AP", peers_seconds=1.0)
        async with here(court.peer("A", node)) as [alice]:
            await alice.subscribe("all", "sparql", QUERY)
            await alice.advertise(Registration(alice.id, (Advertisement.schemas([DC]),)).to_turtle())
            assert [entry.record.name for entry in node.advertisements.of(alice.id)] == ["peer"]
        await until(lambda: node.peers.machine.peers == [])
        await until(lambda: not node.advertisements.of(alice.id))
        assert node.broker.subscriptions.index.of(alice.id) == []
        assert alice.id not in [client.id for client in node.clients]


async def test_a_client_that_is_removed_is_no_peer_any_more(tmp_path):
    async with court_at(tmp_path) as court:
        node = await court.open("AP")
        async with here(court.peer("A", node)) as [alice]:
            await node.unregister(alice.id)
            assert node.peers.machine.peers == []


async def test_rendezvous_with_a_resource_whose_owner_is_off_line(tmp_path):
    async with court_at(tmp_path) as court:
        node = await court.open("AP")
        bob_home = court.peer("B", node)
        (bob_home.path / "resources" / "papers").mkdir()
        (bob_home.path / "resources" / "papers" / "r.pdf").write_bytes(b"a paper")
        async with here(bob_home) as [bob]:
            bob_id = bob.id
        async with here(court.peer("A", node)) as [alice]:
            located = await alice.locate(bob_id, node.id)
            assert not located.is_online
            await alice.request(ResourceRequest(bob_id, node.id, "papers/r.pdf"))
            outside = await alice.request(ResourceRequest(bob_id, node.id, "../key"))
            async with here(bob_home):
                got = {word.id: word for word in [await file_of(alice), await file_of(alice)]}
            assert sorted(word.content for word in got.values()) == [b"", b"a paper"]
            assert got[outside].problem == "no such resource"
        assert b"a paper" in [file.read_bytes() for file in (alice.folder.path / "rendezvous").iterdir()]


async def test_two_super_peers_carry_what_peers_publish(tmp_path):
    async with court_at(tmp_path, in_network=True) as court:
        one, other = await court.open("AP"), await court.open("AP2")
        async with here(court.peer("A", one), court.peer("B", other)) as [alice, bob]:
            await alice.subscribe("all", "sparql", QUERY)
            await bob.publish(events("urn:e:1"))
            await gets(alice, "urn:e:1")
            [saved] = alice.folder.notifications()
            assert (saved.publisher, saved.origin) == (bob.id, other.overlay.id)
            located = await alice.locate(saved.publisher, saved.origin)
            assert located.is_online


async def test_rendezvous_between_two_access_points(tmp_path):
    async with court_at(tmp_path, in_network=True) as court:
        one, other = await court.open("AP"), await court.open("AP2")
        bob_home = court.peer("B", other)
        (bob_home.path / "resources" / "r").write_bytes(b"the resource")
        async with here(bob_home) as [bob]:
            bob_id = bob.id
        async with here(court.peer("A", one)) as [alice]:
            await alice.request(ResourceRequest(bob_id, other.overlay.id, "r"))
        async with here(bob_home):
            await until(lambda: one.peers.machine._requester_rendezvous.has_files(alice.id))
        async with here(court.peer("A", one)) as [alice]:
            assert (await file_of(alice)).content == b"the resource"


async def test_a_peer_migrates_during_publishing_and_gets_everything(tmp_path):
    """From AP to AP3, and on to AP2, while another publishes at AP2: everything, once."""

    async with court_at(tmp_path, in_network=True) as court:
        ap, ap2, ap3 = [await court.open(name) for name in ("AP", "AP2", "AP3")]
        alice_home = court.peer("A", ap)
        names = [f"urn:e:{number}" for number in range(120)]
        async with here(court.peer("B", ap2)) as [bob]:
            async with here(alice_home) as [alice]:
                await alice.subscribe("all", "sparql", QUERY)

            async def publish() -> None:
                for name in names:
                    await bob.publish(events(name))

            publishing = asyncio.create_task(publish())
            async with here(alice_home) as [alice]:
                for place in (ap3, ap2, ap):
                    await until(lambda: len(list((alice_home.path / "notifications").iterdir())) > 5)
                    await alice.move(place_of(place))
                await publishing
                await gets(alice, *names)
                assert ap.peers.machine.online == [alice.id]
                assert [node.peers.machine.peers for node in (ap3,)] == [[]]
                assert ap3.broker.subscriptions.index.of(alice.id) == []


@pytest.mark.parametrize("publisher", ["AP2", "AP3"])
async def test_what_the_last_access_point_never_heard_and_the_new_one_had_before(tmp_path, publisher):
    """AP was cut off while AP3 heard everything: AP3 finds it again in its own log, and AP2 sends what AP3 lacks."""

    async with court_at(tmp_path, in_network=True) as court:
        nodes = {name: await court.open(name) for name in ("AP", "AP2", "AP3")}
        ap, ap3 = nodes["AP"], nodes["AP3"]
        alice_home = court.peer("A", ap)
        async with here(alice_home) as [alice]:
            await alice.subscribe("all", "sparql", QUERY)
        async with here(court.peer("C", ap3), court.peer("B", nodes[publisher])) as [carol, bob]:
            await carol.subscribe("some", "sparql", 'SELECT ?s WHERE { ?s <urn:p> "urn:e:1" }')
            await until(lambda: nodes["AP2"].overlay.peer.is_flushed and ap3.overlay.peer.is_flushed)
            ap.overlay.transport.pause()
            await bob.publish(events("urn:e:1", "urn:e:2"))
            await gets(carol, "urn:e:1")
            async with here(alice_home) as [alice]:
                await alice.move(place_of(ap3))
                await gets(alice, "urn:e:1", "urn:e:2")


async def test_a_subscription_that_is_taken_over_begins_before_the_first_event_that_was_not_heard(tmp_path):
    async with court_at(tmp_path) as court:
        node = await court.open("AP")

        async def take(name: str, origin: str, position: int) -> None:
            submission = Submission("tw-p", Event.parse(events(name)), 1.0, origin=origin, origin_position=position)
            await node.broker.events.publish_remote(submission)

        for name, origin, position in (("urn:1", "sp-a", 7), ("urn:2", "sp-b", 3), ("urn:3", "sp-a", 9)):
            await take(name, origin, position)
        start = node.peers._storage._start
        assert await start({"sp-a": 9, "sp-b": 3, node.id: 3}) == 3
        assert await start({"sp-a": 7, "sp-b": 3, node.id: 3}) == 2
        assert await start({"sp-a": 9, "sp-b": 2, node.id: 3}) == 1
        assert await start({"sp-a": 6, "sp-b": 3}) == 0
        assert await start({"sp-a": 9, node.id: 2}) == 2
        assert await start({}) == 3


async def test_the_metrics_tell_who_is_there_and_what_was_refused(tmp_path):
    async with api_of(tmp_path / "node", peers_address="tcp://127.0.0.1:0") as api:
        node = api.node
        folder = Folder.make(tmp_path / "home", place_of(node))
        async with here(folder) as [alice]:
            [line] = alice._sockets._sockets
            alice._sockets.send(line, b"tw\x01\x02 something")
            await until(lambda: node.peers.machine.refusals["malformed"] == 1)
            told = (await api.get("/metrics")).text
        assert "triplewire_peers 1.0\n" in told
        assert "triplewire_peers_online 1.0\n" in told
        assert 'triplewire_peers_refused_total{reason="malformed"} 1.0\n' in told
        health = (await api.get("/health")).json()
        assert (health["peers"], health["key"]) == (node.peers.address, node.peers.key)


# Row A12, over the wire


async def test_a12_a_stolen_secret_is_of_no_use_with_another_key(tmp_path):
    """Neither as the peer whose secret it is, nor as one of its own."""

    async with court_at(tmp_path) as court:
        node = await court.open("AP")
        folder = court.peer("A", node)
        async with here(folder) as [alice]:
            await alice.subscribe("all", "sparql", QUERY)
        thief = Folder.make(tmp_path / "thief", place_of(node))
        program = PeerProgram(thief, seconds=3.0)
        program._peer._connections._keys = PeerKeys(thief.keys().private_key, folder.keys().secret)
        async with program:
            with pytest.raises(NodeUnreachable, match="another's"):
                await program.connected()
        assert node.peers.machine.peers == [alice.id]
        assert node.client(folder.keys().secret).id == alice.id


async def test_a12_a_forged_secret_is_refused(tmp_path):
    """The key alone is not enough either."""

    async with court_at(tmp_path) as court:
        node = await court.open("AP")
        folder = court.peer("A", node)
        async with here(folder):
            pass
        await until(lambda: node.peers.machine.online == [])
        program = PeerProgram(folder, seconds=3.0)
        program._peer._connections._keys = PeerKeys(folder.keys().private_key, new_secret())
        async with program:
            with pytest.raises(NodeUnreachable, match="private identifier"):
                await program.connected()
        assert node.peers.machine.refusals["secret"] >= 1


async def test_a12_a_stolen_public_identifier_is_refused(tmp_path):
    """A connection under one key is not good for another, whatever is said over it."""

    async with court_at(tmp_path) as court:
        node = await court.open("AP")
        folder = court.peer("A", node)
        async with here(folder) as [alice]:
            alice_id = alice.id
        thief = Folder.make(tmp_path / "thief", place_of(node))
        program = PeerProgram(thief, seconds=3.0)
        program._peer._connections._keys = folder.keys()
        async with program:
            with pytest.raises(NodeUnreachable, match="under another key"):
                await program.connected()
        assert node.peers.machine.online == []
        assert node.peers.machine.peers == [alice_id]
        assert node.peers.machine.refusals["key"] >= 1


async def test_a12_a_replayed_message_is_refused(tmp_path):
    """The same bytes again, over the peer's own connection and over another's."""

    async with court_at(tmp_path) as court:
        node = await court.open("AP")
        async with here(court.peer("A", node), court.peer("M", node)) as [alice, mallory]:
            recorded: list[bytes] = []
            send = alice._sockets.send

            def record(line: str, data: bytes) -> None:
                recorded.append(data)
                send(line, data)

            alice._sockets.send = record
            await alice.publish(events("urn:e:1"))
            [line] = alice._sockets._sockets
            [other] = mallory._sockets._sockets
            send(line, recorded[0])
            await until(lambda: node.peers.machine.refusals["replay"] == 1)
            mallory._sockets.send(other, recorded[0])
            await until(lambda: node.peers.machine.refusals["session"] == 1)
            assert node.broker.state.counters.published == 1
            assert (await alice.publish(events("urn:e:2")))[0].position == 2


async def test_a12_an_impostor_at_the_access_points_address_learns_nothing(tmp_path):
    """A peer that knows another key for this address does not get through CURVE's handshake."""

    async with court_at(tmp_path) as court:
        node = await court.open("AP")
        wrong = AccessPointInfo(public_key_of(new_private_key()), node.peers.address)
        async with PeerProgram(Folder.make(tmp_path / "home", wrong), seconds=2.0) as peer:
            with pytest.raises(NodeUnreachable, match="found none"):
                await peer.connected()
        assert node.peers.machine.peers == []
