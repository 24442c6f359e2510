"""The built pages fetch nothing from another host, and lead nowhere inside the site that is not there.

Zensical checks links between pages before it builds; this looks at what was built, tables and generated pages included.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# What a browser fetches by itself, by element. Links that a person follows may lead anywhere.
_FETCHED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "video": "src", "audio": "src"}
_FETCHED_LINKS = {"stylesheet", "icon", "preload", "preconnect", "prefetch", "modulepreload", "manifest"}
_IN_STYLES = re.compile(r"""(?:url\(\s*["']?|@import\s+["'])(https?:)?//""")


def problems(site: Path) -> list[str]:
    """What is wrong with a site, one sentence each."""
    pages = {path.relative_to(site).as_posix(): _read(path) for path in sorted(site.rglob("*.html"))}
    found = [problem for name, page in pages.items() for problem in _of_page(site, name, page, pages)]
    return [*found, *_of_styles(site)]


def _of_styles(site: Path) -> Iterator[str]:
    for style in sorted(site.rglob("*.css")):
        if _IN_STYLES.search(style.read_text("utf-8")):
            yield f"{style.relative_to(site)} fetches something from another host"


class _Page(HTMLParser):
    """What a page fetches, where it leads, and which anchors it has."""

    def __init__(self) -> None:
        super().__init__()
        self.fetched: list[str] = []
        self.links: list[str] = []
        self.anchors: set[str] = {"", "__top"}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if "id" in values:
            self.anchors.add(values["id"])
        if tag in _FETCHED and _FETCHED[tag] in values:
            self.fetched.append(values[_FETCHED[tag]])
        if tag == "link" and set(values.get("rel", "").split()) & _FETCHED_LINKS:
            self.fetched.append(values.get("href", ""))
        if tag == "a" and "href" in values:
            self.links.append(values["href"])


def _read(path: Path) -> _Page:
    page = _Page()
    page.feed(path.read_text("utf-8"))
    return page


def _of_page(site: Path, name: str, page: _Page, pages: dict[str, _Page]) -> Iterator[str]:
    for address in page.fetched:
        if urlsplit(address).netloc:
            yield f"{name} fetches {address}"
    # The page of a server that found nothing does not know where it stands.
    if name == "404.html":
        return
    for address in (*page.links, *page.fetched):
        parts = urlsplit(address)
        if parts.scheme or parts.netloc:
            continue
        target = (site / name).parent / unquote(parts.path) if parts.path else site / name
        if target.is_dir():
            target /= "index.html"
        if not target.exists():
            yield f"{name} leads to {address}, which is not there"
            continue
        there = pages.get(target.resolve().relative_to(site.resolve()).as_posix())
        if there is not None and unquote(parts.fragment) not in there.anchors:
            yield f"{name} leads to {address}, which has no such place"
