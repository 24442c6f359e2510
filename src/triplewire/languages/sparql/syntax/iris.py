"""Relative IRIs, resolved as RFC 3986 section 5.2 says."""

from __future__ import annotations

import re

_PARTS = re.compile(r"(?:([^:/?#]+):)?(?://([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#([\s\S]*))?")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:")


def resolve(base: str, reference: str) -> str:
    """The absolute IRI that a reference means.

    >>> resolve("http://a/b/c/d;p?q", "../g#s")
    'http://a/b/g#s'
    >>> resolve("http://a/b/c/d;p?q", "urn:x:../y")
    'urn:x:../y'
    """
    if _SCHEME.match(reference):
        return reference
    scheme, authority, path, query, _ = _split(base)
    _, own_authority, own_path, own_query, fragment = _split(reference)
    if own_authority is not None:
        return _joined(scheme, own_authority, _without_dots(own_path), own_query, fragment)
    if not own_path:
        return _joined(scheme, authority, path, query if own_query is None else own_query, fragment)
    merged = own_path if own_path.startswith("/") else _merged(authority, path, own_path)
    return _joined(scheme, authority, _without_dots(merged), own_query, fragment)


def _split(iri: str) -> tuple[str | None, str | None, str, str | None, str | None]:
    match = _PARTS.fullmatch(iri)
    assert match is not None, "the expression matches every string"
    scheme, authority, path, query, fragment = match.groups()
    return scheme, authority, path, query, fragment


def _merged(authority: str | None, path: str, reference: str) -> str:
    if authority is not None and not path:
        return "/" + reference
    return path[: path.rfind("/") + 1] + reference


def _without_dots(path: str) -> str:
    kept: list[str] = []
    segments = path.split("/")
    for segment in segments:
        if segment == "..":
            if len(kept) > 1 or (kept and kept[0]):
                kept.pop()
        elif segment != ".":
            kept.append(segment)
    if segments[-1] in (".", ".."):
        kept.append("")
    return "/".join(kept)


def _joined(scheme: str | None, authority: str | None, path: str, query: str | None, fragment: str | None) -> str:
    return "".join(
        (
            f"{scheme}:" if scheme is not None else "",
            f"//{authority}" if authority is not None else "",
            path,
            f"?{query}" if query is not None else "",
            f"#{fragment}" if fragment is not None else "",
        )
    )
