"""`triplewire serve`: run a node."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any

import typer

from triplewire.node.shutdown import Signals

EXAMPLES = """[bold]Examples[/bold]

triplewire serve --data ./node --port 8080

triplewire serve --data ./node --open

triplewire serve --data ./a --key network.key --network-address tcp://192.0.2.1:7070

triplewire serve --data ./b --key network.key --join tcp://192.0.2.1:7070

TRIPLEWIRE_RETENTION_AGE=604800 triplewire serve --config /etc/triplewire.toml
"""


def serve_command(
    data: Annotated[
        Path | None, typer.Option("--data", metavar="PATH", help="The folder that holds everything.")
    ] = None,
    port: Annotated[int | None, typer.Option("--port", metavar="PORT", help="Default 8080.")] = None,
    host: Annotated[str | None, typer.Option("--host", metavar="NAME", help="Default 127.0.0.1.")] = None,
    open_to_all: Annotated[
        bool | None, typer.Option("--open", help="No authentication; on a loopback address only.")
    ] = None,
    config: Annotated[Path | None, typer.Option("--config", metavar="FILE", help="A TOML file with settings.")] = None,
    log_json: Annotated[bool | None, typer.Option("--log-json", help="Log lines as JSON.")] = None,
    event_bytes: Annotated[
        int | None, typer.Option(metavar="BYTES", min=1, help="How large one event may be. Default 1 MiB.")
    ] = None,
    event_quads: Annotated[
        int | None, typer.Option(metavar="QUADS", min=1, help="How many quads one event may have. Default 10,000.")
    ] = None,
    request_bytes: Annotated[
        int | None,
        typer.Option(metavar="BYTES", min=1, help="How large one request may be. Default 16 MiB, or one event."),
    ] = None,
    contexts: Annotated[
        Path | None, typer.Option("--contexts", metavar="FILE", help="JSON-LD contexts: a JSON map of URLs to files.")
    ] = None,
    head_seconds: Annotated[
        float | None, typer.Option(metavar="SECONDS", help="How long the head of a request may take. Default 15.")
    ] = None,
    body_seconds: Annotated[
        float | None,
        typer.Option(metavar="SECONDS", help="How long the body of a request may take after that. Default 30."),
    ] = None,
    retention_age: Annotated[
        float | None, typer.Option(metavar="SECONDS", help="Seconds that events are kept.")
    ] = None,
    retention_bytes: Annotated[
        int | None, typer.Option(metavar="BYTES", min=0, help="Bytes of events that are kept.")
    ] = None,
    key_seconds: Annotated[
        float | None, typer.Option(metavar="SECONDS", help="Seconds that an Idempotency-Key counts.")
    ] = None,
    housekeeping_seconds: Annotated[
        float | None, typer.Option(metavar="SECONDS", help="How often retention is looked after.")
    ] = None,
    rule_seconds: Annotated[
        float | None, typer.Option(metavar="SECONDS", help="How long updates and their rules may take. Default 2.")
    ] = None,
    query_seconds: Annotated[
        float | None, typer.Option(metavar="SECONDS", help="How long one SPARQL query may take.")
    ] = None,
    query_memory: Annotated[
        int | None, typer.Option(metavar="BYTES", help="Bytes of memory for SPARQL queries.")
    ] = None,
    allow_origin: Annotated[
        str | None,
        typer.Option(metavar="ORIGIN", help="Let web pages of this origin use the node, or of these, a,b; * is any."),
    ] = None,
    token_seconds: Annotated[
        float | None, typer.Option(metavar="SECONDS", help="How long a stream token opens a stream. Default 60.")
    ] = None,
    allow_loopback_webhooks: Annotated[
        bool | None, typer.Option("--allow-loopback-webhooks", help="Let webhooks lead to this machine.")
    ] = None,
    network_key: Annotated[
        Path | None,
        typer.Option("--key", "--network-key", metavar="FILE", help="A network's key: be one of its super-peers."),
    ] = None,
    join: Annotated[
        str | None, typer.Option("--join", metavar="ADDRESS", help="Join a network at this super-peer, or these, a,b.")
    ] = None,
    network_address: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS", help="Where other super-peers reach this one, tcp://IP:PORT. Default: a free port."
        ),
    ] = None,
    join_seconds: Annotated[
        float | None, typer.Option(metavar="SECONDS", help="How long to wait until it is let in.")
    ] = None,
    network_patience: Annotated[
        float | None,
        typer.Option(metavar="FACTOR", help="How many times longer to wait for super-peers than on a local network."),
    ] = None,
    peers_address: Annotated[
        str | None,
        typer.Option(
            "--peers", "--peers-address", metavar="ADDRESS", help="Where peers come in, tcp://IP:PORT: an access point."
        ),
    ] = None,
    peers_seconds: Annotated[
        float | None,
        typer.Option(metavar="SECONDS", help="How long a peer that is off-line is remembered. Default 30 days."),
    ] = None,
    peers_most: Annotated[int | None, typer.Option(help="How many peers may be registered. Default 100000.")] = None,
    peers_invitations: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Invitations, one a line: a new peer has to show one (peer --invitation)."),
    ] = None,
) -> None:
    """Run a node: a durable broker for events and subscriptions, over HTTP.

    With --key it is a super-peer of a network, which it founds, or joins with --join. With --peers it is an access
    point: peers come and go there (triplewire peer), and the log says with which key.

    Every option can also be set in the environment (TRIPLEWIRE_PORT) and in the file of --config (port = 8080).
    """
    flags = {
        "data": data,
        "port": port,
        "host": host,
        "open": open_to_all,
        "log_json": log_json,
        "event_bytes": event_bytes,
        "event_quads": event_quads,
        "request_bytes": request_bytes,
        "head_seconds": head_seconds,
        "body_seconds": body_seconds,
        "contexts": contexts,
        "retention_age": retention_age,
        "retention_bytes": retention_bytes,
        "key_seconds": key_seconds,
        "housekeeping_seconds": housekeeping_seconds,
        "rule_seconds": rule_seconds,
        "query_seconds": query_seconds,
        "query_memory": query_memory,
        "allow_origin": allow_origin,
        "token_seconds": token_seconds,
        "allow_loopback_webhooks": allow_loopback_webhooks,
        "network_key": network_key,
        "join": join,
        "network_address": network_address,
        "join_seconds": join_seconds,
        "network_patience": network_patience,
        "peers_address": peers_address,
        "peers_seconds": peers_seconds,
        "peers_most": peers_most,
        "peers_invitations": peers_invitations,
    }
    # Importing the server takes a moment, in which a signal counts already.
    with Signals() as signals:
        _serve(flags, config, signals)


def _serve(flags: dict[str, Any], config: Path | None, signals: Signals) -> None:
    from triplewire.node.serve import serve
    from triplewire.node.settings import load_settings

    serve(load_settings(flags, os.environ, config), signals)
