"""The commands that talk to a node, against a real process."""

from __future__ import annotations

import json
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest
from tests.node.processes import free_port, running

FEEDS = Path(__file__).parents[1] / "fixtures" / "feeds"
QUERY = "SELECT ?title WHERE { ?item <http://purl.org/rss/1.0/title> ?title }"


@pytest.fixture(scope="module")
def node(tmp_path_factory):
    with running(tmp_path_factory.mktemp("node") / "data", "--open") as process:
        yield process


@pytest.fixture
def call(run, node):
    def called(*args: str, stdin: str | bytes | None = None):
        return run(*args, "--node", node.url, stdin=stdin)

    return called


def lines(result) -> list[dict]:
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_publish_subscribe_and_query(call, workspace):
    [receipt] = lines(call("publish", "good.nq"))
    assert receipt["position"] >= 1
    [again] = lines(call("publish", "-", stdin=Path("good.nq").read_bytes()))
    assert again == receipt
    [found] = lines(call("subscribe", "good.rq", "--from", "beginning", "--count", "1"))
    assert found["event"] == receipt["event"]
    counted = call("query", "SELECT (COUNT(DISTINCT ?g) AS ?n) WHERE { GRAPH ?g { ?s ?p ?o } }", "--format", "csv")
    assert counted.stdout.split()[0] == "n"


def test_feeds_become_events_once(call):
    first = lines(call("feed", str(FEEDS / "rss1.rdf")))
    assert len(first) == 2
    assert lines(call("feed", str(FEEDS / "rss1.rdf"))) == first
    found = lines(call("subscribe", QUERY, "--from", "beginning", "--count", "2"))
    assert [one["solutions"][0]["title"]["value"] for one in found] == [
        "Publish/Subscribe for RDF",
        "Semantic Overlay Networks",
    ]


def test_an_entry_that_changed_without_a_date_is_told_and_the_others_go_on(call, tmp_path):
    feed = tmp_path / "feed.xml"
    feed.write_bytes((FEEDS / "rss1.rdf").read_bytes().replace(b"library.example", b"other.example"))
    assert call("feed", str(feed)).exit_code == 0
    feed.write_bytes(feed.read_bytes().replace(b"Superpeers", b"Peers"))
    result = call("feed", str(feed))
    assert result.exit_code == 1
    assert "changed without a new date" in result.stderr
    assert len(result.stdout.splitlines()) == 1


class FeedServer(BaseHTTPRequestHandler):
    """A feed with an ETag, and one that moved."""

    asked: list[str] = []  # noqa: RUF012  shared on purpose

    def do_GET(self) -> None:
        self.asked.append(self.path)
        if self.path == "/moved":
            self.send_response(302)
            self.send_header("location", "/secret")
            self.end_headers()
            return
        self.send_response(304 if self.headers.get("if-none-match") == '"1"' else 200)
        self.send_header("etag", '"1"')
        self.end_headers()
        self.wfile.write((FEEDS / "atom.xml").read_bytes())

    def log_message(self, *_: object) -> None:
        return


def test_a_feed_is_fetched_from_where_it_was_named_and_nowhere_else(run):
    server = HTTPServer(("127.0.0.1", 0), FeedServer)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        base = f"http://127.0.0.1:{server.server_port}"
        good = run("feed", f"{base}/feed", "--print")
        assert good.exit_code == 0
        assert good.stdout.count("rss/1.0/title") == 1
        moved = run("feed", f"{base}/moved", "--print")
        assert moved.exit_code == 1
        assert "redirect" in moved.stderr
        assert FeedServer.asked == ["/feed", "/moved"]
    finally:
        server.shutdown()
        server.server_close()


def test_clients_and_dead_letters(call):
    made = lines(call("clients", "--register", "sensor-7"))
    assert set(made[0]) >= {"id", "secret"}
    assert "sensor-7" in [one["name"] for one in lines(call("clients"))]
    assert lines(call("dead-letters")) == []
    result = call("dead-letters", "--send", "99")
    assert result.exit_code == 1
    assert "404" in result.stderr


@pytest.mark.parametrize(
    "args",
    [("publish", "missing.nq"), ("publish", "bad.nq"), ("subscribe", "missing.rq"), ("subscribe", "SELECT nonsense"),
     ("query", "SELECT nonsense"), ("feed", "missing.xml"), ("feed", "bad.nq"), ("feed", "ftp://example.org/feed"),
     ("subscribe", "ASK {}", "--from", "yesterday")],
)  # fmt: skip
def test_what_is_wrong_is_one_message_and_no_traceback(call, workspace, args):
    (workspace / "bad.nq").write_text("<urn:s> nonsense")
    result = call(*args)
    assert result.exit_code == 1
    assert "error: " in result.stderr
    assert "Traceback" not in result.stderr
    assert result.stdout == ""


def test_no_node_is_one_message(run, workspace):
    result = run("publish", "good.nq", "--node", f"http://127.0.0.1:{free_port()}")
    assert result.exit_code == 1
    assert "wanted a node at" in result.stderr
    result = run("publish", "good.nq", "--node", "file:///etc/passwd")
    assert result.exit_code == 1
    assert "http" in result.stderr
