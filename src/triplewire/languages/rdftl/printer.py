"""Rules and updates as text that reads back as the same."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from msgspec.structs import replace

from triplewire.errors import InputError
from triplewire.languages.rdftl import tokens
from triplewire.languages.rdftl.clauses import default_abort
from triplewire.languages.rdftl.parser import parse_rule, parse_updates
from triplewire.languages.rdftl.path_printer import QueryPrinter, printed_label
from triplewire.languages.rdftl.syntax import (
    AbortAction,
    Arc,
    ArcAction,
    ArcEvent,
    Coupling,
    Delta,
    Event,
    Let,
    Name,
    NextElement,
    ResourceAction,
    ResourceEvent,
    Rule,
    RuleAction,
    Update,
    UpdateAction,
    UpdatedArc,
    UpdateEvent,
)
from triplewire.languages.scanner import inexpressible
from triplewire.rdf.terms import Literal

_Statement = TypeVar("_Statement", Rule, Update)


def format_rule(rule: Rule) -> str:
    """Write a rule that reads back as itself, with its name and `;;`, or say what RDFTL has no words for."""
    printer = _Printer(rule.namespaces)
    lines = [
        *_clauses(rule),
        *printer.definitions(rule.namespaces, rule.lets),
        f"ON {printer.event(rule.event)}",
        f"IF {printer.condition(rule.condition)}",
        f"DO {(';' + chr(10) + '   ').join(map(printer.action, rule.actions))};;",
    ]
    return _checked("\n".join(lines) + "\n", rule)


def format_update(update: Update) -> str:
    """Write an update that reads back as itself, with its transaction and `;;`, or say what RDFTL has no words for."""
    printer = _Printer(update.namespaces)
    named = [f"TRANSACTION {printed_label(update.transaction)}"] if update.transaction else []
    lines = [*named, *printer.definitions(update.namespaces, update.lets), f"{printer.action(update.action)};;"]
    return _checked("\n".join(lines) + "\n", update)


def _checked(text: str, statement: _Statement) -> str:
    try:
        read = _read(text, statement)
    except InputError as error:
        raise inexpressible("RDFTL", f"this: {error.message}") from None
    if read != statement:
        raise inexpressible("RDFTL", "this; what comes nearest means something else")
    return text


def _read(text: str, statement: Rule | Update) -> Rule | Update:
    if isinstance(statement, Rule):
        return parse_rule(text)
    (update,) = parse_updates(text)
    # An update without a name is given one when it is read: it is a transaction of its own.
    return update if statement.transaction else replace(update, transaction="")


def _clauses(rule: Rule) -> list[str]:
    clauses = [f"RULE {printed_label(rule.id)}"]
    if rule.coupling is not Coupling.IMMEDIATE:
        clauses.append(f"COUPLING {rule.coupling.value}")
    if rule.abort is not default_abort(rule.coupling):
        clauses.append(f"ABORT {rule.abort.value}")
    if rule.precedes:
        clauses.append(f"PRECEDES {', '.join(map(printed_label, rule.precedes))}")
    return clauses


class _Printer(QueryPrinter):
    """Writes events and actions, and the definitions before them."""

    def definitions(self, namespaces: Iterable[tuple[str, str]], lets: Iterable[Let]) -> list[str]:
        declared = [f"USING NAMESPACE {name} {_namespace(uri)}" for name, uri in namespaces]
        return [*declared, *(f"LET ${let.name} := {self.path(let.path)}" for let in lets)]

    def event(self, event: Event) -> str:
        match event:
            case ResourceEvent(change, path, of_class):
                return f"{change.value} {self.path(path)}{self._class(of_class)}"
            case ArcEvent(change, arc):
                return f"{change.value} {self._arc(arc)}"
            case UpdateEvent(arc):
                return f"UPDATE {self._updated_arc(arc)}"

    def action(self, action: RuleAction) -> str:
        match action:
            case ResourceAction(change, path, of_class):
                return f"{change.value} {self.path(path)}{self._class(of_class)}"
            case ArcAction(change, arcs):
                return f"{change.value} {', '.join(map(self._arc, arcs))}"
            case AbortAction(reason):
                return f"ABORT {self.node(Literal(reason))}"
            case UpdateAction(arcs):
                return f"UPDATE {', '.join(map(self._updated_arc, arcs))}"

    def _class(self, name: Name | None) -> str:
        return "" if name is None else f" AS INSTANCE OF {self.name(name)}"

    def _arc(self, arc: Arc) -> str:
        return f"({self.node(arc.source)}, {self._arc_name(arc.name)}, {self.node(arc.target)})"

    def _updated_arc(self, arc: UpdatedArc) -> str:
        targets = f"{self.node(arc.old)} -> {self.node(arc.new)}"
        return f"({self.node(arc.source)}, {self._arc_name(arc.name)}, {targets})"

    def _arc_name(self, name: Name | NextElement | Delta | None) -> str:
        match name:
            case None:
                return "_"
            case NextElement():
                return "seq++"
            case Delta():
                return self.start(name)
        return self.name(name)


def _namespace(uri: str) -> str:
    return uri if tokens.BARE_IRI.fullmatch(uri) else f"<{uri}>"
