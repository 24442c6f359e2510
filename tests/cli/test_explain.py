"""`triplewire explain`: what is said about a subscription."""

from __future__ import annotations

import json


def explained(run, *args: str) -> list[dict]:
    result = run("explain", *args, "--json")
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_a_fast_query(workspace, run):
    (found,) = explained(run, "good.rq")
    assert set(found) == {"id", "lane", "requires", "patterns", "constraints", "unindexed", "by_oxigraph"}
    assert (found["id"], found["lane"], found["unindexed"]) == ("good", "fast", False)
    assert len(found["patterns"]) == 2
    assert "?year > 2000" in found["constraints"]


def test_a_general_query_requires_what_is_around_its_optional(workspace, run):
    (workspace / "o.rq").write_text("SELECT * { ?s <urn:must> ?o OPTIONAL { ?s <urn:may> ?x } }")
    (found,) = explained(run, "o.rq")
    assert found["lane"] == "general"
    assert not found["unindexed"]
    assert "<urn:must>" in "".join(found["requires"])
    assert "<urn:may>" not in "".join(found["requires"])


def test_a_query_that_requires_nothing_is_shown_as_such(workspace, run):
    (workspace / "all.rq").write_text("SELECT * { ?s ?p ?o }")
    (found,) = explained(run, "all.rq")
    assert found["unindexed"] is True
    assert "looked at for every event" in run("explain", "all.rq").stdout


def test_a_folder_gives_one_object_a_line(workspace, run):
    (workspace / "two").mkdir()
    for name in "ab":
        (workspace / "two" / f"{name}.rq").write_text("ASK { ?s ?p ?o }")
    assert [found["id"] for found in explained(run, "two")] == ["a", "b"]


def test_words_for_people_shorten_well_known_names(workspace, run):
    shown = run("explain", "good.rq").stdout
    for part in ("good", "fast", "dc:creator", "?year > 2000"):
        assert part in shown
