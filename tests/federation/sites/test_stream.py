"""What a peer has told, and what of that it still keeps."""

from __future__ import annotations

from tests.federation.federation import called

from triplewire.federation.indexes.local_index import IndexChange
from triplewire.federation.sites.requests import Compensated, Detected, Forget, NumberedReply, Received, Report
from triplewire.federation.sites.stream import PeerStream
from triplewire.rules.changes import Changes, Edits

CHANGES = Changes(Edits(inserted=(called("ann", "x"),)), (called("ann", "x"),))
REPORT = Report(CHANGES.edits, (), CHANGES, IndexChange())


def test_serials_have_no_gap_whatever_is_told():
    stream = PeerStream()
    told = [stream.report(REPORT), stream.answer(NumberedReply(4, Detected({}))), stream.report(REPORT)]
    assert [one.serial for one in told] == [1, 2, 3]
    assert stream.last_number == 4
    assert stream.answered == told[1]


def test_what_is_not_received_is_repeated():
    stream = PeerStream()
    assert stream.next_serial == 1
    told = [stream.report(REPORT) for _ in range(4)]
    assert (list(stream.to_repeat), stream.next_serial) == (told, 1)
    stream.take(Received(2))
    assert (list(stream.to_repeat), stream.next_serial) == (told[2:], 3)
    stream.take(Received(1))
    stream.take(Received(4))
    assert (list(stream.to_repeat), stream.next_serial) == ([], 5)


def test_changes_are_kept_until_nobody_asks_for_them_received_or_not():
    stream = PeerStream()
    stream.report(REPORT)
    stream.answer(NumberedReply(1, Detected({})))
    stream.answer(NumberedReply(2, Compensated(CHANGES, IndexChange())))
    stream.take(Received(3))
    assert list(stream.kept) == [1, 3]
    stream.take(Forget(2))
    assert list(stream.kept) == [3]
    assert stream.kept[3].updates[0].changes == CHANGES
