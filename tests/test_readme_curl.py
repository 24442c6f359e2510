"""The `curl` commands of README, run as printed against a real node; only the port is another."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.node.processes import running

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"```bash\n(curl .*?)```", README, re.DOTALL)
TIMED_OUT = 28

pytestmark = pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")


def test_its_curl_commands_work_in_order_as_printed(tmp_path):
    with running(tmp_path / "data", "--open") as node:
        said = [shell(command.replace("http://127.0.0.1:8080", node.url)) for command in COMMANDS]
    subscribed, published, page, acknowledged, stream, asked, schema, rule, update = said
    assert json.loads(subscribed)["id"] == "papers"
    assert json.loads(published) == {"events": [{"event": "urn:event:1", "position": 1}]}
    [notification] = json.loads(page)["notifications"]
    assert notification["solutions"][0]["who"]["value"] == "M. Koubarakis"
    assert json.loads(page)["next"] is None
    assert acknowledged == ""
    assert stream.startswith("retry: ")
    assert asked.splitlines() == ["event,who", "urn:event:1,M. Koubarakis"]
    assert schema == ""
    assert json.loads(rule)["analysis"]["well_defined"] is True
    assert [(one["rule"], one["status"]) for one in json.loads(update)["firings"]] == [("unread", "committed")]
    assert [one["position"] for one in json.loads(update)["events"]] == [2]


def shell(command: str) -> str:
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=300, check=False)
    # A stream has no end of its own: curl leaves when its time is over.
    assert done.returncode in ((0, TIMED_OUT) if "--max-time" in command else (0,)), done.stderr
    return done.stdout
