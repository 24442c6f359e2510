"""JetStream as a carrier: one stream, a durable consumer for each kind of event, spoken to over plain sockets.

A subject is all that JetStream matches by, so the kind is the subject's last part and the publisher says it; the node
finds it in the content. An event is a message. A request of many events is as many messages sent at once, and waits
until all are acknowledged.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any

from benchmarks.node.carrier import Hear
from benchmarks.node.payloads import Payload, due_of
from benchmarks.rivals.jetstream_server import Running

_STREAM = "EVENTS"
_LINE_BYTES = 1 << 20
_END = b"\r\n"
_PULLED = {"ack_policy": "explicit"}


class Wire:
    """One connection that speaks NATS: lines, and payloads of a length that the line tells."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    @classmethod
    async def open(cls, port: int) -> Wire:
        wire = cls(*await asyncio.open_connection("127.0.0.1", port, limit=_LINE_BYTES))
        await wire._reader.readline()
        wire.send(b'CONNECT {"verbose":false,"pedantic":false,"headers":true,"no_responders":true}\r\n')
        return wire

    def send(self, data: bytes) -> None:
        self._writer.write(data)

    async def message(self) -> bytes:
        """The payload of the next message, without its headers."""
        while True:
            words = (await self._reader.readline()).split()
            if not words:
                raise ConnectionError("wanted a message, found the end of the connection")
            if words[0] == b"PING":
                self.send(b"PONG\r\n")
            elif words[0] == b"-ERR":
                raise ConnectionError(f"wanted a message, found {b' '.join(words).decode()}")
            elif words[0] in (b"MSG", b"HMSG"):
                payload = await self._reader.readexactly(int(words[-1]) + len(_END))
                return payload[int(words[-2]) if words[0] == b"HMSG" else 0 : -len(_END)]

    async def ask(self, subject: str, question: dict[str, Any]) -> dict[str, Any]:
        """Ask the server's own interface; the inbox `asked` must be subscribed."""
        body = json.dumps(question).encode()
        self.send(b"PUB %b asked %d\r\n%b\r\n" % (subject.encode(), len(body), body))
        answer: dict[str, Any] = json.loads(await self.message())
        if "error" in answer:
            raise RuntimeError(f"{subject}: wanted it done, found {answer['error']}")
        return answer

    def close(self) -> None:
        self._writer.close()


class Sender:
    """A publisher: its messages of one request are under way together."""

    def __init__(self, wire: Wire, inbox: str) -> None:
        self._wire = wire
        self._inbox = inbox.encode()

    async def publish(self, events: Sequence[Payload]) -> None:
        parts = [
            b"PUB e.%d %b %d\r\n%b\r\n" % (event.kind, self._inbox, len(event.nquads), event.nquads) for event in events
        ]
        self._wire.send(b"".join(parts))
        for _ in events:
            acknowledged = await self._wire.message()
            if b'"seq"' not in acknowledged:
                raise RuntimeError(f"wanted an acknowledgement, found {acknowledged.decode(errors='replace')}")

    def close(self) -> None:
        self._wire.close()


class JetStream:
    """A server with the stream and its consumers. Make one with `await JetStream.furnished(...)`."""

    name = "JetStream"

    def __init__(self, running: Running, subscriptions: int) -> None:
        self._port = running.port
        self.subscriptions = subscriptions
        self._senders = 0

    @classmethod
    async def furnished(cls, running: Running, subscriptions: int, listened: int) -> JetStream:
        """Make the stream and a durable consumer a kind; those that are listened to push, the others are pulled."""
        wire = await Wire.open(running.port)
        wire.send(b"SUB asked 1\r\n")
        about = {"name": _STREAM, "subjects": ["e.*"], "storage": "file", "retention": "limits", "num_replicas": 1}
        await wire.ask(f"$JS.API.STREAM.CREATE.{_STREAM}", about)
        for kind in range(subscriptions):
            consumer = {"durable_name": f"s{kind}", "filter_subject": f"e.{kind}", "deliver_policy": "new"}
            consumer |= {"ack_policy": "none", "deliver_subject": f"to.{kind}"} if kind < listened else _PULLED
            question = {"stream_name": _STREAM, "config": consumer}
            await wire.ask(f"$JS.API.CONSUMER.DURABLE.CREATE.{_STREAM}.s{kind}", question)
        wire.close()
        return cls(running, subscriptions)

    async def publisher(self) -> Sender:
        wire = await Wire.open(self._port)
        self._senders += 1
        inbox = f"done.{self._senders}"
        wire.send(f"SUB {inbox} 1\r\n".encode())
        return Sender(wire, inbox)

    async def listen(self, kind: int, hear: Hear) -> None:
        wire = await Wire.open(self._port)
        wire.send(b"SUB to.%d 1\r\n" % kind)
        while True:
            hear(due_of(await wire.message()))
