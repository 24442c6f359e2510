"""How the page is looked at: in a browser that reports what goes wrong, by people of all kinds, at every size."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image

ROOT = Path(__file__).parents[2]
AXE = ROOT / "web" / "node_modules" / "axe-core" / "axe.min.js"
FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--no-proxy-server",
)  # fmt: skip
SIZES = {360: 740, 1280: 800, 2560: 1440}
_LOOKS, _LOOK_MILLISECONDS = 600, 50
_WATCH = """
window.violations = [];
document.addEventListener("securitypolicyviolation", (event) =>
  window.violations.push(`${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`));
"""
# What is said of a node that stopped, or refused on purpose, is no fault of the page.
_EXPECTED = ("Failed to load resource",)


class Visit:
    """A tab that remembers what went wrong in it, and to which hosts it spoke."""

    def __init__(self, page: Any, base: str) -> None:
        self.page = page
        self.base = base
        self.errors: list[str] = []
        self.elsewhere: list[str] = []
        page.add_init_script(_WATCH)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", lambda said: self._note(said.type, said.text))
        page.on("request", lambda request: self._note_address(request.url))

    def go(self, place: str) -> None:
        """Open a screen, and wait until it is there."""
        self.page.goto(f"{self.base}/#/{place}")
        self.page.wait_for_selector("h1")
        self.settle()

    def settle(self) -> None:
        """Wait until nothing says any more that it is loading."""
        self.until("!document.body.innerText.includes('Loading…')")

    def until(self, expression: str) -> Any:
        """Wait until something holds. Playwright's own way would be evaluated in the page, whose policy forbids it."""
        for _ in range(_LOOKS):
            if found := self.page.evaluate(expression):
                return found
            self.page.wait_for_timeout(_LOOK_MILLISECONDS)
        raise AssertionError(f"wanted {expression}, found that it did not come to that")

    @property
    def violations(self) -> list[str]:
        return list(self.page.evaluate("window.violations"))

    def serious(self) -> list[str]:
        """What axe calls serious or critical on what is shown now."""
        if not self.page.evaluate("'axe' in window"):
            self.page.evaluate(AXE.read_text(encoding="utf-8"))
        # Colours are looked at as they are, not on their way to it.
        found = self.page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
        return [
            f"{one['id']}: {one['help']}: {one['nodes'][0]['html'][:160]} {one['nodes'][0]['failureSummary'][:300]}"
            for one in found
            if one["impact"] in ("serious", "critical")
        ]

    def require_fine(self) -> None:
        """Nothing was blocked, no script failed, and nobody else was spoken to."""
        assert self.violations == []
        assert self.errors == []
        assert self.elsewhere == []

    def take_picture(self, name: str) -> None:
        """Where pictures are wanted, take one."""
        folder = os.environ.get("TRIPLEWIRE_SCREENS")
        if folder:
            (ROOT / folder).mkdir(parents=True, exist_ok=True)
            taken = Image.open(BytesIO(self.page.screenshot(animations="disabled")))
            # Few colours are enough for a page, and make a small file.
            taken.convert("RGB").quantize(224).save(ROOT / folder / f"{name}.png", optimize=True)

    def _note(self, kind: str, text: str) -> None:
        if kind == "error" and not text.startswith(_EXPECTED):
            self.errors.append(text)

    def _note_address(self, url: str) -> None:
        if not url.startswith((self.base, "data:")):
            self.elsewhere.append(url)


@contextmanager
def visit(browser: Any, base: str, width: int = 1280, scheme: str = "light") -> Iterator[Visit]:
    """A tab of its own, without what other tabs have left behind."""
    context = browser.new_context(
        viewport={"width": width, "height": SIZES[width]}, color_scheme=scheme, reduced_motion="reduce"
    )
    try:
        yield Visit(context.new_page(), base)
    finally:
        context.close()
