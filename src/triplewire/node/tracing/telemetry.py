"""Spans with OpenTelemetry, sent by OTLP over HTTP; needs the extra `otel`.

Which span published an event is remembered in memory, for the latest ten thousand events: what is delivered later, or
after a restart, is a trace of its own. Neither queries nor what events say are in a span, nor what follows a `?`.

A collector that is away costs what waits for it in memory, which is bounded, and never a request.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.propagators.textmap import TextMapPropagator
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import SpanContext, SpanKind, Status, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from triplewire import __version__
from triplewire.node.tracing.spans import Answered, TraceHeaders

_REMEMBERED = 10_000
_EXPORT_SECONDS = 5.0
_SERVER_ERROR = 500


class Telemetry:
    """Spans that a processor is handed."""

    is_on = True

    def __init__(self, processor: SpanProcessor) -> None:
        resource = Resource.create({"service.name": "triplewire", "service.version": __version__})
        self._provider = TracerProvider(resource=resource)
        self._provider.add_span_processor(processor)
        self._tracer = self._provider.get_tracer("triplewire", __version__)
        self._context: TextMapPropagator = TraceContextTextMapPropagator()
        self._published: OrderedDict[str, SpanContext] = OrderedDict()

    @contextmanager
    def request(self, method: str, path: str, headers: TraceHeaders) -> Iterator[Answered]:
        attributes = {"http.request.method": method, "url.path": path}
        parent = self._context.extract(headers)
        # Few names, as collectors want it: what follows may be any event's or subscription's.
        name = f"{method} /{path.split('/')[1]}"
        with self._tracer.start_as_current_span(name, parent, SpanKind.SERVER, attributes) as span:

            def answered(status: int) -> None:
                span.set_attribute("http.response.status_code", status)
                if status >= _SERVER_ERROR:
                    span.set_status(Status(StatusCode.ERROR))

            yield answered

    @contextmanager
    def publishing(self, events: Sequence[str]) -> Iterator[None]:
        with self._tracer.start_as_current_span("publish", attributes={"triplewire.events": len(events)}) as span:
            # Before they are on the disk: a delivery may begin before the publisher has its answer.
            self._remember(events, span.get_span_context())
            yield

    @contextmanager
    def delivering(self, event: str, subscription: str) -> Iterator[TraceHeaders]:
        published = self._published.get(event)
        parent = None if published is None else trace.set_span_in_context(trace.NonRecordingSpan(published))
        attributes = {"triplewire.event": event, "triplewire.subscription": subscription}
        with self._tracer.start_as_current_span("deliver", parent, SpanKind.CLIENT, attributes):
            headers: dict[str, str] = {}
            self._context.inject(headers)
            yield headers

    def close(self) -> None:
        self._provider.shutdown()

    def _remember(self, events: Sequence[str], span: SpanContext) -> None:
        for event in events:
            self._published[event] = span
        while len(self._published) > _REMEMBERED:
            self._published.popitem(last=False)


def telemetry_to(endpoint: str) -> Telemetry:
    """Spans for the collector at an address, such as `http://127.0.0.1:4318/v1/traces`."""
    return Telemetry(BatchSpanProcessor(OTLPSpanExporter(endpoint, timeout=_EXPORT_SECONDS)))
