"""One real node: hostile bodies and connections, and how it stops."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest
from tests.node.node_process import NodeProcess
from typer.testing import CliRunner

from triplewire.cli.app import app

_TURTLE = {"Content-Type": "text/turtle"}
_POST = b"POST /events HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/turtle\r\n"
IDLE = 500


@pytest.fixture(scope="module")
def node(tmp_path_factory):
    started = NodeProcess(tmp_path_factory.mktemp("process") / "node", "--open")
    yield started
    assert started.stop() == 0


def publish(node: NodeProcess, name: str) -> int:
    answer = node.http.post("/events", params={"graph": name}, content="<urn:a> <urn:p> 1 .", headers=_TURTLE)
    return answer.status_code


def connection(node: NodeProcess) -> socket.socket:
    return socket.create_connection(("127.0.0.1", node.port), timeout=120)


def test_a7_a_gigabyte_is_refused_before_a_byte_of_it_is_sent(node: NodeProcess):
    with connection(node) as raw:
        raw.sendall(_POST + b"Content-Length: 1073741824\r\n\r\n")
        assert raw.recv(100).startswith(b"HTTP/1.1 413")


def test_a7_a_body_that_does_not_say_how_large_it_is_is_read_up_to_the_limit(node: NodeProcess):
    chunk = b"10000\r\n" + b"#" * 0x10000 + b"\r\n"
    with connection(node) as raw:
        raw.sendall(_POST + b"Transfer-Encoding: chunked\r\n\r\n")
        sent = 0
        raw.settimeout(0.0)
        answer = b""
        while not answer and sent < 1 << 30:
            try:
                answer = raw.recv(100)
            except BlockingIOError:
                raw.settimeout(30)
                raw.sendall(chunk)
                raw.settimeout(0.0)
                sent += len(chunk)
        assert answer.startswith(b"HTTP/1.1 413")
        assert sent < 1 << 28


def test_a16_publishing_works_beside_idle_connections(node: NodeProcess):
    idle = [connection(node) for _ in range(IDLE)]
    for number, raw in enumerate(idle):
        # Half of them say nothing at all, half of them never finish what they say.
        if number % 2:
            raw.sendall(_POST + b"Content-Length: 100\r\n\r\nx")
    assert [publish(node, f"urn:idle:{number}") for number in range(20)] == [201] * 20
    for raw in idle:
        raw.close()
    assert publish(node, "urn:idle:after") == 201


def test_a_second_node_on_the_same_folder_is_refused_with_a_sentence(node: NodeProcess, tmp_path: Path):
    folder = node.log.with_suffix("")
    result = CliRunner().invoke(app, ["serve", "--data", str(folder), "--open"])
    assert result.exit_code == 1
    assert "in use" in result.output


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--data", "d", "--open", "--host", "0.0.0.0"], "loopback"),
        ([], "data"),
        (["--data", "d", "--config", "missing.toml"], "missing.toml"),
    ],
)
def test_a_call_that_is_wrong(tmp_path: Path, monkeypatch, arguments: list[str], words: str):
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, ["serve", *arguments])
    assert result.exit_code == 2
    assert words in result.output
    assert "Traceback" not in result.output
    assert not (tmp_path / "d").exists()
