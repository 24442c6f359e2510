"""The commands for the rules and the schema of a node, against a real process."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.node.processes import running

from triplewire.node.transport.keys import NetworkKey

SELENE = Path(__file__).parents[3] / "examples" / "selene"
NEW = """
USING NAMESPACE dc http://purl.org/dc/elements/1.1/
TRANSACTION arrival
INSERT resource(http://example.org/los/x) AS INSTANCE OF Book;;
INSERT (resource(http://example.org/los/x), dc:subject, 'Logic');;
"""


@pytest.fixture
def node(tmp_path_factory):
    with running(tmp_path_factory.mktemp("node") / "data", "--open") as process:
        yield process


@pytest.fixture
def call(run, node):
    def called(*args: str, stdin: str | None = None):
        return run(*args, "--node", node.url, stdin=stdin)

    return called


def fine(result) -> str:
    assert result.exit_code == 0, result.output
    return result.stdout


def test_a_schema_rules_and_updates_of_a_node(call, workspace):
    assert fine(call("schema", "get")) == ""
    fine(call("schema", "put", str(SELENE / "schema.ttl")))
    assert "<http://purl.org/dc/elements/1.1/subject>" in fine(call("schema", "get"))
    fine(call("graph", "put", str(SELENE / "users.ttl")))
    put = call("rules", "put", str(SELENE / "messages.rdftl"))
    assert [line.split() for line in fine(put).splitlines()] == [
        ["new", name] for name in ("new_object", "new_interest", "new_title", "something_unread")
    ]
    assert "new_object: its condition reads <http://purl.org/dc/elements/1.1/subject>" in put.stderr.replace("\n", " ")
    listed = fine(call("rules", "list"))
    assert "something_unread" in listed
    assert json.loads(fine(call("rules", "list", "--json")).splitlines()[0])["id"] == "new_object"
    text = fine(call("rules", "get", "new_object"))
    again = fine(call("rules", "put", "-", stdin="COUPLING DEFERRED\n" + text.replace("PRECEDES", "#PRECEDES")))
    assert again.split() == ["replaced", "new_object"]
    shown = json.loads(fine(call("rules", "get", "new_object", "--json")))
    assert (shown["id"], shown["listens"]) == ("new_object", "updates")
    Path("new.rdftl").write_text(NEW)
    done = json.loads(fine(call("update", "new.rdftl", "--key", "k")))
    assert [firing["rule"] for firing in done["firings"]][:1] == ["new_object"]
    assert json.loads(fine(call("update", "new.rdftl", "--key", "k"))) == done
    fine(call("rules", "delete", "new_object"))
    assert "new_object" not in fine(call("rules", "list"))


def test_a_transaction_that_aborts_on_purpose_says_why(call, workspace):
    fine(call("schema", "put", str(SELENE / "schema.ttl")))
    Path("guard.rdftl").write_text(
        "COUPLING DEFERRED ON INSERT resource() AS INSTANCE OF LO IF not $delta/target(title) DO ABORT 'no title';;"
    )
    assert fine(call("rules", "put", "guard.rdftl", "--name", "guard", "--json"))
    insert = "TRANSACTION one\nINSERT resource(http://example.org/los/x) AS INSTANCE OF Book;;\n"
    refused = call("update", "--language", "rdftl", insert)
    assert refused.exit_code == 1
    assert "the rule guard has aborted it: no title" in refused.stderr.replace("\n", " ")
    mixed = call(
        "update",
        "-",
        "--language",
        "rdftl",
        stdin=insert + "TRANSACTION two\nDELETE resource(http://example.org/los/none);;",
    )
    assert mixed.exit_code == 1
    assert "transaction one was undone: the rule guard has aborted it: no title" in mixed.stderr.replace("\n", " ")
    assert [one["status"] for one in json.loads(mixed.stdout)["transactions"]] == ["aborted", "committed"]


def test_the_tree_of_a_transaction_is_shown_and_drawn(call, workspace):
    fine(call("schema", "put", str(SELENE / "schema.ttl")))
    fine(call("graph", "put", str(SELENE / "users.ttl")))
    Path("guard.rdftl").write_text("ON DELETE resource() IF True DO ABORT 'nothing goes';;")
    fine(call("rules", "put", str(SELENE / "messages.rdftl")))
    fine(call("rules", "put", "guard.rdftl", "--name", "guard"))
    assert call("update", str(SELENE / "updates.rdftl")).exit_code == 1, "one of them is a mistake"
    done = json.loads(fine(call("rules", "trace", "books", "--format", "json")))
    assert done["units"][0]["rule"] is None
    shown = fine(call("rules", "trace", "books", "--graph", "tree.svg")).splitlines()
    assert shown[0].startswith(f"schedule {done['schedule']}, 2")
    assert shown[1].startswith("transaction books: committed")
    assert any(
        line.startswith("  rule new_object, IMMEDIATE, MUTUAL for <http://example.org/los/boole>") for line in shown
    )
    assert any(line.startswith("    rule something_unread, DEFERRED, MUTUAL") for line in shown)
    assert "transaction mistake: undone: the triple" in "\n".join(shown)
    assert Path("tree.svg").read_text().startswith("<svg")
    assert fine(call("rules", "trace", str(done["schedule"]))).splitlines() == shown
    refused = call("update", "--language", "rdftl", "TRANSACTION gone DELETE resource(http://example.org/los/boole);;")
    assert refused.exit_code == 1
    tree = fine(call("rules", "trace", "gone", "--graph", "tree.dot"))
    assert tree.count("undone: the rule guard has aborted it: nothing goes") == 2
    assert "digraph" in Path("tree.dot").read_text()
    for bad, problem in (
        (("nobody",), "'nobody'"),
        (("99999",), "99,999"),
        (("gone", "--graph", "x.png"), ".svg or .dot"),
    ):
        result = call("rules", "trace", *bad)
        assert result.exit_code == 1
        assert problem in result.stderr.replace("\n", " ")


def test_what_the_network_cannot_carry_to_a_rule_that_listens_is_told(run, workspace, tmp_path_factory):
    NetworkKey.new().write(workspace / "key")
    subclass = "http://www.w3.org/2000/01/rdf-schema#subClassOf"
    classes = "".join(f"<urn:{number}:{'x' * 200}> <{subclass}> <urn:Thing> .\n" for number in range(400))
    Path("many.nt").write_text(classes)
    Path("all.rdftl").write_text("ON INSERT resource() AS INSTANCE OF Thing IF True DO DELETE $delta;;")
    folder = tmp_path_factory.mktemp("node") / "data"
    with running(folder, "--open", "--key", str(workspace / "key")) as node:
        fine(run("schema", "put", "many.nt", "--node", node.url))
        put = run("rules", "put", "all.rdftl", "--name", "all", "--listen", "--node", node.url)
    assert fine(put).split() == ["new", "all"]
    told = " ".join(put.stderr.split())
    assert "all: events of other nodes do not come here that match ASK { ?source" in told


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        (("rules", "put", "missing.rdftl"), "missing.rdftl"),
        (("rules", "put", "bad.rdftl"), "bad.rdftl:1:"),
        (("rules", "put", "empty.rdftl"), "empty.rdftl: wanted at least one rule"),
        (("rules", "put", "two.rdftl", "--name", "x"), "wanted one rule"),
        (("rules", "put", "one.rdftl", "--listen"), "ON INSERT to listen"),
        (("rules", "get", "nobody"), "'nobody'"),
        (("rules", "delete", "nobody"), "'nobody'"),
        (("withdraw", "nobody"), "an update under the key 'nobody'"),
        (("schema", "put", "good.rq"), "good.rq"),
        (("update", "bad.rdftl"), "1:"),
    ],
)
def test_bad_calls(call, workspace, command, problem):
    one = "ON DELETE (_, <urn:p>, _) IF True DO DELETE (_, <urn:q>, _);;\n"
    for name, text in (("bad", "ON CREATE"), ("empty", "# nothing"), ("one", one), ("two", one * 2)):
        Path(f"{name}.rdftl").write_text(text)
    result = call(*command)
    assert result.exit_code != 0
    assert problem in result.stderr.replace("\n", " ")
    assert "Traceback" not in result.stderr
