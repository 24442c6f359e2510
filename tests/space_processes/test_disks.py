"""F2 and F3 in a space: a node whose disk is full or fails, beside one that is well."""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest
from tests.node.node_process import NodeProcess, free_port

from triplewire.cli.network.key import make_key

COMPILER = shutil.which("cc")
TURTLE = {"Content-Type": "text/turtle"}
QUERY = {"Content-Type": "application/sparql-query"}
COUNTED = "SELECT DISTINCT ?event { GRAPH ?event { ?s <urn:p> ?o } }"

pytestmark = pytest.mark.skipif(COMPILER is None, reason="a C compiler makes the library whose writes fail")


@pytest.fixture(scope="module")
def shim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    library = tmp_path_factory.mktemp("shim") / "shim.so"
    source = Path(__file__).parents[1] / "node" / "shim.c"
    subprocess.run([str(COMPILER), "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    return library


@pytest.fixture
def founder(tmp_path: Path, shim: Path) -> Iterator[NodeProcess]:
    """A node whose disk is full, or fails, while `full` or `failed` is there."""
    make_key(tmp_path / "space.key")
    address = f"tcp://127.0.0.1:{free_port()}"
    faults = {"FAULT_FULL": str(tmp_path / "full"), "FAULT_SYNC": str(tmp_path / "failed")}
    flags = ("--open", "--space", "--key", str(tmp_path / "space.key"), "--space-address", address)
    node = NodeProcess(tmp_path / "one", *flags, environment={"LD_PRELOAD": str(shim), **faults})
    node.http.put("/subscriptions/all", content="SELECT ?o { ?s <urn:p> ?o }", headers=QUERY).raise_for_status()
    yield node
    if node.process.poll() is None:
        node.kill()


@pytest.fixture
def other(tmp_path: Path, founder: NodeProcess) -> Iterator[NodeProcess]:
    """A node that is well, in the same space."""
    address = founder.http.get("/space").json()["address"]
    flags = ("--open", "--space", "--key", str(tmp_path / "space.key"), "--join", address)
    node = NodeProcess(tmp_path / "two", *flags)
    yield node
    if node.process.poll() is None:
        node.kill()


def publish(node: NodeProcess, number: int) -> httpx.Response:
    return node.http.post(
        "/events", params={"graph": f"urn:e:{number}"}, content=f'<urn:s> <urn:p> "{number}" .', headers=TURTLE
    )


def publish_in_the_end(node: NodeProcess, number: int) -> None:
    """Publish until it is acknowledged: room has to be noticed, or zones of a silent node have to be taken over."""
    deadline = time.monotonic() + 120
    while (answer := publish(node, number)).status_code != 201:
        assert answer.status_code in (503, 507), answer.text
        assert time.monotonic() < deadline, answer.text


def told(node: NodeProcess) -> set[str]:
    page = node.http.get("/subscriptions/all/notifications", params={"after": 0}).json()
    return {one["event"] for one in page["notifications"]}


def stored(node: NodeProcess) -> set[str]:
    answer = node.http.post("/events/sparql", content=COUNTED, headers=QUERY | {"Accept": "text/csv"})
    return set(answer.text.split()[1:]) if answer.status_code == 200 else set()


def until(node: NodeProcess, wanted: set[str], look: Callable[[NodeProcess], set[str]]) -> None:
    deadline = time.monotonic() + 120
    while not wanted <= look(node):
        assert time.monotonic() < deadline, (wanted, look(node))
        time.sleep(0.2)


def test_f3_a_full_disk_is_told_to_publishers_and_work_resumes(tmp_path: Path, founder: NodeProcess):
    assert publish(founder, 1).status_code == 201
    (tmp_path / "full").touch()
    refused = publish(founder, 2)
    assert refused.status_code == 507, refused.text
    assert refused.json()["type"] == "urn:triplewire:problem:disk-full"
    assert told(founder) == {"urn:e:1"}
    assert founder.http.get("/health").status_code == 200
    (tmp_path / "full").unlink()
    publish_in_the_end(founder, 2)
    assert stored(founder) == {"urn:e:1", "urn:e:2"}
    assert told(founder) == {"urn:e:1", "urn:e:2"}
    assert founder.stop() == 0


def test_f3_others_do_without_a_node_with_a_full_disk_and_it_comes_back(
    tmp_path: Path, founder: NodeProcess, other: NodeProcess
):
    assert publish(founder, 1).status_code == 201
    assert publish(other, 2).status_code == 201
    (tmp_path / "full").touch()
    assert publish(founder, 3).status_code == 507
    for number in range(4, 8):
        publish_in_the_end(other, number)
    until(other, {f"urn:e:{number}" for number in (1, 2, 4, 5, 6, 7)}, stored)
    (tmp_path / "full").unlink()
    publish_in_the_end(founder, 3)
    everything = {f"urn:e:{number}" for number in range(1, 8)}
    until(founder, everything, stored)
    until(founder, everything, told)
    assert other.stop() == 0
    assert founder.stop() == 0


def test_f2_a_node_whose_fsync_fails_stops_and_others_have_what_it_acknowledged(
    tmp_path: Path, founder: NodeProcess, other: NodeProcess
):
    for number in range(1, 6):
        assert publish(founder, number).status_code == 201
    (tmp_path / "failed").touch()
    assert publish(founder, 6).status_code == 503
    assert founder.ended() == 1
    until(other, {f"urn:e:{number}" for number in range(1, 6)}, stored)
    assert other.stop() == 0
