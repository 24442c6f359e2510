"""A zone that is on its way takes along what is stored meanwhile, however it comes."""

from __future__ import annotations

from random import Random

from tests.network.can.simulation import MemoryContents, exported

from triplewire.network.can.effects import Send
from triplewire.network.can.geometry.space import SPACE, Dimension
from triplewire.network.can.geometry.splits import Split
from triplewire.network.can.messages import Address, Claim, Transfer, TransferAck
from triplewire.network.can.ownership.giving import Giver
from triplewire.network.can.ownership.state import State
from triplewire.network.can.timings import Timings
from triplewire.testing.memory_storage import MemoryStorage

LOWER, UPPER = Split(Dimension.GRAPH, b"<m").halves(SPACE)
HIGH, LOW = (b"<z>", b"<s>", b"<p>", b"<o>"), (b"<a>", b"<s>", b"<p>", b"<o>")


def test_what_is_merged_while_a_zone_is_on_its_way_goes_along():
    """It concerns two zones of one node: it comes with one of them, while the other is given away."""
    storage = MemoryStorage()
    contents = MemoryContents(storage)
    state = State(Address("n0", "n0"), contents, storage, Random(1), Timings())
    state.own(0.0, [Claim(SPACE, 1)])
    giver = Giver(state)
    [sending] = giver.give(0.0, Address("n1", "n1"), Claim(UPPER, 1))
    offer = sending.message if isinstance(sending, Send) else None
    assert isinstance(offer, Transfer)
    giver.acknowledged(0.1, "n1", TransferAck(offer.id, 0))
    sent = giver.merge(0.2, exported([HIGH, LOW]))
    assert [effect.message.contents for effect in sent] == [exported([HIGH])]
    assert contents.items == {HIGH, LOW}
