"""Locations as the package `deltalake`, and the library of object stores under it, want them."""

from __future__ import annotations

from triplewire.pipeline.storage.location import GOOGLE, S3, Location
from triplewire.pipeline.storage.options import endpoint_of, region_of


def delta_uri(location: Location) -> str:
    """The URI of a location; a whole path where it is local."""
    return location.absolute().path if location.is_local else location.uri


def delta_options(location: Location) -> dict[str, str]:
    """The options that go with it."""
    options = {name.lower(): value for name, value in location.options.items()}
    if location.scheme == S3:
        return _s3(location, options)
    if location.scheme == GOOGLE and "google_application_credentials" in options:
        return {"google_application_credentials": options["google_application_credentials"]}
    return options


def _s3(location: Location, options: dict[str, str]) -> dict[str, str]:
    options.pop("aws_endpoint_url_s3", None)
    options.pop("aws_default_region", None)
    endpoint, region = endpoint_of(location.options), region_of(location.options)
    if endpoint:
        options["aws_endpoint_url"] = endpoint
        # The address says it already.
        options["aws_allow_http"] = str(endpoint.startswith("http://")).lower()
    if region or endpoint:
        options["aws_region"] = region or "us-east-1"
    return options
