"""The OpenAPI document: what operations answer, with schemas that are made from the Structs that are sent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
from fastapi import FastAPI, Response
from msgspec import Struct

from triplewire.wire.answers import ProblemDetails

Responses = dict[int | str, dict[str, Any]]

JSON = "application/json"
PROBLEM = "application/problem+json"
BEARER: dict[str, Any] = {"security": [{"bearer": []}]}
_REFERENCE = "#/components/schemas/{name}"
_answers: dict[str, type[Struct]] = {}


def json_response(answer: Struct, status: int = 200) -> Response:
    """An answer as JSON."""
    return Response(msgspec.json.encode(answer), status, media_type=JSON)


def json_answer(status: int, description: str, answer: type[Struct]) -> Responses:
    """An operation answers with this Struct as JSON."""
    return {status: {"description": description, "content": {JSON: {"schema": _schema_of(answer)}}}}


def json_answers(status: int, description: str, *answers: type[Struct]) -> Responses:
    """An operation answers with one of these, depending on what was asked."""
    schema = {"anyOf": [_schema_of(answer) for answer in answers]}
    return {status: {"description": description, "content": {JSON: {"schema": schema}}}}


def problems(*statuses: int) -> Responses:
    """The problem details that an operation may answer with; a malformed request is always among them."""
    described = {
        "description": "Problem details (RFC 9457)",
        "content": {PROBLEM: {"schema": _schema_of(ProblemDetails)}},
    }
    return dict.fromkeys((*statuses, 422), described)


def documents(*media_types: str) -> Responses:
    """An answer in one of these media types."""
    return {200: {"description": "As asked for", "content": {kind: {} for kind in media_types}}}


def text_schema(media_type: str) -> dict[str, Any]:
    """The schema of a document: text, or whatever JSON there is."""
    return {} if media_type.endswith("json") else {"type": "string"}


def complete(app: FastAPI) -> None:
    """Add to an application's document the schemas that its operations refer to, and how clients authenticate."""
    made: Callable[[], dict[str, Any]] = app.openapi

    def openapi() -> dict[str, Any]:
        document = made()
        components = document.setdefault("components", {})
        schemes = ("bearer", "basic")
        components["securitySchemes"] = {name: {"type": "http", "scheme": name} for name in schemes}
        components.setdefault("schemas", {}).update(_schemas())
        return document

    app.openapi = openapi  # type: ignore[method-assign]


def _schema_of(answer: type[Struct]) -> dict[str, Any]:
    """A reference, as a document may have each schema once."""
    _answers[answer.__name__] = answer
    return {"$ref": _REFERENCE.format(name=answer.__name__)}


def _schemas() -> dict[str, Any]:
    return msgspec.json.schema_components(_answers.values(), ref_template=_REFERENCE)[1]
