"""Messages of a hostile member, or of a faulty version: each is refused, changes nothing, and the member goes on."""

from __future__ import annotations

from random import Random
from typing import Any

import msgspec
import pytest
from tests.network.eventspace.members import MemberWorld

from triplewire.network.can.effects import Refused, Send
from triplewire.network.can.geometry.space import SPACE, Box, Interval
from triplewire.network.can.messages import (
    Address,
    Cast,
    Claim,
    Multicast,
    Record,
    ReplicaAck,
    Transfer,
    TransferRefused,
)
from triplewire.network.eventspace.causality import Stamp
from triplewire.network.eventspace.chunks import AddEvent, AddQuads, Delete, Operation, Put, encoded_chunk
from triplewire.network.eventspace.fetches import FetchQuads, QuadsRead
from triplewire.network.eventspace.member import SpaceMember
from triplewire.network.eventspace.messages import (
    CollectEvent,
    EventHeader,
    IndexSubscription,
    MatchRewritten,
    RemoveSubscription,
    SentRewriting,
    SpaceSubscription,
    StoreEvent,
    StoreQuad,
)
from triplewire.network.eventspace.screening.records import screened
from triplewire.rdf.events import Event
from triplewire.testing.memory_storage import MemoryStorage

EVE = Address("eve", "eve")
ROW = (b"<urn:s>", b"<urn:p>", b"<urn:o>")
HEADER = EventHeader("urn:e", Stamp("eve", 1), EVE, 1, "2026-01-01T00:00:00+00:00", bytes(16), True)
TEXT = "ASK { ?x <urn:p> ?y . ?y <urn:q> ?z }"
SUBSCRIPTION = SpaceSubscription(Stamp("eve", 1), EVE, "sparql", TEXT)
REWRITING = SentRewriting(0, 1, (("y", "<urn:o>"),), (0,))
EMPTY = Box(Interval(b"b", b"a"))


def replaced(struct: Any, **changes: Any) -> Any:
    return msgspec.structs.replace(struct, **changes)


def subscribed(text: str) -> IndexSubscription:
    return IndexSubscription(replaced(SUBSCRIPTION, text=text))


def rewritten(**changes: Any) -> MatchRewritten:
    return MatchRewritten(SUBSCRIPTION, HEADER, replaced(REWRITING, **changes))


BODIES: dict[str, Any] = {
    "no bytes": b"",
    "garbage": b"\xc1garbage",
    "an unknown kind": msgspec.msgpack.encode(["conquer", 1]),
    "a deep one": b"\x91" * 100_000,
    "no term": StoreQuad(HEADER, (b"<urn:s>", b"<urn:p>", b"x")),
    "no event": StoreQuad(replaced(HEADER, event="urn:e> <urn:f"), ROW),
    "a size of nothing": StoreQuad(replaced(HEADER, size=0), ROW),
    "an absurd size": StoreQuad(replaced(HEADER, size=1 << 60), ROW),
    "fewer rows than said": StoreEvent(replaced(HEADER, size=2), (ROW,)),
    "the same row twice": StoreEvent(replaced(HEADER, size=2), (ROW, ROW)),
    "no time": StoreQuad(replaced(HEADER, time="yesterday"), ROW),
    "a negative position": StoreQuad(replaced(HEADER, stamp=Stamp("eve", -1)), ROW),
    "an absurd position": StoreQuad(replaced(HEADER, stamp=Stamp("eve", 1 << 63)), ROW),
    "an absurd horizon": StoreQuad(replaced(HEADER, stamp=Stamp("eve", 1, (("n", 1 << 63),))), ROW),
    "a wide horizon": CollectEvent(replaced(HEADER, stamp=Stamp("eve", 1, (("n", 1),) * 20_000)), EVE),
    "10 MB of subscription": subscribed(f'ASK {{ ?s ?p "{"a" * 10_000_000}" }}'),
    "5,000 brackets": subscribed(f"ASK {'{' * 5_000} ?s ?p ?o {'}' * 5_000}"),
    "a service": subscribed("ASK { SERVICE <http://localhost/> { ?s ?p ?o } }"),
    "no query": subscribed("conquer"),
    "a subscription without a log": IndexSubscription(replaced(SUBSCRIPTION, stamp=Stamp("", 1))),
    "a removal of nowhere": RemoveSubscription(("eve", 1), (EMPTY,)),
    "a removal of a negative position": RemoveSubscription(("eve", -1), (SPACE,)),
    "no such chain": rewritten(chain=1),
    "a negative chain": rewritten(chain=-1),
    "no such depth": rewritten(depth=2),
    "a negative depth": rewritten(depth=-1),
    "no such alternative": rewritten(open=(7,)),
    "no alternative": rewritten(open=()),
    "nothing bound": rewritten(binding=()),
    "another variable bound": rewritten(binding=(("z", "<urn:o>"),)),
    "bound to no term": rewritten(binding=(("y", "o"),)),
    "pages of nothing": FetchQuads(EVE, "1.1", None, 0),
    "pages of everything": FetchQuads(EVE, "1.1", None, 1 << 40),
    "negative pages": FetchQuads(EVE, "1.1", None, -1),
    "more of nothing": QuadsRead("1.1", (SPACE,), (), False),
}


def alone() -> tuple[SpaceMember, MemoryStorage]:
    storage = MemoryStorage()
    member = SpaceMember(Address("me", "me"), storage, Random(1))
    member.start(0.0)
    storage.commit()
    return member, storage


def everything(storage: MemoryStorage) -> Any:
    tables = ("claims", "gateway", "subscriptions", "removed", "waiting", "collectors", "outbox", "transfers")
    return (
        [list(storage.items(table)) for table in tables],
        storage.quads(SPACE),
        list(storage.events_following("n", 0)),
    )


@pytest.mark.parametrize("name", BODIES)
def test_a_bad_body_is_refused_each_time_it_comes_and_changes_nothing(name: str):
    body = BODIES[name] if isinstance(BODIES[name], bytes) else msgspec.msgpack.encode(BODIES[name])
    member, storage = alone()
    before = everything(storage)
    for now, message in ((1.0, Cast("c1", EVE, body, boxes=(SPACE,))), (2.0, Cast("c1", EVE, body, boxes=(SPACE,)))):
        effects = [*member.receive(now, "eve", message), *member.tick(now), *member.flush(now)]
        assert [type(effect) for effect in effects if not isinstance(effect, Send)] == [Refused]
        assert not [e for e in effects if isinstance(e, Send) and e.to == "eve"], "no receipt"
    assert everything(storage) == before
    assert member.is_idle


def test_what_is_right_is_taken():
    member, storage = alone()
    for number, body in enumerate((StoreEvent(HEADER, (ROW,)), IndexSubscription(SUBSCRIPTION), rewritten())):
        message = Cast(f"c{number}", EVE, msgspec.msgpack.encode(body), boxes=(SPACE,))
        assert not [e for e in member.receive(1.0, "eve", message) if isinstance(e, Refused)]
    assert len(storage.quads(SPACE)) == 1


@pytest.mark.parametrize(
    "message",
    [
        Cast("c", EVE, b"", boxes=(EMPTY,)),
        Cast("c", EVE, b"", points=((b"",) * 4,), position=EMPTY),
        Multicast("c", 1, EVE, EMPTY, SPACE, b""),
        Multicast("c", 1, EVE, SPACE, EMPTY, b""),
        Transfer("t", 0, claims=(Claim(EMPTY, 1),)),
    ],
)
def test_a_box_without_points_is_refused(message: Any):
    member, storage = alone()
    before = everything(storage)
    [refused] = member.receive(1.0, "eve", message)
    assert isinstance(refused, Refused)
    assert everything(storage) == before


OWN = [Put(table, b"k", b"v") for table in ("claims", "neighbours", "replicas", "transfers", "gateway", "no table")]
BAD_OPERATIONS: list[Operation] = [
    *OWN,
    *(Delete(operation.table, b"k") for operation in OWN if isinstance(operation, Put)),
    Put("subscriptions", b"k", msgspec.msgpack.encode(SUBSCRIPTION)),
    Put("subscriptions", b"eve\0" + (1).to_bytes(8, "big"), msgspec.msgpack.encode(replaced(SUBSCRIPTION, text="x"))),
    Put("subscriptions", b"k", b"\xc1"),
    Put("removed", b"k", msgspec.msgpack.encode((SPACE,))),
    Put("waiting", b"k", msgspec.msgpack.encode(rewritten())),
    Put("collectors", b"k", msgspec.msgpack.encode(CollectEvent(HEADER, EVE))),
    Put("outbox", b"\xff", msgspec.msgpack.encode((b"",))),
    Put("outbox", b"k", b"\xc1"),
    Delete("waiting", b"without an end"),
    Delete("subscriptions", b"k"),
    Delete("outbox", b"\xff"),
    AddEvent("urn:other", msgspec.msgpack.encode(HEADER)),
    AddEvent("urn:e", b"\xc1"),
    AddQuads(((b"no graph", *ROW),)),
    AddQuads(((b"<urn:e>", b"<urn:s>", b"<urn:p>", b"x"),)),
]
GOOD = [AddEvent("urn:e", msgspec.msgpack.encode(HEADER)), AddQuads(((b"<urn:e>", *ROW),))]


@pytest.mark.parametrize("bad", BAD_OPERATIONS, ids=repr)
def test_a_bad_operation_of_a_chunk_is_told_from_the_good_ones(bad: Operation):
    kept, refused = screened(encoded_chunk([GOOD[0], bad, GOOD[1]]))
    assert (kept, len(refused)) == (encoded_chunk(GOOD), 1)
    assert screened(encoded_chunk(GOOD)) == (encoded_chunk(GOOD), [])


def test_a_chunk_that_is_none_is_refused():
    assert screened(b"\xc1")[0] == b""
    assert len(screened(b"\xc1")[1]) == 1


@pytest.mark.parametrize("bad", OWN, ids=repr)
def test_a12_a_transfer_cannot_write_the_tables_of_its_receiver(bad: Operation):
    storage = MemoryStorage()
    member = SpaceMember(Address("me", "me"), storage, Random(1))
    [join] = [effect.message for effect in member.start(0.0, ["eve"]) if isinstance(effect, Send)]
    claim = Claim(SPACE, 2)
    offer = Transfer("t", 0, b"", (claim,), (Record("eve", "eve", claims=(claim,)),), join.nonce)
    member.receive(0.1, "eve", offer)
    before = everything(storage)
    effects = member.receive(0.2, "eve", Transfer("t", 1, encoded_chunk([bad])))
    assert [effect for effect in effects if isinstance(effect, Refused)]
    assert TransferRefused("t") in [effect.message for effect in effects if isinstance(effect, Send)]
    assert everything(storage) == before
    assert member.zones == ()


def test_an_acknowledgement_of_parts_that_were_never_sent_is_nothing():
    world = MemberWorld(1)
    world.grow(2)
    member = world.hosts["n0"].member
    for sender in ("n1", "eve"):
        for part in (1 << 53, -5):
            member.receive(world.now, sender, ReplicaAck(member.record.generation, part))
    [event] = Event.parse("<urn:s> <urn:p> <urn:o> <urn:e> .")
    world.do("n0", member.publish(world.now, 1, event))
    world.run(5.0)
    assert len(world.hosts["n0"].storage.quads(SPACE)) + len(world.hosts["n1"].storage.quads(SPACE)) == 1
