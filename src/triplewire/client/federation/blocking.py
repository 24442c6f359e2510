"""Rules across super-peers, for ordinary programs: each call returns when the super-peer has answered."""

from __future__ import annotations

from collections.abc import Callable

from triplewire.client.calls import Call
from triplewire.client.federation import calls
from triplewire.wire.network_rules import (
    AbortName,
    NetworkPrivileges,
    NetworkRule,
    NetworkSchema,
    NetworkTrace,
    NetworkTransaction,
    RuleRelevance,
)


class Federation:
    """The rules of a network, as a client of one of its super-peers sees them."""

    def __init__(self, call: Callable[[Call], bytes]) -> None:
        self._call = call

    def put_rule(self, name: str, text: str, *, abort: AbortName | None = None) -> NetworkRule:
        """Register an RDFTL rule with the network, or replace one's own of that name at this super-peer.

        Across super-peers the abort dependency is INDEPENDENT where the rule says what is the default on one node;
        `abort` says otherwise.
        """
        return calls.rule(self._call(calls.put(name, text, abort)))

    def rules(self) -> list[NetworkRule]:
        """This client's rules; an administrator's are all that the super-peer holds, replicas included."""
        return calls.rules(self._call(calls.RULES))

    def rule(self, rule: str) -> NetworkRule:
        """One rule, by its name at this super-peer or by its global identifier."""
        return calls.rule(self._call(calls.get(rule)))

    def delete_rule(self, rule: str) -> None:
        """Unregister a rule of this super-peer; every replica goes. What it has done stays."""
        self._call(calls.delete(rule))

    def relevance(self, text: str, *, wait: float = 2.0) -> RuleRelevance:
        """Which super-peers and peers a rule would concern, and why; others get `wait` seconds to say."""
        return calls.found_relevance(self._call(calls.relevance(text, wait)))

    def submit(self, text: str, *, wait: float = 10.0, idempotency_key: str | None = None) -> NetworkTransaction:
        """Execute RDFTL updates as one transaction of the network; "active" if it has not ended in `wait` seconds.

        One that was aborted is answered, and not raised.
        """
        return calls.transacted(self._call(calls.submit(text, wait, idempotency_key)))

    def transaction(self, transaction: str) -> NetworkTransaction:
        """How a transaction stands that was submitted at this super-peer."""
        return calls.transacted(self._call(calls.transaction(transaction)))

    def withdraw(self, transaction: str) -> NetworkTransaction:
        """Have a transaction abort, with all that has to abort with it."""
        return calls.transacted(self._call(calls.withdraw(transaction)))

    def trace(self, transaction: str, *, wait: float = 2.0) -> NetworkTrace:
        """How a transaction went across super-peers, and who aborts with whom; others get `wait` seconds to say."""
        return calls.traced(self._call(calls.trace(transaction, wait)))

    def privileges(self) -> NetworkPrivileges:
        """What other super-peers may do with the data of this one's group; for administrators."""
        return calls.privileges(self._call(calls.PRIVILEGES))

    def grant(self, privileges: NetworkPrivileges | str | bytes) -> None:
        """Let others do this from now on, and nothing else, as a Struct or as JSON; for administrators."""
        self._call(calls.grant(privileges))

    def schema(self) -> NetworkSchema:
        """The merged schema of the network, with who has data of what."""
        return calls.schema(self._call(calls.SCHEMA))
