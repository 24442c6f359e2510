"""What the OpenAPI document says of answers about rules."""

from __future__ import annotations

from typing import Any

_TEXT = {"type": "string"}
_NUMBER = {"type": "integer"}
_TEXTS = {"type": "array", "items": _TEXT}
_WORDS = {"type": "object", "additionalProperties": _TEXT}


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "required": list(properties), "properties": properties}


def _array(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


def _or_null(kind: str) -> dict[str, Any]:
    return {"type": [kind, "null"]}


RULE = _object(
    id=_TEXT,
    owner=_TEXT,
    text=_TEXT,
    listens={"enum": ["updates", "events"]},
    registered={"type": "number"},
    quarantined={**_or_null("string"), "description": "Why it does not fire any more."},
)
RULES = _object(rules=_array(RULE))
_ANALYSIS = {
    "type": ["object", "null"],
    "required": ["well_defined", "conditions", "conflicts", "cycle", "never_fires"],
    "properties": {
        "well_defined": {"type": "boolean"},
        "conditions": {**_WORDS, "description": "Those of I1, I2 and I3 that fail, each with the reason."},
        "conflicts": {
            **_array(_object(rule=_TEXT, reasons=_WORDS)),
            "description": "Rules that it does not commute with: those of C1, C2 and C3 that fail.",
        },
        "cycle": {"type": ["array", "null"], "items": _TEXT},
        "never_fires": _or_null("string"),
    },
}
REGISTERED = _object(**RULE["properties"], analysis=_ANALYSIS)
FIRINGS = _object(
    firings=_array(
        _object(
            number=_NUMBER,
            schedule=_NUMBER,
            transaction=_TEXT,
            cause=_TEXT,
            depth=_NUMBER,
            delta=_WORDS,
            status=_TEXT,
            error=_or_null("string"),
            inserted=_TEXTS,
            deleted=_TEXTS,
        )
    ),
    next=_or_null("integer"),
)
_STATUS = {"enum": ["committed", "aborted"]}
EXECUTED = _object(
    schedule=_NUMBER,
    transactions=_array(_object(number=_NUMBER, transaction=_TEXT, status=_STATUS, error=_or_null("string"))),
    firings=_array(
        _object(
            number=_NUMBER,
            rule=_TEXT,
            transaction=_TEXT,
            cause=_NUMBER,
            depth=_NUMBER,
            delta=_WORDS,
            status=_STATUS,
            error=_or_null("string"),
            inserted=_TEXTS,
            deleted=_TEXTS,
        )
    ),
    inserted=_TEXTS,
    deleted=_TEXTS,
    events=_array(_object(event=_TEXT, position=_NUMBER, transaction=_TEXT, kind={"enum": ["inserted", "deleted"]})),
)
