"""Nodes as super-peers, over real sockets: what is published at one arrives at the other, once and in order."""

from __future__ import annotations

import asyncio

import pytest
from tests.node.overlay.overlays import Site, settled, sites
from tests.node.transport.backbones import until

from triplewire import Advertisement, Event, Taxonomy
from triplewire.errors import JoinFailed, NetworkError
from triplewire.network.messages import Description
from triplewire.network.routing.advertisements.descriptions import describe
from triplewire.node.overlay.log_replay import read
from triplewire.node.transport.keys import NetworkKey
from triplewire.rdf.limits import Limits

P = "SELECT ?o { ?s <urn:p> ?o }"


async def test_an_event_reaches_a_subscriber_at_another_node(tmp_path):
    async with sites(tmp_path, "a", "b") as [a, b]:
        await b.subscribe(P)
        await a.publish("urn:e:1", "urn:e:2")
        await a.publish("urn:e:3")
        await b.gets("urn:e:1", "urn:e:2", "urn:e:3")
        found = await b.broker.events.find(b.me, "urn:e:1")
        assert found is not None
        record, event = found
        assert (record.publisher, record.origin) == (a.me.id, a.peer.id)
        assert event.nquads == b'<urn:s> <urn:p> "x" <urn:e:1> .\n'


async def test_an_event_that_came_from_the_network_is_not_published_again(tmp_path):
    async with sites(tmp_path, "a", "b", "c") as [a, b, c]:
        await b.subscribe(P)
        await c.subscribe(P)
        await a.publish("urn:e:1")
        await b.gets("urn:e:1")
        await c.gets("urn:e:1")
        assert b.overlay.counters.events["accepted"] == 1
        assert b.peer.saved_state().watermarks[b.peer.id] == 0
        assert a.overlay.counters.events["accepted"] == 0


async def test_a_local_event_is_matched_against_local_subscriptions_by_the_broker_only(tmp_path):
    async with sites(tmp_path, "a", "b") as [a, b]:
        await a.subscribe(P)
        await b.subscribe(P)
        await a.publish("urn:e:1")
        await b.gets("urn:e:1")
        # Whoever asked it would fail, and send nothing on.
        a.peer.router._matcher._ours = None
        await a.publish("urn:e:2")
        await a.gets("urn:e:1", "urn:e:2")
        await b.gets("urn:e:1", "urn:e:2")


async def test_what_nobody_asked_for_stays_where_it_is(tmp_path):
    async with sites(tmp_path, "a", "b") as [a, b]:
        await b.subscribe(P)
        await a.publish("urn:other:1", predicate="urn:q")
        await a.publish("urn:e:1")
        await b.gets("urn:e:1")
        assert await b.broker.events.find(b.me, "urn:other:1") is None


async def test_an_ended_subscription_fetches_nothing_more(tmp_path):
    async with sites(tmp_path, "a", "b") as [a, b]:
        record = await b.subscribe(P)
        await b.subscribe("SELECT ?o { ?s <urn:q> ?o }", "other")
        await a.publish("urn:e:1")
        await b.gets("urn:e:1")
        await b.broker.subscriptions.unsubscribe(record.number)
        await until(lambda: not a.peer.router.poset or len(a.peer.router.poset) == 0)
        await a.publish("urn:e:2")
        await a.publish("urn:q:1", predicate="urn:q")
        await b.gets("urn:q:1", subscription="other")
        assert await b.broker.events.find(b.me, "urn:e:2") is None


async def test_a_conflict_is_counted_and_the_next_event_is_taken(tmp_path):
    async with sites(tmp_path, "a", "b") as [a, b]:
        await b.subscribe(P)
        await b.publish("urn:e:1", text="mine")
        await a.publish("urn:e:1", text="yours")
        await a.publish("urn:e:2")
        await b.gets("urn:e:1", "urn:e:2")
        assert b.overlay.counters.events["conflicts"] == 1


async def test_an_event_known_at_both_nodes_counts_once(tmp_path):
    async with sites(tmp_path, "a", "b") as [a, b]:
        await b.subscribe(P)
        await b.publish("urn:e:1")
        await a.publish("urn:e:1")
        await a.publish("urn:e:2")
        await b.gets("urn:e:1", "urn:e:2")


async def test_the_very_first_event_of_a_property_arrives_too(tmp_path):
    """Nothing was advertised before it; what is derived from it calls the subscription, and that recalls it."""

    async with sites(tmp_path, "a", "b", "c", "d") as [a, *others]:
        for site in others:
            await site.subscribe("SELECT ?o { ?s <urn:never-seen> ?o }")
        await a.publish("urn:first", predicate="urn:never-seen")
        for site in others:
            await site.gets("urn:first")


async def test_advertisements_of_one_client_are_read_together(tmp_path):
    """One for each property, put one after the other: a subscription to both is sent, and one is withdrawn again."""

    def one(name: str) -> Description:
        return describe([Advertisement.properties([name])])

    async with sites(tmp_path, "a", "b") as [a, b]:
        await a.advertisements.put(a.me.id, "creators", one("urn:creator"))
        await a.advertisements.put(a.me.id, "dates", one("urn:date"))
        await b.subscribe("SELECT * { ?s <urn:creator> ?c ; <urn:date> ?d }")
        both = '<urn:s> <urn:creator> "x" <urn:e:1> .\n<urn:s> <urn:date> "2004" <urn:e:1> .'
        await a.broker.events.publish(a.me, Event.parse(both))
        await b.gets("urn:e:1")
        await a.advertisements.remove(a.me.id, "dates")
        await until(lambda: not a.peer.router.attachments.downstreams()[0].queries)


async def test_what_was_published_before_a_restart_arrives_after_it(tmp_path):
    async with sites(tmp_path, "a", "b", "c") as made:
        a, b, _ = made
        await b.subscribe(P)
        await a.publish("urn:e:1")
        await b.gets("urn:e:1")
        await b.stop()
        await settled(made)
        await a.publish("urn:e:2")
        await b.start()
        await settled(made)
        await b.gets("urn:e:1", "urn:e:2")
        assert b.peer.starts == 2


async def test_a_crash_of_the_subscribers_node_loses_nothing(tmp_path):
    async with sites(tmp_path, "a", "b", "c") as made:
        a, b, _ = made
        await b.subscribe(P)
        await a.publish("urn:e:1")
        await b.gets("urn:e:1")
        await b.crash()
        await a.publish(*(f"urn:e:{number}" for number in range(2, 50)))
        await b.start()
        await b.gets(*(f"urn:e:{number}" for number in range(1, 50)))


async def test_a_crash_of_the_publishers_node_loses_nothing_that_was_acknowledged(tmp_path):
    async with sites(tmp_path, "a", "b", "c") as made:
        a, b, _ = made
        await b.subscribe(P)
        await a.publish("urn:e:1")
        await b.gets("urn:e:1")
        # Acknowledged, and the process ends before the network hears of it.
        a.overlay._local_changes.end()
        await a.publish("urn:e:2", "urn:e:3")
        await a.crash()
        await a.start()
        await b.gets("urn:e:1", "urn:e:2", "urn:e:3")


async def test_that_an_event_was_heard_is_not_written_before_the_event(tmp_path):
    async with sites(tmp_path, "a", "b") as [a, b]:
        await b.subscribe(P)
        await a.publish("urn:e:1")
        await b.gets("urn:e:1")
        accepting = b.overlay._inbound_events
        settled, asked = accepting.settled, asyncio.Event()

        async def never(_: object) -> None:
            await asyncio.Event().wait()

        async def noted() -> None:
            if b.peer.saved_state().watermarks[a.peer.id] == 2:
                asked.set()
            await settled()

        accepting._store, accepting.settled = never, noted  # type: ignore[method-assign]
        await a.publish("urn:e:2")
        # It is about to write how far it has heard, and waits for the event.
        await asked.wait()
        kept = await b.overlay._storage.saved_state()
        assert kept is not None
        assert kept.watermarks[a.peer.id] < 2
        await b.crash()
        await b.start()
        await b.gets("urn:e:1", "urn:e:2")


async def test_a_bug_in_the_super_peer_costs_one_call_only(tmp_path, caplog):
    async with sites(tmp_path, "a") as [a]:
        a.overlay.act(lambda peer, now: 1 / 0)  # type: ignore[arg-type, return-value]
        assert "a bug in the super-peer: ZeroDivisionError" in caplog.text
        await a.subscribe(P)
        await until(lambda: len(a.peer.router.poset) == 1)


async def test_a_long_log_is_replayed_in_parts(tmp_path, monkeypatch):
    monkeypatch.setattr("triplewire.node.overlay.log_replay.BATCH", 14)
    monkeypatch.setattr("triplewire.node.overlay.log_replay._STEP", 7)

    async with sites(tmp_path, "a", "b") as made:
        a, b = made
        await b.subscribe(P)
        await a.subscribe(P)
        await a.publish("urn:e:0")
        await b.gets("urn:e:0")
        await b.stop()
        await settled(made)
        names = [f"urn:e:{number}" for number in range(1, 60)]
        for name in names:
            await a.publish(name)
        await b.start()
        await b.gets("urn:e:0", *names)


async def test_a_part_of_a_log_is_bounded_in_bytes_too(tmp_path, monkeypatch):
    monkeypatch.setattr("triplewire.node.overlay.log_replay.BATCH_BYTES", 1)
    monkeypatch.setattr("triplewire.node.overlay.log_replay._STEP", 2)

    async with sites(tmp_path, "a") as [a]:
        await a.publish(*(f"urn:e:{number}" for number in range(5)))
        first = await a.broker.store.read(lambda tx: read(tx, 0))
        assert ([record.position for record in first.records], first.is_last) == ([1, 2], False)
        last = await a.broker.store.read(lambda tx: read(tx, 4))
        assert ([record.position for record in last.records], last.is_last) == ([5], True)


async def test_an_event_beyond_the_usual_size_travels_too(tmp_path):
    async with sites(tmp_path, "a", "b") as [a, b]:
        await b.subscribe(P)
        long = "x" * 200_000
        lines = "".join(f'<urn:s{number}> <urn:p> "{long}" <urn:large> .\n' for number in range(10))
        [large] = Event.parse(lines, limits=Limits(event_bytes=4 << 20))
        await a.broker.events.publish(a.me, [large])
        await b.gets("urn:large")


async def test_the_whole_network_comes_back_by_itself(tmp_path):
    async with sites(tmp_path, "a", "b", "c") as made:
        a, _, c = made
        await c.subscribe(P)
        await a.publish("urn:e:1")
        await c.gets("urn:e:1")
        for site in made:
            await site.crash()
        for site in made:
            await site.start()
        await settled(made)
        await a.publish("urn:e:2")
        await c.gets("urn:e:1", "urn:e:2")


async def test_another_taxonomy_is_heeded_and_nothing_is_lost_over_it(tmp_path):
    animals = "PREFIX tw: <urn:triplewire:> SELECT ?s { ?s <urn:is> ?o FILTER(tw:isA(?o, <urn:animal>)) }"
    taxonomy = Taxonomy.parse(b"<urn:cat> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <urn:animal> .")

    async with sites(tmp_path, "a", "b") as made:
        a, b = made
        await b.subscribe(P)
        await b.subscribe(animals, "animals")
        await a.publish("urn:e:1")
        await b.gets("urn:e:1")
        for site in made:
            publishing = asyncio.create_task(a.publish(f"urn:during:{site.me.id}"))
            await site.broker.subscriptions.set_taxonomy(taxonomy)
            await site.overlay.restart()
            await publishing
        await settled(made)
        [cat] = Event.parse("<urn:tom> <urn:is> <urn:cat> <urn:cat:1> .")
        await a.broker.events.publish(a.me, [cat])
        await b.gets("urn:cat:1", subscription="animals")
        await a.publish("urn:e:2")
        await b.gets("urn:e:1", "urn:during:a", "urn:during:b", "urn:e:2")


async def test_words_between_access_points(tmp_path):
    async with sites(tmp_path, "a", "b", "c") as [a, b, c]:
        heard: list[object] = []
        b.overlay.relay_listeners.append(lambda sender, body: heard.append((sender, body)))
        for site in (b, c):
            site.overlay.broadcast_listeners.append(lambda spread: heard.append(spread.body))
        a.overlay.relay(b.peer.id, b"to you")
        a.overlay.broadcast(b"to all")
        await until(lambda: len(heard) == 3)
        assert sorted(map(str, heard)) == sorted([str((a.peer.id, b"to you")), "b'to all'", "b'to all'"])


async def test_another_key_is_another_network(tmp_path):
    async with sites(tmp_path, "a") as [a]:
        stranger = Site(tmp_path / "stranger", NetworkKey.new())
        with pytest.raises(JoinFailed, match="is no super-peer of this network: it has another key"):
            await impatient(stranger, a.overlay.address)
        nobody = Site(tmp_path / "nobody")
        with pytest.raises(JoinFailed, match=r"tcp://127\.0\.0\.1:1: nobody listens"):
            await impatient(nobody, "tcp://127.0.0.1:1")
        assert len(a.peer.members.places) == 1


async def impatient(site: Site, address: str) -> None:
    """Join at an address, for a second."""
    from triplewire.node.broker.advertisements import Advertisements
    from triplewire.node.broker.broker import Broker
    from triplewire.node.overlay.overlay import Overlay, OverlaySettings

    broker = await Broker.open(site.folder)
    plan = OverlaySettings(key=site.key, seeds=(address,), join_seconds=1)
    overlay = await Overlay.open(broker, Advertisements(broker), plan)
    try:
        await overlay.begin()
        await overlay.joined()
    finally:
        await overlay.stop()
        await broker.close()


async def test_an_address_that_is_taken_is_told_and_nothing_is_left_open(tmp_path):
    async with sites(tmp_path, "a") as [a]:
        second = Site(tmp_path / "second")
        second.address = a.overlay.address
        with pytest.raises(NetworkError, match="cannot listen on"):
            await second.start()
        await second.broker.close()


async def test_a_free_port_is_taken_again_after_a_restart(tmp_path):
    async with sites(tmp_path, "a") as [a]:
        before = a.overlay.address
        await a.stop()
        await a.start()
        assert a.overlay.address == before


async def test_a12_a_frame_that_another_member_repeats_does_nothing(tmp_path):
    async with sites(tmp_path, "a", "b", "c") as [a, b, c]:
        await b.subscribe(P)
        captured: list[tuple[str, object]] = []
        send = a.overlay.transport.send
        a.overlay.transport.send = lambda to, what: (captured.append((to, what)), send(to, what))[1]  # type: ignore
        await a.publish("urn:e:1")
        await b.gets("urn:e:1")
        said = [what for to, what in captured if to == b.overlay.address]
        assert said
        before = b.overlay.counters.received.copy()
        for what in said:
            c.overlay.transport.send(b.overlay.address, what)
        await until(lambda: sum(b.overlay.counters.received.values()) >= sum(before.values()) + len(said))
        await a.publish("urn:e:2")
        await b.gets("urn:e:1", "urn:e:2")


async def test_a12_a_frame_of_somebody_outside_the_table_does_nothing(tmp_path):
    """It has the network's key, but it has not joined: who it is, it cannot choose."""
    from tests.node.transport.test_transport import sent_raw

    from triplewire.network.messages import LinkFrame, Member, MembershipChange, MemberStatus
    from triplewire.node.transport import message_codec
    from triplewire.node.transport.keys import KeyPair

    async with sites(tmp_path, "a", "b") as [a, _]:
        table = a.peer.members.all
        lie = MembershipChange(tuple(Member(m.id, "tcp://127.0.0.1:1", 999, MemberStatus.FAILED) for m in table))
        forged = message_codec.encode(LinkFrame(1 << 40, 0, 1, 0, lie))

        class Target:
            address = a.overlay.address

        stranger = KeyPair.new()
        await sent_raw(Target, forged, own=stranger)  # type: ignore[arg-type]
        await until(lambda: any(sender == stranger.member for sender, _ in a.overlay.counters.received))
        assert a.peer.members.all == table


async def test_more_than_can_be_written_is_not_read(tmp_path, monkeypatch):
    monkeypatch.setattr("triplewire.node.overlay.inbound_events._MOST", 20)

    async with sites(tmp_path, "a", "b") as [a, b]:
        await b.subscribe(P)
        await a.publish("urn:e:first")
        await b.gets("urn:e:first")
        names = [f"urn:e:{number}" for number in range(500)]
        await a.publish(*names)
        await b.gets("urn:e:first", *names)
        assert b.overlay.transport._router._may_read.is_set()
