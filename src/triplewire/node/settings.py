"""Settings: each by flag, by environment variable and by file, in that order of precedence.

A flag `--retention-age` is `TRIPLEWIRE_RETENTION_AGE` in the environment and `retention_age` in the file, a TOML file.
"""

from __future__ import annotations

import ipaddress
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import msgspec
from msgspec import Meta, Struct

from triplewire.errors import InputError
from triplewire.node.access.origins import ANY, origins_of
from triplewire.rdf.limits import MIB, Limits
from triplewire.store.retention import KEY_SECONDS
from triplewire.store.tables.living_graph import CHANGE_QUADS

PREFIX = "TRIPLEWIRE_"
_REQUEST_BYTES = 16 * MIB
Count = Annotated[int, Meta(ge=1)]
Port = Annotated[int, Meta(ge=0, le=65_535)]
# Neither nothing nor for ever, which also leaves out what is not a number.
Seconds = Annotated[float, Meta(gt=0, le=1e12)]


def _about(text: str, metavar: str | None = None, *flags: str) -> Meta:
    """What a setting means, as help and documents show it; `flags` replace the one made from its name."""
    return Meta(description=text, extra={"metavar": metavar, "flags": flags})


class Settings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a node runs. The flags of `triplewire serve` are made from these fields."""

    data: Annotated[Path, _about("The folder that holds everything.", "PATH")]
    host: Annotated[str, _about("The address to listen at.", "NAME")] = "127.0.0.1"
    port: Annotated[Port, _about("The port to listen at; 0 is any free one.", "PORT")] = 8080
    open: Annotated[bool, _about("No authentication; on a loopback address only.")] = False
    log_json: Annotated[bool, _about("Log lines as JSON objects.")] = False
    log_level: Annotated[
        Annotated[str, Meta(pattern="^(debug|info|warning|error)$")],
        _about("From which level on there is a line in the log: debug, info, warning or error.", "LEVEL"),
    ] = "info"
    access_log: Annotated[bool, _about("A line in the log for each request, without what follows the ?.")] = False
    event_bytes: Annotated[Count, _about("How large one event may be.", "BYTES")] = MIB
    event_quads: Annotated[Count, _about("How many quads one event may have.", "QUADS")] = 10_000
    request_bytes: Annotated[
        Count | None, _about("How large the body of one request may be. Default 16 MiB, or one event.", "BYTES")
    ] = None
    contexts: Annotated[Path | None, _about("JSON-LD contexts: a JSON map of URLs to files.", "FILE")] = None
    head_seconds: Annotated[Seconds, _about("How long the head of a request may take to arrive.", "SECONDS")] = 15.0
    body_seconds: Annotated[
        Seconds, _about("How long the body of a request may take to arrive after its head.", "SECONDS")
    ] = 30.0
    retention_age: Annotated[Seconds | None, _about("How long events are kept. Default: always.", "SECONDS")] = None
    retention_bytes: Annotated[
        Annotated[int, Meta(ge=0)] | None, _about("How many bytes of events are kept. Default: all.", "BYTES")
    ] = None
    key_seconds: Annotated[Seconds, _about("How long an Idempotency-Key is remembered.", "SECONDS")] = KEY_SECONDS
    housekeeping_seconds: Annotated[Seconds, _about("How often retention is looked after.", "SECONDS")] = 60.0
    query_seconds: Annotated[Seconds, _about("How long one SPARQL query may take.", "SECONDS")] = 10.0
    query_memory: Annotated[
        Count, _about("How much memory the process that evaluates SPARQL queries may have.", "BYTES")
    ] = 4096 * MIB
    rule_seconds: Annotated[
        Seconds,
        _about("How long updates may take with the rules that they trigger; publishing waits meanwhile.", "SECONDS"),
    ] = 2.0
    change_quads: Annotated[
        Count, _about("How many quads one change of the living graph may add and remove.", "QUADS")
    ] = CHANGE_QUADS
    merge_events: Annotated[bool, _about("Let the graph of each published event be in the living graph.")] = False
    allow_origin: Annotated[
        str | None, _about("Let web pages of this origin use the node, or of these, a,b; * is any.", "ORIGIN")
    ] = None
    public_url: Annotated[
        Annotated[str, Meta(pattern="^https?://[^/?# ]+/?$")] | None,
        _about("The node's address as clients know it, if a proxy stands in between. Default: as they ask.", "URL"),
    ] = None
    token_seconds: Annotated[Seconds, _about("How long a stream token opens a stream.", "SECONDS")] = 60.0
    sepa_token_seconds: Annotated[
        Seconds, _about("How long an access token of SEPA's protocol is good for.", "SECONDS")
    ] = 600.0
    sepa_invitations: Annotated[
        Path | None,
        _about(
            "Identities, one a line, under which SEPA's clients may register. Default: none, unless --open.", "FILE"
        ),
    ] = None
    allow_loopback_webhooks: Annotated[bool, _about("Let webhooks lead to this machine.")] = False
    solid_receivers: Annotated[
        str | None,
        _about("Origins, a,b, to which Solid's webhooks go without a challenge, which those do not know.", "ORIGIN"),
    ] = None
    network_key: Annotated[
        Path | None,
        _about(
            "The key of a network, to be one of its super-peers; with --space, of a space.",
            "FILE",
            "--key",
            "--network-key",
        ),
    ] = None
    join: Annotated[str | None, _about("Join at this super-peer or node, or these, a,b.", "ADDRESS")] = None
    """Without it the node founds a network or a space, or goes on in the one that it was in."""
    network_address: Annotated[
        str | None, _about("Where other super-peers reach this one, tcp://IP:PORT. Default: a free port.", "ADDRESS")
    ] = None
    join_seconds: Annotated[Seconds, _about("How long to wait until a network lets the node in.", "SECONDS")] = 30.0
    network_patience: Annotated[
        Annotated[float, Meta(ge=0.1, le=100)],
        _about("How many times longer to wait for super-peers than on a local network.", "FACTOR"),
    ] = 1.0
    network_rules: Annotated[
        bool,
        _about(
            "In a network, carry rules across super-peers; the living graph is a peer.",
            None,
            "--network-rules/--no-network-rules",
        ),
    ] = True
    space: Annotated[bool, _about("Be a node of an event space, whose key is --key, and of no network.")] = False
    space_address: Annotated[
        str | None,
        _about("Where other nodes reach this one, tcp://IP:PORT. Default: a free port.", "ADDRESS"),
    ] = None
    strategy: Annotated[
        Annotated[str, Meta(pattern="^(csma|osma|auto)$")],
        _about("How events go into the space: csma, one quadruple at a time; osma, whole; or auto, by size.", "NAME"),
    ] = "auto"
    space_seconds: Annotated[
        Seconds, _about("How long a publisher or subscriber waits until the space has what it sent.", "SECONDS")
    ] = 15.0
    peers_address: Annotated[
        str | None,
        _about("Where peers come in, tcp://IP:PORT: an access point.", "ADDRESS", "--peers", "--peers-address"),
    ] = None
    peers_seconds: Annotated[
        Seconds, _about("How long a peer that is off-line is remembered, with all that is its own.", "SECONDS")
    ] = 30 * 86_400.0
    peers_most: Annotated[Count, _about("How many peers may be registered.", "COUNT")] = 100_000
    peers_invitations: Annotated[
        Path | None, _about("Invitations, one a line: a new peer has to show one (peer --invitation).", "FILE")
    ] = None

    @property
    def seeds(self) -> tuple[str, ...]:
        """Where to join."""
        return tuple(address.strip() for address in (self.join or "").split(",") if address.strip())

    @property
    def origins(self) -> frozenset[str]:
        """Whose pages may use the node."""
        return origins_of(self.allow_origin or "")

    @property
    def known_receivers(self) -> frozenset[str]:
        """Who need not answer a challenge."""
        return origins_of(self.solid_receivers or "")

    @property
    def limits(self) -> Limits:
        """What holds for events, and for the documents that bring them."""
        body = self.request_bytes or max(_REQUEST_BYTES, self.event_bytes)
        expanded = max(Limits().expanded_bytes, body)
        return Limits(
            event_bytes=self.event_bytes, document_bytes=body, expanded_bytes=expanded, quads=self.event_quads
        )


def load_settings(flags: Mapping[str, Any], environment: Mapping[str, str], file: Path | None = None) -> Settings:
    """Put settings together. A flag that is None was not given.

    >>> load_settings({"data": "d", "port": None}, {"TRIPLEWIRE_PORT": "99"}).port
    99
    """
    given = _from_file(file) | _from_environment(environment) | _from_flags(flags)
    if "data" not in given:
        raise InputError(wanted="a folder for the node's data", found="none", hint=f"--data, or ${PREFIX}DATA")
    fields = {field.name: field.type for field in msgspec.structs.fields(Settings)}
    settings = Settings(**{name: _converted(setting, fields[name]) for name, setting in given.items()})
    if settings.open and not is_loopback(settings.host):
        raise InputError(
            wanted="a loopback address with --open, which lets everybody in",
            found=repr(settings.host),
            hint="use --host 127.0.0.1, or leave --open out",
        )
    if ANY in origins_of(settings.solid_receivers or ""):
        raise InputError(wanted="origins by name in --solid-receivers", found="*, which is everybody's")
    if ANY in settings.origins and settings.open:
        raise InputError(
            wanted="origins by name with --open, which asks nobody for a secret",
            found="*: every page that somebody on this machine visits could use the node",
        )
    return settings


def is_loopback(host: str) -> bool:
    """Whether a host is this machine only.

    >>> is_loopback("127.0.0.1"), is_loopback("::1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, True, False)
    """
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class _Given(NamedTuple):
    """A value, and where it was given: a flag, a variable, a line of a file."""

    value: Any
    origin: str


def _from_file(file: Path | None) -> dict[str, _Given]:
    if file is None:
        return {}
    try:
        read = tomllib.loads(file.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(wanted="settings as TOML", found=f"something else: {error}", source=str(file)) from None
    for name in read:
        if name not in Settings.__struct_fields__:
            wanted = ", ".join(sorted(Settings.__struct_fields__))
            raise InputError(wanted=f"settings among {wanted}", found=repr(name), source=str(file))
    return {name: _Given(value, f"{name} in {file}") for name, value in read.items()}


def _from_environment(environment: Mapping[str, str]) -> dict[str, _Given]:
    keys = {name: f"{PREFIX}{name.upper()}" for name in Settings.__struct_fields__}
    return {name: _Given(environment[key], f"${key}") for name, key in keys.items() if key in environment}


def _from_flags(flags: Mapping[str, Any]) -> dict[str, _Given]:
    return {name: _Given(value, f"--{name.replace('_', '-')}") for name, value in flags.items() if value is not None}


def _converted(given: _Given, kind: Any) -> Any:
    try:
        return msgspec.convert(given.value, kind, strict=False, dec_hook=_path)
    except msgspec.ValidationError as error:
        raise InputError(
            wanted="settings that make sense", found=f"{given.origin} = {given.value!r}: {error}"
        ) from None


def _path(kind: type, value: Any) -> Any:
    if kind is Path and isinstance(value, str | Path):
        return Path(value)
    raise NotImplementedError(f"wanted a {kind.__name__}, found {value!r}")
