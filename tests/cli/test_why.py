"""`triplewire why EVENT QUERY`, on files."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.samples import EVENT


def test_an_event_in_a_file_matches_or_is_told_why_not(run, workspace):
    yes = run("why", "good.nq", "good.rq")
    assert yes.exit_code == 0, yes.output
    assert yes.stdout.startswith("yes: <urn:event:1> it matches")
    no = run("why", "good.nq", "SELECT ?x { ?x <urn:never> ?y }")
    assert (no.exit_code, no.stdout) == (1, "no: <urn:event:1> nothing matches ?x <urn:never> ?y\n")


def test_one_of_several_is_enough_for_yes(run, workspace):
    Path("two.nq").write_text(EVENT + '<urn:x> <urn:y> "z" <urn:event:2> .\n')
    result = run("why", "two.nq", "good.rq")
    assert result.exit_code == 0
    assert [line[:3] for line in result.stdout.splitlines() if not line.startswith(" ")] == ["yes", "no:"]


def test_an_event_comes_from_standard_input(run, workspace):
    assert run("why", "-", "good.rq", stdin=EVENT).stdout.startswith("yes: ")


def test_what_cannot_be_read_is_no_answer(run, workspace):
    Path("bad.nq").write_text("nonsense")
    for event, query in (("bad.nq", "good.rq"), ("nowhere.nq", "good.rq"), ("good.nq", "SELECT"), ("good.nq", "no.rq")):
        result = run("why", event, query)
        assert (result.exit_code, result.stdout) == (2, ""), (event, query)
        assert "error: " in result.stderr


def test_a_solution_stands_on_quads_and_on_what_follows_by_the_taxonomy(run, workspace):
    up = "<http://www.w3.org/2000/01/rdf-schema#subClassOf>"
    Path("known.ttl").write_text(f"<urn:Novel> {up} <urn:Book> . <urn:Book> {up} <urn:Work> .")
    Path("b.nq").write_text(
        "<urn:b> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <urn:Novel> <urn:e> .\n"
        '<urn:b> <http://purl.org/dc/elements/1.1/title> "Faust" <urn:e> .\n'
    )
    query = "SELECT ?b { ?b <http://purl.org/dc/elements/1.1/title> ?t FILTER(<urn:triplewire:isA>(?b, <urn:Work>)) }"
    assert run("why", "b.nq", query, "--taxonomy", "known.ttl").stdout.splitlines() == [
        "yes: <urn:e> it matches",
        "     ?b = <urn:b>",
        '       asserted  <urn:b> dc:title "Faust"',
        "       asserted  <urn:b> rdf:type <urn:Novel>",
        "       inferred  <urn:b> rdf:type <urn:Work>",
        "                 by <urn:Novel> rdfs:subClassOf <urn:Book>, <urn:Book> rdfs:subClassOf <urn:Work>",
        "                 from <urn:b> rdf:type <urn:Novel>",
    ]
    [line] = run("why", "b.nq", query, "--taxonomy", "known.ttl", "--json").stdout.splitlines()
    assert [one["kind"] for one in json.loads(line)["why"][0]["quads"]] == ["asserted", "asserted", "inferred"]
