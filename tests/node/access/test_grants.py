"""What a client may publish and read."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.node.brokers import ME, YOU, broker_at, client, event, events, positions, subscribed

from triplewire.errors import Forbidden
from triplewire.store.tables.identities import Grant

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
async def test_a15_no_binding_outside_the_grant_is_delivered(tmp_path: Path, text: str, start: int | None):
    limited = client("limited", subscribe=Grant(namespaces=(f"{EX}open/",)))

    async with broker_at(tmp_path, unregistered=(ME, limited)) as broker:
        if start is not None:
            await broker.events.publish(ME, [event(1, OPEN)])
        record = await subscribed(broker, text=text, who=limited, start=start, payload="event")
        await broker.events.publish(ME, [event(1, OPEN), event(2, OPEN)])
        told = b"".join(one.json for one in (await broker.notifications.page(record.number)).notifications)
        assert b"secret" not in told
        assert b'"1"' not in told
        seen = b"".join(found.nquads for _, found in await broker.events.after(limited, 0, 10))
        assert b"open" in seen
        assert b"secret" not in seen


async def test_a15_graphs_outside_the_grant_are_not_there(tmp_path: Path):
    limited = client("limited", subscribe=Grant(graphs=("urn:e:2",)), publish=Grant(graphs=("urn:e:2",)))

    async with broker_at(tmp_path, unregistered=(ME, limited)) as broker:
        record = await subscribed(broker, who=limited)
        await broker.events.publish(ME, events(1, 3))
        assert await positions(broker, record.number) == [2]
        assert await broker.events.find(limited, "urn:e:1") is None
        with pytest.raises(Forbidden, match="urn:e:9"):
            await broker.events.publish(limited, [event(9)])


async def test_a15_other_rights_count_from_the_next_event_on(tmp_path: Path):
    async with broker_at(tmp_path) as broker:
        record = await subscribed(broker, who=YOU)
        await broker.events.publish(ME, [event(1)])
        await broker.subscriptions.set_rights(client("you", subscribe=Grant(graphs=())))
        await broker.events.publish(ME, [event(2)])
        assert await positions(broker, record.number) == [1]


async def test_publishing_within_namespaces(tmp_path: Path):
    limited = client("limited", publish=Grant(namespaces=(f"{EX}open/",)))
    mute = client("mute", publish=None)

    async with broker_at(tmp_path, unregistered=(limited, mute)) as broker:
        await broker.events.publish(limited, [event(1, f'<{EX}a> <{EX}open/name> "A" .')])
        with pytest.raises(Forbidden, match="secret"):
            await broker.events.publish(limited, [event(2, OPEN)])
        with pytest.raises(Forbidden, match="may publish"):
            await broker.events.publish(mute, [event(3)])
