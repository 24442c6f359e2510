"""The rivals: the algorithms of the papers, and what a user might pick instead. Each is also an oracle in the tests.

| file | from | what it does for an event |
|---|---|---|
| `naive` | G-ToPSS, section 5 | checks every subscription in turn |
| `ops` | OPS, as G-ToPSS describes it | matches shared graph shapes in which every node is a variable |
| `gtopss` | G-ToPSS, section 4 | counts matched edges in one graph of all subscriptions, then joins binding tables |
| `eventcloud` | EventCloud, section 4.1 | finds subscriptions by their first pattern, then follows their chain |
| `oxigraph` | pyoxigraph | one ASK a subscription |
| `duckdb_join` | DuckDB | one join a shape of subscription, over a batch of events |
| `clips_rete` | CLIPS, by clipspy | one rule a subscription, one fact a triple |

`rerunning` (SEPA's way of working) and `incremunica` are rivals of views. `jetstream` and `jetstream_server` are the
node's rival, which carries events and matches by subject only.

They understand what the benchmark workloads need (`reading.py` says what that is) and say which subscriptions match,
without solutions; they are excused from the rest of SPARQL.
"""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.rivals.clips_rete import Clips
from benchmarks.rivals.duckdb_join import DuckDB
from benchmarks.rivals.eventcloud import EventCloud
from benchmarks.rivals.gtopss import GToPSS
from benchmarks.rivals.naive import Naive
from benchmarks.rivals.ops import Ops
from benchmarks.rivals.oxigraph import OxigraphAsk
from benchmarks.rivals.publications import Rival

RIVALS: dict[str, Callable[[], Rival]] = {
    rival.name: rival for rival in (Naive, Ops, GToPSS, EventCloud, OxigraphAsk, DuckDB, Clips)
}

__all__ = ["RIVALS", "Clips", "DuckDB", "EventCloud", "GToPSS", "Naive", "Ops", "OxigraphAsk", "Rival"]
