"""Paths and conditions as SPARQL queries, for a store that holds the repository as its default graph.

A path becomes a chain of triple patterns, a qualifier a filter on the node that it follows, a variable the path that
its LET gave it. Nodes are compared as terms, never by value. A resource is what belongs to a class (clause (a) of
section 2.1), so that `resource()` asks for rdf:type where no arc asks for the resource anyway. A rule on deleted
resources reads what begins at `$delta` in the state before; that is a named graph then.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct
from pyoxigraph import Variable as Unknown

from triplewire.errors import InputError, InvalidTerm
from triplewire.languages.rdftl.expanded_size import condition_extent, defined, path_extent
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
    Name,
    Never,
    Not,
    Path,
    Resource,
    Source,
    Start,
    Step,
    Target,
    Variable,
    Where,
)
from triplewire.rdf.terms import RDF, Literal, NamedNode, Term

_NODE = Unknown("node")
_TYPE = RDF["type"]
_MEMBERSHIP = f'"^{RDF}_[1-9][0-9]*$"'

_Reached = Unknown | NamedNode | Literal
_Group = list[str]
_Deltas = Mapping[Component, Term]


def path_query(path: Path, lets: Iterable[Let] = (), delta_terms: _Deltas | None = None) -> str:
    """A SELECT whose `?node` are the nodes of a path. Every name in it must be an IRI already.

    >>> from triplewire.rdf.terms import NamedNode
    >>> path_query(Path(Resource(NamedNode("urn:a")), (Target(NamedNode("urn:p")),)))
    'SELECT DISTINCT ?node WHERE { <urn:a> <urn:p> ?node . }'
    """
    lets = tuple(lets)
    path_extent(path, defined(lets)).check()
    writer, group = _Writer(lets, delta_terms or {}), _Group()
    reached = writer.path(path, None, _NODE, group)
    if reached != _NODE:
        group.append(f"BIND({reached} AS {_NODE})")
    return f"SELECT DISTINCT {_NODE} WHERE {_braced(group)}"


def condition_query(
    condition: Condition,
    lets: Iterable[Let] = (),
    delta_terms: _Deltas | None = None,
    *,
    before: NamedNode | None = None,
) -> str:
    """An ASK that is true where the condition holds. Every name in it must be an IRI already.

    `before` names a graph in which paths are followed that begin at `$delta`.

    >>> condition_query(Not(Always()))
    'ASK { FILTER(!(true)) }'
    """
    lets = tuple(lets)
    condition_extent(condition, defined(lets)).check()
    return f"ASK {{ FILTER({_Writer(lets, delta_terms or {}, before).expression(condition, None)}) }}"


class _Here(Struct, frozen=True):
    """A node, and the graph in which paths go on from it; None is the default one."""

    node: _Reached
    graph: NamedNode | None

    def pattern(self, text: str) -> str:
        return text if self.graph is None else f"GRAPH {self.graph} {{ {text} }}"


class _Writer:
    """Writes one query. A group is the lines between two braces; each part adds its own.

    A node that paths go on from stands in a graph, the default one or that of the state before.
    """

    def __init__(self, lets: tuple[Let, ...], deltas: _Deltas, before: NamedNode | None = None) -> None:
        self._before = before
        self._paths = {let.name: let.path for let in lets}
        self._deltas = deltas
        self._unknowns = 0

    # Paths

    def path(self, path: Path, context: _Here | None, wanted: _Reached | None, group: _Group) -> _Reached:
        """Lead from the start, or for a relative path from the context, to what is wanted; say what was reached.

        That is something else than wanted only where the path has no arc, and so nothing that could lead there.
        """
        start, steps = self._written_out(path)
        arcs = [place for place, step in enumerate(steps) if not isinstance(step, Where)]
        graph = self._graph_of(start, context)
        here = self._start(start, steps, context, group)
        for place, step in enumerate(steps):
            if isinstance(step, Where):
                self._where(step.condition, _Here(here, graph), group)
                continue
            there = wanted if wanted is not None and place == arcs[-1] else self._unknown()
            self._move(step, _Here(here, graph), there, group)
            if place == 0 and start == Resource() and isinstance(step, Source):
                # What an arc leads to may be a literal. What it leads from has a class in every conforming repository.
                group.append(f"FILTER(EXISTS {{ {here} {_TYPE} {self._unknown()} }})")
            here = there
        return here

    def _graph_of(self, start: Start | None, context: _Here | None) -> NamedNode | None:
        """The graph that a path is followed in; None is the default one."""
        if isinstance(start, Delta):
            return self._before
        return context.graph if start is None and context is not None else None

    def _written_out(self, path: Path) -> tuple[Start | None, tuple[Step, ...]]:
        start, steps = path.start, path.steps
        while isinstance(start, Variable):
            definition = self._paths[start.name]
            start, steps = definition.start, definition.steps + steps
        return start, steps

    def _start(self, start: Start | None, steps: tuple[Step, ...], context: _Here | None, group: _Group) -> _Reached:
        match start:
            case Delta(component):
                return self._delta(component)
            case Resource(None):
                return self._any_resource(steps, group)
            case Resource(NamedNode() as iri):
                if not steps or isinstance(steps[0], Where):
                    group.append(f"FILTER(EXISTS {{ {{ {iri} ?p ?o }} UNION {{ ?s ?p {iri} }} }})")
                return iri
        if context is None:
            raise InputError(wanted="a path that begins with a resource or a variable", found="one without a start")
        return context.node

    def _delta(self, component: Component) -> NamedNode | Literal:
        found = self._deltas.get(component)
        if found is None:
            raise InputError(wanted=f"a value for {_shown(component)}", found="none")
        if not isinstance(found, NamedNode | Literal):
            raise InvalidTerm(wanted=f"an IRI or a literal for {_shown(component)}", found=str(found))
        return found

    def _any_resource(self, steps: tuple[Step, ...], group: _Group) -> Unknown:
        resource = self._unknown()
        if not steps or isinstance(steps[0], Where):
            group.append(f"{resource} {_TYPE} {self._unknown()} .")
        return resource

    def _move(self, step: Target | Source | Element, here: _Here, there: _Reached, group: _Group) -> None:
        match step:
            case Target(arc):
                group.append(here.pattern(f"{self._subject(here.node, group)} {_iri(arc)} {there} ."))
            case Source(arc):
                group.append(here.pattern(f"{self._subject(there, group)} {_iri(arc)} {here.node} ."))
            case Element(None):
                member = self._unknown()
                group.append(here.pattern(f"{self._subject(here.node, group)} {member} {there} ."))
                group.append(f"FILTER(REGEX(STR({member}), {_MEMBERSHIP}))")
            case Element(number):
                group.append(here.pattern(f"{self._subject(here.node, group)} {RDF[f'_{number}']} {there} ."))

    def _subject(self, node: _Reached, group: _Group) -> _Reached:
        """The node, to stand as a subject; a literal may not be written there, though it matches nothing."""
        if not isinstance(node, Literal):
            return node
        unknown = self._unknown()
        group.append(f"VALUES {unknown} {{ {node} }}")
        return unknown

    def _unknown(self) -> Unknown:
        self._unknowns += 1
        return Unknown(f"n{self._unknowns}")

    # Conditions

    def _where(self, condition: Condition, here: _Here, group: _Group) -> None:
        match condition:
            case Both(parts):
                for part in parts:
                    self._where(part, here, group)
            case Compared(_, Comparison.EQUAL, Literal()):
                # As patterns of their own a store can begin with them: a string is often rarer than what it qualifies.
                self._compared(condition, here, group)
            case _:
                group.append(f"FILTER({self.expression(condition, here)})")

    def expression(self, condition: Condition, here: _Here | None) -> str:
        """A condition as an expression that is true or false, never an error."""
        match condition:
            case Always():
                return "true"
            case Never():
                return "false"
            case Both(parts):
                return " && ".join(f"({self.expression(part, here)})" for part in parts) or "true"
            case Either(parts):
                return " || ".join(f"({self.expression(part, here)})" for part in parts) or "false"
            case Not(part):
                return f"!({self.expression(part, here)})"
        return f"EXISTS {_nested(self._asked(condition, here))}"

    def _asked(self, condition: Exists | Compared, here: _Here | None) -> _Group:
        group = _Group()
        if isinstance(condition, Exists):
            self.path(condition.path, here, None, group)
        else:
            self._compared(condition, here, group)
        return group

    def _compared(self, condition: Compared, here: _Here | None, group: _Group) -> None:
        if condition.comparison is Comparison.EQUAL:
            self._equal(condition.left, condition.right, here, group)
            return
        left = self.path(condition.left, here, None, group)
        right = condition.right
        reached = right if isinstance(right, Literal) else self.path(right, here, None, group)
        group.append(f"FILTER(!sameTerm({left}, {reached}))")

    def _equal(self, left: Path, right: Literal | Path, here: _Here | None, group: _Group) -> None:
        """Lead both paths to one place; where a path has no arc to lead there, compare."""
        if isinstance(right, Literal):
            wanted: _Reached = right
            reached = self.path(left, here, right, group)
        else:
            wanted = self.path(left, here, None, group)
            reached = self.path(right, here, wanted, group)
        if reached != wanted:
            group.append(f"FILTER(sameTerm({reached}, {wanted}))")


def _iri(name: Name) -> NamedNode:
    if not isinstance(name, NamedNode):
        raise InputError(wanted="a name that a schema has resolved", found=name.local)
    return name


def _shown(component: Component) -> str:
    return f"$delta.{component.value}" if component.value else "$delta"


def _nested(group: _Group) -> str:
    """A group as one pattern after the other, each inside the one before.

    Oxigraph keeps to the order of what stands in EXISTS, and joins whole patterns there: one pattern at a time it looks
    up what the outer ones have found.
    """
    text = ""
    for chunk in reversed(_chunks(group)):
        text = _braced([*chunk, f"FILTER(EXISTS {text})"] if text else chunk)
    return text


def _chunks(group: _Group) -> list[_Group]:
    """Each pattern with the values before it and the filters behind it, which ask only for what was bound before."""
    chunks: list[_Group] = [[]]
    for line in group:
        if any(map(_is_pattern, chunks[-1])) and not line.startswith("FILTER"):
            chunks.append([])
        chunks[-1].append(line)
    return chunks


def _is_pattern(line: str) -> bool:
    return not line.startswith(("FILTER", "VALUES"))


def _braced(group: _Group) -> str:
    return f"{{ {' '.join(group)} }}"
