"""`triplewire rules run` and `dry-run`, through the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pyoxigraph import parse
from tests.cli.rules.test_check import NOTES, SCHEMA, TITLES, USING

from triplewire.rdf.formats import FORMATS, format_of_path

DATA = "@prefix ex: <http://example.org/> . ex:b a ex:Book ."
BOOK = "resource(http://example.org/b)"
TITLED = f"INSERT ({BOOK}, ex:title, 'Logic');;"
STRANGER = "INSERT (resource(http://example.org/c), ex:title, 'Sets');;"


@pytest.fixture
def execute(workspace: Path, run):
    """Call `rules run` or `dry-run` with rules and updates, given as text."""
    (workspace / "schema.ttl").write_text(
        SCHEMA + "ex:Novel <http://www.w3.org/2000/01/rdf-schema#subClassOf> ex:Book ."
    )
    (workspace / "data.ttl").write_text(DATA)

    def call(command: str, rules: str, updates: str, *options: str):
        (workspace / "r.rdftl").write_text(USING + rules)
        (workspace / "u.rdftl").write_text(USING + updates)
        paths = ("--schema", "schema.ttl", "--data", "data.ttl", "--rules", "r.rdftl", "--updates", "u.rdftl")
        return run("rules", command, *paths, *options)

    return call


def test_run_shows_each_firing_with_its_cause(execute):
    result = execute("run", NOTES, TITLED)
    assert result.exit_code == 0, result.stderr
    assert result.stdout.splitlines() == [
        "transaction t1: 1 triple more, 0 fewer",
        "  rule notes fired because of transaction t1: 1 triple more, 0 fewer",
        "1 transaction, 0 of them undone; 1 firing; 2 triples more, 0 fewer",
    ]
    assert result.stderr == ""


def test_trace_shows_delta_and_triples(execute):
    more = "RULE more ON INSERT (_, ex:note, 'new') IF True DO INSERT ($delta, ex:note, 'more');;"
    lines = execute("run", NOTES + more, TITLED, "--trace").stdout.splitlines()
    assert "    rule more fired because of rule notes: 1 triple more, 0 fewer" in lines
    assert '      $delta: source ex:b, arc_name ex:note, target "new"' in lines
    assert '      + ex:b ex:note "more"' in lines


@pytest.mark.parametrize("suffix", [form.suffixes[0] for form in FORMATS])
def test_out_holds_the_final_repository_in_the_format_of_its_ending(execute, workspace, suffix):
    out = workspace / f"after{suffix}"
    assert execute("run", NOTES, TITLED, "--out", out.name).exit_code == 0
    triples = {str(quad.triple) for quad in parse(out.read_bytes(), format_of_path(out).syntax)}
    assert triples == {
        "<http://example.org/b> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://example.org/Book>",
        '<http://example.org/b> <http://example.org/title> "Logic"',
        '<http://example.org/b> <http://example.org/note> "new"',
    }
    assert [path.name for path in workspace.iterdir() if path.name.startswith(".")] == []


def test_closure_also_writes_what_follows(execute, workspace):
    novel = "INSERT resource(http://example.org/n) AS INSTANCE OF ex:Novel;;"
    assert execute("run", NOTES, novel, "--out", "a.nt").exit_code == 0
    assert execute("run", NOTES, novel, "--out", "b.nt", "--closure").exit_code == 0
    more = set((workspace / "b.nt").read_text().splitlines()) - set((workspace / "a.nt").read_text().splitlines())
    assert [line.split()[2] for line in more] == ["<http://example.org/Book>"]


def test_dry_run_tells_what_would_come_and_go_and_keeps_nothing(execute, workspace):
    lines = execute("dry-run", NOTES, TITLED + f"DELETE {BOOK} AS INSTANCE OF ex:Novel;;").stdout.splitlines()
    assert '+ ex:b ex:note "new"' in lines
    assert '+ ex:b ex:title "Logic"' in lines
    assert (workspace / "data.ttl").read_text() == DATA


def test_json_has_one_entry_a_line(execute):
    first, second = map(json.loads, execute("run", NOTES, TITLED, "--json").stdout.splitlines())
    assert (first["rule"], first["cause"], first["status"]) == (None, None, "committed")
    assert (second["rule"], second["cause"], second["depth"]) == ("notes", first["number"], 1)
    assert second["delta"] == {
        "source": "<http://example.org/b>",
        "arc_name": "<http://example.org/title>",
        "target": '"Logic"',
    }
    assert second["inserted"] == ['<http://example.org/b> <http://example.org/note> "new" .']


def test_a_transaction_that_breaks_the_schema_is_undone_and_the_others_stay(execute, workspace):
    result = execute("run", NOTES, STRANGER + TITLED, "--out", "after.nt")
    assert result.exit_code == 1
    assert "breaks clause (a)" in result.stderr
    assert "<http://example.org/c>" in result.stderr
    assert "http://example.org/c" not in (workspace / "after.nt").read_text()
    assert '"new"' in (workspace / "after.nt").read_text()


def test_f12_rules_that_trigger_each_other_forever_end_with_the_cycle_shown(execute, workspace):
    grow = (
        "RULE grow ON INSERT (_, ex:title, _) IF True DO DELETE ($delta, ex:title, _), INSERT ($delta, ex:title, 'a');;"
    )
    result = execute("run", grow, TITLED, "--depth", "5", "--out", "after.nt")
    assert result.exit_code == 1
    assert "rules triggered each other more than 5 deep: grow -> grow" in result.stderr
    assert (workspace / "after.nt").read_text().count("\n") == 1


def test_rules_without_data_run_on_an_empty_repository(execute, run, workspace):
    execute("run", NOTES, "INSERT resource(http://example.org/n) AS INSTANCE OF ex:Book;;")
    result = run("rules", "run", "-s", "schema.ttl", "-r", "r.rdftl", "-u", "u.rdftl", "--out", "new.nt")
    assert result.exit_code == 0, result.stderr
    assert (workspace / "new.nt").read_text().count("\n") == 1


@pytest.mark.parametrize(
    ("rules", "updates", "options", "wanted"),
    [
        (NOTES, "INSERT (_, ex:titel, 'x');;", (), "update 1: wanted a property of the schema, found"),
        (NOTES, "INSERT ($delta, ex:title, 'x');;", (), "u.rdftl:2:"),
        (NOTES.replace("True", "Tru"), TITLED, (), "r.rdftl:2:"),
        (NOTES, TITLED, ("--out", "after.txt"), "after.txt"),
        (NOTES + TITLES.replace("titles", "notes"), TITLED, (), "notes"),
        (NOTES, TITLED, ("--data", "bad.ttl"), "bad.ttl: the triple"),
    ],
)
def test_bad_input_is_refused_with_a_reason_and_nothing_written(execute, workspace, rules, updates, options, wanted):
    (workspace / "bad.ttl").write_text("<http://example.org/x> <http://example.org/title> 'x' .")
    before = {path.name for path in workspace.iterdir()}
    result = execute("run", rules, updates, *options)
    assert result.exit_code == 1
    assert wanted in result.stderr
    assert "bug" not in result.stderr
    assert result.stdout == ""
    assert {path.name for path in workspace.iterdir()} - before <= {"r.rdftl", "u.rdftl"}


@pytest.mark.parametrize("command", ["run", "dry-run"])
def test_help_shows_examples(run, command):
    assert f"triplewire rules {command} --schema selene.ttl" in " ".join(run("rules", command, "--help").stdout.split())
