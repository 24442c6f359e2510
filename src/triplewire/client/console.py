"""What consoles ask of a node, for programs of one's own: figures, trials of a query, matches over time, pauses.

>>> from triplewire.client import Client
>>> with Client("http://127.0.0.1:8080") as node:                       # doctest: +SKIP
...     trial = node.console.try_query("SELECT ?s WHERE { ?s a <http://example.org/Alarm> }")
...     print(trial.matched, trial.misses[0].reason)
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from triplewire.client import calls
from triplewire.client.calls import MEDIA_TYPES, Call, decoded
from triplewire.client.rules import RDFTL
from triplewire.wire.console import Figures, MatchHistory, RecentEvents, RuleAnalysis, Trial, Vocabulary, WhoAmI

_ME = Call("GET", "/me")
_OVERVIEW = Call("GET", "/overview")
_VOCABULARY = Call("GET", "/vocabulary")


def _trial(query: str, language: str, limit: int) -> Call:
    return Call("POST", "/trials", {"limit": str(limit)}, {"content-type": MEDIA_TYPES[language]}, query.encode())


def _history(name: str, bins: int, limit: int) -> Call:
    return Call("GET", f"{calls.subscription_path(name)}/history", {"bins": str(bins), "limit": str(limit)})


def _recent(limit: int) -> Call:
    return Call("GET", "/events/recent", {"limit": str(limit)})


def _analysis(rules: str | None) -> Call:
    if rules is None:
        return Call("GET", "/analysis")
    return Call("POST", "/analysis", {}, {"content-type": RDFTL}, rules.encode())


def _paused(name: str, is_paused: bool) -> Call:
    return Call("POST", f"{calls.subscription_path(name)}/{'pause' if is_paused else 'resume'}")


class Console:
    """What a client can see of its node."""

    def __init__(self, call: Callable[[Call], bytes]) -> None:
        self._call = call

    def who_am_i(self) -> WhoAmI:
        """This client, and what it may do."""
        return decoded(self._call(_ME), WhoAmI)

    def overview(self) -> Figures:
        """What the node has and does."""
        return decoded(self._call(_OVERVIEW), Figures)

    def recent_events(self, limit: int = 25) -> RecentEvents:
        """The newest events."""
        return decoded(self._call(_recent(limit)), RecentEvents)

    def vocabulary(self) -> Vocabulary:
        """Classes, properties and prefixes of the newest events."""
        return decoded(self._call(_VOCABULARY), Vocabulary)

    def try_query(self, query: str, *, language: str = "sparql", limit: int = 1_000) -> Trial:
        """What a query would have said about the newest events, and why the nearest others did not match."""
        return decoded(self._call(_trial(query, language, limit)), Trial)

    def history(self, name: str, *, bins: int = 60, limit: int = 10_000) -> MatchHistory:
        """How many of the newest events match a subscription, over time."""
        return decoded(self._call(_history(name, bins, limit)), MatchHistory)

    def pause(self, name: str) -> None:
        """Have nothing of a subscription handed out until it is resumed; what comes waits."""
        self._call(_paused(name, True))

    def resume(self, name: str) -> None:
        """Have a subscription's notifications handed out again."""
        self._call(_paused(name, False))

    def rule_analysis(self, rules: str | None = None) -> RuleAnalysis:
        """What the analysis says of this client's rules, also with these, each with `;;` behind it."""
        return decoded(self._call(_analysis(rules)), RuleAnalysis)


class AsyncConsole:
    """The same calls, awaited."""

    def __init__(self, call: Callable[[Call], Awaitable[bytes]]) -> None:
        self._call = call

    async def who_am_i(self) -> WhoAmI:
        """This client, and what it may do."""
        return decoded(await self._call(_ME), WhoAmI)

    async def overview(self) -> Figures:
        """What the node has and does."""
        return decoded(await self._call(_OVERVIEW), Figures)

    async def recent_events(self, limit: int = 25) -> RecentEvents:
        """The newest events."""
        return decoded(await self._call(_recent(limit)), RecentEvents)

    async def vocabulary(self) -> Vocabulary:
        """Classes, properties and prefixes of the newest events."""
        return decoded(await self._call(_VOCABULARY), Vocabulary)

    async def try_query(self, query: str, *, language: str = "sparql", limit: int = 1_000) -> Trial:
        """What a query would have said about the newest events, and why the nearest others did not match."""
        return decoded(await self._call(_trial(query, language, limit)), Trial)

    async def history(self, name: str, *, bins: int = 60, limit: int = 10_000) -> MatchHistory:
        """How many of the newest events match a subscription, over time."""
        return decoded(await self._call(_history(name, bins, limit)), MatchHistory)

    async def pause(self, name: str) -> None:
        """Have nothing of a subscription handed out until it is resumed; what comes waits."""
        await self._call(_paused(name, True))

    async def resume(self, name: str) -> None:
        """Have a subscription's notifications handed out again."""
        await self._call(_paused(name, False))

    async def rule_analysis(self, rules: str | None = None) -> RuleAnalysis:
        """What the analysis says of this client's rules, also with these, each with `;;` behind it."""
        return decoded(await self._call(_analysis(rules)), RuleAnalysis)
