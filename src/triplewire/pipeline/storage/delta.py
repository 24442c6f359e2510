"""Locations as the package `deltalake`, and the library of object stores under it, want them."""

from __future__ import annotations

from triplewire.pipeline.storage.location import S3, Location
from triplewire.pipeline.storage.options import endpoint_of, region_of

# A server that is away for longer is an error: the library itself would try for three minutes.
_PATIENCE = {"connect_timeout": "5s", "max_retries": "5", "retry_timeout": "30s"}


def delta_uri(location: Location) -> str:
    """The URI of a location; a whole path where it is local."""
    return location.absolute().path if location.is_local else location.uri


def delta_options(location: Location) -> dict[str, str]:
    """The options that go with it."""
    if location.is_local:
        return {}
    plain_http = {"aws_allow_http": "true"} if _is_plain_http(location) else {}
    return {**store_options(location), **plain_http, **_PATIENCE}


def store_options(location: Location) -> dict[str, str]:
    """What says which storage, and lets us in."""
    options = {name.lower(): value for name, value in location.options.items()}
    if location.scheme == S3:
        return _s3(location, options)
    return options


def client_options(location: Location) -> dict[str, object]:
    """How requests are made: what obstore wants apart."""
    return {"allow_http": _is_plain_http(location), "connect_timeout": _PATIENCE["connect_timeout"]}


def _is_plain_http(location: Location) -> bool:
    """The address says it already."""
    return (endpoint_of(location.options) or "").startswith("http://")


def _s3(location: Location, options: dict[str, str]) -> dict[str, str]:
    options.pop("aws_endpoint_url_s3", None)
    options.pop("aws_default_region", None)
    endpoint, region = endpoint_of(location.options), region_of(location.options)
    if endpoint:
        options["aws_endpoint_url"] = endpoint
    if region or endpoint:
        options["aws_region"] = region or "us-east-1"
    return options
