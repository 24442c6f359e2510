"""What an RDFTL rule says (Papamarkos et al., section 2.1), as values.

A name is what was written: `ns:Name` is already an IRI, a bare name waits for a schema that has exactly one class or
property of that local name. A wildcard is None wherever the grammar allows one.
"""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from triplewire.rdf.terms import Literal, NamedNode


class BareName(Struct, frozen=True):
    """A class or property without its namespace."""

    local: str


Name = NamedNode | BareName


class NextElement(Struct, frozen=True):
    """`seq++`: the next membership property of the container that is the source."""


# Paths


class Resource(Struct, frozen=True):
    """`resource(uri)`; without a URI, every resource."""

    iri: NamedNode | None = None


class Variable(Struct, frozen=True):
    """`$name`, which a LET has defined."""

    name: str


class Component(StrEnum):
    """Which part of `$delta`; a resource event's delta has no parts."""

    WHOLE = ""
    SOURCE = "source"
    ARC_NAME = "arc_name"
    TARGET = "target"
    OLD_TARGET = "old_target"
    NEW_TARGET = "new_target"


class Delta(Struct, frozen=True):
    """`$delta` or `$delta.source` and so on."""

    component: Component = Component.WHOLE


Start = Resource | Variable | Delta


class Target(Struct, frozen=True):
    """The objects that an arc leads to from here."""

    arc: Name


class Source(Struct, frozen=True):
    """The subjects from which an arc leads here."""

    arc: Name


class Element(Struct, frozen=True):
    """An element of a container, or each of them."""

    number: int | None = None


class Where(Struct, frozen=True):
    """`[q]`: those of the nodes so far for which the condition holds; its relative paths begin at the node."""

    condition: Condition


Step = Target | Source | Element | Where


class Path(Struct, frozen=True):
    """Nodes reached from a start; a path without a start is relative and stands in a qualifier."""

    start: Start | None
    steps: tuple[Step, ...] = ()


# Conditions


class Always(Struct, frozen=True):
    """`True`."""


class Never(Struct, frozen=True):
    """`False`."""


class Exists(Struct, frozen=True):
    """The path leads somewhere."""

    path: Path


class Comparison(StrEnum):
    EQUAL = "="
    DIFFERENT = "!="


class Compared(Struct, frozen=True):
    """Some node of the path is, or is not, the string, or some node of the other path."""

    left: Path
    comparison: Comparison
    right: Literal | Path


class Both(Struct, frozen=True):
    """All of them hold."""

    parts: tuple[Condition, ...]


class Either(Struct, frozen=True):
    """One of them holds."""

    parts: tuple[Condition, ...]


class Not(Struct, frozen=True):
    """It does not hold."""

    part: Condition


Condition = Always | Never | Exists | Compared | Both | Either | Not


# Events and actions have the same forms.


class Change(StrEnum):
    INSERT = "INSERT"
    DELETE = "DELETE"


Node = Path | Literal


class Arc(Struct, frozen=True):
    """`(source, arc_name, target)`."""

    source: Path | None
    name: Name | NextElement | Delta | None
    target: Node | None


class UpdatedArc(Struct, frozen=True):
    """`(source, arc_name, old -> new)`. An action always says the new target."""

    source: Path | None
    name: Name | Delta | None
    old: Node | None
    new: Node | None


class ResourceEvent(Struct, frozen=True):
    """`INSERT e [AS INSTANCE OF class]`, or DELETE."""

    change: Change
    path: Path
    of_class: Name | None = None


class ArcEvent(Struct, frozen=True):
    """`INSERT triple`, or DELETE."""

    change: Change
    arc: Arc


class UpdateEvent(Struct, frozen=True):
    """`UPDATE upd_triple`."""

    arc: UpdatedArc


Event = ResourceEvent | ArcEvent | UpdateEvent


class ResourceAction(Struct, frozen=True):
    """`INSERT e AS INSTANCE OF class`, `DELETE e [AS INSTANCE OF class]`."""

    change: Change
    path: Path
    of_class: Name | None = None


class ArcAction(Struct, frozen=True):
    """`INSERT triple, ...`, or DELETE."""

    change: Change
    arcs: tuple[Arc, ...]


class UpdateAction(Struct, frozen=True):
    """`UPDATE upd_triple, ...`."""

    arcs: tuple[UpdatedArc, ...]


Action = ResourceAction | ArcAction | UpdateAction


class AbortAction(Struct, frozen=True):
    """`ABORT 'reason'`: the rule fails on purpose, and its abort dependency says who else does. Only rules have it."""

    reason: str


RuleAction = Action | AbortAction


class Coupling(StrEnum):
    IMMEDIATE = "IMMEDIATE"
    DEFERRED = "DEFERRED"
    DETACHED = "DETACHED"


class Abort(StrEnum):
    """Who aborts with whom: the transaction in which a rule fired is the parent, what the rule does is the child."""

    PARENT_CHILD = "PARENTCHILD"
    CHILD_PARENT = "CHILDPARENT"
    MUTUAL = "MUTUAL"
    INDEPENDENT = "INDEPENDENT"


class Let(Struct, frozen=True):
    """`LET $name := path`. The path may use variables that were defined before."""

    name: str
    path: Path


class Rule(Struct, frozen=True, kw_only=True):
    """On an event, if a condition holds, do the actions."""

    id: str
    event: Event
    condition: Condition
    actions: tuple[RuleAction, ...]
    lets: tuple[Let, ...] = ()
    coupling: Coupling = Coupling.IMMEDIATE
    abort: Abort = Abort.MUTUAL
    precedes: tuple[str, ...] = ()
    namespaces: tuple[tuple[str, str], ...] = ()


class Update(Struct, frozen=True, kw_only=True):
    """An action that somebody asks for: no `$delta` in it. Updates of one name are one transaction."""

    action: Action
    lets: tuple[Let, ...] = ()
    transaction: str = ""
    namespaces: tuple[tuple[str, str], ...] = ()
