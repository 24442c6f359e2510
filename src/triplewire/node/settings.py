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

PREFIX = "TRIPLEWIRE_"
_REQUEST_BYTES = 16 * MIB
Count = Annotated[int, Meta(ge=1)]
# Neither nothing nor for ever, which also leaves out what is not a number.
Seconds = Annotated[float, Meta(gt=0, le=1e12)]


class Settings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a node runs."""

    data: Path
    """The folder that holds everything."""
    host: str = "127.0.0.1"
    port: Annotated[int, Meta(ge=0, le=65_535)] = 8080
    open: bool = False
    """No authentication: whoever connects may do everything. Loopback only."""
    log_json: bool = False
    """Log lines as JSON objects."""
    event_bytes: Count = MIB
    """How large one event may be."""
    event_quads: Count = 10_000
    """How many quads one event may have."""
    request_bytes: Count | None = None
    """How large the body of one request may be; by default 16 MiB, or one event where that is more."""
    contexts: Path | None = None
    """A JSON file that has a local file for each JSON-LD context that events may name by address."""
    head_seconds: Seconds = 15.0
    """How long the head of a request may take to arrive."""
    body_seconds: Seconds = 30.0
    """How long the body of a request may take to arrive, from its head on."""
    retention_age: Seconds | None = None
    """How long events are kept, in seconds."""
    retention_bytes: Annotated[int, Meta(ge=0)] | None = None
    """How many bytes of events are kept."""
    key_seconds: Seconds = KEY_SECONDS
    """How long an Idempotency-Key is remembered."""
    housekeeping_seconds: Seconds = 60.0
    """How often retention is looked after."""
    query_seconds: Seconds = 10.0
    """How long one SPARQL query may take."""
    query_memory: Count = 4096 * MIB
    """How much memory the process that evaluates SPARQL queries may have."""
    rule_seconds: Seconds = 2.0
    """How long updates with the rules that they trigger may take; nobody can publish meanwhile."""
    allow_origin: str | None = None
    """Origins of web pages that may use the node, with commas between them; `*` for any, unless the node is open."""
    token_seconds: Seconds = 60.0
    """How long a stream token opens a stream; the stream may go on."""
    allow_loopback_webhooks: bool = False
    """Let webhooks lead to this machine."""
    network_key: Path | None = None
    """The file with the key of a network of super-peers, of which the node is then one."""
    join: str | None = None
    """Addresses of super-peers to join at, with commas between them. Without it the node founds a network, or goes on
    in the one that it was in."""
    network_address: str | None = None
    """Where other super-peers reach this one; a free port of `host` by default."""
    join_seconds: Seconds = 30.0
    """How long a newcomer waits until it is let in."""
    network_patience: Annotated[float, Meta(ge=0.1, le=100)] = 1.0
    """How many times longer than on a local network super-peers wait for each other."""

    peers_address: str | None = None
    """Where peers come in, as tcp://IP:PORT; without it the node is no access point."""
    peers_seconds: Seconds = 30 * 86_400.0
    """How long a peer that is off-line is remembered, with all that is its own."""
    peers_most: Count = 100_000
    """How many peers may be registered."""
    peers_invitations: Path | None = None
    """A file of invitations, one a line: a new peer has to show one. Without it anybody with the key may register."""

    @property
    def seeds(self) -> tuple[str, ...]:
        """Where to join."""
        return tuple(address.strip() for address in (self.join or "").split(",") if address.strip())

    @property
    def origins(self) -> frozenset[str]:
        """Whose pages may use the node."""
        return origins_of(self.allow_origin or "")

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
        raise InputError(f"wanted a folder for the node's data, found none: --data, or ${PREFIX}DATA")
    fields = {field.name: field.type for field in msgspec.structs.fields(Settings)}
    settings = Settings(**{name: _converted(setting, fields[name]) for name, setting in given.items()})
    if settings.open and not is_loopback(settings.host):
        raise InputError(
            f"wanted a loopback address with --open, which lets everybody in, found {settings.host!r}; "
            "use --host 127.0.0.1, or leave --open out"
        )
    if ANY in settings.origins and settings.open:
        raise InputError(
            "wanted origins by name with --open, which asks nobody for a secret, found *: every page that somebody on "
            "this machine visits could use the node"
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
        raise InputError(f"wanted settings as TOML: {error}", source=str(file)) from None
    for name in read:
        if name not in Settings.__struct_fields__:
            wanted = ", ".join(sorted(Settings.__struct_fields__))
            raise InputError(f"wanted settings among {wanted}, found {name!r}", source=str(file))
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
        raise InputError(f"wanted settings that make sense, found {given.origin} = {given.value!r}: {error}") from None


def _path(kind: type, value: Any) -> Any:
    if kind is Path and isinstance(value, str | Path):
        return Path(value)
    raise NotImplementedError(f"wanted a {kind.__name__}, found {value!r}")
