"""What is asked: the dataset of `/events/sparql` on a node, over a lake.

Every event is a named graph. The default graph is the set of all their triples. Literals are as Oxigraph's store keeps
them: numbers, booleans and dates by value. A blank node is the same one wherever its label is.

The table `quads` has what the last compaction saw; events that came since are taken apart here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
from msgspec import Struct

from triplewire.matching.scanning.term_decoding import term_of
from triplewire.pipeline.jobs.compaction_scope import of_commits, quad_scope
from triplewire.pipeline.lake.dataframes import read_table
from triplewire.pipeline.lake.states import LakeState
from triplewire.pipeline.lake.tables import EVENTS, QUADS
from triplewire.pipeline.period import ALWAYS, Period
from triplewire.pipeline.quads import QUAD_COLUMNS, explode_quads
from triplewire.rdf.literals.kept import as_kept
from triplewire.rdf.terms import XSD, Term

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

COLUMNS = ("subject", "predicate", "object", "event")
_PLACES = ("subject", "predicate", "object")
# What is not of a datatype of XML Schema is kept as it is written.
_TYPED = f'"^^<{XSD}'
_INTEGER = re.escape(f"^^<{XSD}integer>")
_AS_WRITTEN = rf'^"(0|-?[1-9][0-9]{{0,17}})"{_INTEGER}$'
_FEW_TERMS = 1 << 16


class Quads(Struct, frozen=True):
    """Rows of subject, predicate and object as N-Triples, and the IRI of the event; `repeat` if some may do so."""

    frame: Any
    repeat: bool = True


def quads_of(spark: SparkSession, state: LakeState, period: Period = ALWAYS) -> Quads:
    """Every quad of every event."""
    events = read_table(spark, state, EVENTS, ["event", "time", "payload", "run", "batch"])
    scope = quad_scope(state)
    if scope.commits is None:
        return Quads(_taken_apart(period.of(events)))
    found = read_table(spark, state, QUADS, COLUMNS)
    if scope.commits:
        # What a run brought again is in the table already.
        found = found.unionByName(_taken_apart(of_commits(events, scope.commits)))
    if not period.is_always:
        found = found.join(period.of(events).select("event"), "event", "left_semi").select(*COLUMNS)
    return Quads(found, bool(scope.commits))


def _taken_apart(events: DataFrame) -> DataFrame:
    return events.select("payload", "run", "batch").mapInArrow(explode_quads, QUAD_COLUMNS).select(*COLUMNS)


# Literals as they are kept


@lru_cache(maxsize=_FEW_TERMS)
def term_spelled(spelled: str) -> Term:
    """The term of a spelling, as it is kept."""
    return as_kept(term_of(spelled.encode()))


@lru_cache(maxsize=_FEW_TERMS)
def _kept_spelling(spelled: str) -> str:
    return str(term_spelled(spelled))


def keeping(column: str) -> str:
    """The SQL test whether a column may hold what is kept in another form than it is written in."""
    return f"contains({column}, '{_TYPED}') and not {column} rlike '{_AS_WRITTEN}'"


def kept_objects(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Rows of quads, in the order of their columns, with the literals in `object` as they are kept."""
    for batch in batches:
        columns = {name: batch.column(name) for name in COLUMNS}
        yield pa.RecordBatch.from_pydict({**columns, "object": _kept_column(columns["object"])})


def _kept_column(column: pa.Array) -> pa.Array:
    typed = pc.match_substring(column, _TYPED)
    if not pc.any(typed).as_py():
        return column
    changed = pa.array([_kept_spelling(text) for text in column.filter(typed).to_pylist()], column.type)
    return pc.replace_with_mask(column, typed, changed)
