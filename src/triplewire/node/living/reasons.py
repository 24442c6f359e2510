"""What solutions over the living graph stand on: what was asserted, by which change and which rules' firings; and what
follows from that by the schema.

Asked inside a transaction, of the state after its change or before it. What the records of changes and firings do not
have any more, since retention has removed them or a rule was deleted, is said to be lost.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

import msgspec
from msgspec import Struct

from triplewire.algebra.derivations import Derivation
from triplewire.rdf.terms import DefaultGraph, Quad, Triple
from triplewire.rules.changes import Changes
from triplewire.rules.graphs import Graph, PreviousGraph
from triplewire.rules.repository import Repository
from triplewire.store.disk import Connection
from triplewire.store.tables import living_graph, rule_records
from triplewire.store.tables.living_graph import Assertion, ChangeOrigin
from triplewire.store.tables.rule_records import FiringRecord
from triplewire.views.maintenance.provenance import MOST_QUADS
from triplewire.views.maintenance.reasons import Quads
from triplewire.wire.reasons import UNKNOWN, Firing, Origin, QuadReason, Reason, asserted, inferred

# So many quads are looked up for one notification; what stands on further ones is said to be unknown.
MOST_LOOKED_UP = 10_000
_TOO_OLD = "it was asserted before this was kept"
_FORGOTTEN = "the record of the change was removed"
_FIRING_FORGOTTEN = "the record of a firing was removed"
_NOTHING = Changes()


class _Entry(Struct, frozen=True):
    """What is read of a firing."""

    transaction: str
    depth: int


class GraphReasons:
    """The living graph around one change, or, without one, as it is.

    `gone` says by which changes the quads were asserted that are asserted no longer; `previous` is the repository
    before, where it had another schema.
    """

    def __init__(
        self,
        tx: Connection,
        repository: Repository,
        changes: Changes = _NOTHING,
        gone: Mapping[str, Assertion] | None = None,
        previous: Repository | None = None,
    ) -> None:
        self._tx = tx
        self._repository = repository
        self._changes = changes
        self._gone = gone or {}
        self._previous = previous or repository

    def after(self, derivations: Iterable[Quads | None]) -> tuple[Reason, ...]:
        """A reason for each derivation, over the state after the change."""
        return self._reasons(derivations, self._repository, self._repository, {})

    def before(self, derivations: Iterable[Quads | None]) -> tuple[Reason, ...]:
        """The same over the state before it."""
        return self._reasons(derivations, self._previous, PreviousGraph(self._repository, self._changes), self._gone)

    def _reasons(
        self,
        derivations: Iterable[Quads | None],
        repository: Repository,
        graph: Graph,
        gone: Mapping[str, Assertion],
    ) -> tuple[Reason, ...]:
        left = MOST_LOOKED_UP
        found: list[list[Derivation | Quad] | None] = []
        for quads in derivations:
            left -= 0 if quads is None else len(quads)
            found.append(None if quads is None or left < 0 else [_derived(quad, repository, graph) for quad in quads])
        lines = dict.fromkeys(line for each in found if each is not None for line in _asserted_in(each))
        origins = _Origins(self._tx, list(lines), gone)
        return tuple(UNKNOWN if each is None else _reason(each, origins) for each in found)


def _derived(quad: Quad, repository: Repository, graph: Graph) -> Derivation | Quad:
    """How a quad follows, or the quad itself if it is asserted."""
    if not isinstance(quad.graph_name, DefaultGraph) or repository.schema.is_empty or graph.is_asserted(quad.triple):
        return quad
    return repository.derivation(quad.triple, graph) or quad


def _asserted_in(parts: Sequence[Derivation | Quad]) -> Iterator[str]:
    for part in parts:
        yield from map(str, part.premises if isinstance(part, Derivation) else (part,))


def _reason(parts: Sequence[Derivation | Quad], origins: _Origins) -> Reason:
    """What is asserted, premises included, and what is inferred; each once, in the order of the derivation."""
    said: dict[str, QuadReason] = {}
    for part in parts:
        statements: Iterable[Triple | Quad] = part.premises if isinstance(part, Derivation) else (part,)
        for statement in statements:
            said.setdefault(str(statement), asserted(statement, origins.of(str(statement))))
        if isinstance(part, Derivation):
            conclusion = str(part.conclusion)
            said.setdefault(conclusion, inferred(conclusion, part.axioms, part.premises))
    return Reason(tuple(said.values()), truncated=len(parts) >= MOST_QUADS)


class _Origins:
    """How quads came to be asserted, looked up together."""

    def __init__(self, tx: Connection, lines: Sequence[str], gone: Mapping[str, Assertion]) -> None:
        self._assertions = {**living_graph.assertions(tx, lines), **gone} if lines else {}
        known = [self._assertions[line] for line in lines if line in self._assertions]
        positions = {assertion.change for assertion in known if assertion.change is not None}
        self._changes = living_graph.origins(tx, positions) if positions else {}
        fired = {assertion.change for assertion in known if assertion.change is not None and assertion.unit}
        self._firings = {(f.schedule, f.unit): f for f in rule_records.firings_in(tx, fired)} if fired else {}

    def of(self, line: str) -> Origin:
        assertion = self._assertions.get(line)
        if assertion is None or assertion.change is None:
            return Origin(lost=_TOO_OLD)
        change = self._changes.get(assertion.change)
        if change is None:
            return Origin(assertion.change, lost=_FORGOTTEN)
        return self._of_change(assertion.change, assertion.unit, change)

    def _of_change(self, position: int, unit: int | None, change: ChangeOrigin) -> Origin:
        records = list(self._back_from(position, unit))
        firings = tuple(_firing(record) for record in records)
        # The firing next to the update is the first level of the cascade.
        is_whole = not unit or (bool(firings) and firings[-1].depth == 1)
        lost = None if is_whole else _FIRING_FORGOTTEN
        return Origin(position, firings, change.name, change.author, change.time, lost)

    def _back_from(self, position: int, unit: int | None) -> Iterator[FiringRecord]:
        record = self._firings.get((position, unit))
        while record is not None:
            yield record
            record = self._firings.get((position, record.parent))


def _firing(record: FiringRecord) -> Firing:
    entry = msgspec.json.decode(record.entry, type=_Entry)
    return Firing(record.rule, entry.transaction, entry.depth)


def assertions_of(tx: Connection, changes: Changes) -> dict[str, Assertion]:
    """By which changes those quads were asserted that are about to be asserted no longer."""
    edits = changes.edits
    found: dict[str, Assertion] = {}
    lines = (str(statement) for statement in (*edits.deleted, *edits.named.deleted))
    while chunk := list(islice(lines, MOST_LOOKED_UP)):
        found.update(living_graph.assertions(tx, chunk))
    return found
