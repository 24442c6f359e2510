"""JSAP files for a node, and for one behind a proxy that ends TLS."""

from __future__ import annotations

from typing import Any

_PATH = {"method": "POST", "format": "JSON"}
# Where SEPA's client for JavaScript goes when it has registered, whatever its file says.
TLS_PORT = 8443


def profile(port: int) -> dict[str, Any]:
    """A node on this machine. It has everything on one port."""
    return {
        "host": "127.0.0.1",
        "oauth": {"enable": False, "tokenRequest": f"http://127.0.0.1:{port}/oauth/token"},
        "sparql11protocol": {
            "protocol": "http",
            "port": port,
            "query": {"path": "/sepa/query", **_PATH},
            "update": {"path": "/sepa/update", **_PATH},
        },
        "sparql11seprotocol": {
            "protocol": "ws",
            "availableProtocols": {"ws": {"port": port, "path": "/sepa/subscribe"}},
        },
    }


def tls_profile(host: str) -> dict[str, Any]:
    """A node behind a proxy."""
    oauth = f"https://{host}:{TLS_PORT}/oauth"
    return {
        "host": host,
        "oauth": {"enable": True, "register": f"{oauth}/register", "tokenRequest": f"{oauth}/token"},
        "sparql11protocol": {
            "protocol": "https",
            "port": TLS_PORT,
            "query": {"path": "/secure/query", **_PATH},
            "update": {"path": "/secure/update", **_PATH},
        },
        "sparql11seprotocol": {
            "protocol": "wss",
            "availableProtocols": {"wss": {"port": TLS_PORT, "path": "/secure/subscribe"}},
        },
    }


APPLICATION = {
    "namespaces": {"ex": "http://example.org/", "xsd": "http://www.w3.org/2001/XMLSchema#"},
    "extended": {},
    "updates": {
        "ADD": {
            "sparql": "INSERT DATA { ?person ex:says ?text }",
            "forcedBindings": {
                "person": {"type": "uri", "value": "http://example.org/nobody"},
                "text": {"type": "literal", "value": ""},
            },
        },
    },
    "queries": {
        "SAID": {
            "sparql": "SELECT ?text WHERE { ?person ex:says ?text }",
            "forcedBindings": {"person": {"type": "uri", "value": "http://example.org/nobody"}},
        },
    },
}
