"""`triplewire match`: what is printed, and where."""

from __future__ import annotations

import json
from functools import partial

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.cli.samples import DC, EVENT, QUERY

from triplewire.matching.matcher import Matcher

MATCH = {
    "subscription": "good",
    "event": "urn:event:1",
    "solutions": [
        {
            "paper": {"type": "uri", "value": "urn:esws04"},
            "year": {"type": "literal", "value": "2004", "datatype": "http://www.w3.org/2001/XMLSchema#integer"},
        }
    ],
}


def objects(result) -> list[dict]:
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_json_is_one_object_a_line(workspace, run):
    assert objects(run("match", "--subscriptions", "good.rq", "--events", "good.nq", "--format", "json")) == [MATCH]


def test_a_table_shows_subscription_event_bindings_and_a_summary(workspace, run):
    result = run("match", "-s", "good.rq", "-e", "good.nq")
    assert result.exit_code == 0
    for shown in ("subscription", "good", "urn:event:1", "?paper = <urn:esws04>, ?year = 2004"):
        assert shown in result.stdout
    assert result.stdout.endswith("1 match: 1 of 1 event against 1 subscription\n")


def test_nothing_matched_is_fine(workspace, run):
    (workspace / "none.rq").write_text("ASK { <urn:nobody> ?p ?o }")
    assert run("match", "-s", "none.rq", "-e", "good.nq").stdout == "0 matches: 0 of 1 event against 1 subscription\n"
    assert objects(run("match", "-s", "none.rq", "-e", "good.nq", "--format", "json")) == []


def test_all_three_languages_side_by_side(workspace, run):
    (workspace / "edge.graph").write_text(f"?p <{DC}date> ?y(> 2000)\n")
    result = run("match", "-s", "good.rq", "good.formula", "edge.graph", "-e", "good.nq", "--format", "json")
    # good.rq and good.formula have one name, so one of them must go by another.
    assert result.exit_code == 1
    (workspace / "good.formula").rename(workspace / "formula.formula")
    found = objects(run("match", "-s", "good.rq", "formula.formula", "edge.graph", "-e", "good.nq", "-f", "json"))
    assert [match["subscription"] for match in found] == ["good", "formula", "edge"]


@pytest.mark.parametrize(
    "args",
    [
        ("--events", "one.nq", "two.nq", "--subscriptions", "good.rq"),
        ("--events", "one.nq", "--subscriptions", "good.rq", "--events", "two.nq"),
        ("--events=one.nq", "two.nq", "--subscriptions", "good.rq"),
        ("--events", "folder", "--subscriptions", "good.rq"),
    ],
)
def test_several_paths_after_one_flag_repeated_flags_and_folders(workspace, run, args):
    (workspace / "folder").mkdir()
    for number, name in enumerate(("one", "two"), start=1):
        text = EVENT.replace("event:1", f"event:{number}")
        (workspace / f"{name}.nq").write_text(text)
        (workspace / "folder" / f"{name}.nq").write_text(text)
    (workspace / "folder" / "notes.md").write_text("not RDF, and not asked for")
    found = objects(run("match", *args, "--format", "json"))
    assert [match["event"] for match in found] == ["urn:event:1", "urn:event:2"]


def test_events_from_standard_input(workspace, run):
    assert objects(run("match", "-s", "good.rq", "-e", "-", "-f", "json", stdin=EVENT)) == [MATCH]


def test_bad_standard_input_is_named(workspace, run):
    result = run("match", "-s", "good.rq", "-e", "-", stdin=EVENT + "oops\n")
    assert result.exit_code == 1
    assert "<stdin>:3:" in result.stderr


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("e.nt", EVENT.replace(" <urn:event:1>", "").replace("urn:esws04", "urn:x")),
        ("e.ttl", f'<urn:x> <{DC}creator> "Koubarakis" ; <{DC}date> 2004 .'),
        ("e.trig", f'<urn:g> {{ <urn:x> <{DC}creator> "Koubarakis" ; <{DC}date> 2004 . }}'),
        ("e.jsonld", json.dumps({"@id": "urn:x", f"{DC}creator": "Koubarakis", f"{DC}date": 2004})),
        (
            "e.rdf",
            '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:dc="' + DC + '">'
            '<rdf:Description rdf:about="urn:x"><dc:creator>Koubarakis</dc:creator>'
            '<dc:date rdf:datatype="http://www.w3.org/2001/XMLSchema#integer">2004</dc:date></rdf:Description></rdf:RDF>',
        ),
    ],
)  # fmt: skip
def test_the_suffix_tells_the_format(workspace, run, name, text):
    (workspace / name).write_text(text)
    (match,) = objects(run("match", "-s", "good.rq", "-e", name, "-f", "json"))
    assert match["solutions"][0]["paper"]["value"] == "urn:x"


def test_a_file_without_graphs_gives_the_same_event_each_time(workspace, run):
    (workspace / "e.ttl").write_text(f'<urn:x> <{DC}creator> "Koubarakis" ; <{DC}date> 2004 .')
    first, second = (run("match", "-s", "good.rq", "-e", "e.ttl", "-f", "json").stdout for _ in range(2))
    assert first == second != ""


def test_the_same_event_twice_counts_once(workspace, run):
    (workspace / "again.nq").write_text("".join(reversed(EVENT.splitlines(keepends=True))))
    assert objects(run("match", "-s", "good.rq", "-e", "good.nq", "again.nq", "-f", "json")) == [MATCH]


def test_subscriptions_in_bulk(workspace, run):
    rows = [
        {"id": "a", "language": "sparql", "text": QUERY},
        {"id": "b", "language": "sparql", "text": "ASK {?s ?p 1}"},
    ]
    (workspace / "many.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    pq.write_table(pa.Table.from_pylist([{**row, "id": row["id"] * 2} for row in rows]), workspace / "many.parquet")
    found = objects(run("match", "-s", "many.jsonl", "many.parquet", "-e", "good.nq", "-f", "json"))
    assert [match["subscription"] for match in found] == ["a", "aa"]


def test_an_ask_that_holds_is_one_empty_solution(workspace, run):
    (workspace / "ask.rq").write_text("ASK { ?s ?p ?o }")
    (match,) = objects(run("match", "-s", "ask.rq", "-e", "good.nq", "-f", "json"))
    assert match["solutions"] == [{}]
    assert "yes" in run("match", "-s", "ask.rq", "-e", "good.nq").stdout


def test_a_construct_shows_its_triples(workspace, run):
    (workspace / "make.rq").write_text(f"CONSTRUCT {{ ?p <urn:in> ?y }} WHERE {{ ?p <{DC}date> ?y }}")
    (match,) = objects(run("match", "-s", "make.rq", "-e", "good.nq", "-f", "json"))
    assert match["construct"] == ['<urn:esws04> <urn:in> "2004"^^<http://www.w3.org/2001/XMLSchema#integer> .']
    assert "<urn:esws04> <urn:in> 2004 ." in run("match", "-s", "make.rq", "-e", "good.nq").stdout


def test_a_construct_that_makes_nothing_still_says_so(workspace, run):
    (workspace / "make.rq").write_text("CONSTRUCT { ?o <urn:in> ?s } WHERE { ?s ?p ?o }")
    (match,) = objects(run("match", "-s", "make.rq", "-e", "good.nq", "-f", "json"))
    assert match["construct"] == []


def test_the_taxonomy_is_used(workspace, run):
    (workspace / "classes.ttl").write_text(
        "@prefix r: <http://www.w3.org/2000/01/rdf-schema#> .\n"
        "<urn:Paper> r:subClassOf <urn:Work> . <urn:esws04> a <urn:Paper> ."
    )
    (workspace / "works.graph").write_text(f"?x(<= <urn:Work>) <{DC}creator> ?who\n")
    assert objects(run("match", "-s", "works.graph", "-e", "good.nq", "-f", "json")) == []
    assert objects(run("match", "-s", "works.graph", "-e", "good.nq", "-t", "classes.ttl", "-f", "json")) != []


def test_an_ill_typed_literal_matches_as_a_term_but_satisfies_no_numeric_comparison_a1(workspace, run):
    (workspace / "ill.nq").write_text(EVENT.replace('"2004"', '"abc"'))
    (workspace / "any.rq").write_text(f"SELECT ?y {{ ?x <{DC}date> ?y }}")
    found = objects(run("match", "-s", "good.rq", "any.rq", "-e", "ill.nq", "-f", "json"))
    assert [match["subscription"] for match in found] == ["any"]


def test_all_problems_are_told_at_once_and_nothing_is_matched(workspace, run):
    (workspace / "bad.rq").write_text("SELECT")
    (workspace / "worse.rq").write_text("ASK { SERVICE <urn:x> {} }")
    (workspace / "bad.nq").write_text("oops")
    result = run("match", "-s", "good.rq", "bad.rq", "worse.rq", "-e", "good.nq", "bad.nq", "-f", "json")
    assert (result.exit_code, result.stdout) == (1, "")
    for name in ("bad.rq", "worse.rq", "bad.nq"):
        assert f"error: {name}" in result.stderr


def test_keep_going_matches_the_good_part_and_still_fails(workspace, run):
    (workspace / "bad.rq").write_text("SELECT")
    (workspace / "bad.nq").write_text("oops")
    (workspace / "other.nq").write_text(EVENT.replace("2004", "2005"))
    args = ("-s", "good.rq", "bad.rq", "-e", "good.nq", "bad.nq", "other.nq", "-f", "json")
    result = run("match", *args, "--keep-going")
    assert result.exit_code == 1
    assert [json.loads(line) for line in result.stdout.splitlines()] == [MATCH]
    for name in ("bad.rq", "bad.nq", "other.nq"):
        assert name in result.stderr


@pytest.fixture
def small_budget(monkeypatch):
    """Evaluations may make a thousand bindings: as telling as a million, and soon over."""
    monkeypatch.setattr("triplewire.cli.match.Matcher", partial(Matcher, budget=1_000))


def test_a_subscription_that_takes_too_much_work_is_reported_a11(workspace, run, small_budget):
    lines = "".join(f"<urn:s{n}> <urn:p> <urn:o{n}> <urn:big> .\n" for n in range(20))
    (workspace / "big.nq").write_text(lines)
    (workspace / "cross.rq").write_text("SELECT * { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l }")
    (workspace / "some.rq").write_text("SELECT ?o { <urn:s1> ?p ?o }")
    result = run("match", "-s", "cross.rq", "some.rq", "-e", "big.nq", "-f", "json")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("error: cross: ")
    result = run("match", "-s", "cross.rq", "some.rq", "-e", "big.nq", "-f", "json", "--keep-going")
    assert result.exit_code == 1
    assert [json.loads(line)["subscription"] for line in result.stdout.splitlines()] == ["some"]


def test_data_cannot_command_the_terminal(workspace, run):
    (workspace / "evil.nq").write_text(f'<urn:x> <{DC}creator> "\\u001B[31m[bold]" <urn:e> .')
    (workspace / "who.rq").write_text(f"SELECT ?who {{ ?x <{DC}creator> ?who }}")
    shown = run("match", "-s", "who.rq", "-e", "evil.nq").stdout
    assert "\x1b" not in shown
    assert "[bold]" in shown


def test_folders_are_read_at_any_depth_as_the_pipeline_reads_them(run, workspace):
    for folder in ("in/monday", "in/.hidden", "in/_partial"):
        (workspace / folder).mkdir(parents=True)
        name = folder.rpartition("/")[2]
        (workspace / folder / "e.nq").write_text(EVENT.replace("urn:event:1", f"urn:event:{name}"))
    shown = run("match", "-s", "good.rq", "-e", "in", "-f", "json")
    assert [json.loads(line)["event"] for line in shown.stdout.splitlines()] == ["urn:event:monday"]


def test_bad_input_mentions_that_the_rest_could_be_matched(run, workspace):
    (workspace / "bad.nq").write_text("nonsense")
    assert "--keep-going" in run("match", "-s", "good.rq", "-e", "good.nq", "bad.nq").stderr
    assert "--keep-going" not in run("match", "-s", "good.rq", "-e", "good.nq", "bad.nq", "--keep-going").stderr
