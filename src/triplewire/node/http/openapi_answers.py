"""What the OpenAPI document says of answers."""

from __future__ import annotations

from typing import Any

from triplewire.node.http.problems import MEDIA_TYPE

_PROBLEM = {
    "type": "object",
    "required": ["type", "title", "status", "detail"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "wanted": {"type": "string"},
        "found": {"type": "string"},
    },
}


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The problem details that an operation may answer with; a malformed request is always among them."""
    described = {"description": "Problem details (RFC 9457)", "content": {MEDIA_TYPE: {"schema": _PROBLEM}}}
    return dict.fromkeys((*statuses, 422), described)


def json_answer(status: int, description: str, schema: dict[str, Any]) -> dict[int | str, dict[str, Any]]:
    """An answer in JSON."""
    return {status: {"description": description, "content": {"application/json": {"schema": schema}}}}


def text_schema(media_type: str) -> dict[str, Any]:
    """The schema of a document: text, or whatever JSON there is."""
    return {} if media_type.endswith("json") else {"type": "string"}


def documents(*media_types: str) -> dict[int | str, dict[str, Any]]:
    """An answer in one of these media types."""
    return {200: {"description": "As asked for", "content": {kind: {} for kind in media_types}}}


RECEIPTS = json_answer(
    201,
    "Every event of the request, with its position in the log",
    {
        "type": "object",
        "required": ["events"],
        "properties": {
            "events": {
                "type": "array",
                "items": {
                    "type": "object",
                    "required": ["event", "position"],
                    "properties": {"event": {"type": "string"}, "position": {"type": "integer"}},
                },
            }
        },
    },
)
SUBSCRIPTION = {
    "type": "object",
    "required": ["id", "owner", "language", "text", "state"],
    "properties": {
        "id": {"type": "string"},
        "owner": {"type": "string"},
        "language": {"type": "string"},
        "text": {"type": "string"},
        "state": {"enum": ["live", "catching up", "quarantined"]},
    },
}
TOKEN = {
    "type": "object",
    "required": ["token", "seconds"],
    "properties": {"token": {"type": "string"}, "seconds": {"type": "number"}},
}
EXPLANATION = {
    "type": "object",
    "required": ["lane", "requires", "patterns", "constraints", "unindexed"],
    "properties": {
        "lane": {"enum": ["fast", "general"]},
        "requires": {"type": "array", "items": {"type": "string"}},
        "patterns": {"type": "array", "items": {"type": "string"}},
        "constraints": {"type": "string"},
        "unindexed": {"type": "boolean"},
        "event": {"type": "string"},
        "matches": {"type": "boolean"},
        "reason": {"type": "string"},
        "solutions": {"type": "array", "items": {"type": "object"}},
    },
}
