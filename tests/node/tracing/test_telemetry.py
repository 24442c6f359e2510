"""Traces from the publisher's request to the receiver's, in memory and through a real receiver of OTLP."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from tests.node.delivery.receiving import Receiver, agreeable, eventually, receiver
from tests.node.http.serving import NQUADS, QUERY

from triplewire.node.http import create_app
from triplewire.node.service import Node
from triplewire.node.settings import Settings
from triplewire.node.tracing.spans import Tracing
from triplewire.node.tracing.telemetry import Telemetry

TRACE, SPAN = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
SELECT = "SELECT ?o { ?s <urn:p> ?o }"
EVENT = '<urn:s> <urn:p> "secret words" <urn:e:1> .'


@asynccontextmanager
async def api_of(folder: Path, tracing: Tracing | None = None, **settings: object) -> AsyncIterator[httpx.AsyncClient]:
    chosen = Settings(data=folder, open=True, allow_loopback_webhooks=True, **settings)
    node = await Node.open(chosen, tracing=tracing)
    await node.begin()
    transport = httpx.ASGITransport(create_app(node), raise_app_exceptions=False)
    try:
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as api:
            yield api
    finally:
        await node.stop()


async def publish_and_deliver(api: httpx.AsyncClient, hook: Receiver) -> None:
    parameters = {"delivery": "webhook", "callback": hook.url}
    made = await api.put("/subscriptions/all", params=parameters, content=SELECT, headers=QUERY)
    assert made.status_code == 201, made.text
    headers = NQUADS | {"traceparent": f"00-{TRACE}-{SPAN}-01"}
    assert (await api.post("/events?base=urn:secret", content=EVENT, headers=headers)).status_code == 201
    await eventually(lambda: hook.events == ["urn:e:1"], "a notification")


def in_trace(spans: tuple[ReadableSpan, ...]) -> dict[str, ReadableSpan]:
    return {span.name: span for span in spans if f"{span.context.trace_id:032x}" == TRACE}


async def test_one_trace_leads_from_the_publisher_over_the_commit_to_the_receiver(tmp_path: Path):
    exporter = InMemorySpanExporter()
    async with receiver(agreeable) as hook, api_of(tmp_path, Telemetry(SimpleSpanProcessor(exporter))) as api:
        await publish_and_deliver(api, hook)
        await eventually(lambda: "deliver" in in_trace(exporter.get_finished_spans()), "the span of the delivery")
        spans = in_trace(exporter.get_finished_spans())
        request, publish, deliver = (spans[name] for name in ("POST /events", "publish", "deliver"))
        assert f"{request.parent.span_id:016x}" == SPAN
        assert publish.parent.span_id == request.context.span_id
        assert deliver.parent.span_id == publish.context.span_id
        assert request.attributes["http.response.status_code"] == 201
        assert deliver.attributes["triplewire.event"] == "urn:e:1"
        [(headers, _)] = hook.requests[1:]
        assert headers["traceparent"] == f"00-{TRACE}-{deliver.context.span_id:016x}-01"


async def test_neither_what_events_say_nor_query_strings_are_in_a_span(tmp_path: Path):
    exporter = InMemorySpanExporter()
    async with receiver(agreeable) as hook, api_of(tmp_path, Telemetry(SimpleSpanProcessor(exporter))) as api:
        await publish_and_deliver(api, hook)
        written = "".join(span.to_json() for span in exporter.get_finished_spans())
    assert "secret" not in written


async def test_a_delivery_that_fails_says_so(tmp_path: Path):
    exporter = InMemorySpanExporter()
    behaviours = iter([agreeable])

    def once(headers: dict[str, str], body: bytes):
        return next(behaviours, lambda *_: (500, {}, b""))(headers, body)

    async with receiver(once) as hook, api_of(tmp_path, Telemetry(SimpleSpanProcessor(exporter))) as api:
        await publish_and_deliver(api, hook)
        await eventually(lambda: "deliver" in in_trace(exporter.get_finished_spans()), "the span of the delivery")
        deliver = in_trace(exporter.get_finished_spans())["deliver"]
    assert not deliver.status.is_ok
    assert "wanted a 2xx answer" in (deliver.status.description or "")


@pytest.mark.parametrize("traceparent", ["", "nonsense", "00-0-0-01"])
async def test_a_header_that_names_no_trace_begins_one(tmp_path: Path, traceparent: str):
    exporter = InMemorySpanExporter()
    async with api_of(tmp_path, Telemetry(SimpleSpanProcessor(exporter))) as api:
        await api.get("/health", headers={"traceparent": traceparent})
        [span] = exporter.get_finished_spans()
    assert span.parent is None


async def test_spans_arrive_at_a_receiver_of_otlp(tmp_path: Path):
    got: list[bytes] = []

    def collect(_headers: dict[str, str], body: bytes):
        got.append(body)
        return 200, {"content-type": "application/x-protobuf"}, b""

    async with receiver(collect) as collector, receiver(agreeable) as hook:
        async with api_of(tmp_path, traces=f"http://127.0.0.1:{collector.port}/v1/traces") as api:
            await publish_and_deliver(api, hook)
        # Stopping a node hands on what is left.
        spans = [
            span.name
            for body in got
            for resource in ExportTraceServiceRequest.FromString(body).resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]
    assert {"PUT /subscriptions", "POST /events", "publish", "deliver"} <= set(spans)


async def test_a_node_traces_nothing_unless_asked(tmp_path: Path):
    async with receiver(agreeable) as hook, api_of(tmp_path) as api:
        await publish_and_deliver(api, hook)
        assert "traceparent" not in hook.requests[-1][0]
