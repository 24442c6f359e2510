"""`/dead-letters`: notifications that were given up; one's own, and an administrator sees all."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query, Request, Response

from triplewire.errors import UnknownLetter
from triplewire.node.http.authentication import client_of, node_of
from triplewire.node.http.openapi import BEARER, json_answer, json_response, problems
from triplewire.node.http.paging import Search, page_of
from triplewire.node.http.routes.events import MOST_POSITION
from triplewire.node.service import Node
from triplewire.store.tables.dead_letters import DeadLetter
from triplewire.store.tables.identities import Client
from triplewire.wire.answers import DeadLetterList, DeadLetterView

router = APIRouter(tags=["delivery"])

Caller = Annotated[Client, Depends(client_of)]
LetterId = Annotated[int, Path(ge=0, le=MOST_POSITION)]


@router.get(
    "/dead-letters",
    responses=json_answer(200, "Dead letters", DeadLetterList) | problems(400, 401, 403),
    openapi_extra=BEARER,
)
async def dead_letters(
    request: Request,
    client: Caller,
    after: Annotated[int, Query(ge=0, le=MOST_POSITION)] = 0,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
    search: Search = "",
) -> Response:
    """Notifications that were given up, oldest first. `next` is where to read on. `search` goes by subscription."""
    node = node_of(request)
    owner = None if client.rights.is_admin else client.id
    letters = node.broker.dead_letters
    if search:
        found = await letters.of_subscriptions(_named_like(node, owner, search), after, limit + 1)
    else:
        found = await letters.after(owner, after=after, limit=limit + 1)
    listed = [_shown(node, letter) for letter in found[:limit]]
    return json_response(DeadLetterList(listed, listed[-1].id if len(found) > limit else None))


@router.post(
    "/dead-letters/{letter_id}/delivery",
    status_code=204,
    responses=problems(400, 401, 403, 404, 502),
    openapi_extra=BEARER,
)
async def send_again(request: Request, letter_id: LetterId, client: Caller) -> None:
    """Send a dead letter again, now; it is forgotten when the receiver accepts it."""
    node = node_of(request)
    await node.webhooks.send_again(await _dead_letter(node, client, letter_id))


@router.delete(
    "/dead-letters/{letter_id}", status_code=204, responses=problems(400, 401, 403, 404), openapi_extra=BEARER
)
async def forget(request: Request, letter_id: LetterId, client: Caller) -> None:
    """Forget a dead letter."""
    node = node_of(request)
    await node.broker.dead_letters.remove((await _dead_letter(node, client, letter_id)).id)


async def _dead_letter(node: Node, client: Client, letter_id: int) -> DeadLetter:
    """A dead letter that the client may see. Another's looks like one that is not there."""
    letter = await node.broker.dead_letters.find(letter_id)
    record = None if letter is None else node.broker.subscriptions.index.get(letter.subscription)
    if letter is None or record is None or not (client.rights.is_admin or record.owner == client.id):
        raise UnknownLetter(wanted=f"the dead letter {letter_id}", found="none")
    return letter


def _named_like(node: Node, owner: str | None, search: str) -> list[int]:
    """The subscriptions of an owner, or of all, whose names a search finds."""
    index = node.broker.subscriptions.index
    records = index if owner is None else index.of(owner)
    return [record.number for record in page_of(records, search, lambda record: (record.name,)).items]


def _shown(node: Node, letter: DeadLetter) -> DeadLetterView:
    record = node.broker.subscriptions.index.get(letter.subscription)
    return DeadLetterView(
        id=letter.id,
        subscription=None if record is None else record.name,
        event=letter.event,
        position=letter.position,
        reason=letter.reason,
        attempts=letter.attempts,
    )
