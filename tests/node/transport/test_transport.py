"""Messages between super-peers over real sockets: what arrives, from whom, and what does not."""

from __future__ import annotations

import asyncio

import pytest
import zmq
import zmq.asyncio
from tests.node.transport.backbones import ANYWHERE, KEY, Post, posts, until
from zmq.utils import z85

from triplewire.errors import NetworkError
from triplewire.network.messages import Heartbeat, LinkFrame, Notify, Probe, Publication
from triplewire.node.transport import connections, message_codec
from triplewire.node.transport.backbone import Transport
from triplewire.node.transport.connections import dealer
from triplewire.node.transport.keys import KeyPair, NetworkKey

OTHER = NetworkKey(bytes(32))


async def test_a_message_arrives_with_the_name_of_who_holds_the_key():
    async with posts(KEY, KEY) as [one, other]:
        one.send(other, LinkFrame(1, 0, 1, 0, Heartbeat(7)))
        other.send(one, Probe())
        await until(lambda: one.received and other.received)
        assert other.received == [(one.member, LinkFrame(1, 0, 1, 0, Heartbeat(7)))]
        assert one.received == [(other.member, Probe())]


async def test_messages_keep_their_order_and_a_large_one_passes():
    async with posts(KEY, KEY) as [one, other]:
        large = Publication("sp", 1, "urn:e", "me", "now", None, bytes(5 << 20))
        sent = [LinkFrame(1, 0, number, 0, Heartbeat(number)) for number in range(1, 400)]
        sent.insert(200, LinkFrame(1, 0, 999, 0, Notify(0, large)))
        for packet in sent:
            one.send(other, packet)
            await asyncio.sleep(0)
        await until(lambda: len(other.received) == len(sent))
        assert [packet for _, packet in other.received] == sent


async def test_a_message_waits_for_a_super_peer_that_is_about_to_listen():
    async with posts(KEY) as [one]:
        late = Post(own=KeyPair.new())
        address = late.address
        await late.transport.stop()
        one.transport.send(address, Probe("early"))
        again = Transport(KEY, late.own)
        received: list[object] = []
        again.listen(address)
        again.start(lambda _, packet: received.append(packet))
        for _ in range(500):
            one.transport.send(address, Probe("again"))
            if received:
                break
            await asyncio.sleep(0.02)
        assert received
        await again.stop()


async def test_a_super_peer_that_came_back_is_reached_again():
    async with posts(KEY, KEY) as [one, other]:
        one.send(other, Probe("before"))
        await until(lambda: other.received)
        address = other.address
        await other.transport.stop()
        one.transport.send(address, Probe("lost"))
        other.transport = Transport(KEY, other.own)
        other.transport.listen(address)
        other.transport.start(lambda sender, packet: other.received.append((sender, packet)))
        for number in range(500):
            one.transport.send(address, Probe(f"after {number}"))
            if len(other.received) > 1:
                break
            await asyncio.sleep(0.02)
        assert {sender for sender, _ in other.received} == {one.member}
        assert len(other.received) > 1


async def test_an_address_in_use_is_told():
    async with posts(KEY) as [one]:
        second = Transport(KEY, KeyPair.new())
        with pytest.raises(NetworkError, match=f"cannot listen on {one.address} for super-peers"):
            second.listen(one.address)
        await second.stop()


async def test_what_is_sent_before_the_stop_still_leaves():
    async with posts(KEY) as [other]:
        one = Post()
        one.send(other, Probe("hello"))
        await until(lambda: other.received)
        for number in range(50):
            one.send(other, Probe(str(number)))
        await one.transport.stop()
        await until(lambda: len(other.received) == 51)


# Hostile


async def sent_raw(post: Post, *parts: bytes, key: NetworkKey = KEY, own: KeyPair | None = None) -> None:
    """Send bytes of one's own making, as a member that means harm would."""
    context = zmq.asyncio.Context()
    socket = dealer(context, own or KeyPair.new(), key.server.public)
    socket.connect(post.address)
    async with asyncio.timeout(120):
        while not socket.poll(0, zmq.POLLOUT):
            await asyncio.sleep(0.01)
    socket.send_multipart(parts)
    socket.close(2_000)
    await asyncio.to_thread(context.term)


@pytest.mark.parametrize(
    ("fault", "parts"),
    [
        ("size", [b""]),
        ("size", [b"\x01"]),
        ("version", [b"\x02" + message_codec.encode(Probe())[1:]]),
        ("version", [b"\xff\xff\xff"]),
        ("content", [b"\x01\xc1\xc1"]),
        ("content", [b"\x01" + b"\x91" * 100_000]),
        ("content", [message_codec.encode(Probe()) + b"more"]),
        ("content", [b"\x01\x92\xa5probe\x05"]),
        ("content", [b"\x01\x92\xa7unknown\xc0"]),
        ("content", [b"\x01\x92\xa5probe\xa2\xff\xfe"]),
        ("parts", [message_codec.encode(Probe()), message_codec.encode(Probe())]),
    ],
    ids=lambda value: value if isinstance(value, str) else repr(value[0][:12]),
)
async def test_a12_what_is_no_message_is_refused_and_the_next_is_taken(fault, parts):
    async with posts(KEY, KEY) as [one, other]:
        await sent_raw(other, *parts)
        await until(lambda: other.transport.refused[fault])
        one.send(other, Probe("fine"))
        await until(lambda: other.received)
        assert other.received == [(one.member, Probe("fine"))]


async def test_a12_a_message_that_is_too_large_cuts_its_sender_off(monkeypatch):
    monkeypatch.setattr(message_codec, "MOST_BYTES", 100_000)

    async with posts(KEY, KEY) as [one, other]:
        await sent_raw(other, b"\x01" + bytes(200_000))
        one.send(other, Probe("fine"))
        await until(lambda: other.received)
        assert other.received == [(one.member, Probe("fine"))]


async def test_a_message_of_our_own_that_is_too_large_is_not_sent(monkeypatch):
    async with posts(KEY, KEY) as [one, other]:
        monkeypatch.setattr(message_codec, "MOST_BYTES", 1_000)
        one.send(other, Probe("x" * 2_000))
        assert one.transport.refused["size"] == 1
        one.send(other, Probe("fine"))
        await until(lambda: other.received)
        assert [packet for _, packet in other.received] == [Probe("fine")]


async def test_a12_without_the_networks_key_nobody_gets_a_word_in():
    async with posts(KEY, OTHER) as [inside, outside]:
        outside.send(inside, Probe("stranger"))
        await until(lambda: inside.transport.refused["handshake"])
        inside.send(outside, Probe("to a stranger"))
        await until(lambda: outside.transport.refused["handshake"])
        assert inside.received == outside.received == []


async def test_a12_without_curve_nobody_gets_a_word_in():
    async with posts(KEY, KEY) as [one, other]:
        context = zmq.asyncio.Context()
        plain = context.socket(zmq.DEALER)
        plain.connect(other.address)
        await plain.send(message_codec.encode(Probe("plain")))
        await until(lambda: other.transport.refused["handshake"])
        one.send(other, Probe("fine"))
        await until(lambda: other.received)
        assert other.received == [(one.member, Probe("fine"))]
        plain.close(0)
        await asyncio.to_thread(context.term)


async def test_a12_bytes_that_are_not_even_zeromq_do_no_harm():
    async with posts(KEY, KEY) as [one, other]:
        host, port = other.address.removeprefix("tcp://").rsplit(":", 1)
        for said in (b"GET / HTTP/1.1\r\n\r\n", bytes(64), b"\xff" + b"\x7f" * 9 + b"A" * 4_096):
            _, writer = await asyncio.open_connection(host, int(port))
            writer.write(said)
            await writer.drain()
            writer.close()
        one.send(other, Probe("fine"))
        await until(lambda: other.received)
        assert other.received == [(one.member, Probe("fine"))]


async def test_a12_a_frame_said_by_another_is_the_others():
    """Whoever repeats what somebody else has said to the letter speaks in their own name."""

    async with posts(KEY, KEY) as [one, other]:
        thief = KeyPair.new()
        captured = message_codec.encode(LinkFrame(1, 0, 1, 0, Heartbeat(7)))
        one.send(other, message_codec.decode(captured))
        await until(lambda: other.received)
        await sent_raw(other, captured, own=thief)
        await until(lambda: len(other.received) == 2)
        assert [sender for sender, _ in other.received] == [one.member, thief.member]


async def test_a12_a_recorded_connection_played_again_says_nothing():
    """A wire-tapper who sends the very bytes of a connection again gets nothing through: CURVE's keys are new."""

    async with posts(KEY, KEY) as [one, other]:
        recorder = await Recorder.before(other.address)
        one.transport.send(recorder.address, Probe("secret"))
        await until(lambda: other.received)
        assert b"secret" not in bytes(recorder.recorded)
        host, port = other.address.removeprefix("tcp://").rsplit(":", 1)
        for _ in range(3):
            reader, writer = await asyncio.open_connection(host, int(port))
            writer.write(bytes(recorder.recorded))
            await writer.drain()
            # The other end hangs up, or says no more than how it would begin.
            await asyncio.wait({asyncio.ensure_future(reader.read(1 << 16))}, timeout=0.2)
            writer.close()
        one.send(other, Probe("fine"))
        await until(lambda: len(other.received) > 1)
        assert [packet for _, packet in other.received] == [Probe("secret"), Probe("fine")]
        recorder.close()


class Recorder:
    """Stands between two ends and keeps what the first one says."""

    @classmethod
    async def before(cls, address: str) -> Recorder:
        self = cls()
        self.recorded = bytearray()
        host, port = address.removeprefix("tcp://").rsplit(":", 1)
        self._tasks: set[asyncio.Task[None]] = set()

        async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            far_reader, far_writer = await asyncio.open_connection(host, int(port))
            back = asyncio.create_task(carried(far_reader, writer, None))
            self._tasks.add(back)
            await carried(reader, far_writer, self.recorded)

        self._server = await asyncio.start_server(connected, "127.0.0.1", 0)
        self.address = f"tcp://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    def close(self) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()


async def carried(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, kept: bytearray | None) -> None:
    while data := await reader.read(1 << 16):
        if kept is not None:
            kept += data
        writer.write(data)
        await writer.drain()
    writer.close()


async def test_a12_addresses_from_a_table_lead_nowhere_but_to_tcp():
    async with posts(KEY) as [one]:
        for address in (
            "ipc:///tmp/socket",
            "inproc://zeromq.zap.01",
            "tcp://*:1",
            "tcp://0.0.0.0:7",
            "",
            "x" * 9_999,
        ):
            one.transport.send(address, Probe())
        assert one.transport.dropped == {"address": 6}


async def test_a_receiver_with_a_bug_does_not_end_the_receiving():
    async with posts(KEY) as [one]:
        clumsy = Transport(KEY, KeyPair.new())
        taken: list[object] = []

        def receiver(_: str, packet: object) -> None:
            taken.append(packet)
            if len(taken) == 1:
                raise ValueError("clumsy")

        clumsy.listen(ANYWHERE)
        clumsy.start(receiver)
        one.transport.send(clumsy.address, Probe("1"))
        one.transport.send(clumsy.address, Probe("2"))
        await until(lambda: len(taken) == 2)
        assert clumsy.refused["bug"] == 1
        await clumsy.stop()


# Bounds


async def test_what_nobody_reads_is_held_under_a_bound_and_then_dropped():
    async with posts(KEY) as [one]:
        nobody = Post()
        address = nobody.address
        await nobody.transport.stop()
        for number in range(connections._HELD + 500):
            one.transport.send(address, Probe(str(number)))
        assert one.transport.dropped["held"] == 500


async def test_what_is_held_is_bounded_in_bytes_too(monkeypatch):
    monkeypatch.setattr(connections, "MOST_BYTES", 10_000)

    async with posts(KEY) as [one]:
        nobody = Post()
        address = nobody.address
        await nobody.transport.stop()
        for _ in range(30):
            one.transport.send(address, Probe("x" * 1_000))
        assert one.transport.dropped["held"] >= 20


async def test_a_line_that_nobody_uses_is_closed_and_opens_again():
    async with posts(KEY, KEY) as [one, other]:
        one.send(other, Probe("1"))
        await until(lambda: other.received)
        used = one.transport._connections
        [connection] = used._connections.values()
        used.close_idle(connection.used + connections.IDLE_SECONDS - 1)
        assert other.address in used
        used.close_idle(connection.used + connections.IDLE_SECONDS + 1)
        assert other.address not in used
        one.send(other, Probe("2"))
        await until(lambda: len(other.received) == 2)


async def test_while_it_is_paused_nothing_is_taken_and_then_everything():
    async with posts(KEY, KEY, KEY) as [one, other, third]:
        one.send(other, Probe("0"))
        await until(lambda: other.received)
        other.transport.pause()
        for number in range(1, 20):
            one.send(other, Probe(str(number)))
        await until(lambda: other.transport._router.socket.getsockopt(zmq.EVENTS) & zmq.POLLIN)
        one.send(third, Probe("meanwhile"))
        await until(lambda: third.received)
        # The one that was being waited for when the pause began may still come.
        assert len(other.received) <= 2
        other.transport.resume()
        await until(lambda: len(other.received) == 20)


async def test_the_server_key_is_never_said():
    """The public half of the server's key is what lets one begin: it must not be on the wire."""

    async with posts(KEY, KEY) as [one, other]:
        recorder = await Recorder.before(other.address)
        one.transport.send(recorder.address, Probe())
        await until(lambda: other.received)
        said = bytes(recorder.recorded)
        assert KEY.server.public not in said
        assert z85.encode(KEY.server.public) not in said
        assert one.own.public not in said
        recorder.close()
