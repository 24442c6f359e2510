"""`triplewire why EVENT QUERY`, on files."""

from __future__ import annotations

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
