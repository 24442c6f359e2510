"""The hub: intent, signatures, discovery, leases, whose topics one may have, and where a callback may lead."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import msgspec
import pytest
import pytest_asyncio
from tests.node.delivery.receiving import Answer, Receiver, eventually, receiver
from tests.node.http.serving import NQUADS, QUERY, Api, api_of, is_problem

from triplewire.node.http.protocols.websub.requests import hub_request

SELECT = "SELECT ?o { ?s <urn:p> ?o }"
TOPIC = "http://localhost/subscriptions/all/notifications"


class Subscriber:
    """Answers intents as it is told, and keeps what it was asked and sent."""

    def __init__(self) -> None:
        self.asked: list[dict[str, str]] = []
        self.means_it = True

    def __call__(self, headers: dict[str, str], body: bytes) -> Answer:
        if body:
            return 204, {}, b""
        fields = self.asked[-1]
        return 200, {}, fields["hub.challenge"].encode() if self.means_it else b"no"


@pytest_asyncio.fixture
async def api(tmp_path: Path) -> AsyncIterator[Api]:
    async with api_of(tmp_path, allow_loopback_webhooks=True) as opened:
        await opened.put("/subscriptions/all", content=SELECT, headers=QUERY)
        yield opened


async def hub(api: Api, callback: str, mode: str = "subscribe", **fields: str):
    form = {"hub.mode": mode, "hub.topic": TOPIC, "hub.callback": callback}
    return await api.post("/websub", data=form | {f"hub.{name}": value for name, value in fields.items()})


async def publish(api: Api, *numbers: int) -> None:
    lines = [f'<urn:s> <urn:p> "{n}" <urn:e:{n}> .\n' for n in numbers]
    assert (await api.post("/events", content="".join(lines), headers=NQUADS)).status_code == 201


async def names(api: Api) -> list[str]:
    return [one["id"] for one in (await api.get("/subscriptions")).json()["subscriptions"]]


def posts(found: Receiver) -> list[tuple[dict[str, str], bytes]]:
    return [(headers, body) for headers, body in found.requests if body]


async def until_standing(api: Api, many: int) -> None:
    index = api.node.broker.subscriptions.index
    await eventually(lambda: len([record for record in index if record.name.startswith("websub-")]) == many, "it")


async def test_a_subscriber_that_means_it_is_told_and_one_that_leaves_is_not(api: Api):
    subscriber = Subscriber()
    async with receiver(subscriber) as found:
        found.queries = subscriber.asked
        assert (await hub(api, found.url, lease_seconds="600", secret="sesame")).status_code == 202
        await until_standing(api, 1)
        [asked] = subscriber.asked
        assert asked["hub.mode"] == "subscribe"
        assert (asked["hub.topic"], asked["hub.lease_seconds"]) == (TOPIC, "600")
        await publish(api, 1)
        await eventually(lambda: len(posts(found)) == 1, "a notification")
        [(headers, body)] = posts(found)
        assert [one["event"] for one in msgspec.json.decode(body)["notifications"]] == ["urn:e:1"]
        signature = hmac.new(b"sesame", body, hashlib.sha256).hexdigest()
        assert headers["x-hub-signature"] == f"sha256={signature}"
        assert headers["link"] == f'<http://localhost/websub>; rel="hub", <{TOPIC}>; rel="self"'
        assert headers["content-type"] == "application/json"
        assert (await hub(api, found.url, "unsubscribe")).status_code == 202
        await until_standing(api, 0)
        assert subscriber.asked[-1]["hub.mode"] == "unsubscribe"
        assert "hub.lease_seconds" not in subscriber.asked[-1]


async def test_without_a_secret_nothing_is_signed(api: Api):
    subscriber = Subscriber()
    async with receiver(subscriber) as found:
        found.queries = subscriber.asked
        await hub(api, found.url)
        await until_standing(api, 1)
        await publish(api, 1)
        await eventually(lambda: len(posts(found)) == 1, "a notification")
        assert not {"x-hub-signature", "webhook-signature"} & posts(found)[0][0].keys()


async def test_whoever_does_not_mean_it_is_not_told(api: Api, caplog):
    """Row A14: nobody can point the hub at a server that does not know of it, or unsubscribe another."""
    subscriber = Subscriber()
    async with receiver(subscriber) as found:
        found.queries = subscriber.asked
        subscriber.means_it = False
        await hub(api, found.url)
        await eventually(lambda: "the challenge's word" in caplog.text, "a refusal in the log")
        assert await names(api) == ["all"]
        subscriber.means_it = True
        await hub(api, found.url)
        await until_standing(api, 1)
        subscriber.means_it = False
        caplog.clear()
        await hub(api, found.url, "unsubscribe")
        await eventually(lambda: "the challenge's word" in caplog.text, "a refusal in the log")
        await until_standing(api, 1)


async def test_asking_again_renews(api: Api):
    subscriber = Subscriber()
    async with receiver(subscriber) as found:
        found.queries = subscriber.asked
        for lease in ("100", "86400"):
            await hub(api, found.url, lease_seconds=lease)
            await eventually(
                lambda wanted=lease: (
                    bool(subscriber.asked)
                    and subscriber.asked[-1].get("hub.lease_seconds") == wanted
                    and not len(api.node.checks)
                ),
                "it",
            )
        await until_standing(api, 1)
        [record] = [one for one in api.node.broker.subscriptions.index if one.options.protocol == "websub"]
        left = record.options.lease_ends - api.node.broker.date.time()
        assert 86_000 < left <= 86_400


async def test_a_topic_says_where_its_hub_is(api: Api):
    answer = await api.get("/subscriptions/all/notifications")
    assert answer.links["hub"]["url"] == "http://localhost/websub"
    assert answer.links["self"]["url"] == TOPIC


async def test_a_callback_may_not_lead_into_a_private_network(tmp_path: Path, caplog):
    """Row A13."""
    async with api_of(tmp_path) as api:
        await api.put("/subscriptions/all", content=SELECT, headers=QUERY)
        for callback in ("http://127.0.0.1:1/", "http://0x7f.1/", "http://10.0.0.1/", "http://169.254.169.254/"):
            caplog.clear()
            assert (await hub(api, callback)).status_code == 202
            await eventually(lambda: "global addresses only" in caplog.text, "a refusal in the log")
        assert is_problem(await hub(api, "file:///etc/passwd"), 400, "address-refused")
        assert await names(api) == ["all"]


async def test_one_has_ones_own_topics_and_no_other(tmp_path: Path):
    """Row A15."""
    async with api_of(tmp_path, open=False) as api:
        await api.put("/subscriptions/all", content=SELECT, headers=QUERY)
        other = await api.register()
        form = {"hub.mode": "subscribe", "hub.topic": TOPIC, "hub.callback": "http://127.0.0.1:1/"}
        assert is_problem(await api.post("/websub", data=form, headers=other), 404, "unknown-subscription")
        assert is_problem(await api.post("/websub", data=form, headers={"Authorization": ""}), 401, "unauthenticated")


@pytest.mark.parametrize(
    "topic",
    ["", "urn:x", "http://elsewhere/subscriptions/all/notifications", "http://localhost/subscriptions/all",
     f"{TOPIC}?after=1", "http://localhost/views/all/notifications"],
)  # fmt: skip
async def test_what_is_no_topic_of_this_node_is_refused(api: Api, topic: str):
    form = {"hub.mode": "subscribe", "hub.topic": topic, "hub.callback": "http://a.example/"}
    assert is_problem(await api.post("/websub", data=form), 400, "input-error")


@pytest.mark.parametrize(
    "changed",
    [{"hub.mode": "listen"}, {"hub.lease_seconds": "soon"}, {"hub.lease_seconds": "0"}, {"hub.secret": "s" * 200},
     {"hub.callback": ""}],
)  # fmt: skip
async def test_what_the_protocol_does_not_know_is_refused(api: Api, changed: dict[str, str]):
    form = {"hub.mode": "subscribe", "hub.topic": TOPIC, "hub.callback": "http://a.example/"} | changed
    assert (await api.post("/websub", data=form)).status_code == 400


async def test_another_media_type_is_refused(api: Api):
    assert is_problem(await api.post("/websub", json={"hub.mode": "subscribe"}), 415, "unknown-format")


def test_an_intent_is_added_to_the_callbacks_own_query():
    fields = {"hub.mode": ["subscribe"], "hub.topic": ["t&u"], "hub.callback": ["http://a.example/?x=1"]}
    intent = parse_qs(urlsplit(hub_request(fields).intent("word")).query)
    assert intent == {
        "x": ["1"], "hub.mode": ["subscribe"], "hub.topic": ["t&u"], "hub.challenge": ["word"],
        "hub.lease_seconds": ["864000"],
    }  # fmt: skip
