"""Locations opened through pyarrow.fs, once a process, and what goes wrong there in one sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

import pyarrow as pa
from pyarrow import fs

from triplewire.errors import InputError, StorageError
from triplewire.pipeline.storage.location import AZURE, FILE, GOOGLE, HDFS, S3, Location
from triplewire.pipeline.storage.options import endpoint_of, is_yes, region_of

_CONNECT_SECONDS, _REQUEST_SECONDS, _ATTEMPTS = 5.0, 30.0, 4
_REASONS = (
    (re.compile(r"NO_SUCH_BUCKET|NoSuchBucket|bucket does not exist|ContainerNotFound", re.I), "no such bucket"),
    (re.compile(r"INVALID_ACCESS_KEY_ID|InvalidAccessKeyId", re.I), "an access key that it does not know"),
    (re.compile(r"SIGNATURE_DOES_NOT_MATCH|SignatureDoesNotMatch", re.I), "a secret that is not the key's"),
    (re.compile(r"ACCESS_DENIED|AccessDenied|Forbidden|403", re.I), "access denied"),
    (re.compile(r"UNAUTHENTICATED|Unauthorized|401|AuthenticationFailed", re.I), "credentials that it refuses"),
    (re.compile(r"NETWORK_CONNECTION|curlCode|Connection refused|error sending request|connect error", re.I),
     "no server that answers"),
)  # fmt: skip


def file_system(location: Location) -> fs.FileSystem:
    """The file system that a location is in."""
    return _opened(location.scheme, location.host, tuple(sorted(location.options.items())))


def path_in_system(location: Location) -> str:
    """The path of a location in its file system."""
    if location.scheme in (S3, GOOGLE):
        return f"{location.host}/{location.path}".rstrip("/")
    if location.scheme == AZURE:
        return f"{location.host.partition('@')[0]}/{location.path}".rstrip("/")
    if location.scheme == HDFS:
        return f"/{location.path}"
    return location.path or "."


@contextmanager
def explained(location: Location, doing: str) -> Iterator[None]:
    """Let what a storage that is not local says in the block reach the caller as a `StorageError`.

    A missing file stays a `FileNotFoundError`. What the local system says stays as it is: it has a number.
    """
    try:
        yield
    except (FileNotFoundError, FileExistsError, StorageError):
        raise
    except (OSError, pa.ArrowException) as error:
        if location.is_local:
            raise
        raise storage_error(location, doing, error) from None


def storage_error(location: Location, doing: str, error: BaseException) -> StorageError:
    """What a storage said, in one sentence."""
    text = str(error)
    found = next((reason for pattern, reason in _REASONS if pattern.search(text)), None)
    said = " ".join(text.split())[:300]
    return StorageError(wanted=f"to {doing}", found=f"{found} ({said})" if found else said, source=location.uri)


@lru_cache(maxsize=64)
def _opened(scheme: str, host: str, options: tuple[tuple[str, str], ...]) -> fs.FileSystem:
    found = dict(options)
    if scheme == FILE:
        return fs.LocalFileSystem()
    if scheme == S3:
        return fs.S3FileSystem(**_s3_arguments(found))
    if scheme == AZURE:
        return _azure(host, found)
    if scheme == GOOGLE:
        return fs.GcsFileSystem()
    return _hdfs(host, found)


def _s3_arguments(options: dict[str, str]) -> dict[str, Any]:
    endpoint = endpoint_of(options)
    arguments: dict[str, Any] = {
        "connect_timeout": _CONNECT_SECONDS,
        "request_timeout": _REQUEST_SECONDS,
        "retry_strategy": fs.AwsStandardS3RetryStrategy(max_attempts=_ATTEMPTS),
        "anonymous": is_yes(options.get("AWS_SKIP_SIGNATURE")),
        "force_virtual_addressing": is_yes(options.get("AWS_VIRTUAL_HOSTED_STYLE_REQUEST")),
    }
    named = {
        "access_key": options.get("AWS_ACCESS_KEY_ID"),
        "secret_key": options.get("AWS_SECRET_ACCESS_KEY"),
        "session_token": options.get("AWS_SESSION_TOKEN"),
        "region": region_of(options) or ("us-east-1" if endpoint else None),
    }
    arguments |= {name: value for name, value in named.items() if value}
    if endpoint:
        parts = urlsplit(endpoint)
        if parts.scheme not in ("http", "https") or not parts.netloc:
            raise InputError(
                subject="AWS_ENDPOINT_URL", wanted="http://HOST:PORT or https://HOST", found=repr(endpoint)
            )
        arguments |= {"scheme": parts.scheme, "endpoint_override": parts.netloc}
    return arguments


def _azure(host: str, options: dict[str, str]) -> fs.FileSystem:
    files, at, rest = host.partition("@")
    account = options.get("AZURE_STORAGE_ACCOUNT_NAME") or rest.partition(".")[0]
    if not (files and at and account):
        raise InputError(wanted="abfss://FILES@ACCOUNT.dfs.core.windows.net/PATH", found=f"abfss://{host}")
    named = {
        "account_key": options.get("AZURE_STORAGE_ACCOUNT_KEY"),
        "sas_token": options.get("AZURE_STORAGE_SAS_TOKEN"),
        "tenant_id": options.get("AZURE_TENANT_ID"),
        "client_id": options.get("AZURE_CLIENT_ID"),
        "client_secret": options.get("AZURE_CLIENT_SECRET"),
    }
    return fs.AzureFileSystem(account, **{name: value for name, value in named.items() if value})


def _hdfs(host: str, options: dict[str, str]) -> fs.FileSystem:
    name, _, port = host.partition(":")
    try:
        return fs.HadoopFileSystem(name, int(port or 8020), user=options.get("HADOOP_USER_NAME"))
    except (OSError, ValueError) as error:
        raise StorageError(
            wanted="to reach HDFS",
            found=str(error),
            hint="libhdfs is found by HADOOP_HOME and CLASSPATH",
            source=f"hdfs://{host}",
        ) from None
