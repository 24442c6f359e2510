"""Every example runs."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"


def shown_at(width: int) -> str:
    done = subprocess.run(
        [sys.executable, EXAMPLES / "papers.py"],
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "COLUMNS": str(width), "PYTHONIOENCODING": "utf-8"},
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_rules_fill_the_message_list_of_each_user():
    done = subprocess.run(
        [sys.executable, EXAMPLES / "selene.py"],
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "COLUMNS": "200", "PYTHONIOENCODING": "utf-8"},
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "well-defined      4 of 4" in done.stdout
    assert "transaction mistake: undone: the triple <http://example.org/los/missing>" in done.stdout
    rows = [re.split(" {2,}", line.strip()) for line in done.stdout.split("Messages")[1].splitlines() if line.strip()]
    boole = "An Investigation of the Laws of Thought"
    assert rows[2:] == [["Ann", boole, boole, "yes"], ["How a fugue is made"], ["Bob", boole, boole, "yes"], ["Joins"]]


def test_views_are_told_what_each_change_did():
    done = subprocess.run(
        [sys.executable, EXAMPLES / "views.py"],
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "COLUMNS": "200", "PYTHONIOENCODING": "utf-8"},
        timeout=500,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    parts = (part.split("\n", 1) for part in done.stdout.split("\n\n"))
    told = {head.split("  ")[0]: rest for head, rest in parts}
    assert " ".join(told["Ann takes one of them home"].split()) == "on the shelf − (Faust) by reader + (Ann 1)"
    assert "+ (Faust, Part One 2)  − (Faust 2)" in told["a title is corrected"]
    assert told["somebody publishes what nobody asked for"].strip() == "no view is told anything"
    assert told["the catalogue is emptied"].count("−") == 3


@pytest.mark.parametrize("width", [80, 120])
def test_the_demo_fits_the_terminal(width):
    assert max(map(len, shown_at(width).splitlines())) <= width


def test_the_demo_shows_what_matched_and_why_the_rest_did_not():
    matched, missed = shown_at(200).split("Why the others did not")
    pairs = re.findall(r"^ ([\w-]+) +([\w-]+) +\?", matched, re.MULTILINE)
    assert pairs == [
        ("chirita-example-1", "chirita-example-2"),
        ("eventcloud-listing-1-1", "eventcloud-alice-30"),
        ("gtopss-figure-5a", "gtopss-figure-5c"),
        ("gtopss-figure-5b", "gtopss-figure-5c"),
    ]
    assert '"Alice"' in matched
    assert "age 25 is not > 25" in missed
    assert "nothing matches ?id foaf:age ?age" in missed
    assert re.search(r"figure 5\(b\), without the taxonomy.*no match: .*gt:Publication", missed, re.DOTALL)
    assert re.search(r"example 3.*yes.*example 4.*no.*example 5.*yes", missed, re.DOTALL)


@pytest.mark.xdist_group("demo")
def test_the_pipeline_s_demo_shows_a_summary_five_notifications_with_their_queries_and_the_lake(tmp_path):
    sizes = ["--events", "2000", "--subscriptions", "400", "--home", tmp_path / "demo", "--master", "local[1]"]
    done = subprocess.run(
        [sys.executable, EXAMPLES / "pipeline.py", *map(str, sizes)],
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "COLUMNS": "200", "PYTHONIOENCODING": "utf-8"},
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    summary, notifications = done.stdout.split("Five notifications")
    assert re.search(r"^ +events +2,000\s", summary, re.MULTILINE)
    assert re.search(r"^ +subscriptions +400\s", summary, re.MULTILINE)
    assert set(re.findall(r"^ +s\d+ \((\w+)\)", notifications, re.MULTILINE)) == {"sparql", "formula", "graph"}
    assert len(set(re.findall(r"^ +(s\d+) \(", notifications, re.MULTILINE))) == 5
    assert f"The lake is {tmp_path / 'demo' / 'lake'}" in " ".join(notifications.split())
    assert (tmp_path / "demo" / "lake" / "notifications" / "_delta_log").is_dir()
