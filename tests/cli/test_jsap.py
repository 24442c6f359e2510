"""`triplewire jsap`: the commands, and a real node."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.node.processes import Process, running
from tests.sepa.profiles import APPLICATION, profile

ANN = ("--bind", "person=ex:ann")


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    """A node that asks for secrets."""
    with running(tmp_path_factory.mktemp("node") / "data") as process:
        [process.secret] = re.findall(r"secret, shown this once: (\S+)", process.words())
        yield process


@pytest.fixture
def jsap(workspace: Path, node: Process, run, monkeypatch: pytest.MonkeyPatch) -> str:
    """A file for the node, which is empty; and the secret in the environment."""
    (workspace / "chat.jsap").write_text(json.dumps(profile(node.port) | APPLICATION))
    monkeypatch.setenv("TRIPLEWIRE_NODE", node.url)
    monkeypatch.setenv("TRIPLEWIRE_SECRET", node.secret or "")
    assert run("update", "CLEAR ALL").exit_code == 0
    return "chat.jsap"


@pytest.mark.system
def test_update_and_query(run, jsap: str):
    done = run("jsap", "update", jsap, "ADD", *ANN, "--bind", 'text=Hello, "world"')
    assert (done.exit_code, done.stdout) == (0, "")
    asked = run("jsap", "query", jsap, "SAID", *ANN)
    assert asked.exit_code == 0
    assert json.loads(asked.stdout)["results"]["bindings"][0]["text"]["value"] == 'Hello, "world"'


@pytest.mark.system
def test_without_the_secret_the_node_says_no(run, jsap: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("TRIPLEWIRE_SECRET")
    for command in ("query", "subscribe"):
        done = run("jsap", command, jsap, "SAID", *ANN)
        assert done.exit_code == 1
        assert "wanted a bearer secret" in done.stderr.replace("\n", " ")


@pytest.mark.system
def test_subscribe_prints_what_comes_and_goes(run, jsap: str):
    command = [sys.executable, "-m", "triplewire", "jsap", "subscribe", jsap, "SAID", *ANN, "--count", "2"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        first = json.loads(process.stdout.readline())
        assert run("jsap", "update", jsap, "ADD", *ANN, "--bind", "text=hello").exit_code == 0
        second = json.loads(process.stdout.readline())
        assert process.wait(30) == 0
    assert first == {"sequence": 0, "added": [], "removed": []}
    assert second["sequence"] == 1
    assert second["added"][0]["text"] == {"type": "literal", "value": "hello"}


@pytest.mark.parametrize("command", ["query", "subscribe"])
def test_a_dry_run_prints_and_sends_nothing(run, workspace: Path, command: str):
    (workspace / "chat.jsap").write_text(json.dumps(profile(1) | APPLICATION))
    shown = run("jsap", command, "chat.jsap", "SAID", *ANN, "--dry-run")
    assert shown.stdout == "SELECT ?text WHERE { <http://example.org/ann> <http://example.org/says> ?text . }\n"
    shown = run("jsap", "update", "chat.jsap", "ADD", *ANN, "--bind", "text=x", "--dry-run")
    assert shown.stdout == 'INSERT DATA { <http://example.org/ann> <http://example.org/says> "x" . }\n'


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("query", "none.jsap", "SAID"), "none.jsap: cannot read the file"),
        (("query", "chat.jsap", "NONE"), "chat.jsap: wanted the name of a query (SAID), found 'NONE'"),
        (("query", "chat.jsap", "SAID", "--bind", "person"), "wanted --bind VAR=VALUE"),
        (("query", "chat.jsap", "SAID", *ANN, *ANN), "wanted --bind VAR=VALUE, each variable once"),
        (("query", "chat.jsap", "SAID", "--bind", "x=1"), "chat.jsap: SAID: wanted a forced binding (?person)"),
        (("query", "chat.jsap", "SAID"), "wanted a node at http://127.0.0.1:1/sepa/query"),
        (("update", "chat.jsap", "ADD"), "wanted a node at http://127.0.0.1:1/sepa/update"),
        (("subscribe", "chat.jsap", "SAID"), "wanted a node at ws://127.0.0.1:1/sepa/subscribe"),
    ],
)
def test_bad_input_is_one_message_and_exit_code_1(run, workspace: Path, arguments: tuple[str, ...], message: str):
    (workspace / "chat.jsap").write_text(json.dumps(profile(1) | APPLICATION))
    done = run("jsap", *arguments)
    assert done.exit_code == 1
    assert message in done.stderr.replace("\n", " ")
    assert done.stdout == ""
