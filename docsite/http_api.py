"""The page of routes, from the OpenAPI document of a node."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from pathlib import Path
from typing import Any

from docsite.tables import code, table
from triplewire.node.http import create_app
from triplewire.node.service import Node
from triplewire.node.settings import Settings

_METHODS = ("get", "head", "put", "post", "patch", "delete")


def document() -> dict[str, Any]:
    """The OpenAPI document of a node, without starting one."""
    with tempfile.TemporaryDirectory() as name:
        return asyncio.run(_document(Path(name)))


async def _document(folder: Path) -> dict[str, Any]:
    node = await Node.open(Settings(data=folder / "node", open=True))
    try:
        return create_app(node).openapi()
    finally:
        await node.stop()


def page(openapi: Mapping[str, Any]) -> str:
    """Every route with its parameters, bodies and answers, and every schema."""
    return "\n".join(
        [
            "# HTTP API",
            "",
            "Made from the document at `/openapi.json`, which has every detail. [The node's page](../node.md#routes)",
            "is the overview, and says what stands behind the routes; streams and WebSockets are described",
            "[there](../node.md#delivery), too.",
            "",
            "## Routes",
            "",
            *(line for path, methods in openapi["paths"].items() for line in _path(path, methods)),
            "## Schemas",
            "",
            *(
                line
                for name, schema in sorted(openapi["components"]["schemas"].items())
                for line in _schema(name, schema)
            ),
        ]
    )


def _path(path: str, methods: Mapping[str, Any]) -> Iterator[str]:
    for method in _METHODS:
        if method in methods:
            yield from _operation(f"{method.upper()} {path}", methods[method])


def _operation(title: str, operation: Mapping[str, Any]) -> Iterator[str]:
    yield from (f"### {code(title)}", "")
    yield from (operation.get("description") or f"{operation['summary']}.", "")
    parameters = operation.get("parameters", ())
    if parameters:
        yield from table(["parameter", "in", "type", ""], map(_parameter, parameters))
    body = operation.get("requestBody")
    if body:
        yield from (f"Body: {', '.join(map(code, body['content']))}.", "")
    yield from table(["answer", "", "content"], (_answer(*item) for item in operation["responses"].items()))


def _parameter(parameter: Mapping[str, Any]) -> list[str]:
    needed = "required. " if parameter.get("required") and parameter["in"] != "path" else ""
    return [
        code(parameter["name"]),
        parameter["in"],
        _type(parameter.get("schema", {})),
        needed + parameter.get("description", ""),
    ]


def _answer(status: str, response: Mapping[str, Any]) -> list[str]:
    words = response.get("description") or HTTPStatus(int(status)).phrase
    content = (
        f"{code(media)} {_type(about.get('schema', {}))}".strip()
        for media, about in response.get("content", {}).items()
    )
    return [status, words, ", ".join(content)]


def _schema(name: str, schema: Mapping[str, Any]) -> Iterator[str]:
    yield from (f"### {name}", "")
    if "description" in schema:
        yield from (schema["description"], "")
    if "properties" in schema:
        needed = set(schema.get("required", ()))
        yield from table(
            ["member", "type", ""],
            (
                [code(key), _type(value) + ("" if key in needed else ", optional"), value.get("description", "")]
                for key, value in schema["properties"].items()
            ),
        )
    else:
        yield from (_type(schema), "")


def _type(schema: Mapping[str, Any]) -> str:
    """A schema in few words, with links to those that have a name.

    >>> _type({"type": "array", "items": {"$ref": "#/components/schemas/Receipt"}})
    'array of [Receipt](#receipt)'
    >>> _type({"anyOf": [{"type": "integer"}, {"type": "null"}]})
    'integer or null'
    """
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    for several in ("anyOf", "oneOf", "allOf"):
        if several in schema:
            return " or ".join(map(_type, schema[several]))
    if "enum" in schema:
        return " or ".join(code(str(value)) for value in schema["enum"])
    kind = schema.get("type", "")
    if isinstance(kind, list):
        return " or ".join(kind)
    if kind == "array":
        return f"array of {_type(schema.get('items', {})) or 'anything'}"
    return str(kind)
