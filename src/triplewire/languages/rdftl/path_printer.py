"""Names, paths and conditions as text."""

from __future__ import annotations

import re
from collections.abc import Iterable

from triplewire.languages.rdftl import tokens
from triplewire.languages.rdftl.syntax import (
    Always,
    BareName,
    Both,
    Compared,
    Condition,
    Delta,
    Either,
    Element,
    Exists,
    Name,
    Never,
    Node,
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
from triplewire.languages.terms import LETTERS, NAME_REST, printed_literal
from triplewire.rdf.terms import Literal, NamedNode

_PLAIN_STRING = re.compile(r"[^'\"\\\x00-\x1f\x7f]*")
_PLAIN_LOCAL = re.compile(f"[{LETTERS}_0-9][{NAME_REST}-]*")
_LOOSEST, _TIGHTER, _TIGHTEST = range(3)


class QueryPrinter:
    """Writes paths and conditions, with names in the namespaces where there is one for them."""

    def __init__(self, namespaces: Iterable[tuple[str, str]]) -> None:
        declared = {**tokens.AMBIENT, **dict(namespaces)}
        # The longest first: it leaves the shortest name.
        self._namespaces = sorted(declared.items(), key=lambda pair: len(pair[1]), reverse=True)

    # Names

    def name(self, name: Name) -> str:
        if isinstance(name, BareName):
            return name.local
        for prefix, uri in self._namespaces:
            local = name.value.removeprefix(uri)
            if local != name.value and _PLAIN_LOCAL.fullmatch(local):
                return f"{prefix}:{local}"
        return str(name)

    # Paths

    def node(self, node: Node | None) -> str:
        if node is None:
            return "_"
        return _literal(node) if isinstance(node, Literal) else self.path(node)

    def path(self, path: Path) -> str:
        text = "" if path.start is None else self.start(path.start)
        return (text + "".join(map(self._step, path.steps))).removeprefix("/")

    def start(self, start: Start) -> str:
        match start:
            case Resource(iri):
                return f"resource({'' if iri is None else _uri(iri)})"
            case Variable(name):
                return f"${name}"
            case Delta(component):
                return f"$delta.{component.value}" if component.value else "$delta"

    def _step(self, step: Step) -> str:
        match step:
            case Target(arc):
                return f"/target({self.name(arc)})"
            case Source(arc):
                return f"/source({self.name(arc)})"
            case Element(number):
                return f"/element({number or ''})"
            case Where(condition):
                return f"[{self.condition(condition)}]"

    # Conditions

    def condition(self, condition: Condition) -> str:
        return self._bound(condition, _LOOSEST)

    def _bound(self, condition: Condition, level: int) -> str:
        """A condition where only what binds as tight as `level` may stand without parentheses."""
        match condition:
            case Always():
                return "True"
            case Never():
                return "False"
            case Exists(path):
                return self.path(path)
            case Compared(left, comparison, right):
                return f"{self.path(left)} {comparison.value} {self.node(right)}"
            case Not(part):
                return f"not {self._bound(part, _TIGHTEST)}"
            case Either(parts):
                return _in_parentheses(" or ".join(self._bound(part, _TIGHTER) for part in parts), _LOOSEST, level)
            case Both(parts):
                return _in_parentheses(" and ".join(self._bound(part, _TIGHTEST) for part in parts), _TIGHTER, level)


def _in_parentheses(text: str, own: int, wanted: int) -> str:
    return f"({text})" if own < wanted else text


def _uri(iri: NamedNode) -> str:
    # Only what every preamble before it would leave alone stands bare.
    whole = iri.value.partition(":")[2].startswith("//")
    return iri.value if whole and tokens.BARE_IRI.fullmatch(iri.value) else str(iri)


def _literal(literal: Literal) -> str:
    if literal == Literal(literal.value) and _PLAIN_STRING.fullmatch(literal.value):
        return f"'{literal.value}'"
    return printed_literal(literal)


def printed_label(name: str) -> str:
    """What a rule or a transaction is called, in quotes where it needs them."""
    return name if tokens.LABEL.fullmatch(name) else str(Literal(name))
