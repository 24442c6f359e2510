"""`/docs`: the OpenAPI document as a page, from files of the node's own.

Swagger UI, whose files the package `fastapi-swagger` brings. Nothing comes from another host, and the page may load and
ask nothing elsewhere: what it shows are texts that clients wrote as little as the node's own documentation.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from fastapi import APIRouter, Response
from starlette.exceptions import HTTPException

router = APIRouter(include_in_schema=False)

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
}
_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Triplewire: the HTTP API</title>
<link rel="stylesheet" href="docs/swagger-ui.css">
<link rel="icon" href="docs/favicon-32x32.png">
</head>
<body>
<div id="api"></div>
<noscript>This page needs JavaScript; the document that it shows is <a href="openapi.json">openapi.json</a>.</noscript>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/start.js"></script>
</body>
</html>
"""
_START = """SwaggerUIBundle({
  url: "openapi.json", dom_id: "#api", deepLinking: true, validatorUrl: null, docExpansion: "none",
  presets: [SwaggerUIBundle.presets.apis], persistAuthorization: false,
});
"""
_JAVASCRIPT = "text/javascript; charset=utf-8"
_BROUGHT = {"swagger-ui-bundle.js": _JAVASCRIPT, "swagger-ui.css": "text/css", "favicon-32x32.png": "image/png"}


@router.get("/docs")
async def docs() -> Response:
    """The page."""
    return Response(_PAGE, media_type="text/html; charset=utf-8", headers=_HEADERS)


@router.get("/docs/{file}")
async def docs_file(file: str) -> Response:
    """A script, the style or the icon of the page."""
    if file == "start.js":
        return Response(_START, media_type=_JAVASCRIPT, headers=_HEADERS)
    if file not in _BROUGHT:
        raise HTTPException(404, f"wanted one of start.js, {', '.join(_BROUGHT)}, found {file!r}")
    return Response(_content(file), media_type=_BROUGHT[file], headers=_HEADERS)


@cache
def _content(file: str) -> bytes:
    return (files("fastapi_swagger") / "resources" / file).read_bytes()
