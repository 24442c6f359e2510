"""Publish, subscribe, read, acknowledge; histories, slow readers, retention."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from tests.node.brokers import (
    ME,
    YOU,
    client,
    event,
    events,
    positions,
    solutions,
    subscribed,
    with_broker,
)

from triplewire import Taxonomy
from triplewire.errors import (
    DiskFull,
    DuplicateSubscription,
    EventConflict,
    Forbidden,
    QuotaExceeded,
    StoreFailed,
    SyntaxProblem,
    UnknownSubscription,
)
from triplewire.store.identities import Grant
from triplewire.store.retention import Retention
from triplewire.testing import Fate, FaultyDisk, VirtualClock


def test_an_event_gets_a_position_and_whoever_asked_is_told(tmp_path: Path):
    async def test(broker):
        record = await subscribed(broker)
        receipts = await broker.publish(ME, events(1, 3))
        assert [(r.event, r.position) for r in receipts] == [("urn:e:1", 1), ("urn:e:2", 2), ("urn:e:3", 3)]
        page = await broker.notifications(record.number)
        assert [one.event for one in page.notifications] == ["urn:e:1", "urn:e:2", "urn:e:3"]
        assert solutions(page.notifications[0]) == [
            {"s": {"type": "uri", "value": "urn:s1"}, "o": {"type": "literal", "value": "1"}}
        ]
        assert page.next is None

    with_broker(tmp_path, test)


def test_pages_follow_each_other(tmp_path: Path):
    async def test(broker):
        record = await subscribed(broker)
        await broker.publish(ME, events(1, 25))
        page = await broker.notifications(record.number, 0, 10)
        assert (len(page.notifications), page.next) == (10, 10)
        assert await positions(broker, record.number, limit=10) == list(range(1, 26))
        assert (await broker.notifications(record.number, 15, 10)).next is None

    with_broker(tmp_path, test)


def test_f9_the_same_event_again_changes_nothing(tmp_path: Path):
    async def test(broker):
        record = await subscribed(broker)
        first = await broker.publish(ME, events(1, 2))
        again = await broker.publish(YOU, [event(2), event(1), event(2)])
        assert [r.position for r in first] == [1, 2]
        assert [r.position for r in again] == [2, 1, 2]
        assert await positions(broker, record.number) == [1, 2]

    with_broker(tmp_path, test)


def test_f9_every_message_twice_and_in_any_order_has_one_effect(tmp_path: Path):
    async def test(broker):
        record = await subscribed(broker)
        sent = [event(number) for number in (3, 1, 3, 2, 2, 1)] * 2
        await asyncio.gather(*[broker.publish(ME, [one]) for one in sent])
        found = (await broker.notifications(record.number)).notifications
        assert [one.event for one in found] == ["urn:e:3", "urn:e:1", "urn:e:2"]

    with_broker(tmp_path, test)


def test_other_content_under_one_name_is_refused_and_nothing_of_the_request_is_stored(tmp_path: Path):
    async def test(broker):
        record = await subscribed(broker)
        await broker.publish(ME, [event(1)])
        with pytest.raises(EventConflict, match="position 1"):
            await broker.publish(ME, [event(2), event(1, "<urn:s> <urn:p> <urn:other> .")])
        assert await positions(broker, record.number) == [1]
        assert await broker.event(ME, "urn:e:2") is None

    with_broker(tmp_path, test)


def test_an_idempotency_key_answers_again_what_it_answered(tmp_path: Path):
    async def test(broker):
        first = await broker.publish(ME, [event(1)], key="k", digest=b"1")
        assert await broker.publish(ME, [event(2)], key="k", digest=b"1") == first
        with pytest.raises(EventConflict, match="'k'"):
            await broker.publish(ME, [event(2)], key="k", digest=b"2")
        assert (await broker.publish(YOU, [event(2)], key="k", digest=b"2"))[0].position == 2

    with_broker(tmp_path, test)


def test_the_same_query_again_is_fine_and_another_is_not(tmp_path: Path):
    async def test(broker):
        record = await subscribed(broker)
        assert (await subscribed(broker, payload="event")).number == record.number
        assert broker.roster.get(record.number).options.payload == "event"
        with pytest.raises(DuplicateSubscription):
            await subscribed(broker, text="ASK { ?s <urn:q> ?o }")
        assert (await subscribed(broker, who=YOU, text="ASK { ?s <urn:q> ?o }")).number != record.number

    with_broker(tmp_path, test)


def test_a_query_that_is_wrong_leaves_nothing_behind(tmp_path: Path):
    async def test(broker):
        with pytest.raises(SyntaxProblem):
            await subscribed(broker, text="SELECT nonsense")
        with pytest.raises(UnknownSubscription):
            broker.subscription("me", "all")

    with_broker(tmp_path, test)


def test_everything_is_there_after_a_restart(tmp_path: Path):
    async def before(broker):
        record = await subscribed(broker)
        await broker.set_taxonomy(Taxonomy.parse("<urn:a> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <urn:b> ."))
        await broker.publish(ME, events(1, 5))
        await broker.acknowledge(record.number, 2)

    async def after(broker):
        record = broker.subscription("me", "all")
        assert record.cursor == 2
        assert await positions(broker, record.number) == [3, 4, 5]
        assert (await broker.publish(ME, [event(6)]))[0].position == 6
        assert await positions(broker, record.number) == [3, 4, 5, 6]
        assert broker.taxonomy is not None

    with_broker(tmp_path, before)
    with_broker(tmp_path, after)


def test_what_was_acknowledged_is_gone_and_what_was_not_is_read_again(tmp_path: Path):
    async def test(broker):
        record = await subscribed(broker)
        await broker.publish(ME, events(1, 5))
        await broker.acknowledge(record.number, 3)
        assert await positions(broker, record.number) == [4, 5]
        assert await positions(broker, record.number) == [4, 5]
        assert (await broker.notifications(record.number)).gap is None
        await broker.acknowledge(record.number, 1)
        assert broker.roster.get(record.number).cursor == 3

    with_broker(tmp_path, test)


@pytest.mark.parametrize(("start", "expected"), [(0, range(1, 301)), (137, range(138, 301)), (None, range(201, 301))])
def test_history_and_then_live_without_gap_or_repeat(tmp_path: Path, start, expected):
    async def test(broker):
        await broker.publish(ME, events(1, 200))
        coming = [asyncio.create_task(broker.publish(ME, [event(number)])) for number in range(201, 301)]
        record = await subscribed(broker, start=start) if start is not None else None
        if record is None:
            await asyncio.gather(*coming)
            record = await subscribed(broker, start=200)
        await asyncio.gather(*coming)
        assert await positions(broker, record.number, limit=17) == list(expected)
        assert broker.roster.get(record.number).is_live

    with_broker(tmp_path, test)


def test_history_goes_on_after_a_restart(tmp_path: Path):
    async def before(broker):
        await broker.publish(ME, events(1, 500))
        await subscribed(broker, start=0)

    async def after(broker):
        assert await positions(broker, broker.subscription("me", "all").number) == list(range(1, 501))

    with_broker(tmp_path, before)
    with_broker(tmp_path, after)


def test_waiting_ends_when_something_comes_or_time_is_up(tmp_path: Path):
    async def test(broker):
        record = await subscribed(broker)
        assert await broker.wait(record.number, 0, timeout=0.01) is False
        waiting = asyncio.create_task(broker.wait(record.number, 0, timeout=30))
        await asyncio.sleep(0)
        await broker.publish(ME, [event(1)])
        assert await waiting is True
        waiting = asyncio.create_task(broker.wait(record.number, 1))
        await asyncio.sleep(0)
        await broker.close()
        assert await waiting is False

    async def run():
        from triplewire.node.broker import Broker

        await test(await Broker.open(tmp_path, guests=(ME, YOU)))

    asyncio.run(run())


def test_payloads(tmp_path: Path):
    async def test(broker):
        whole = await subscribed(broker, "whole", payload="event")
        made = await subscribed(broker, "made", "CONSTRUCT { ?o <urn:of> ?s } { ?s <urn:p> ?o }", payload="construct")
        await broker.publish(ME, [event(1, "<urn:s> <urn:p> <urn:o> .")])
        [one] = (await broker.notifications(whole.number)).notifications
        assert one.data == "<urn:s> <urn:p> <urn:o> <urn:e:1> .\n"
        [one] = (await broker.notifications(made.number)).notifications
        assert b'"construct":["<urn:o> <urn:of> <urn:s> ."]' in one.json

    with_broker(tmp_path, test)


def test_f5_a_reader_that_stopped_keeps_a_bounded_outbox_and_loses_nothing(tmp_path: Path):
    slow = client("slow", outbox_bytes=5_000)

    async def test(broker):
        behind = await subscribed(broker, who=slow)
        quick = await subscribed(broker)
        for first in range(1, 1000, 50):
            await broker.publish(ME, events(first, first + 49))
            await broker.acknowledge(quick.number, first + 49)
        assert broker.roster.standing(behind.number).bytes_waiting < 5_000 + 2 * 50 * 250
        assert not broker.roster.get(behind.number).is_live
        found, after = [], 0
        while len(found) < 1000:
            page = await broker.notifications(behind.number, after, 100)
            found += [one.position for one in page.notifications]
            after = page.notifications[-1].position if page.notifications else after
            await broker.acknowledge(behind.number, after)
        assert found == list(range(1, 1001))

    with_broker(tmp_path, test, guests=(ME, slow))


def test_f5_reading_on_makes_room_without_acknowledgement(tmp_path: Path):
    slow = client("slow", outbox_bytes=5_000)

    async def test(broker):
        behind = await subscribed(broker, who=slow)
        await broker.publish(ME, events(1, 500))
        await broker.publish(ME, events(501, 1000))
        assert await positions(broker, behind.number, limit=10) == list(range(1, 1001))
        assert (await broker.notifications(behind.number, 0)).gap is not None

    with_broker(tmp_path, test, guests=(ME, slow))


def test_f3_a_full_disk_refuses_publishers_while_subscribers_drain(tmp_path: Path):
    disk = FaultyDisk()

    async def test(broker):
        record = await subscribed(broker)
        await broker.publish(ME, events(1, 3))
        disk.fill()
        with pytest.raises(DiskFull):
            await broker.publish(ME, [event(4)])
        assert await positions(broker, record.number) == [1, 2, 3]
        disk.free()
        assert (await broker.publish(ME, [event(4)]))[0].position == 4
        assert await positions(broker, record.number) == [1, 2, 3, 4]

    with_broker(tmp_path, test, disk=disk)


@pytest.mark.parametrize("fate", list(Fate))
def test_f2_nothing_is_acknowledged_after_a_failed_fsync(tmp_path: Path, fate: Fate):
    disk = FaultyDisk()

    async def before(broker):
        await broker.publish(ME, [event(1)])
        disk.fail_sync(fate)
        with pytest.raises(StoreFailed):
            await broker.publish(ME, [event(2)])
        with pytest.raises(StoreFailed):
            await broker.publish(ME, [event(3)])
        assert broker.failure is not None

    async def after(broker):
        found = [record.graph for record, _ in await broker.events(ME, 0, 10)]
        assert found == ["urn:e:1", "urn:e:2"] if fate is Fate.KEPT else ["urn:e:1"]

    with_broker(tmp_path, before, disk=disk)
    with_broker(tmp_path, after)


def test_f8_a_clock_that_jumps_moves_neither_rates_nor_retention(tmp_path: Path):
    clock = VirtualClock()
    eager = client("eager", events_per_second=5)

    async def test(broker):
        await broker.publish(eager, events(1, 10))
        with pytest.raises(QuotaExceeded) as refused:
            await broker.publish(eager, [event(11)])
        assert refused.value.retry_after == pytest.approx(0.2)
        clock.jump(3600)
        with pytest.raises(QuotaExceeded):
            await broker.publish(eager, [event(11)])
        assert (await broker.trim(Retention(age=60))).graphs == ()
        clock.jump(-7200)
        clock.advance(1)
        await broker.publish(eager, [event(11)])
        clock.advance(61)
        assert len((await broker.trim(Retention(age=60))).graphs) == 11

    with_broker(tmp_path, test, clock=clock, guests=(ME, eager))


def test_retention_by_size_tells_of_the_gap(tmp_path: Path):
    async def test(broker):
        record = await subscribed(broker)
        await broker.publish(ME, events(1, 10))
        size = len(event(10).nquads)
        trimmed = await broker.trim(Retention(size=3 * size))
        assert trimmed.floor == 7
        page = await broker.notifications(record.number)
        assert ([one.position for one in page.notifications], page.gap) == ([8, 9, 10], 7)
        assert (await broker.notifications(record.number, 7)).gap is None
        late = await subscribed(broker, "late", start=0)
        assert (await broker.notifications(late.number)).gap == 7
        assert (await broker.publish(ME, [event(11)]))[0].position == 11

    with_broker(tmp_path, test)


def test_a_subscription_may_keep_its_notifications_for_less(tmp_path: Path):
    clock = VirtualClock()

    async def test(broker):
        short = await subscribed(broker, "short", retention=60.0)
        long = await subscribed(broker, "long")
        await broker.publish(ME, [event(1)])
        clock.advance(61)
        await broker.publish(ME, [event(2)])
        await broker.trim(Retention())
        page = await broker.notifications(short.number)
        assert ([one.position for one in page.notifications], page.gap) == ([2], 1)
        assert await positions(broker, long.number) == [1, 2]

    with_broker(tmp_path, test, clock=clock)


def test_a9_quotas_on_subscriptions_and_on_those_that_are_tested_on_every_event(tmp_path: Path):
    few = client("few", subscriptions=3, unindexed=1)

    async def test(broker):
        await subscribed(broker, "a", "SELECT * { ?s ?p ?o }", who=few)
        with pytest.raises(QuotaExceeded, match="every event"):
            await subscribed(broker, "b", "SELECT * { ?s ?p ?o }", who=few)
        await subscribed(broker, "c", who=few)
        await subscribed(broker, "d", who=few)
        with pytest.raises(QuotaExceeded, match="3 subscriptions"):
            await subscribed(broker, "e", who=few)
        await subscribed(broker, "e", who=ME)

    with_broker(tmp_path, test, guests=(ME, few))


def test_a11_a_query_that_needs_too_much_is_quarantined_with_the_reason(tmp_path: Path):
    cross = "SELECT * { " + " ".join(f"?a{i} ?b{i} ?c{i} ." for i in range(8)) + "}"

    async def before(broker):
        heavy = await subscribed(broker, "heavy", cross)
        light = await subscribed(broker, "light")
        large = "\n".join(f"<urn:s> <urn:p> <urn:o{i}> ." for i in range(60))
        await broker.publish(ME, [event(1, large)])
        await broker.publish(ME, [event(2)])
        assert "intermediate bindings" in broker.roster.get(heavy.number).quarantined
        assert await positions(broker, light.number) == [1, 2]

    async def after(broker):
        assert broker.subscription("me", "heavy").quarantined is not None
        assert len(await broker.publish(ME, [event(3)])) == 1

    with_broker(tmp_path, before)
    with_broker(tmp_path, after)


EX = "http://example.org/"
OPEN = f'<{EX}a> <{EX}open/name> "A" . <{EX}a> <{EX}secret/salary> "1" . <{EX}a> a <{EX}secret/Boss> .'.replace(
    " a <", " <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <"
)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT * { ?s ?p ?o }",
        f"SELECT ?o {{ ?s <{EX}secret/salary> ?o }}",
        f"SELECT * {{ ?s <{EX}open/name> ?n OPTIONAL {{ ?s <{EX}secret/salary> ?o }} }}",
        f"SELECT ?n {{ ?s <{EX}open/name> ?n FILTER EXISTS {{ ?s <{EX}secret/salary> ?o }} }}",
        "SELECT ?c { ?s a ?c }",
        "CONSTRUCT { ?s ?p ?o } { ?s ?p ?o }",
    ],
)
@pytest.mark.parametrize("start", [None, 0])
def test_a15_no_binding_outside_the_grant_is_delivered(tmp_path: Path, text: str, start: int | None):
    limited = client("limited", subscribe=Grant(namespaces=(f"{EX}open/",)))

    async def test(broker):
        if start is not None:
            await broker.publish(ME, [event(1, OPEN)])
        record = await subscribed(broker, text=text, who=limited, start=start, payload="event")
        await broker.publish(ME, [event(1, OPEN), event(2, OPEN)])
        told = b"".join(one.json for one in (await broker.notifications(record.number)).notifications)
        assert b"secret" not in told
        assert b'"1"' not in told
        seen = b"".join(found.nquads for _, found in await broker.events(limited, 0, 10))
        assert b"open" in seen
        assert b"secret" not in seen

    with_broker(tmp_path, test, guests=(ME, limited))


def test_a15_graphs_outside_the_grant_are_not_there(tmp_path: Path):
    limited = client("limited", subscribe=Grant(graphs=("urn:e:2",)), publish=Grant(graphs=("urn:e:2",)))

    async def test(broker):
        record = await subscribed(broker, who=limited)
        await broker.publish(ME, events(1, 3))
        assert await positions(broker, record.number) == [2]
        assert await broker.event(limited, "urn:e:1") is None
        with pytest.raises(Forbidden, match="urn:e:9"):
            await broker.publish(limited, [event(9)])

    with_broker(tmp_path, test, guests=(ME, limited))


def test_a15_other_rights_count_from_the_next_event_on(tmp_path: Path):
    async def test(broker):
        record = await subscribed(broker, who=YOU)
        await broker.publish(ME, [event(1)])
        await broker.set_rights(client("you", subscribe=Grant(graphs=())))
        await broker.publish(ME, [event(2)])
        assert await positions(broker, record.number) == [1]

    with_broker(tmp_path, test)


def test_publishing_within_namespaces(tmp_path: Path):
    limited = client("limited", publish=Grant(namespaces=(f"{EX}open/",)))
    mute = client("mute", publish=None)

    async def test(broker):
        await broker.publish(limited, [event(1, f'<{EX}a> <{EX}open/name> "A" .')])
        with pytest.raises(Forbidden, match="secret"):
            await broker.publish(limited, [event(2, OPEN)])
        with pytest.raises(Forbidden, match="may publish"):
            await broker.publish(mute, [event(3)])

    with_broker(tmp_path, test, guests=(limited, mute))


def test_dead_letters_are_kept_with_the_reason(tmp_path: Path):
    async def test(broker):
        record = await subscribed(broker)
        await broker.publish(ME, [event(1)])
        await broker.bury(record.number, 1, "nobody home", 12)
        await broker.acknowledge(record.number, 1)
        [letter] = await broker.dead_letters("me")
        assert (letter.event, letter.reason, letter.attempts) == ("urn:e:1", "nobody home", 12)
        assert await broker.dead_letters("you") == []
        await broker.forget_letter(letter.id)
        assert await broker.dead_letters() == []

    with_broker(tmp_path, test)


def test_unsubscribing_forgets_what_waits(tmp_path: Path):
    async def test(broker):
        record = await subscribed(broker)
        await broker.publish(ME, [event(1)])
        await broker.unsubscribe(record.number)
        with pytest.raises(UnknownSubscription):
            await broker.notifications(record.number)
        again = await subscribed(broker)
        assert again.number != record.number
        assert await positions(broker, again.number) == []

    with_broker(tmp_path, test)


def test_requests_that_wait_together_are_refused_one_by_one(tmp_path: Path):
    async def test(broker):
        record = await subscribed(broker)
        other = event(1, "<urn:s> <urn:p> <urn:other> .")
        sent = [[event(1)], [other, event(2)], [event(3)], [event(3), event(1)]]
        outcomes = await asyncio.gather(*[broker.publish(ME, one) for one in sent], return_exceptions=True)
        assert isinstance(outcomes[1], EventConflict)
        assert [[r.position for r in outcomes[n]] for n in (0, 2, 3)] == [[1], [2], [2, 1]]
        assert await positions(broker, record.number) == [1, 2]
        assert broker.database.writer.stats.commits < len(sent) + 2

    with_broker(tmp_path, test)


def test_a_request_that_breaks_the_step_does_not_take_its_neighbours_along(tmp_path: Path, monkeypatch):
    from triplewire.node.audience import Audience

    matches = Audience.matches

    def fragile(self, found):
        if any(one.graph.value == "urn:e:2" for one in found):
            raise RuntimeError("broken")
        return matches(self, found)

    async def test(broker):
        monkeypatch.setattr(Audience, "matches", fragile)
        sent = [broker.publish(ME, [event(number)]) for number in (1, 2, 3)]
        outcomes = await asyncio.gather(*sent, return_exceptions=True)
        assert isinstance(outcomes[1], RuntimeError)
        assert [outcomes[0][0].event, outcomes[2][0].event] == ["urn:e:1", "urn:e:3"]
        assert await broker.event(ME, "urn:e:2") is None

    with_broker(tmp_path, test)
