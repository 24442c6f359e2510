"""F2 and F3 on a real process, whose system calls fail: a small library stands between it and its disk."""

from __future__ import annotations

import shutil
import subprocess
from contextlib import suppress
from pathlib import Path

import httpx
import pytest
from tests.node.node_process import NodeProcess

_NQUADS = {"Content-Type": "application/n-quads"}
_QUERY = {"Content-Type": "application/sparql-query"}
COMPILER = shutil.which("cc")

pytestmark = pytest.mark.skipif(COMPILER is None, reason="a C compiler makes the library whose fsync fails")


@pytest.fixture(scope="module")
def shim(tmp_path_factory) -> Path:
    library = tmp_path_factory.mktemp("shim") / "shim.so"
    source = Path(__file__).with_name("shim.c")
    subprocess.run([COMPILER, "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    return library


def publish(node: NodeProcess, number: int) -> httpx.Response:
    body = f'<urn:s> <urn:p> "{number}" <urn:e:{number}> .'
    return node.http.post("/events", content=body, headers=_NQUADS)


def told(node: NodeProcess) -> list[str]:
    page = node.http.get("/subscriptions/all/notifications", params={"after": 0}).json()
    return [one["event"] for one in page["notifications"]]


def test_f2_a_node_whose_fsync_fails_stops_and_has_acknowledged_nothing_of_it(tmp_path: Path, shim: Path):
    data, fault = tmp_path / "node", tmp_path / "fault"
    node = NodeProcess(data, "--open", environment={"LD_PRELOAD": str(shim), "FAULT_SYNC": str(fault)})
    node.http.put("/subscriptions/all", content="SELECT ?o { ?s <urn:p> ?o }", headers=_QUERY).raise_for_status()
    assert publish(node, 1).status_code == 201
    fault.touch()
    assert publish(node, 2).status_code == 503
    fault.unlink()
    with suppress(httpx.TransportError):
        assert publish(node, 3).status_code == 503
    assert node.ended() == 1
    assert "writing has stopped" in node.log.read_text()
    again = NodeProcess(data, "--open")
    assert told(again) in (["urn:e:1"], ["urn:e:1", "urn:e:2"])
    assert again.stop() == 0


def test_f3_a_full_disk_is_told_to_publishers_while_subscribers_drain(tmp_path: Path, shim: Path):
    data, fault = tmp_path / "node", tmp_path / "fault"
    node = NodeProcess(data, "--open", environment={"LD_PRELOAD": str(shim), "FAULT_FULL": str(fault)})
    node.http.put("/subscriptions/all", content="SELECT ?o { ?s <urn:p> ?o }", headers=_QUERY).raise_for_status()
    assert publish(node, 1).status_code == 201
    fault.touch()
    refused = publish(node, 2)
    assert refused.status_code == 507
    assert refused.json()["type"] == "urn:triplewire:problem:disk-full"
    assert told(node) == ["urn:e:1"]
    assert node.http.get("/health").status_code == 200
    fault.unlink()
    assert publish(node, 2).json()["events"] == [{"event": "urn:e:2", "position": 2}]
    assert told(node) == ["urn:e:1", "urn:e:2"]
    assert node.stop() == 0
