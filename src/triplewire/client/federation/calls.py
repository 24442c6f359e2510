"""Rules across super-peers: what a client asks for, and what it makes of the answers. Pure."""

from __future__ import annotations

import re

import msgspec

from triplewire.client.calls import JSON, Call, decoded
from triplewire.client.rules import RDFTL, path_of
from triplewire.errors import InputError
from triplewire.wire.network_rules import (
    AbortName,
    NetworkPrivileges,
    NetworkRule,
    NetworkRules,
    NetworkSchema,
    NetworkTrace,
    NetworkTransaction,
    RuleRelevance,
)

NETWORK = {"scope": "network"}
_RULE = {"content-type": RDFTL}
_UNIT = re.compile(r"sp-[\x21-\x2e\x30-\x7e]+/[0-9]+")

# Rules

RULES = Call("GET", "/rules", NETWORK)


def put(name: str, text: str, abort: AbortName | None) -> Call:
    params = NETWORK if abort is None else NETWORK | {"abort": abort}
    return Call("PUT", path_of(name), params, _RULE, text.encode())


def get(rule: str) -> Call:
    return Call("GET", path_of(rule), NETWORK, {"accept": JSON})


def delete(rule: str) -> Call:
    return Call("DELETE", path_of(rule), NETWORK)


def relevance(text: str, wait: float) -> Call:
    return Call("POST", "/rules/relevance", {"wait": str(wait)}, _RULE, text.encode(), wait)


def rule(content: bytes) -> NetworkRule:
    return decoded(content, NetworkRule)


def rules(content: bytes) -> list[NetworkRule]:
    return list(decoded(content, NetworkRules).rules)


def found_relevance(content: bytes) -> RuleRelevance:
    return decoded(content, RuleRelevance)


# Transactions


def submit(text: str, wait: float, key: str | None) -> Call:
    headers = _RULE if key is None else _RULE | {"idempotency-key": key}
    return Call("POST", "/updates", NETWORK | {"wait": str(wait)}, headers, text.encode(), wait)


def transaction(unit: str) -> Call:
    return Call("GET", _path(unit))


def trace(unit: str, wait: float) -> Call:
    return Call("GET", f"{_path(unit)}/trace", {"wait": str(wait)}, seconds=wait)


def withdraw(unit: str) -> Call:
    return Call("DELETE", _path(unit))


def is_unit(text: str) -> bool:
    """Whether this is how a transaction of the network is called.

    >>> is_unit("sp-7f3a/12"), is_unit("12"), is_unit("tuesday/12")
    (True, False, False)
    """
    return _UNIT.fullmatch(text) is not None


def transacted(content: bytes) -> NetworkTransaction:
    return decoded(content, NetworkTransaction)


def traced(content: bytes) -> NetworkTrace:
    return decoded(content, NetworkTrace)


def _path(unit: str) -> str:
    if not is_unit(unit):
        raise InputError(wanted="a transaction of the network, such as sp-7f3a/12", found=repr(unit))
    return f"/transactions/{unit}"


# Privileges and the schema

PRIVILEGES = Call("GET", "/privileges")
SCHEMA = Call("GET", "/schema", NETWORK)


def grant(privileges: NetworkPrivileges | str | bytes) -> Call:
    """As a Struct, or as the JSON that the node takes."""
    given = privileges.encode() if isinstance(privileges, str) else privileges
    content = given if isinstance(given, bytes) else msgspec.json.encode(given)
    return Call("PUT", "/privileges", headers={"content-type": JSON}, content=content)


def privileges(content: bytes) -> NetworkPrivileges:
    return decoded(content, NetworkPrivileges)


def schema(content: bytes) -> NetworkSchema:
    return decoded(content, NetworkSchema)
