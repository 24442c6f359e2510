"""Paths and conditions, evaluated by looking up triples.

A rule's paths are short, and parsing a query costs more than following a few arcs, so nothing here goes through SPARQL.
What a path means is what its SPARQL translation means. A literal in a condition is brought into the form in which the
repository keeps it: `9.50` is the node that `9.5` is.

A path is followed forwards from its start, or, to find out whether one node is on it, backwards from that node: which
learning objects there are matters little to whether this one is among them. `None` stands for every resource, until a
step has narrowed it down.

Where something was deleted, paths that begin at `$delta` may be followed in the state before: it has no arcs any more.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

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
    Node,
    Not,
    Path,
    Resource,
    Source,
    Step,
    Target,
    Variable,
    Where,
)
from triplewire.rdf.terms import Literal, NamedNode, Term
from triplewire.rules.graphs import Graph
from triplewire.rules.literals import as_kept
from triplewire.rules.vocabulary import TYPE, member, number_of

Nodes = set[Term]
DeltaTerms = Mapping[Component, Term]


class Evaluation:
    """Paths and conditions over one graph, with what LET and `$delta` stand for.

    With a graph `before`, paths that begin at `$delta` are followed there, and so is what goes on from their nodes.
    """

    def __init__(
        self, graph: Graph, lets: Iterable[Let] = (), delta: DeltaTerms | None = None, before: Graph | None = None
    ) -> None:
        self._graph = graph
        self._lets = {let.name: let.path for let in lets}
        self._delta = delta or {}
        self._now = self._then = self
        if before is not None:
            self._then = Evaluation(before, lets, delta)
            self._then._now = self

    def nodes(self, path: Path, context: Term | None = None) -> Nodes:
        """The nodes that the path leads to; a relative path begins at the context."""
        where = self._where_followed(path)
        found = where._forwards(path, context)
        return where._resources() if found is None else found

    def contains(self, path: Path, node: Term) -> bool:
        """Whether the path leads to the node."""
        if self._begins_at_one(path):
            return node in self.nodes(path)
        return self.leads_to(path, node)

    def leads_to(self, path: Path, node: Term) -> bool:
        """The same, found out backwards from the node."""
        return self._leads_to(path, {node})

    def backwards(self, steps: tuple[Step, ...], nodes: Nodes) -> Nodes:
        """The nodes from which the steps lead to one of those."""
        return self._backwards(steps, nodes)

    def holds(self, condition: Condition, context: Term | None = None) -> bool:
        """Whether the condition holds; its relative paths begin at the context."""
        match condition:
            case Always():
                return True
            case Never():
                return False
            case Not(part):
                return not self.holds(part, context)
            case Both(parts):
                return all(self.holds(part, context) for part in parts)
            case Either(parts):
                return any(self.holds(part, context) for part in parts)
            case Exists(path):
                return bool(self.nodes(path, context))
            case Compared(left, comparison, right):
                ends: Nodes = {as_kept(right)} if isinstance(right, Literal) else self.nodes(right, context)
                return _compared(self.nodes(left, context), comparison, ends)

    def _where_followed(self, path: Path) -> Evaluation:
        if path.start is None:
            return self
        return self._then if isinstance(path.start, Delta) else self._now

    # Forwards

    def _forwards(self, path: Path, context: Term | None) -> Nodes | None:
        found = self._start(path, context)
        for step in path.steps:
            found = self._step(found, step)
        return found

    def _start(self, path: Path, context: Term | None) -> Nodes | None:
        match path.start:
            case None:
                assert context is not None, "a relative path stands in a qualifier"
                return {context}
            case Resource(iri):
                return None if iri is None else self._named(iri, path)
            case Variable(name):
                return self._forwards(self._lets[name], None)
            case Delta(component):
                return {self._delta[component]}

    def _step(self, nodes: Nodes | None, step: Step) -> Nodes:
        match step:
            case Where(condition):
                return self._where(nodes, condition)
            case Target(arc):
                return {t.object for node in _or_any(nodes) for t in self._graph.match(node, _iri(arc), None)}
            case Source(arc) if nodes is None:
                # Of what arcs lead to, literals and classes are no resources.
                arcs = self._graph.match(None, _iri(arc), None)
                return {t.subject for t in arcs if self._is_resource(t.object)}
            case Source(arc):
                return {t.subject for node in nodes or () for t in self._graph.match(None, _iri(arc), node)}
            case Element(int() as number):
                return {t.object for node in _or_any(nodes) for t in self._graph.match(node, member(number), None)}
            case Element():
                every = (t for node in _or_any(nodes) for t in self._graph.match(node, None, None))
                return {t.object for t in every if number_of(t.predicate) is not None}

    def _where(self, nodes: Nodes | None, condition: Condition) -> Nodes:
        if nodes is None:
            nodes = self._candidates(condition)
            nodes = self._resources() if nodes is None else {node for node in nodes if self._is_resource(node)}
        return {node for node in nodes if self.holds(condition, node)}

    def _candidates(self, condition: Condition) -> Nodes | None:
        """Nodes among which are all those for which the condition holds, if it is quick to say."""
        match condition:
            case Compared(Path(None, steps), Comparison.EQUAL, Literal() as literal):
                return self._backwards(steps, {as_kept(literal)})
            case Exists(Path(None, (Target(arc), *_))):
                return {t.subject for t in self._graph.match(None, _iri(arc), None)}
            case Both(parts):
                known = (self._candidates(part) for part in parts)
                return next((nodes for nodes in known if nodes is not None), None)
        return None

    # Backwards

    def _begins_at_one(self, path: Path) -> bool:
        if isinstance(path.start, Variable):
            return self._begins_at_one(self._lets[path.start.name])
        return path.start != Resource(None)

    def _leads_to(self, path: Path, nodes: Nodes) -> bool:
        starts = self._backwards(path.steps, nodes)
        if isinstance(path.start, Variable):
            return self._leads_to(self._lets[path.start.name], starts)
        if isinstance(path.start, Resource) and path.start.iri is not None:
            return path.start.iri in starts and bool(self._named(path.start.iri, path))
        return any(self._is_resource(node) for node in starts)

    def _backwards(self, steps: tuple[Step, ...], nodes: Nodes) -> Nodes:
        for step in reversed(steps):
            if not nodes:
                break
            nodes = self._back(nodes, step)
        return nodes

    def _back(self, nodes: Nodes, step: Step) -> Nodes:
        match step:
            case Where(condition):
                return {node for node in nodes if self.holds(condition, node)}
            case Target(arc):
                return {t.subject for node in nodes for t in self._graph.match(None, _iri(arc), node)}
            case Source(arc):
                return {t.object for node in nodes for t in self._graph.match(node, _iri(arc), None)}
            case Element(int() as number):
                return {t.subject for node in nodes for t in self._graph.match(None, member(number), node)}
            case Element():
                arcs = (t for node in nodes for t in self._graph.match(None, None, node))
                return {t.subject for t in arcs if number_of(t.predicate) is not None}

    # Resources: everything that has a class

    def _named(self, iri: NamedNode, path: Path) -> Nodes:
        """The resource, if the graph has it; an arc that begins there will show that anyway."""
        if path.steps and not isinstance(path.steps[0], Where):
            return {iri}
        known = self._has(iri, None) or self._has(None, iri)
        return {iri} if known else set()

    def _has(self, subject: Term | None, target: Term | None) -> bool:
        return next(iter(self._graph.match(subject, None, target)), None) is not None

    def _resources(self) -> Nodes:
        return {triple.subject for triple in self._graph.match(None, TYPE, None)}

    def _is_resource(self, node: Term) -> bool:
        return next(iter(self._graph.match(node, TYPE, None)), None) is not None


def constant_of(node: Node | None, lets: Iterable[Let]) -> NamedNode | Literal | None:
    """The one node that it can be, if the text determines it."""
    if isinstance(node, Literal):
        kept = as_kept(node)
        assert isinstance(kept, Literal)
        return kept
    if node is None or not all(isinstance(step, Where) for step in node.steps):
        return None
    if isinstance(node.start, Variable):
        return constant_of(next(let.path for let in lets if let.name == node.start.name), lets)
    return node.start.iri if isinstance(node.start, Resource) else None


def _or_any(nodes: Nodes | None) -> Iterable[Term | None]:
    return (None,) if nodes is None else nodes


def _iri(arc: object) -> NamedNode:
    assert isinstance(arc, NamedNode), "names are resolved before a path is followed"
    return arc


def _compared(left: Nodes, comparison: Comparison, right: Nodes) -> bool:
    """Whether some node on the left is, or is not, the same term as some node on the right."""
    if comparison is Comparison.EQUAL:
        return not left.isdisjoint(right)
    return bool(left and right) and (len(left) > 1 or left != right)
