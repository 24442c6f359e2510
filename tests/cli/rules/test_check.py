"""`triplewire rules check`, through the command line."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

SCHEMA = """
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix ex: <http://example.org/> .
ex:title rdfs:domain ex:Book ; rdfs:range xsd:string .
ex:note rdfs:domain ex:Book ; rdfs:range xsd:string .
"""
USING = "USING NAMESPACE ex http://example.org/\n"
NOTES = "RULE notes ON INSERT (_, ex:title, _) IF True DO INSERT ($delta, ex:note, 'new');;\n"
TITLES = "RULE titles ON INSERT (_, ex:note, _) IF True DO INSERT ($delta, ex:title, 'again');;\n"
OLD = "RULE old ON INSERT (_, ex:title, _) IF True DO UPDATE ($delta, ex:note, _ -> 'old');;\n"
NEVER = "RULE never ON INSERT (_, ex:title, _) IF False DO INSERT ($delta, ex:note, 'x');;\n"


@pytest.fixture
def check(workspace: Path, run):
    """Call `rules check` with rules, given as text."""
    (workspace / "schema.ttl").write_text(SCHEMA)

    def call(rules: str, *options: str):
        (workspace / "rules.rdftl").write_text(USING + rules)
        return run("rules", "check", "rules.rdftl", "--schema", "schema.ttl", *options)

    return call


def test_sound_rules_are_shown_with_what_they_may_trigger(check):
    result = check(NOTES)
    assert result.exit_code == 0, result.stderr
    assert "terminates        yes: no rule may trigger itself" in result.stdout
    assert "well-defined      1 of 1" in result.stdout
    assert result.stderr == ""


def test_a_cycle_is_shown_and_strict_fails(check):
    result = check(NOTES + TITLES)
    assert result.exit_code == 0
    assert "no: rules may trigger each other without end: notes -> titles -> notes" in result.stdout
    assert (
        "titles may trigger notes: an action of titles may insert into (ex:Book, ex:title, xsd:string)" in result.stdout
    )
    assert check(NOTES + TITLES, "--strict").exit_code == 1
    assert check(NOTES, "--strict").exit_code == 0


def test_rules_that_do_not_commute_are_named_with_the_condition_that_fails(check):
    stdout = check(NOTES + OLD).stdout
    assert (
        "do not commute    notes and old: C1 fails: both action parts access (ex:Book, ex:note, xsd:string)" in stdout
    )
    assert "not well-defined  old: I1 fails: an UPDATE action refers to $delta" in stdout


def test_rules_that_can_never_fire_are_told(check):
    assert "never fires       never: its condition cannot hold in this schema" in check(NEVER).stdout


def test_updates_tell_which_rules_they_never_lead_to(check, workspace):
    (workspace / "u.rdftl").write_text(f"{USING} INSERT (resource(http://example.org/b), ex:note, 'x');;")
    stdout = check(NOTES + OLD, "--updates", "u.rdftl").stdout
    assert "unreachable       the updates never lead to notes, old" in stdout


def test_json_has_every_answer_with_its_reason(check):
    found = json.loads(check(NOTES + OLD, "--json").stdout)
    notes, old = found["rules"]
    assert (notes["id"], notes["well_defined"], old["I1"]["holds"]) == ("notes", True, False)
    assert notes["triples_queried"] == [
        ["http://example.org/Book", "http://example.org/title", "http://www.w3.org/2001/XMLSchema#string"]
    ]
    (conflict,) = found["conflicts"]
    assert (conflict["rule"], conflict["others"], conflict["C1"]["holds"]) == ("notes", ["old"], False)
    assert found["termination"] == {
        "holds": True,
        "reason": "no rule may trigger itself, at once or through others",
        "cycles": [],
    }
    assert found["unreachable"] is None


def test_the_graph_is_drawn_as_its_ending_says(check, workspace):
    assert check(NOTES + TITLES, "--graph", "out.svg").exit_code == 0
    assert ET.parse(workspace / "out.svg").getroot().tag.endswith("svg")
    assert check(NOTES + TITLES, "--graph", "out.dot").exit_code == 0
    assert '"notes" -> "titles"' in (workspace / "out.dot").read_text()


def test_a_rule_that_precedes_a_stranger_is_noted(check):
    result = check(NOTES.replace("ON", "PRECEDES nobody ON", 1))
    assert result.exit_code == 0
    assert "notes precedes nobody, and there is no rule of that name" in result.stderr


@pytest.mark.parametrize(
    ("rules", "wanted"),
    [
        ("ON INSERT (_, ex:title, _) IF Tru DO INSERT ($delta, ex:note, 'x');;", "rules.rdftl:2:"),
        (NOTES.replace("ex:note", "ex:nota"), "rule notes: wanted a property of the schema, found 'http://example.org/n"),
        (NOTES.replace("ex:note", "dc:note"), "dc"),
        (NOTES.replace("$delta", "$delta.new_target"), "new_target"),
        (NOTES + NOTES, "notes"),
        (
            NOTES.replace("ON", "PRECEDES titles ON", 1) + TITLES.replace("ON", "PRECEDES notes ON", 1),
            "wanted rules in a partial order, found the cycle",
        ),
    ],
)  # fmt: skip
def test_bad_rules_are_refused_with_a_reason(check, rules, wanted):
    result = check(rules)
    assert result.exit_code == 1
    assert wanted in result.stderr
    assert "bug" not in result.stderr
    assert result.stdout == ""


def test_every_rule_with_an_unknown_name_is_told(check):
    result = check(NOTES.replace("ex:note", "ex:nota") + TITLES.replace("ex:note", "ex:noto"))
    assert result.stderr.count("the nearest are <http://example.org/note>") == 2


def test_files_that_are_not_there_or_no_pictures_are_refused(check, run, workspace):
    assert "wanted a name that ends in .svg or .dot" in check(NOTES, "--graph", "out.png").stderr
    assert run("rules", "check", "nowhere.rdftl", "--schema", "schema.ttl").exit_code == 1
    assert run("rules", "check", "rules.rdftl", "--schema", "nowhere.ttl").exit_code == 1
    (workspace / "bad.ttl").write_text("this is no turtle")
    assert "bad.ttl:1:" in run("rules", "check", "rules.rdftl", "--schema", "bad.ttl").stderr


def test_help_shows_examples(run):
    assert "triplewire rules check messages.rdftl --schema selene.ttl" in " ".join(
        run("rules", "check", "--help").stdout.split()
    )
