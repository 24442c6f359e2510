"""What it takes to reach a storage: named by the usual environment variables, or by KEY=VALUE, which wins.

Options are named as the variables are; case does not matter. Where none is given, the storage's own library looks for
credentials as it always does: files in the home folder, or the role of the host.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from triplewire.errors import InputError

_KNOWN = {
    "s3": (
        "AWS_ACCESS_KEY_ID",
        "AWS_SECRET_ACCESS_KEY",
        "AWS_SESSION_TOKEN",
        "AWS_REGION",
        "AWS_DEFAULT_REGION",
        "AWS_ENDPOINT_URL",
        "AWS_ENDPOINT_URL_S3",
        "AWS_VIRTUAL_HOSTED_STYLE_REQUEST",
        "AWS_SKIP_SIGNATURE",
    ),
    "abfss": (
        "AZURE_STORAGE_ACCOUNT_NAME",
        "AZURE_STORAGE_ACCOUNT_KEY",
        "AZURE_STORAGE_SAS_TOKEN",
        "AZURE_CLIENT_ID",
        "AZURE_CLIENT_SECRET",
        "AZURE_TENANT_ID",
    ),
    "gs": ("GOOGLE_APPLICATION_CREDENTIALS",),
    "hdfs": ("HADOOP_USER_NAME",),
}


def environment_options(scheme: str) -> dict[str, str]:
    """The options of a storage that the environment of this process has."""
    return {name: value for name in _KNOWN.get(scheme, ()) if (value := os.environ.get(name))}


def merged_options(given: Mapping[str, str]) -> dict[str, str]:
    """Options as they were given, by the names of the variables.

    >>> merged_options({"aws_region": "eu-west-1"})
    {'AWS_REGION': 'eu-west-1'}
    """
    found = {key.upper(): value for key, value in given.items()}
    known = {name for names in _KNOWN.values() for name in names}
    unknown = sorted(found.keys() - known)
    if unknown:
        raise InputError(
            subject="a storage option", wanted=f"one of {', '.join(sorted(known))}", found=", ".join(unknown)
        )
    return found


def check_options(scheme: str, options: Mapping[str, str]) -> None:
    """Raise `InputError` for half a pair of keys, which some libraries pass over in silence."""
    pair = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")
    given = [name for name in pair if options.get(name)]
    if scheme == "s3" and len(given) == 1:
        raise InputError(subject="access to S3", wanted=" and ".join(pair), found=f"{given[0]} alone")


def endpoint_of(options: Mapping[str, str]) -> str | None:
    """The address of a server that speaks S3, if it is not Amazon's."""
    return options.get("AWS_ENDPOINT_URL_S3") or options.get("AWS_ENDPOINT_URL")


def region_of(options: Mapping[str, str]) -> str | None:
    return options.get("AWS_REGION") or options.get("AWS_DEFAULT_REGION")


def is_yes(text: str | None) -> bool:
    return (text or "").lower() in ("1", "true", "yes", "on")
