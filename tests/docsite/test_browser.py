"""Chromium, where there is one, tells which diagrams it could not draw."""

from __future__ import annotations

from pathlib import Path

import pytest

from docsite import browser

PROGRAM = browser.find()
pytestmark = [pytest.mark.system, pytest.mark.skipif(PROGRAM is None, reason="there is no Chromium on this machine")]

# Stands in for the theme and Mermaid: draws what does not begin with an x.
_SCRIPT = """
for (const one of document.querySelectorAll("pre.mermaid")) {
  if (one.textContent.startsWith("x")) { console.error("no diagram: " + one.textContent); continue; }
  const drawn = document.createElement("div");
  drawn.className = "mermaid";
  one.replaceWith(drawn);
}
"""


def test_a_diagram_that_is_not_drawn_is_told_with_the_reason(tmp_path: Path):
    for name, text in (("good", "graph"), ("bad", "xyz")):
        body = f'<pre class="mermaid">{text}</pre><script>{_SCRIPT}</script>'
        (tmp_path / f"{name}.html").write_text(f"<html><body>{body}</body></html>")
    assert PROGRAM is not None
    [problem] = browser.problems(tmp_path, PROGRAM)
    assert problem.startswith("bad.html: 1 of 1 diagrams are not drawn")
    assert "no diagram: xyz" in problem
