"""SEPA's WebSocket at a real node: what is told, what is refused, what ends, and what is left then: nothing."""

from __future__ import annotations

import asyncio
import json
import socket as sockets
from pathlib import Path
from typing import Any

import pytest
import websockets
from tests.node.sepa.serving import QUERY, Served, Talk, changes, served, values
from tests.sepa.cases import CASES

from triplewire.node.http import connections
from triplewire.node.http.sepa import protocol
from triplewire.node.sepa import socket
from triplewire.node.views import follower
from triplewire.store.tables import log, outbox, registry

SAID = "SELECT ?s ?o { ?s <urn:p> ?o }"
A15 = {"subscribe": {"namespaces": ["urn:"]}}


def insert(number: object) -> str:
    return f"INSERT DATA {{ <urn:s> <urn:p> {number} }}"


# What is told


@pytest.mark.parametrize("case", CASES)
async def test_what_sepa_answers_wrongly_or_rightly_is_right_here(tmp_path: Path, case: str):
    query, steps = CASES[case]
    async with served(tmp_path) as node, node.talk() as talk:
        await talk.subscribe(query)
        for number, (text, added, removed) in enumerate(steps, start=1):
            await node.update(text)
            told = await talk.next()
            assert changes(told) == (added, removed)
            assert told["notification"]["sequence"] == number


async def test_now_is_the_time_of_each_evaluation(tmp_path: Path):
    """The last row of SEPA's table: there the time is frozen when somebody subscribes."""
    async with served(tmp_path) as node, node.talk() as talk:
        first = await talk.subscribe("SELECT (NOW() AS ?now) (COUNT(*) AS ?n) { ?s <urn:p> ?o }")
        [before] = values(first["notification"]["addedResults"])
        await node.update(insert(1))
        [added], [removed] = await talk.told()
        assert removed == before
        assert added["n"] == "1"
        assert added["now"] > before["now"]


async def test_the_first_notification_is_the_answer_as_it_stands_also_where_it_is_empty(tmp_path: Path):
    async with served(tmp_path) as node, node.talk() as talk:
        empty = (await talk.subscribe(SAID, "empty"))["notification"]
        nothing = {"head": {"vars": ["s", "o"]}, "results": {"bindings": []}}
        assert empty.pop("spuid").startswith("sepa://subscription/")
        assert empty == {"alias": "empty", "sequence": 0, "addedResults": nothing, "removedResults": nothing}
        await node.update(insert("1, 2"))
        assert (await talk.next())["notification"]["alias"] == "empty"
        full = await talk.subscribe(SAID, "full")
        assert changes(full) == ([{"s": "urn:s", "o": "1"}, {"s": "urn:s", "o": "2"}], [])


@pytest.mark.parametrize(
    ("sparql", "names"),
    [
        ("ASK { ?s <urn:p> 7 }", []),
        (
            "CONSTRUCT { ?o <urn:of> ?s } WHERE { ?s <urn:p> ?o . FILTER(isIRI(?o)) }",
            ["subject", "predicate", "object"],
        ),
        ("DESCRIBE <urn:none>", ["subject", "predicate", "object"]),
    ],
)
async def test_other_forms_than_select_are_answered_and_kill_nothing(tmp_path: Path, sparql: str, names: list[str]):
    async with served(tmp_path) as node, node.talk() as talk:
        first = (await talk.subscribe(sparql))["notification"]
        assert first["addedResults"] == {"head": {"vars": names}, "results": {"bindings": []}}
        await node.update("INSERT DATA { <urn:none> <urn:p> <urn:b>, 7 }")
        added, removed = await talk.told()
        assert added
        assert not removed
        await node.update("CLEAR ALL")
        assert await talk.told() == ([], added)


async def test_an_update_is_told_before_it_is_answered(tmp_path: Path):
    async with served(tmp_path) as node, node.talk() as talk:
        await talk.subscribe(SAID)
        for number in range(20):
            await node.update(insert(number))
        for number in range(20):
            assert await talk.told() == ([{"s": "urn:s", "o": str(number)}], [])


async def test_graphs_that_a_subscription_names_are_its_dataset(tmp_path: Path):
    both = "SELECT ?o ?g { ?s <urn:p> ?o OPTIONAL { GRAPH ?g { ?s <urn:q> ?x } } }"
    async with served(tmp_path) as node, node.talk() as talk:
        await talk.subscribe(both, **{"default-graph-uri": ["urn:g"], "named-graph-uri": "urn:h"})
        await node.update("INSERT DATA { <urn:s> <urn:p> 1 . GRAPH <urn:g> { <urn:s> <urn:p> 2 } }")
        assert await talk.told() == ([{"o": "2"}], [])
        await node.update("INSERT DATA { GRAPH <urn:i> { <urn:s> <urn:q> 1 } GRAPH <urn:h> { <urn:s> <urn:q> 1 } }")
        assert await talk.told() == ([{"o": "2", "g": "urn:h"}], [{"o": "2"}])
        refused = await talk.subscribe(both, "al", **{"default-graph-uri": ["no IRI"]})
        assert (refused["error"], refused["status_code"], refused["alias"]) == ("input-error", 400, "al")


async def test_relative_iris_are_the_same_in_queries_updates_and_subscriptions(tmp_path: Path):
    async with served(tmp_path) as node, node.talk() as talk:
        await talk.subscribe("SELECT ?s { ?s <tests> <ok> }")
        await node.update("INSERT DATA { <integration> <tests> <ok> }")
        [added], _ = await talk.told()
        answer = await node.query("SELECT ?s { ?s <tests> <ok> }")
        assert values(answer.json()) == [added]
        assert added["s"] == f"http://127.0.0.1:{node.port}/sepa/integration"


async def test_many_subscriptions_on_one_socket_each_hear_of_their_own(tmp_path: Path):
    """As many as one socket may have; an update touches one of them, and is not held up by the others."""
    async with served(tmp_path) as node, node.talk() as talk:
        spuids = set()
        for number in range(1_000):
            first = await talk.subscribe(f"SELECT ?o {{ <urn:s{number}> <urn:p> ?o }}", f"al{number}")
            spuids.add(first["notification"]["spuid"])
        assert len(spuids) == 1_000
        refused = await talk.subscribe(SAID, "one more")
        assert (refused["status_code"], refused["alias"]) == (429, "one more")
        deltas = node.node.broker.views.follower.deltas
        for number in (999, 0, 500):
            await node.update(f"INSERT DATA {{ <urn:s{number}> <urn:p> 1 }}")
            told = (await talk.next())["notification"]
            assert (told["alias"], told["sequence"]) == (f"al{number}", 1)
        assert node.node.broker.views.follower.deltas == deltas + 3, "no other view was looked at"


async def test_a_thousand_subscriptions_that_one_update_touches_all_hear_of_it(tmp_path: Path):
    async with served(tmp_path) as node, node.talk() as talk:
        for number in range(1_000):
            await talk.subscribe(SAID, f"al{number}")
        await node.update(insert(1))
        told = [(await talk.next())["notification"] for _ in range(1_000)]
        assert {one["alias"] for one in told} == {f"al{number}" for number in range(1_000)}
        assert all(values(one["addedResults"]) == [{"s": "urn:s", "o": "1"}] for one in told)


# What ends


async def test_after_unsubscribing_nothing_more_is_heard(tmp_path: Path):
    async with served(tmp_path) as node, node.talk() as talk:
        ended = (await talk.subscribe(SAID, "ended"))["notification"]["spuid"]
        await talk.subscribe(SAID, "barrier")
        assert await talk.unsubscribe(ended) == {"unsubscribed": {"spuid": ended, "alias": "ended"}}
        await node.update(insert(1))
        assert (await talk.next())["notification"]["alias"] == "barrier"
        again = await talk.unsubscribe(ended)
        assert (again["error"], again["status_code"]) == ("sid_not_found", 500)
        assert is_left(node) == 1


async def test_a_socket_that_closes_leaves_nothing_behind(tmp_path: Path):
    async with served(tmp_path) as node, node.talk() as other:
        await other.subscribe(SAID, "other")
        async with node.talk() as talk:
            for number in range(10):
                await talk.subscribe(SAID, str(number))
            assert is_left(node) == 11
        await until_left(node, 1)
        await node.update(insert(1))
        assert (await other.next())["notification"]["alias"] == "other"
    await nothing_is_kept(tmp_path)


async def test_a_connection_that_breaks_leaves_nothing_behind(tmp_path: Path):
    async with served(tmp_path) as node:
        async with node.talk() as talk:
            await talk.subscribe(SAID)
            talk.connection.transport.abort()
        await until_left(node, 0)
    await nothing_is_kept(tmp_path)


async def nothing_is_kept(folder: Path) -> None:
    """A node on the same folder knows of no view, and none of them was written down or published."""
    async with served(folder) as node:
        assert is_left(node) == 0
        kept = await node.node.broker.store.read(lambda tx: (registry.everyone(tx), outbox.sizes(tx)))
        assert kept == ([], {})
        sources = await node.node.broker.store.read(lambda tx: [one.source for one in log.after(tx, 0, 1_000)])
        assert not [source for source in sources if source and "view" in source]


def is_left(node: Served) -> int:
    """How many views there are: on the writer's thread, and to be counted to their owners."""
    views = node.node.broker.views
    assert len(views.follower) == len(views.follower.ephemeral) == views.ephemeral
    return len(views.follower)


async def until_left(node: Served, count: int) -> None:
    while node.node.broker.views.ephemeral != count:
        await asyncio.sleep(0.01)
    await node.at_rest()
    assert is_left(node) == count


async def test_a_socket_of_a_node_that_stops_is_closed(tmp_path: Path):
    async with served(tmp_path) as node:
        connection = await websockets.connect(f"ws://127.0.0.1:{node.port}/sepa/subscribe", proxy=None)
        talk = Talk(connection)
        await talk.subscribe(SAID)
    assert (await talk.left())[0] == 1012


# What is refused


async def test_what_cannot_be_answered_is_refused_with_the_alias_and_the_socket_goes_on(tmp_path: Path):
    async with served(tmp_path) as node, node.talk() as talk:
        await talk.subscribe(SAID, "good")
        for sparql, status, error in (
            ("SELECT ?s {", 400, "syntax-problem"),
            ("SELECT * { SERVICE <urn:x> { ?s ?p ?o } }", 400, "refused-feature"),
            ("SELECT * { ?s ?p ?o FILTER(" + "!" * 5_000 + "true) }", 400, "limit-exceeded"),
        ):
            refused = await talk.subscribe(sparql, "bad")
            assert (refused["status_code"], refused["error"], refused["alias"]) == (status, error, "bad")
            assert refused["error_description"]
        for frame in ("no JSON", b"\xff", "[]", "{}", '{"subscribe": {"alias": "bad"}}', '{"subscribe": 7}'):
            await talk.send(frame)
            assert (await talk.next())["status_code"] == 400
        await node.update(insert(1))
        assert (await talk.next())["notification"]["alias"] == "good"
        assert is_left(node) == 1


async def test_members_that_nobody_knows_are_ignored(tmp_path: Path):
    async with served(tmp_path) as node, node.talk() as talk:
        assert (await talk.subscribe(SAID, httpsAgent={"a": [1]}, timeout=5))["notification"]["sequence"] == 0


async def test_a_first_answer_that_is_too_much_work_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    async with served(tmp_path) as node, node.talk() as talk:
        monkeypatch.setattr(node.node.broker.views.follower._set, "_start_steps", 100)
        await node.update(insert(", ".join(map(str, range(200)))))
        assert (await talk.subscribe(SAID))["error"] == "budget-exceeded"
        monkeypatch.setattr(follower, "MOST_BYTES", 1_000)
        monkeypatch.setattr(node.node.broker.views.follower._set, "_start_steps", 10_000)
        assert (await talk.subscribe(SAID))["error"] == "limit-exceeded"
        assert is_left(node) == 0


async def test_a_view_that_cannot_be_kept_up_ends_alone_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    async with served(tmp_path) as node, node.talk() as talk:
        await talk.subscribe("SELECT * { ?a <urn:p> ?b . ?c <urn:p> ?d . ?e <urn:p> ?f }", "much")
        await talk.subscribe("ASK { <urn:s> <urn:p> 1 }", "little")
        monkeypatch.setattr(node.node.broker.views.follower._set, "_steps", 1_000)
        await node.update(insert(", ".join(map(str, range(20)))))
        frames = [await talk.next() for _ in range(2)]
        [error] = [frame for frame in frames if "error" in frame]
        [told] = [frame for frame in frames if "notification" in frame]
        assert (error["error"], error["status_code"], error["alias"]) == ("view_failed", 503, "much")
        assert told["notification"]["alias"] == "little"
        await until_left(node, 1)


async def test_a_quota_counts_views_and_subscriptions_of_sockets_together(tmp_path: Path):
    async with served(tmp_path, open=False) as node, node.talk() as talk:
        made = await node.register(rights={"quotas": {"subscriptions": 2}})
        bearer = {"Authorization": f"Bearer {made['secret']}"}
        put = await node.put("/views/one", content=SAID, headers=QUERY | bearer)
        assert put.status_code == 201
        first = await talk.subscribe(SAID, "two", authorization=made["secret"])
        refused = await talk.subscribe(SAID, "three", authorization=made["secret"])
        assert (refused["error"], refused["status_code"]) == ("quota-exceeded", 429)
        assert (await node.put("/views/three", content=SAID, headers=QUERY | bearer)).status_code == 429
        await talk.unsubscribe(first["notification"]["spuid"])
        assert "notification" in await talk.subscribe(SAID, "three", authorization=made["secret"])


# Who asks


async def test_nobody_is_told_anything_without_a_secret(tmp_path: Path):
    async with served(tmp_path, open=False) as node, node.talk() as talk:
        for given in ({}, {"authorization": "Bearer nonsense"}, {"authorization": "twa_AAAA"}, {"authorization": ""}):
            refused = await talk.subscribe(SAID, "who", **given)
            assert (refused["error"], refused["status_code"], refused["alias"]) == ("unauthenticated", 401, "who")
        assert is_left(node) == 0


async def test_the_secret_may_be_shown_when_connecting(tmp_path: Path):
    async with served(tmp_path, open=False) as node:
        async with node.talk(additional_headers=node.headers_of_admin) as talk:
            assert "notification" in await talk.subscribe(SAID)
        with pytest.raises(websockets.InvalidStatus):
            async with node.talk(additional_headers={"Authorization": "Basic YTpi"}):
                pass


async def test_a16_whoever_stays_nobody_is_left(tmp_path: Path):
    async with served(tmp_path, open=False, body_seconds=0.3) as node, node.talk() as talk:
        await talk.send({"subscribe": {"sparql": SAID}})
        assert (await talk.next())["status_code"] == 401
        code, reason = await talk.left()
        assert (code, reason) == (1008, "wanted a subscription of a client within 0.3 s, found none")


async def test_a15_a_grant_that_is_not_everything_may_not_subscribe(tmp_path: Path):
    async with served(tmp_path, open=False) as node, node.talk() as talk:
        made = await node.register(rights=A15)
        refused = await talk.subscribe(SAID, authorization=made["secret"])
        assert (refused["error"], refused["status_code"]) == ("forbidden", 403)
        answer = await node.query(SAID, Authorization=f"Bearer {made['secret']}")
        assert answer.status_code == 403


async def test_a15_a_client_that_is_removed_hears_no_more(tmp_path: Path):
    async with served(tmp_path, open=False) as node, node.talk() as talk:
        made = await node.register()
        await talk.subscribe(SAID, authorization=made["secret"])
        deleted = await node.delete(f"/clients/{made['id']}", headers=node.headers_of_admin)
        assert deleted.status_code == 204
        await node.update(insert(1), **node.headers_of_admin)
        told = await talk.next()
        assert (told["error"], told["error_description"]) == ("view_failed", "its owner is no client any more")
        assert is_left(node) == 0
        assert (await talk.subscribe(SAID, authorization=made["secret"]))["status_code"] == 401


async def test_a15_a_client_whose_grant_shrinks_hears_no_more(tmp_path: Path):
    async with served(tmp_path, open=False) as node, node.talk() as talk:
        made = await node.register()
        await talk.subscribe(SAID, authorization=made["secret"])
        client = node.node.client(made["secret"])
        narrow = type(client.rights)(subscribe=type(client.rights.subscribe)(namespaces=("urn:",)))
        await node.node.register(type(client)(client.id, client.name, client.public_key, narrow))
        await node.update(insert(1), **node.headers_of_admin)
        assert (await talk.next())["error"] == "view_failed"
        assert is_left(node) == 0


# Pages


APP, OTHER = "https://app.example", "https://other.example"


@pytest.mark.parametrize("is_open", [True, False])
async def test_a_page_of_the_node_or_of_an_allowed_origin_may_subscribe_and_no_other(tmp_path: Path, is_open: bool):
    async with served(tmp_path, open=is_open, allow_origin=APP) as node:
        shown = {} if is_open else {"authorization": node.secret}
        # What SEPA's client for Python sends is the node's own origin.
        for origin in (APP, f"http://127.0.0.1:{node.port}"):
            async with node.talk(origin=origin) as talk:
                assert "notification" in await talk.subscribe(SAID, **shown)
        for origin in (OTHER, "null", f"http://127.0.0.1:{node.port + 1}"):
            with pytest.raises(websockets.InvalidStatus):
                async with node.talk(origin=origin):
                    pass


# Slow readers


async def test_f5_whoever_does_not_read_is_left_and_costs_nobody_anything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(socket.Socket.__init__, "__defaults__", (None, 64 * 1024))
    monkeypatch.setattr(connections, "_CLOSING_SECONDS", 0.2)
    monkeypatch.setattr(protocol, "_CLOSING_SECONDS", 0.1)
    filler = "x" * 2_000
    async with served(tmp_path) as node, node.talk() as reads:
        await reads.subscribe(SAID)
        before = len(node.server.server_state.connections)
        silent = await silent_subscriber(node.port)
        while node.node.broker.views.ephemeral != 2:
            await asyncio.sleep(0.01)
        number = 0
        while node.node.broker.views.ephemeral == 2:
            await node.update(insert(f'"{number}{filler}"'))
            [added], _ = await reads.told()
            assert added["o"].startswith(str(number))
            assert sum(node.node.sepa_waiting.values()) <= 128 * 1024
            number += 1
            assert number < 5_000, "it is left as soon as more waits than may"
        await node.at_rest()
        assert is_left(node) == 1
        while len(node.server.server_state.connections) > before:
            # The system would keep it, and what it has not read, for as long as it is there.
            await asyncio.sleep(0.01)
        await node.update(insert(7))
        assert await reads.told() == ([{"s": "urn:s", "o": "7"}], [])
        silent.close()
    assert not node.node.sepa_waiting


async def silent_subscriber(port: int) -> Any:
    """A socket that subscribes and never reads."""
    silent = sockets.socket()
    silent.setsockopt(sockets.SOL_SOCKET, sockets.SO_RCVBUF, 4_096)
    silent.setblocking(False)
    loop = asyncio.get_running_loop()
    await loop.sock_connect(silent, ("127.0.0.1", port))
    head = (
        "GET /sepa/subscribe HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    )
    await loop.sock_sendall(silent, head.encode())
    await loop.sock_recv(silent, 1_000)
    frame = json.dumps({"subscribe": {"sparql": SAID}}).encode()
    assert len(frame) < 126
    await loop.sock_sendall(silent, bytes([0x81, 0x80 | len(frame), 0, 0, 0, 0]) + frame)
    return silent


async def test_a9_what_waits_for_one_client_is_counted_over_all_its_sockets(tmp_path: Path):
    async with served(tmp_path, open=False) as node, node.talk() as talk:
        made = await node.register(rights={"quotas": {"outbox_bytes": 10_000}})
        await talk.subscribe(SAID, authorization=made["secret"])
        node.node.sepa_waiting[made["id"]] = 9_950
        await node.update(insert(1), **node.headers_of_admin)
        assert await talk.left() == (1008, "too slow: more waits to be read than may")
