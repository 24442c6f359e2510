"""The commands of README and docs, run as printed, page by page, in a folder with the repository's examples.

`terminals` says how. Indented lines that begin with `triplewire` are synopses: their commands and flags
exist. A block that stands on two pages is run once.
"""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import typer
from tests.terminals import blocks_of, terminal

from triplewire.cli.app import app

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
ELSEWHERE = {
    # Many processes for most of a minute: slow tests of their own.
    "triplewire network up --super-peers 8 --demo": "tests/cli/network/test_network.py",
    "triplewire space up --nodes 4 --demo": "tests/cli/space/test_space.py",
}

pytestmark = [
    pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed"),
    pytest.mark.xdist_group("documented-commands"),
]


def blocks(page: Path) -> list[str]:
    return blocks_of(page.read_text(encoding="utf-8"))


def test_readme_works_as_printed(tmp_path):
    said = {}
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    with terminal(tmp_path) as shell:
        for block in blocks(ROOT / "README.md"):
            if block.strip() not in ELSEWHERE:
                said[block] = shell.run(block)
    curls = [output for block, output in said.items() if block.startswith("curl")]
    subscribed, published, page, stream, acknowledged, asked, living, view, schema, rule, update = curls
    assert json.loads(subscribed)["id"] == "papers"
    assert json.loads(published) == {"events": [{"event": "urn:event:1", "position": 1}]}
    [notification] = json.loads(page)["notifications"]
    assert notification["solutions"][0]["who"]["value"] == "M. Koubarakis"
    assert json.loads(page)["next"] is None
    assert "event: notification" in stream
    assert "M. Koubarakis" in stream
    assert acknowledged == ""
    assert asked.splitlines() == ["event,who", "urn:event:1,M. Koubarakis"]
    assert living.splitlines()[-1] == "urn:esws04,accepted"
    told = json.loads("{" + view.rpartition("}{")[2])
    whole, changed = told["notifications"]
    assert whole["answer"] == [{"paper": {"type": "uri", "value": "urn:esws04"}}]
    assert (changed["added"], changed["removed"]) == ([], whole["answer"])
    assert schema == ""
    assert json.loads(rule)["analysis"]["well_defined"] is True
    assert [(one["rule"], one["status"]) for one in json.loads(update)["firings"]] == [("unread", "committed")]
    [node] = [output for block, output in said.items() if "triplewire subscribe " in block]
    assert "urn:example:library:1" in node
    assert "no: <urn:example:library:2>" in node
    [told] = [output for block, output in said.items() if " listen " in block]
    assert "urn:example:library:1" in told


def own_blocks(page: Path) -> list[str]:
    readme = blocks(ROOT / "README.md")
    return [block for block in blocks(page) if block not in readme and block.strip() not in ELSEWHERE]


@pytest.mark.parametrize("page", [page for page in PAGES[1:] if own_blocks(page)], ids=lambda page: page.name)
def test_a_page_works_as_printed(page, tmp_path):
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    with terminal(tmp_path) as shell:
        for block in own_blocks(page):
            shell.run(block)


def test_what_is_run_elsewhere_is_printed_somewhere():
    printed = {block.strip() for page in PAGES for block in blocks(page)}
    assert set(ELSEWHERE) <= printed
    assert all((ROOT / path).exists() for path in ELSEWHERE.values())


def synopses(page: Path) -> list[str]:
    text = page.read_text(encoding="utf-8").replace("\\\n", " ")
    return re.findall(r"^    (triplewire .*)$", text, re.MULTILINE)


@pytest.mark.parametrize("page", [page for page in PAGES if synopses(page)], ids=lambda page: page.name)
def test_every_synopsis_names_commands_and_flags_that_exist(page):
    assert [line for line in synopses(page) if not _exists(line)] == []


def _exists(line: str) -> bool:
    """Whether the words lead to a command, and each flag is one of it or of a group on the way."""
    command: Any = typer.main.get_command(app)
    flags = {"--help", "--version", *_flags(command)}
    words = re.split(r"\s+", re.sub(r"\[|\]|'[^']*'", " ", line).partition("#")[0])[1:]
    for word in words:
        if word in getattr(command, "commands", {}):
            command = command.commands[word]
            flags |= _flags(command)
    named = {word.rstrip(";,").partition("=")[0] for word in words if word.startswith("--")}
    several = hasattr(command, "commands")
    if several:
        flags |= {flag for part in command.commands.values() for flag in _flags(part)}
    return command.name not in (None, "triplewire") and named <= flags


def _flags(command: Any) -> set[str]:
    return {name for param in command.params for name in (*param.opts, *param.secondary_opts)}
