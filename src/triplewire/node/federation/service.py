"""What a node does for its clients about rules of scope network."""

from __future__ import annotations

from typing import Protocol

from triplewire.store.tables.identities import Client
from triplewire.wire.network_rules import (
    AbortName,
    NetworkPrivileges,
    NetworkRule,
    NetworkSchema,
    NetworkTrace,
    NetworkTransaction,
    RuleRelevance,
)


class Federation(Protocol):
    """Rules across super-peers, as one of them offers them."""

    async def put_rule(self, client: Client, name: str, text: str, abort: AbortName | None) -> NetworkRule: ...

    async def remove_rule(self, client: Client, rule: str) -> None: ...

    async def rules(self, client: Client) -> list[NetworkRule]: ...

    async def find_rule(self, client: Client, rule: str) -> NetworkRule: ...

    async def relevance(self, client: Client, text: str, seconds: float) -> RuleRelevance: ...

    async def submit(self, client: Client, text: str, seconds: float) -> NetworkTransaction: ...

    async def withdraw(self, client: Client, unit: str) -> NetworkTransaction: ...

    async def transaction(self, client: Client, unit: str) -> NetworkTransaction: ...

    async def trace(self, client: Client, unit: str, seconds: float) -> NetworkTrace: ...

    async def privileges(self, client: Client) -> NetworkPrivileges: ...

    async def grant(self, client: Client, privileges: NetworkPrivileges) -> None: ...

    async def schema(self, client: Client) -> NetworkSchema: ...
