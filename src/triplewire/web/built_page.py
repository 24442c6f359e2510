"""The files that `make web` has built, found beside this package, and the headers with which each goes out.

A file under `assets` has a hash of its content in its name, so that a browser may keep it for ever. The page itself is
asked for every time. Its Content-Security-Policy lets it load what the node serves and nothing else: no inline script
or style, nothing of another host, no frame around it (row A18).
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from msgspec import Struct

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    )
)
_SAFE = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_MEDIA_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
_NOT_BUILT = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Triplewire</title>
<h1>Triplewire is running, without its page</h1>
<p>The page was not built into this installation. From a clone, <code>make web</code> builds it (it takes Node.js
from the machine, or from PyPI); then load this again. Wheels of a release contain it.</p>
<p>Everything else works: the API is described at <a href="/openapi.json">/openapi.json</a>.</p>
</html>
"""


class PageFile(Struct, frozen=True):
    """A file as it goes out."""

    content: bytes
    media_type: str
    headers: dict[str, str]


def index_file() -> PageFile:
    """The page; or, where it was not built, one that says how to."""
    found = _folder() / "index.html"
    content = found.read_bytes() if found.is_file() else _NOT_BUILT.encode()
    headers = _SAFE | {"Content-Security-Policy": POLICY, "Cache-Control": "no-cache"}
    return PageFile(content, _MEDIA_TYPES[".html"], headers)


def is_built() -> bool:
    """Whether the page is in this installation."""
    return (_folder() / "index.html").is_file()


def asset(name: str) -> PageFile | None:
    """A script, a style sheet or a picture of the page; None if there is none of that name."""
    return _assets().get(name)


@cache
def _assets() -> dict[str, PageFile]:
    """All of them by name, read once: they do not change while a node runs."""
    folder = _folder() / "assets"
    headers = _SAFE | {"Content-Security-Policy": POLICY, "Cache-Control": "public, max-age=31536000, immutable"}
    found = folder.iterdir() if folder.is_dir() else ()
    kinds = {file.name: _MEDIA_TYPES.get(file.name[file.name.rfind(".") :]) for file in found}
    return {name: PageFile((folder / name).read_bytes(), kind, headers) for name, kind in kinds.items() if kind}


def _folder() -> Traversable:
    return files("triplewire.web") / "static"
