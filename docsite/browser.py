"""What a browser makes of the diagrams: each is drawn, without a word to another host."""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

_NAMES = ("chromium", "chromium-browser", "google-chrome")
_PATIENCE = 240
# Virtual time: a browser that is slow gets as far as a fast one.
_MILLISECONDS = 60_000
_DIAGRAM = '<pre class="mermaid"'
_DRAWN = '<div class="mermaid"'


def find() -> str | None:
    """Where a browser is, if there is one."""
    return next(filter(None, map(shutil.which, _NAMES)), None)


def problems(site: Path, browser: str) -> list[str]:
    """The pages whose diagrams are not drawn, with what the browser says, one sentence each."""
    pages = [path for path in sorted(site.rglob("*.html")) if _DIAGRAM in path.read_text("utf-8")]
    with _served(site) as address:
        return [problem for path in pages for problem in _of_page(browser, address, path.relative_to(site))]


def _of_page(browser: str, address: str, page: Path) -> Iterator[str]:
    shown, said = _shown(browser, f"{address}/{page.as_posix()}")
    left = shown.count(_DIAGRAM)
    if left or _DRAWN not in shown:
        yield f"{page}: {left} of {left + shown.count(_DRAWN)} diagrams are not drawn: {'; '.join(said) or 'no reason'}"


def _shown(browser: str, url: str) -> tuple[str, list[str]]:
    """The page after its scripts have run, and what they complained of."""
    with tempfile.TemporaryDirectory() as profile:
        command = [
            browser,
            "--headless",
            "--disable-gpu",
            "--enable-logging=stderr",
            "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
            f"--virtual-time-budget={_MILLISECONDS}",
            f"--user-data-dir={profile}",
            # Chromium refuses to be root inside its own sandbox.
            *(["--no-sandbox"] if os.geteuid() == 0 else []),
            "--dump-dom",
            url,
        ]
        done = subprocess.run(command, capture_output=True, text=True, timeout=_PATIENCE, check=False)
    return done.stdout, re.findall(r"CONSOLE[^\"]*\"(.*)", done.stderr)


@contextmanager
def _served(site: Path) -> Iterator[str]:
    handler = functools.partial(_Quiet, directory=str(site))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """What is asked for is nobody's news."""
