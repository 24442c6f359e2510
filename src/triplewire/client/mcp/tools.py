"""What an agent may do at a node, each a few words, a schema and a call.

What it may not do, the node refuses: the agent has the rights of the client whose secret it was given, and no more
(row A15). What comes back was written by whoever published it: text to judge, not instructions.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from triplewire.client import calls
from triplewire.client.asynchronous import AsyncClient
from triplewire.client.calls import SubscriptionStatus, Verdict
from triplewire.client.mcp.resources import matches, uri_of
from triplewire.errors import InputError, LimitExceeded
from triplewire.rdf.events import Event

Language = Annotated[str, Meta(pattern="^(sparql|formula|graph)$", description="The language of the query.")]
Query = Annotated[str, Meta(description="A standing query, as SPARQL's SELECT, ASK or CONSTRUCT over one event.")]
Name = Annotated[str, Meta(description="The subscription's name.")]
_TRIED = 200
# What an agent can hold: beyond it a query asks for too much.
_ANSWER_CHARACTERS = 100_000


class QueryArguments(Struct, forbid_unknown_fields=True):
    sparql: Annotated[str, Meta(description="A SPARQL 1.1 query; use LIMIT.")]
    over: Annotated[
        str, Meta(pattern="^(living|events)$", description="The living graph, or every event that is kept.")
    ] = "living"


class TryArguments(Struct, forbid_unknown_fields=True):
    query: Query
    language: Language = "sparql"
    events: Annotated[int, Meta(ge=1, le=_TRIED, description="Over how many of the latest events.")] = 20


class SubscribeArguments(Struct, forbid_unknown_fields=True):
    name: Name
    query: Query
    language: Language = "sparql"
    start: Annotated[str, Meta(description='"now", "beginning", or a position of the log.')] = "now"


class NameArguments(Struct, forbid_unknown_fields=True):
    name: Name


class NoArguments(Struct, forbid_unknown_fields=True):
    pass


class MatchesArguments(Struct, forbid_unknown_fields=True):
    name: Name
    after: (
        Annotated[int, Meta(ge=0, description="After this position; by default after what was acknowledged.")] | None
    ) = None


class AcknowledgeArguments(Struct, forbid_unknown_fields=True):
    name: Name
    position: Annotated[int, Meta(ge=0, description="Everything up to here has been dealt with.")]


class ExplainArguments(Struct, forbid_unknown_fields=True):
    query: Query
    language: Language = "sparql"
    event: Annotated[str, Meta(description="The IRI of an event: does it match, and why, or why not?")] | None = None


class PublishArguments(Struct, forbid_unknown_fields=True):
    rdf: Annotated[str, Meta(description="Events: each named graph is one.")]
    format: Annotated[str, Meta(pattern="^(trig|nquads|jsonld)$", description="How the events are written.")] = "trig"


class Tool(Struct, frozen=True):
    """One thing that an agent may do. `is_reading` says that nothing changes by it."""

    name: str
    description: str
    arguments: type[Struct]
    call: Callable[[AsyncClient, Any], Awaitable[Any]]
    is_reading: bool = True

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON schema of the arguments, in one piece."""
        [found], components = msgspec.json.schema_components([self.arguments])
        return components[self.arguments.__name__] if "$ref" in found else found

    async def run(self, client: AsyncClient, given: dict[str, Any] | None) -> str:
        """What came of it, as JSON."""
        try:
            arguments = msgspec.convert(given or {}, self.arguments)
        except msgspec.ValidationError as error:
            raise InputError(wanted=f"the arguments of {self.name}", found=str(error)) from None
        text = msgspec.json.encode(await self.call(client, arguments)).decode()
        if len(text) > _ANSWER_CHARACTERS:
            hint = "ask for less, as by LIMIT"
            raise LimitExceeded(
                "characters", _ANSWER_CHARACTERS, wanted=f"an answer to hold; {hint}", found=f"{len(text):,}"
            )
        return text


async def _query(client: AsyncClient, given: QueryArguments) -> Any:
    over = calls.EVENTS if given.over == "events" else calls.LIVING
    answer = await client.query_document(given.sparql, f"{calls.RESULTS}, {calls.TRIPLES}", over=over)
    try:
        return msgspec.json.decode(answer)
    except msgspec.DecodeError:
        # A CONSTRUCT or a DESCRIBE has triples, as lines.
        return {"triples": answer.decode().splitlines()}


async def _try(client: AsyncClient, given: TryArguments) -> Any:
    """By asking the node about one event after the other, so that it is what a subscription would have found."""
    head = (await client.read_log(after=calls.MOST_POSITION, limit=1)).position
    page = await client.read_log(after=max(0, head - given.events), limit=given.events)
    # What this client may see of them, which may be nothing.
    tried = [event.graph.value for event in Event.parse(page.nquads, "nquads")] if page.nquads else []
    verdicts = [await client.explain(given.query, language=given.language, event=iri) for iri in tried]
    found = [{"event": v.event, "solutions": v.solutions} for v in verdicts if v.matches]
    return {"tried": len(tried), "matched": len(found), "matches": found, "why_not": _reasons(verdicts)}


def _reasons(verdicts: list[Verdict]) -> list[str]:
    """Why others did not match, each reason once."""
    return list(dict.fromkeys(verdict.reason for verdict in verdicts if not verdict.matches and verdict.reason))[:5]


async def _subscribe(client: AsyncClient, given: SubscribeArguments) -> Any:
    start = int(given.start) if given.start.isdecimal() else given.start
    made = await client.put_subscription(given.query, name=given.name, language=given.language, start=start)
    return _status(made) | {"resource": uri_of(made.name)}


async def _unsubscribe(client: AsyncClient, given: NameArguments) -> Any:
    await client.unsubscribe(given.name)
    return {"unsubscribed": given.name}


async def _subscriptions(client: AsyncClient, _: NoArguments) -> Any:
    return [_status(one) | {"resource": uri_of(one.name)} for one in await client.subscriptions()]


async def _matches(client: AsyncClient, given: MatchesArguments) -> Any:
    return await matches(client, given.name, given.after)


async def _acknowledge(client: AsyncClient, given: AcknowledgeArguments) -> Any:
    await client.acknowledge(given.name, given.position)
    return {"acknowledged": given.position}


async def _explain(client: AsyncClient, given: ExplainArguments) -> Any:
    return msgspec.to_builtins(await client.explain(given.query, language=given.language, event=given.event))


async def _publish(client: AsyncClient, given: PublishArguments) -> Any:
    return msgspec.to_builtins(await client.publish(given.rdf, given.format))


def _status(status: SubscriptionStatus) -> dict[str, Any]:
    found: dict[str, Any] = msgspec.to_builtins(status)
    return found


READING = (
    Tool("query", "Ask SPARQL of the node's living graph, or of all events that it keeps.", QueryArguments, _query),
    Tool(
        "try_subscription",
        "Before subscribing: which of the latest events would a query have matched, and why did others not?",
        TryArguments,
        _try,
    ),
    Tool("explain", "How a query is matched; with an event, whether it matches, and why.", ExplainArguments, _explain),
    Tool("subscriptions", "List the subscriptions, each with its resource.", NoArguments, _subscriptions),
    Tool("matches", "Read what a subscription has found and nobody has acknowledged yet.", MatchesArguments, _matches),
)
CHANGING = (
    Tool(
        "subscribe",
        "Leave a standing query. Its matches are a resource, kept by the node until they are acknowledged.",
        SubscribeArguments,
        _subscribe,
        is_reading=False,
    ),
    Tool("unsubscribe", "Forget a standing query and its matches.", NameArguments, _unsubscribe, is_reading=False),
    Tool(
        "acknowledge",
        "Say that matches up to a position have been dealt with; they are not shown again.",
        AcknowledgeArguments,
        _acknowledge,
        is_reading=False,
    ),
)
PUBLISHING = (
    Tool("publish", "Publish events; for good, and to everybody who subscribed.", PublishArguments, _publish, False),
)
