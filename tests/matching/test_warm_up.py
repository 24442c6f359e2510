"""Kernels are compiled once: what has been warmed up compiles nothing later, whatever is done with the matcher."""

from __future__ import annotations

import os
import subprocess
import sys

import numba
import pytest

from triplewire.matching.evaluation.interpreter import is_warm
from triplewire.matching.kernels import machine
from triplewire.matching.warm_up import warm_up

USE = """
import gc, tempfile
from numba.core.dispatcher import Dispatcher
from triplewire import Event, Matcher, Subscription, Taxonomy
from triplewire.testing import workloads

for sample in (workloads.mixed(1100, 4, matches_per_event=4), workloads.substrings(40, 4), workloads.taxonomy(40, 4)):
    matcher = Matcher(Taxonomy.parse(sample.taxonomy) if sample.taxonomy else None)
    held = list(sample.subscriptions())
    for subscription in held:
        matcher.add(subscription)
    for event in sample.events():
        matcher.match(event)
    for subscription in held[::3]:
        matcher.remove(subscription.id)
    matcher.set_taxonomy(None)
    with tempfile.TemporaryDirectory() as folder:
        matcher.save(folder + "/snapshot")
        opened = Matcher.open(folder + "/snapshot")
        opened.add(Subscription.parse("ASK { ?s ?p ?o }", id="late"))
        list(opened.match_nquads(sample.nquads() + b"broken"))
        opened.match_nquads(b"").to_arrow()
        opened.save(folder + "/snapshot")
Matcher().match(event)
missed = {d.py_func.__qualname__ for d in gc.get_objects() if isinstance(d, Dispatcher) and d.stats.cache_misses}
print(sorted(missed))
"""


def test_nothing_is_left_to_compile() -> None:
    warm_up()
    assert is_warm()
    run = subprocess.run([sys.executable, "-c", USE], capture_output=True, text=True, check=True, env=os.environ)
    assert run.stdout.strip() == "[]"


def test_where_nothing_can_be_written_a_kernel_still_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    def refusing(**options):
        if options.get("cache"):
            raise RuntimeError("cannot cache function: no locator available")
        return numba.njit(**options)

    monkeypatch.setattr(machine, "_njit", refusing)
    added = machine.kernel(lambda a, b: a + b)
    assert added(1, 2) == 3
    assert not machine.is_kept(added)


def test_a_cache_has_the_version_of_the_source_in_its_name() -> None:
    kernel = machine.kernel(_twice)
    assert kernel._cache._cache_file._index_name.endswith(f".{machine._stamp(__file__)[:12]}.nbi")


def _twice(number: int) -> int:
    return 2 * number
