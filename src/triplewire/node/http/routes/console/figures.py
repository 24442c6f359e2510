"""`/me` and `/overview`: who asks, and what the node has and does, as JSON."""

from __future__ import annotations

import asyncio
import shutil
from importlib.metadata import version

from fastapi import APIRouter, Request, Response
from msgspec import Struct

from triplewire.node.http.authentication import client_of, node_of
from triplewire.node.http.openapi import BEARER, json_answer, json_response, problems
from triplewire.node.service import Node
from triplewire.store.disk import Connection
from triplewire.store.tables import dead_letters, log, outbox, rule_records
from triplewire.wire.console import Figures, WhoAmI

router = APIRouter(tags=["status"])


class _Kept(Struct, frozen=True):
    """What only the disk knows."""

    head: int
    floor: int
    rules: int
    dead_letters: int
    oldest: float | None


@router.get("/me", responses=json_answer(200, "The client", WhoAmI) | problems(401, 403), openapi_extra=BEARER)
async def who_am_i(request: Request) -> Response:
    """The client behind the request, and what it may do."""
    node, client = node_of(request), client_of(request)
    grant = client.rights.subscribe
    return json_response(
        WhoAmI(
            id=client.id,
            name=client.name,
            is_admin=client.rights.is_admin,
            may_publish=client.rights.publish is not None,
            may_read=grant is not None,
            may_read_everything=grant is not None and grant.is_everything,
            is_open=node.settings.open,
            node=node.id,
            version=version("triplewire"),
        )
    )


@router.get("/overview", responses=json_answer(200, "Figures", Figures) | problems(401, 403, 503), openapi_extra=BEARER)
async def overview(request: Request) -> Response:
    """What the node has and does. Subscriptions, rules and dead letters are one's own; an administrator's all."""
    node, client = node_of(request), client_of(request)
    owner = None if client.rights.is_admin else client.id
    kept = await node.broker.store.read(lambda tx: _kept(tx, owner))
    subscriptions, views, waiting = await asyncio.to_thread(_counted, node, owner)
    free = (await asyncio.to_thread(shutil.disk_usage, node.settings.data)).free
    return json_response(_figures(node, kept, (subscriptions, views, waiting), free))


def _kept(tx: Connection, owner: str | None) -> _Kept:
    # One look into an index for all; for one owner, one for each of its subscriptions.
    oldest = outbox.first_accepted(tx) if owner is None else min(outbox.oldest(tx, owner).values(), default=None)
    return _Kept(log.head(tx), log.floor(tx), rule_records.count(tx, owner), dead_letters.count(tx, owner), oldest)


def _counted(node: Node, owner: str | None) -> tuple[int, int, int]:
    """How many subscriptions and views there are, and for how many of both something waits."""
    index = node.broker.subscriptions.index
    records = list(index) if owner is None else index.of(owner)
    views = sum(record.is_view for record in records)
    waiting = sum(index.progress(record.number).bytes_waiting > 0 for record in records)
    return len(records) - views, views, waiting


def _figures(node: Node, kept: _Kept, counted: tuple[int, int, int], free: int) -> Figures:
    broker, now = node.broker, node.broker.date.time()
    counters, commits = broker.state.counters, broker.store.stats.seconds
    subscriptions, views, waiting = counted
    return Figures(
        time=now,
        uptime=broker.clock.monotonic() - node.began,
        published=counters.published,
        matched=counters.matched,
        delivered=counters.delivered,
        acknowledged=counters.acknowledged,
        candidates=counters.candidates,
        subscriptions=subscriptions,
        views=views,
        rules=kept.rules,
        dead_letters=kept.dead_letters,
        oldest_waiting=0.0 if kept.oldest is None else max(0.0, now - kept.oldest),
        waiting=waiting,
        writer_queue=broker.store.queue_length,
        log_bytes=broker.state.log_bytes,
        disk_free=free,
        head=kept.head,
        floor=kept.floor,
        living_quads=broker.living.store.size,
        commits=commits.count,
        commit_seconds=commits.sum / commits.count if commits.count else 0.0,
        in_network=node.overlay is not None,
        in_space=node.space is not None,
    )
