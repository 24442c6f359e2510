"""The bundles of arrays that kernels take: a batch of events, a segment of subscriptions, and a workspace."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from triplewire.matching.kernels.bytetable import ByteTable
from triplewire.matching.kernels.machine import Bytes, Floats, Table

Words = NDArray[np.int32]
Flags = NDArray[np.uint8]


class EventBatch(NamedTuple):
    """Scanned events whose terms are numbered within each event.

    `terms[3 * quad + position]` is a term's number in its event. Term `n` of event `e` is described in row
    `first_term[e] + n`: `origins` says where it stands first (`4 * quad + position`; position 3 is the graph), and term
    0 is always the event's own IRI. `heads` chains the quads of one predicate: first quad by term, then `nexts` by
    quad.
    """

    buffer: Bytes
    quads: Table
    numbers: Floats
    events: Table
    terms: Words
    first_term: Table
    origins: Table
    heads: Words
    nexts: Words


class AnchorIndex(NamedTuple):
    """How an event's terms lead to programs: anchors, their groups, and the entries in a group.

    `uses[constant]` has a bit for each anchor tag that the constant takes part in. Groups of anchor `a` are
    `group_starts[a] .. group_starts[a + 1]`; `group_guards` and `group_predicates` say what else must be there, and the
    entries of group `g` are `entry_starts[g] .. entry_starts[g + 1]`. `objects` serves HAS_OBJECT (sorted), `lows`,
    `highs` and `tops` serve HAS_VALUE, from `value_starts[g]` on.
    """

    uses: Flags
    slots: Words
    keys: Table
    group_starts: Words
    group_guards: Flags
    group_predicates: Words
    entry_starts: Table
    value_starts: Table
    entries: Words
    objects: Words
    lows: Floats
    highs: Floats
    tops: Floats


class Programs(NamedTuple):
    """Compiled cores: see `layout`. Program `p` is `code[starts[p]:starts[p + 1]]`.

    `first_only[p]` asks for one solution. `stopped[p]` is set when everybody who wanted the program is quarantined: it
    is not run again.
    """

    code: Words
    starts: Table
    first_only: Flags
    stopped: Flags


class Automaton(NamedTuple):
    """Aho-Corasick over the texts of TEXT rows: see `automaton`."""

    slots: Words
    edge_keys: Table
    edge_targets: Words
    fails: Words
    outputs: Words
    next_outputs: Words


class Lineage(NamedTuple):
    """The taxonomy, as seen from one segment's constants: see `lineage`.

    Lists of nodes, sorted, from `starts[n]` to `starts[n + 1]`: `ancestors` (what a node is), `supers` (a class's
    superclasses, what an event's rdf:type adds) and `parents` (one step). `of_constant` and `to_constant` translate
    between a segment's constants and the taxonomy's nodes; `type_constant[0]` is the constant rdf:type.
    """

    nodes: ByteTable
    known: Flags
    ancestor_starts: Table
    ancestors: Words
    super_starts: Table
    supers: Words
    parent_starts: Table
    parents: Words
    of_constant: Words
    to_constant: Words
    type_constant: Words


class SegmentArrays(NamedTuple):
    """Some subscriptions, compiled and indexed."""

    constants: ByteTable
    texts: ByteTable
    programs: Programs
    anchors: AnchorIndex
    automaton: Automaton


class Workspace(NamedTuple):
    """What a search writes to, for one segment and one thread at a time.

    `seen[program, 0]`, `stamps[constant]`, `classes[constant]` and `texts[text]` hold the serial number of the event
    that touched them last, so that nothing has to be cleared between events; `serial[0]` is the current one.
    `seen[program, 1]` counts how often a program was verified: it lies beside, so that counting costs nothing.
    `places[constant]` is the term of the event that a stamped constant is; `constants[term]` and `nodes[term]` lead the
    other way, to the segment and to the taxonomy.
    """

    serial: Table
    seen: Table
    stamps: Table
    classes: Table
    texts: Table
    keys: Table
    groups: Words
    places: Words
    constants: Words
    nodes: Words
    candidates: Words
    bindings: Words
    cursors: Words
    stack: Table


class SearchOutput(NamedTuple):
    """What a search found.

    A row of `results`: event, program, outcome, first word of its solutions, number of solutions. `solutions` holds the
    origins of the variables' values, solution after solution. `counts`: results, solution words, candidates verified.
    """

    results: Table
    solutions: Table
    counts: Table
