"""The quick start of README, by an installation whose programs are in the folder that `TRIPLEWIRE_BIN` names.

`scripts/release-check` runs this for each Python. README is the one that the installed package describes itself with.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest
from tests.terminals import blocks_of, terminal

_DESCRIPTION = 'import importlib.metadata as m; print(m.metadata("triplewire").get_payload())'


def programs() -> Path:
    return Path(os.environ["TRIPLEWIRE_BIN"]).resolve()


def python(*arguments: str, folder: Path) -> str:
    done = subprocess.run(
        [programs() / "python", *arguments], capture_output=True, text=True, cwd=folder, check=False, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture
def readme(tmp_path: Path) -> str:
    return python("-c", _DESCRIPTION, folder=tmp_path)


def section(readme: str, title: str) -> str:
    found = re.search(rf"^### {title}\n(.*?)^### ", readme, re.DOTALL | re.MULTILINE)
    assert found
    return found[1]


def test_the_library_answers_as_printed(readme: str, tmp_path: Path):
    first = re.search(r"```python\n(.*?)```", section(readme, "As a library"), re.DOTALL)
    assert first
    (tmp_path / "session.txt").write_text(first[1], "utf-8")
    shown = python("-m", "doctest", "-v", "session.txt", folder=tmp_path)
    assert "0 failed" in shown or "passed" in shown.splitlines()[-1]


def test_the_node_answers_as_printed(readme: str, tmp_path: Path):
    """Up to the commands that use files of a clone."""
    printed = [block for block in blocks_of(section(readme, "As a node")) if "examples/" not in block]
    with terminal(tmp_path, programs()) as shell:
        said = [shell.run(block) for block in printed]
    assert printed[0].startswith("triplewire serve")
    assert json.loads(said[2]) == {"events": [{"event": "urn:event:1", "position": 1}]}
    [notification] = json.loads(said[3])["notifications"]
    assert notification["solutions"][0]["who"]["value"] == "M. Koubarakis"


def test_the_links_of_the_description_lead_somewhere_from_the_package_index(readme: str):
    links = re.findall(r"\]\(([^)#][^)]*)\)", readme)
    assert len(links) > 10
    assert [link for link in links if not link.startswith("https://")] == []
