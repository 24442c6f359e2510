"""Incremunica's parts: its streaming store and its bind join, driven as its engine would, by `views.js`.

The engine itself (`@incremunica/query-sparql-incremental`) could not be had: of its packages the registry has only
some. It works in memory, in one process, without durability and without a protocol, and is given quads, not updates.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path
from statistics import median, quantiles

import msgspec
from msgspec import Struct

from benchmarks.views.library import NAMESPACE, Kind, Library, query

_SCRIPT = Path(__file__).with_name("views.js")
_SECONDS = 600
_MEMORY = "--max-old-space-size=8192"


class Missing(Exception):  # noqa: N818  an outcome more than a fault
    """The packages are not there, or node is not."""


class Parts(Struct, frozen=True):
    """Microseconds an update, the median: in its store of quads, and in its views; and what it takes to put one."""

    triples: int
    views: int
    store: float
    median: float
    percentile_99: float
    bytes_a_view: float
    put_millis: float


class _Said(Struct, rename="camel"):
    triples: int
    put: float
    kept: int
    in_store: list[float]
    in_views: list[float]


def parts(modules: Path, library: Library, views: int, updates: int) -> Parts:
    """Views of 2 to 4 patterns, each of the updates touching one; it ends with an error if one is told wrongly."""
    if not (modules / ".complete").exists():
        raise Missing("its packages are not there: scripts/incremunica/fetch brings them through npm")
    with tempfile.TemporaryDirectory(prefix="triplewire-bench-") as name:
        folder = Path(name)
        with (folder / "data").open("w") as data:
            data.writelines(library.lines())
        (folder / "queries").write_text("".join([f"{query(Kind.PLAIN, shelf)}\n" for shelf in range(views)]))
        (folder / "updates").write_text("".join(_updates(views, updates)))
        files = [str(folder / file) for file in ("data", "queries", "updates")]
        command = ["node", _MEMORY, str(_SCRIPT), str(modules), *files]
        try:
            done = subprocess.run(command, capture_output=True, timeout=_SECONDS, check=True)
        except OSError as problem:
            raise Missing(f"node does not run: {problem}") from None
        except subprocess.CalledProcessError as problem:
            raise RuntimeError(problem.stderr.decode(errors="replace")) from None
    said = msgspec.json.decode(done.stdout, type=_Said)
    micros = [1e6 * seconds for seconds in said.in_views]
    last = quantiles(micros, n=100)[98]
    store = 1e6 * median(said.in_store)
    return Parts(said.triples, views, store, median(micros), last, said.kept / views, 1000 * said.put / views)


def _updates(views: int, updates: int) -> list[str]:
    """What the updates of a `Desk` come to: one quad goes and another one comes."""
    known: dict[int, str] = {}
    lines = []
    for value in range(1, updates + 1):
        shelf = value * 7919 % views
        change = [shelf, f"{NAMESPACE}book{shelf}", f"{NAMESPACE}status", known.get(shelf, "0"), str(value)]
        known[shelf] = str(value)
        lines.append(f"{json.dumps(change)}\n")
    return lines
