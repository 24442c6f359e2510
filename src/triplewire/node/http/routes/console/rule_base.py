"""`/analysis`: what the analysis says of all rules, also with one that is not registered yet."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from triplewire.languages.rdftl import parse_rules
from triplewire.node.http.authentication import client_of, node_of
from triplewire.node.http.bodies import RDFTL, require_rdftl
from triplewire.node.http.openapi import BEARER, json_answer, json_response, problems
from triplewire.node.http.routes.subscriptions import text_of
from triplewire.wire.console import RuleAnalysis

router = APIRouter(tags=["rules"])

_ANSWER = json_answer(200, "What the analysis says", RuleAnalysis)
_BODY = {"requestBody": {"required": True, "content": {RDFTL: {"schema": {"type": "string"}}}}}


@router.get("/analysis", responses=_ANSWER | problems(401, 403), openapi_extra=BEARER)
async def analysis(request: Request) -> Response:
    """What may trigger what, whether it ends, and what to look at: of one's own rules, or an administrator's of all."""
    node, client = node_of(request), client_of(request)
    return json_response(await node.broker.rules.analysis(client))


@router.post("/analysis", responses=_ANSWER | problems(400, 401, 403, 413, 415), openapi_extra=BEARER | _BODY)
async def analysis_with(request: Request) -> Response:
    """The same with the rules in the body, each with `;;` behind it, as if they were registered."""
    node, client = node_of(request), client_of(request)
    require_rdftl(request)
    return json_response(await node.broker.rules.analysis(client, parse_rules(await text_of(request))))
