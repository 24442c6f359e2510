"""What rows become: solutions, the word yes or no, or triples; with the counts that it takes to tell what changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Protocol

from triplewire.evaluation.datasets import DEFAULT_GRAPH
from triplewire.evaluation.triples import Template, description
from triplewire.evaluation.work import Bindings, Work
from triplewire.rdf.solutions import Solution
from triplewire.rdf.terms import BlankNode, Quad, Term, Triple

Row = tuple[Term | None, ...]
Item = Solution | Triple
Difference = tuple[list[Item], list[Item]]


class Result(Protocol):
    """The last stage of a view."""

    @property
    def size(self) -> int:
        """How much is kept in memory."""
        ...

    def change(self, added: list[Bindings], removed: list[Bindings], quads: Iterable[Quad], work: Work) -> Difference:
        """What the answer gained and lost; `quads` are those that changed."""
        ...


class Rows:
    """SELECT: rows come and go as they are. Nothing is kept."""

    size = 0

    def change(self, added: list[Bindings], removed: list[Bindings], quads: Iterable[Quad], work: Work) -> Difference:
        return [*added], [*removed]


class Truth:
    """ASK: one solution without bindings if there is any row."""

    size = 1

    def __init__(self) -> None:
        self._count = 0

    def change(self, added: list[Bindings], removed: list[Bindings], quads: Iterable[Quad], work: Work) -> Difference:
        before = self._count > 0
        self._count += len(added) - len(removed)
        after = self._count > 0
        return [{}] if after and not before else [], [{}] if before and not after else []


class Constructed:
    """CONSTRUCT: each triple as long as a row makes it."""

    def __init__(self, template: Template) -> None:
        self._template = template
        self._triples: Counter[Triple] = Counter()
        self._copies: Counter[frozenset[tuple[str, Term]]] = Counter()

    @property
    def size(self) -> int:
        return len(self._triples) + len(self._copies)

    def change(self, added: list[Bindings], removed: list[Bindings], quads: Iterable[Quad], work: Work) -> Difference:
        changes: Counter[Triple] = Counter()
        for row in added:
            changes.update(self._made(row, work, coming=True))
        for row in removed:
            changes.subtract(self._made(row, work, coming=False))
        return _counted(self._triples, changes)

    def _made(self, row: Bindings, work: Work, coming: bool) -> list[Triple]:
        copy = 0
        if self._template.has_blank_nodes:
            key = frozenset(row.items())
            copy = self._copies[key] if coming else self._copies[key] - 1
            self._copies[key] += 1 if coming else -1
            if not self._copies[key]:
                del self._copies[key]
        return list(dict.fromkeys(self._template.triples(row, work, copy)))


class Described:
    """DESCRIBE: each resource as long as a row names it, with what is said about it now."""

    def __init__(self, resources: list[str | Term]) -> None:
        self._targets = resources
        self._resources: Counter[Term] = Counter()
        self._descriptions: dict[Term, list[Triple]] = {}
        self._triples: Counter[Triple] = Counter()
        # From a subject to the resources in whose descriptions it is, and back.
        self._subjects: dict[Term, dict[Term, None]] = {}
        self._subjects_of: dict[Term, set[Term]] = {}

    @property
    def size(self) -> int:
        return len(self._triples)

    def describes(self, subject: Term) -> bool:
        """Whether what is said about a subject is part of the answer."""
        return subject in self._subjects

    @property
    def subjects(self) -> Iterable[Term]:
        return self._subjects.keys()

    def change(self, added: list[Bindings], removed: list[Bindings], quads: Iterable[Quad], work: Work) -> Difference:
        touched: dict[Term, None] = {}
        for rows, by in ((added, 1), (removed, -1)):
            for term in (term for row in rows for term in self._named(row)):
                self._resources[term] += by
                touched[term] = None
        for quad in quads:
            if quad.graph_name == DEFAULT_GRAPH:
                touched.update(self._subjects.get(quad.subject, {}))
        changes: Counter[Triple] = Counter()
        for resource in touched:
            self._describe(resource, changes, work)
        return _counted(self._triples, changes)

    def _named(self, row: Bindings) -> Iterable[Term]:
        for target in self._targets:
            term = row.get(target) if isinstance(target, str) else target
            if term is not None:
                yield term

    def _describe(self, resource: Term, changes: Counter[Triple], work: Work) -> None:
        changes.subtract(self._descriptions.pop(resource, []))
        for subject in self._subjects_of.pop(resource, ()):
            del self._subjects[subject][resource]
            if not self._subjects[subject]:
                del self._subjects[subject]
        if not self._resources[resource]:
            del self._resources[resource]
            return
        found = self._descriptions[resource] = list(description(resource, work))
        changes.update(found)
        blanks = {triple.object for triple in found if isinstance(triple.object, BlankNode)}
        self._subjects_of[resource] = {resource, *blanks}
        for subject in self._subjects_of[resource]:
            self._subjects.setdefault(subject, {})[resource] = None


def _counted(counts: Counter[Triple], changes: Counter[Triple]) -> Difference:
    """Change counts; what comes into being, and what ceases to be."""
    added: list[Item] = []
    removed: list[Item] = []
    for triple, by in changes.items():
        before = counts[triple]
        after = before + by
        if after:
            counts[triple] = after
        else:
            del counts[triple]
        if after and not before:
            added.append(triple)
        elif before and not after:
            removed.append(triple)
    return added, removed
