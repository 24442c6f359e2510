"""Traces from a request over the commit to the delivery, for OpenTelemetry. Off unless asked for.

middleware  a span for each request, below the one of whoever called
spans       what is traced, whatever traces it; and nothing, which is what a node does by default
telemetry   the same with OpenTelemetry; needs the extra `otel`
"""
