"""Which of the project's extras brings a package, so that an error can say what to install."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from triplewire.errors import MissingExtra

EXTRAS: Mapping[str, str] = {
    "rdflib": "interop",
    "hypothesis": "testing",
    "pyshacl": "shacl",
    "pyspark": "spark",
    "py4j": "spark",
    "grpc": "connect",
    "grpc_status": "connect",
    "zstandard": "connect",
    "deltalake": "spark",
    "obstore": "spark",
    "pandas": "spark",
    "matplotlib": "spark",
    "fastapi": "node",
    "prometheus_client": "node",
    "starlette": "node",
    "uvicorn": "node",
    "websockets": "node",
    "httpx": "node",
    "cryptography": "node",
    "feedparser": "node",
    "zmq": "node",
    "mcp": "mcp",
    "mcp_types": "mcp",
    "opentelemetry": "otel",
}


@contextmanager
def needing(extra: str | None = None) -> Iterator[None]:
    """Raise `MissingExtra` in place of the error of an import whose package an extra brings.

    `extra` names the one to install where several bring the package.
    """
    try:
        yield
    except ModuleNotFoundError as missing:
        package = (missing.name or "").partition(".")[0]
        if package not in EXTRAS:
            raise
        raise MissingExtra(package, extra or EXTRAS[package]) from None
