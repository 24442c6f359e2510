"""What paths and conditions mean, by walking over every triple: slow, and as near to the paper's words as can be."""

from __future__ import annotations

import re
from collections.abc import Mapping

from msgspec import Struct

from triplewire.languages.rdftl.syntax import (
    Always,
    Both,
    Compared,
    Comparison,
    Component,
    Condition,
    Delta,
    Either,
    Element,
    Exists,
    Let,
    Never,
    Not,
    Path,
    Resource,
    Source,
    Start,
    Step,
    Target,
    Variable,
)
from triplewire.rdf.terms import RDF, Literal, Term, Triple

_MEMBER = re.compile(re.escape(str(RDF)) + "_[1-9][0-9]*")


class World(Struct, frozen=True):
    """A graph, the variables, and what `$delta` is; and the state before, if paths from `$delta` lead through that."""

    graph: frozenset[Triple]
    lets: tuple[Let, ...] = ()
    delta: Mapping[Component, Term] = {}
    before: frozenset[Triple] | None = None

    def nodes(self, path: Path, here: Term | None = None, around: frozenset[Triple] | None = None) -> frozenset[Term]:
        """The nodes that a path leads to; a relative one leads on from `here`, through the graph around it."""
        graph = self.graph
        if path.start is None and around is not None:
            graph = around
        elif isinstance(path.start, Delta) and self.before is not None:
            graph = self.before
        found = self._start(path.start, here)
        for step in path.steps:
            found = self._step(step, found, graph)
        return found

    def holds(self, condition: Condition, here: Term | None = None, around: frozenset[Triple] | None = None) -> bool:
        match condition:
            case Always():
                return True
            case Never():
                return False
            case Exists(path):
                return bool(self.nodes(path, here, around))
            case Compared(left, comparison, right):
                others = {right} if isinstance(right, Literal) else self.nodes(right, here, around)
                pairs = [(a, b) for a in self.nodes(left, here, around) for b in others]
                return any((a == b) is (comparison is Comparison.EQUAL) for a, b in pairs)
            case Both(parts):
                return all(self.holds(part, here, around) for part in parts)
            case Either(parts):
                return any(self.holds(part, here, around) for part in parts)
            case Not(part):
                return not self.holds(part, here, around)

    def _start(self, start: Start | None, here: Term | None) -> frozenset[Term]:
        match start:
            case None:
                assert here is not None
                return frozenset({here})
            case Resource(None):
                return frozenset(t.subject for t in self.graph if t.predicate == RDF["type"])
            case Resource(iri):
                return frozenset({iri} & {end for t in self.graph for end in (t.subject, t.object)})
            case Variable(name):
                return self.nodes({let.name: let.path for let in self.lets}[name])
            case Delta(component):
                return frozenset({self.delta[component]})

    def _step(self, step: Step, found: frozenset[Term], graph: frozenset[Triple]) -> frozenset[Term]:
        match step:
            case Target(arc):
                return frozenset(t.object for t in graph if t.subject in found and t.predicate == arc)
            case Source(arc):
                return frozenset(t.subject for t in graph if t.object in found and t.predicate == arc)
            case Element(None):
                members = (t for t in graph if t.subject in found and _MEMBER.fullmatch(t.predicate.value))
                return frozenset(t.object for t in members)
            case Element(number):
                arc = RDF[f"_{number}"]
                return frozenset(t.object for t in graph if t.subject in found and t.predicate == arc)
        return frozenset(node for node in found if self.holds(step.condition, node, graph))
