"""Errors as problem details (RFC 9457): a type, a title, a status, one sentence, and the error's own fields."""

from __future__ import annotations

import logging
import re
from http import HTTPStatus
from typing import Any

import msgspec
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from triplewire import errors
from triplewire.node.http.sepa.refusals import formed_for

_log = logging.getLogger(__name__)

MEDIA_TYPE = "application/problem+json"
_TYPE = "urn:triplewire:problem:"
_NOT_ALLOWED = 405

# The first class that an error belongs to decides.
_STATUS: tuple[tuple[type[errors.TriplewireError], int], ...] = (
    (errors.TooSlow, 408),
    (errors.UnknownFormat, 415),
    (errors.EventConflict, 409),
    (errors.DuplicateSubscription, 409),
    (errors.UnknownSubscription, 404),
    (errors.UnknownEvent, 404),
    (errors.UnknownGraph, 404),
    (errors.UnknownClient, 404),
    (errors.UnknownLetter, 404),
    (errors.UnknownRule, 404),
    (errors.UnknownSchedule, 404),
    (errors.UnknownAdvertisement, 404),
    (errors.NotInNetwork, 404),
    (errors.NotInSpace, 404),
    (errors.LastNode, 409),
    (errors.SpaceUnavailable, 503),
    (errors.DuplicateRule, 409),
    (errors.AbortedByRule, 409),
    (errors.UnknownUpdate, 404),
    (errors.UpdateEnded, 409),
    (errors.UpdateWithdrawn, 409),
    (errors.DeliveryFailed, 502),
    (errors.Unauthenticated, 401),
    (errors.Forbidden, 403),
    (errors.QuotaExceeded, 429),
    (errors.BudgetExceeded, 503),
    (errors.DiskFull, 507),
    (errors.StoreFailed, 503),
    (errors.StoreError, 500),
    (errors.TriplewireError, 400),
)
_TOO_LARGE = frozenset({"event_bytes", "document_bytes", "expanded_bytes", "request_bytes"})
_FIELDS = (
    "wanted",
    "found",
    "line",
    "column",
    "limit",
    "allowed",
    "feature",
    "position",
    "quota",
    "clause",
    "cycle",
    "choices",
    "rule",
    "reason",
)


def status_of(error: errors.TriplewireError) -> int:
    """The HTTP status for an error."""
    if isinstance(error, errors.LimitExceeded) and error.limit in _TOO_LARGE:
        return 413
    return next(status for kind, status in _STATUS if isinstance(error, kind))


def problem(status: int, kind: str, title: str, detail: str, **fields: Any) -> Response:
    """A response with problem details."""
    body = {"type": _TYPE + kind, "title": title, "status": status, "detail": detail, **fields}
    return Response(msgspec.json.encode(body), status, media_type=MEDIA_TYPE)


def problem_with(status: int, error: errors.TriplewireError, **more: Any) -> Response:
    """The response for an error, with the error's own fields and some more."""
    kind = type(error)
    fields = {name: _sendable(getattr(error, name)) for name in _FIELDS if getattr(error, name, None) is not None}
    title = (kind.__doc__ or kind.__name__).splitlines()[0].split(". ")[0].rstrip(".")
    return problem(status, _kebab(kind.__name__), title, _sendable(str(error)), **fields, **more)


def _sendable(fact: Any) -> Any:
    """A fact may quote a lone surrogate, which JSON cannot carry."""
    return fact.encode(errors="replace").decode() if isinstance(fact, str) else fact


def problem_of(error: errors.TriplewireError) -> Response:
    """The response for one of our errors."""
    response = problem_with(status_of(error), error)
    if isinstance(error, errors.Unauthenticated):
        response.headers["WWW-Authenticate"] = 'Bearer realm="triplewire"'
    if isinstance(error, errors.QuotaExceeded) and error.retry_after is not None:
        response.headers["Retry-After"] = str(max(1, round(error.retry_after)))
    return response


def install(app: FastAPI) -> None:
    """Let every error of the application become problem details, or what is said instead at a path."""

    @app.exception_handler(errors.TriplewireError)
    async def ours(request: Request, error: errors.TriplewireError) -> Response:
        return formed_for(request.url.path, problem_of(error))

    @app.exception_handler(RequestValidationError)
    async def malformed(request: Request, error: RequestValidationError) -> Response:
        found = "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors())
        refusal = problem(422, "malformed-request", "The request is not as documented", found)
        return formed_for(request.url.path, refusal)

    @app.exception_handler(HTTPException)
    async def other(request: Request, error: HTTPException) -> Response:
        response = problem(error.status_code, "http", HTTPStatus(error.status_code).phrase, str(error.detail))
        response.headers.update(error.headers or {})
        if error.status_code == _NOT_ALLOWED:
            response.headers["Allow"] = _allowed(request) or response.headers.get("Allow", "")
        return formed_for(request.url.path, response)

    @app.exception_handler(ClientDisconnect)
    async def gone(_: Request, __: ClientDisconnect) -> Response:
        # Nobody is there to read it.
        return Response(status_code=400)

    @app.exception_handler(Exception)
    async def bug(request: Request, error: Exception) -> Response:
        _log.error("a bug: %s %s: %s", request.method, request.url.path, error, exc_info=error)
        return formed_for(request.url.path, problem(500, "bug", "A bug in Triplewire", "the node's log has the reason"))


def _allowed(request: Request) -> str:
    """Every method of the resource; the router names those of one route only."""
    found: set[str] = set()
    for template, operations in request.app.openapi()["paths"].items():
        if re.fullmatch(re.sub(r"\\{[^}]+\\}", "[^/]+", re.escape(template)), request.url.path):
            found |= {method.upper() for method in operations}
    return ", ".join(sorted(found))


def _kebab(name: str) -> str:
    return "".join(f"-{c.lower()}" if c.isupper() else c for c in name).lstrip("-")
