"""Everything in order, with a word for each step: pages, Zensical, checks."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

from docsite import browser, checks, pages

ROOT = Path(__file__).parents[1]
WORK = ROOT / "build" / "docs"


def main() -> None:
    """Build the site, or say what is wrong with it and leave with 1."""
    parser = argparse.ArgumentParser(prog="python -m docsite", description="Build the documentation.")
    parser.add_argument("--mermaid", type=Path, required=True, help="mermaid.min.js, which draws the diagrams")
    arguments = parser.parse_args()
    prepare(arguments.mermaid)
    _say("the site, by Zensical")
    command = [Path(sys.executable).with_name("zensical"), "build", "--strict", "--clean"]
    built = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True, env=_colourless())
    if built.returncode != 0 or not (WORK / "site" / "index.html").exists():
        # Its traceback, after its findings, says nothing more.
        sys.exit(f"docs: Zensical found something\n{built.stdout}{built.stderr.partition('Traceback')[0]}")
    _say("links, and that nothing comes from another host")
    found = checks.problems(WORK / "site") + _undrawn()
    if found:
        sys.exit("\n".join(["docs: the site is not as it should be", *found]))
    _say(f"fine: {(WORK / 'site' / 'index.html').relative_to(ROOT)}")


def _undrawn() -> list[str]:
    program = browser.find()
    if program is None:
        _say("diagrams were not looked at: there is no Chromium on this machine")
        return []
    _say("diagrams, drawn by Chromium")
    return browser.problems(WORK / "site", program)


def prepare(mermaid: Path) -> None:
    """Make every page that Zensical reads."""
    target = WORK / "pages"
    shutil.rmtree(WORK, ignore_errors=True)
    _say("pages that people wrote")
    pages.copy(ROOT / "docs", target)
    for name, made in pages.makers(ROOT).items():
        _say(name)
        for _ in pages.write(made(), target):
            pass
    shutil.copy(mermaid, target / "site" / "mermaid.min.js")


def _colourless() -> dict[str, str]:
    return {**os.environ, "NO_COLOR": "1"}


def _say(words: str) -> None:
    print(f"docs: {words}", flush=True)
