"""The commands that talk to a node, against a real process."""

from __future__ import annotations

import json
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest
from tests.node.processes import free_port, running

FEEDS = Path(__file__).parents[2] / "fixtures" / "feeds"
QUERY = "SELECT ?title WHERE { ?i a <http://purl.org/rss/1.0/item> ; <http://purl.org/rss/1.0/title> ?title }"


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
    counted = call(
        "query", "--events", "SELECT (COUNT(DISTINCT ?g) AS ?n) WHERE { GRAPH ?g { ?s ?p ?o } }", "--format", "csv"
    )
    assert counted.stdout.split()[0] == "n"


def test_relative_iris_count_from_the_file_and_the_caller_is_told(call, tmp_path):
    file = tmp_path / "relative.ttl"
    file.write_text("<#thing> <urn:w:p> 'relative' .")
    result = call("publish", str(file))
    [receipt] = lines(result)
    assert "1 of 1 events have file:/// IRIs" in " ".join(result.stderr.split())
    asked = f"SELECT ?s WHERE {{ GRAPH <{receipt['event']}> {{ ?s ?p ?o }} }}"
    assert f"{file.as_uri()}#thing" in call("query", "--events", asked, "--format", "csv").stdout


def test_a_base_counts_for_files_and_for_standard_input(call, tmp_path):
    text = "<#thing> <urn:w:p> 'based' ."
    (tmp_path / "relative.ttl").write_text(text)
    base = ("--base", "http://example.org/doc")
    by_file, by_stdin = (
        call("publish", str(tmp_path / "relative.ttl"), *base),
        call("publish", "-", "--format", "turtle", *base, stdin=text.encode()),
    )
    assert by_file.stderr == by_stdin.stderr == ""
    for receipt in lines(by_file) + lines(by_stdin):
        asked = f"SELECT ?s WHERE {{ GRAPH <{receipt['event']}> {{ ?s ?p ?o }} }}"
        assert "http://example.org/doc#thing" in call("query", "--events", asked, "--format", "csv").stdout


def test_standard_input_has_no_url_and_the_error_names_the_flag(call, workspace):
    result = call("publish", "-", "--format", "turtle", stdin=b"\n<#thing> <urn:w:p> 1 .")
    assert result.exit_code == 1
    assert "<stdin>:2:1: wanted an absolute IRI, or a base (base, --base)" in result.stderr


def test_a_vocabulary_becomes_an_event_a_subject(call, tmp_path):
    file = tmp_path / "words.ttl"
    file.write_text("<urn:w:a> <urn:w:p> [ <urn:w:q> 1 ] . <urn:w:b> <urn:w:p> 2 .")
    first = lines(call("publish", "--split-by", "subject", str(file)))
    assert len(first) == 2
    file.write_text(file.read_text() + " <urn:w:c> <urn:w:p> 3 .")
    again = lines(call("publish", "--split-by", "subject", str(file)))
    assert again[:2] == first
    assert len(again) == 3


def test_how_large_an_event_may_be_is_the_nodes_to_say(run, call, tmp_path):
    file = tmp_path / "large.nq"
    file.write_text("".join(f"<urn:large> <urn:has> <urn:{'o' * 100}:{n}> <urn:large:1> .\n" for n in range(12_000)))
    refused = call("publish", str(file))
    assert refused.exit_code == 1
    assert "event_bytes" in refused.stderr
    limits = ("--event-bytes", "4000000", "--event-quads", "20000")
    with running(tmp_path / "roomy", "--open", *limits) as roomy:
        [receipt] = lines(run("publish", str(file), "--node", roomy.url))
        assert receipt["event"] == "urn:large:1"
    (tmp_path / "q.rq").write_text("ASK { ?s <urn:has> ?o }")
    arguments = ("match", "-s", str(tmp_path / "q.rq"), "-e", str(file), "--format", "json")
    assert run(*arguments).exit_code == 1
    assert len(lines(run(*arguments, *limits))) == 1


def test_contexts_of_a_local_map(call, tmp_path):
    (tmp_path / "people.jsonld").write_text('{"@context": {"name": "urn:name"}}')
    (tmp_path / "map.json").write_text('{"https://example.org/people": "people.jsonld"}')
    file = tmp_path / "ann.jsonld"
    file.write_text('{"@context": "https://example.org/people", "@id": "urn:ann", "name": "Ann"}')
    refused = call("publish", str(file))
    assert refused.exit_code == 1
    assert "remote JSON-LD contexts are refused" in refused.stderr
    lines(call("publish", str(file), "--contexts", str(tmp_path / "map.json")))
    assert (
        "Ann"
        in call(
            "query", "--events", "SELECT ?n WHERE { GRAPH ?g { <urn:ann> <urn:name> ?n } }", "--format", "csv"
        ).stdout
    )


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
        assert good.stdout.count("rss/1.0/item>") == 1
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


ALL = "SELECT ?s WHERE { ?s <urn:q> ?o }"


def kept(call, *numbers: int) -> None:
    body = "".join(f'<urn:s> <urn:q> "{number}" <urn:q:{number}> .\n' for number in numbers)
    assert len(lines(call("publish", "-", stdin=body))) == len(numbers)


def test_subscriptions_are_listed_shown_reset_and_deleted(call):
    kept(call, 1, 2)
    first = lines(call("subscribe", ALL, "--name", "listed", "--from", "beginning", "--count", "2"))
    assert [one["event"] for one in first] == ["urn:q:1", "urn:q:2"]
    listed = call("subscriptions", "list")
    assert listed.exit_code == 0
    assert "listed" in listed.stdout
    [shown] = lines(call("subscriptions", "show", "listed", "--json"))
    assert (shown["id"], shown["text"], shown["state"]) == ("listed", ALL, "live")
    assert ALL in call("subscriptions", "show", "listed").stdout
    [reset] = lines(call("subscriptions", "reset", "listed", "--from", "beginning"))
    assert reset == {"id": "listed", "acknowledged": 0}
    assert lines(call("subscribe", ALL, "--name", "listed", "--count", "2")) == first
    assert call("subscriptions", "delete", "listed").exit_code == 0
    gone = call("subscriptions", "show", "listed")
    assert gone.exit_code == 1
    assert "listed" in gone.stderr


def test_where_to_begin_is_said_to_be_ignored_for_a_subscription_that_is_there(call):
    kept(call, 11)
    new = call("subscribe", ALL, "--name", "there", "--from", "beginning", "--count", "1")
    assert "ignored" not in new.stderr
    kept(call, 12)
    again = call("subscribe", ALL, "--name", "there", "--from", "beginning", "--count", "1")
    assert again.exit_code == 0
    assert "--from is ignored" in again.stderr
    assert "triplewire subscriptions reset there" in again.stderr
    assert "ignored" not in call("subscribe", ALL, "--name", "other", "--from", "beginning", "--count", "1").stderr


def test_a_query_answers_with_a_table_when_asked(call):
    kept(call, 21)
    shown = call("query", "--events", "SELECT DISTINCT ?s ?x WHERE { ?s <urn:q> ?o }", "--format", "table").stdout
    assert "?s" in shown
    assert "?x" in shown
    assert "<urn:s>" in shown
    assert call("query", "--events", "ASK { ?s <urn:q> ?o }", "--format", "table").stdout == "yes\n"
    made = call("query", "--events", "CONSTRUCT { ?s <urn:r> 1 } WHERE { ?s <urn:q> ?o }", "--format", "table").stdout
    assert made == "<urn:s> <urn:r> 1 .\n"
    assert call("query", "--events", "ASK { ?s <urn:q> ?o }").stdout.startswith('{"head"')


def test_why_asks_the_node_of_an_event_that_it_keeps(call):
    kept(call, 31)
    yes = call("why", "urn:q:31", ALL)
    lines = ["yes: <urn:q:31> it matches", "     ?s = <urn:s>", '       asserted  <urn:s> <urn:q> "31"']
    assert (yes.exit_code, yes.stdout.splitlines()) == (0, lines)
    no = call("why", "urn:q:31", "ASK { ?s <urn:none> ?o }")
    assert no.exit_code == 1
    assert no.stdout == "no: <urn:q:31> nothing matches ?s <urn:none> ?o\n"
    assert call("why", "urn:no:event", ALL).exit_code == 2


def test_an_error_names_the_flag_and_the_variable(run, tmp_path):
    away = run("query", "ASK {}", "--node", f"http://127.0.0.1:{free_port()}")
    assert "--node or $TRIPLEWIRE_NODE" in away.stderr
    assert "--node or $TRIPLEWIRE_NODE" in run("query", "ASK {}", "--node", "ftp://x").stderr
    with running(tmp_path / "data") as closed:
        refused = run("query", "ASK {}", "--node", closed.url)
    assert refused.exit_code == 1
    assert "--secret-file or $TRIPLEWIRE_SECRET" in refused.stderr
