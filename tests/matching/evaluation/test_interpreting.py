"""A small match needs no kernels, and answers as the oracle does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from triplewire.algebra.subscriptions import Subscription
from triplewire.matching import Matcher
from triplewire.matching.segments.live_index import LiveIndex
from triplewire.rdf.events import Event

QUERIES = {"papers": "SELECT ?s { ?s <urn:p> ?o }", "few": "SELECT ?s { ?s <urn:p> ?o FILTER(?o > 2) }"}
[EVENT] = Event.parse("<urn:s> <urn:p> 3 .", "turtle", graph="urn:e")

FIRST_MATCH = """
from numba.core.event import install_recorder
from triplewire import Event, Matcher, Subscription

with install_recorder("numba:compile") as compiled:
    matcher = Matcher()
    matcher.add(Subscription.parse("SELECT ?s { ?s <urn:p> ?o }", id="papers"))
    [match] = matcher.match(Event.parse("<urn:s> <urn:p> 3 .", "turtle", graph="urn:e")[0])
    print(match.subscription_id, len(matcher.subscriptions), len(compiled.buffer))
"""

FIRST_KERNEL = """
import numpy as np
import triplewire
from triplewire.matching.kernels.scan.lines import count_line_breaks

for _ in range(2):
    count_line_breaks(np.frombuffer(b"a", np.uint8))
"""


def matcher_of(queries: dict[str, str], interpret: int) -> Matcher:
    matcher = Matcher(interpret=interpret)
    for name, text in queries.items():
        matcher.add(Subscription.parse(text, id=name, owner="ann"))
    return matcher


def run(program: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a program where no kernel has been compiled yet."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder), "NUMBA_DISABLE_JIT": "0"}
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment)


def test_the_first_small_match_compiles_nothing(tmp_path: Path):
    ran = run(FIRST_MATCH, tmp_path)
    assert (ran.stdout, ran.stderr) == ("papers 1 0\n", "")


def test_compiling_is_said_on_standard_error_once(tmp_path: Path):
    said = run(FIRST_KERNEL, tmp_path).stderr.splitlines()
    assert [line for line in said if "compiling the matcher's kernels, once" in line] == said[:1]


def test_where_nothing_is_kept_that_is_said_too(tmp_path: Path):
    no_folder = "import numba.core.caching as c; c.FunctionCache._impl_class._locator_classes = []\n"
    assert "NUMBA_CACHE_DIR names one" in run(no_folder + FIRST_KERNEL, tmp_path).stderr


def test_whoever_raises_the_level_of_the_logger_hears_nothing(tmp_path: Path):
    quiet = "import logging; logging.getLogger('triplewire').setLevel(logging.ERROR)\n"
    assert run(quiet + FIRST_KERNEL, tmp_path).stderr == ""


@pytest.mark.parametrize("interpret", [0, 2, 3, 1_000])
def test_answers_are_the_same_before_and_after_kernels_take_over(interpret: int):
    matcher = matcher_of(QUERIES, interpret)
    for round_ in range(1, 4):
        assert [match.subscription_id for match in matcher.match(EVENT)] == ["papers", "few"]
        assert (matcher.stats.events, matcher.stats.candidates, matcher.stats.matches) == (
            round_,
            2 * round_,
            2 * round_,
        )
        assert dict(matcher.costs()) == {"ann": 2 * round_}
    matcher.remove("papers")
    matcher.add(Subscription.parse(QUERIES["papers"], id="papers"))
    assert [match.subscription_id for match in matcher.match(EVENT)] == ["few", "papers"]
    assert [subscription.id for subscription in matcher.subscriptions] == ["few", "papers"]


@pytest.mark.parametrize(("interpret", "indexed"), [(0, True), (3, True), (4, False)])
def test_kernels_take_over_when_the_evaluations_are_used_up(
    interpret: int, indexed: bool, monkeypatch: pytest.MonkeyPatch
):
    flushed: list[LiveIndex] = []
    monkeypatch.setattr(LiveIndex, "flush", lambda engine: flushed.append(engine))
    matcher = matcher_of(QUERIES, interpret)
    for _ in range(2):
        matcher.match(EVENT)
    assert bool(flushed) is indexed


def test_too_much_work_ends_in_quarantine_without_kernels_too():
    matcher = Matcher(budget=10, interpret=1_000)
    matcher.add(Subscription.parse("SELECT * { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i }", id="all"))
    [event] = Event.parse("".join(f"<urn:s> <urn:p> {n} ." for n in range(9)), "turtle", graph="urn:e")
    assert matcher.match(event) == matcher.match(event) == []
    assert list(matcher.quarantined) == ["all"]
