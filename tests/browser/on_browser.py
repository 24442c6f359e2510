"""A real browser with a page of another origin: fetch, EventSource, WebSocket, and what SPARQL editors send.

`make test-browser` runs it. The page tells its own server what it found; nobody drives the browser.
"""

from __future__ import annotations

import json
import queue
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest
from tests.node.processes import running

PAGE = Path(__file__).with_name("page.html")
SECONDS = 90
STEPS = ("fetch", "eventSource", "webSocket", "sparqlEditor")
# Nothing but the page: the browser's own traffic is off.
QUIET = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-dev-shm-usage", "--no-proxy-server",
)  # fmt: skip


class Pages(ThreadingHTTPServer):
    """A server of one page, on an origin of its own."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.found: queue.Queue[dict[str, object]] = queue.Queue()

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Handler(BaseHTTPRequestHandler):
    server: Pages

    def do_GET(self) -> None:
        self._answer(PAGE.read_bytes())

    def do_POST(self) -> None:
        self.server.found.put(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self._answer(b"")

    def _answer(self, body: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def pages() -> Iterator[Pages]:
    with Pages() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


@contextmanager
def showing(address: str, profile: Path) -> Iterator[None]:
    """A browser that shows a page until the block ends."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser is None:
        raise AssertionError("wanted a browser, found none: apt-get install chromium")
    process = subprocess.Popen(
        [browser, *QUIET, f"--user-data-dir={profile}", address], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        yield
    finally:
        process.terminate()
        process.wait(30)


def found_by(pages: Pages, node: str, secret: str | None, folder: Path) -> dict[str, object]:
    """What a page of this origin gets done with a node."""
    about = quote(json.dumps({"node": node, "secret": secret, "name": f"page{pages.server_address[1]}"}))
    with showing(f"{pages.origin}/#{about}", folder):
        return pages.found.get(timeout=SECONDS)


def secret_of(words: str) -> str:
    [secret] = re.findall(r"secret, shown this once: (\S+)", words)
    return secret


@pytest.mark.parametrize("allow", ["by name", "any"])
def test_a_page_of_an_allowed_origin_can_do_everything(pages: Pages, tmp_path: Path, allow: str):
    allowed = "*" if allow == "any" else f"https://app.example,{pages.origin}"
    with running(tmp_path / "node", "--allow-origin", allowed) as node:
        found = found_by(pages, node.url, secret_of(node.words()), tmp_path / "profile")
    assert found == dict.fromkeys(STEPS, True)


def test_a_page_of_an_allowed_origin_can_use_an_open_node(pages: Pages, tmp_path: Path):
    with running(tmp_path / "node", "--open", "--allow-origin", pages.origin) as node:
        found = found_by(pages, node.url, None, tmp_path / "profile")
    assert found == dict.fromkeys(STEPS, True)


@pytest.mark.parametrize("flags", [["--allow-origin", "https://app.example"], [], ["--open"]])
def test_a_page_of_another_origin_can_do_nothing(pages: Pages, tmp_path: Path, flags: list[str]):
    with running(tmp_path / "node", *flags) as node:
        secret = None if "--open" in flags else secret_of(node.words())
        found = found_by(pages, node.url, secret, tmp_path / "profile")
        headers = {} if secret is None else {"Authorization": f"Bearer {secret}"}
        kept = httpx.get(f"{node.url}/events", headers=headers, trust_env=False).text
        subscriptions = httpx.get(f"{node.url}/subscriptions", headers=headers, trust_env=False).json()
    assert all("Error" in str(found[step]) for step in STEPS), found
    assert (kept, subscriptions) == ("", {"subscriptions": []})
