"""Reading events and actions: they have the same forms, and differ in what may be left open."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from triplewire.languages.rdftl import tokens
from triplewire.languages.rdftl.path_parser import QueryReader
from triplewire.languages.rdftl.syntax import (
    AbortAction,
    Action,
    Arc,
    ArcAction,
    ArcEvent,
    Change,
    Component,
    Delta,
    Event,
    Name,
    NextElement,
    Node,
    Path,
    ResourceAction,
    ResourceEvent,
    RuleAction,
    UpdateAction,
    UpdatedArc,
    UpdateEvent,
)
from triplewire.languages.scanner import Scanner, shortened
from triplewire.rdf.terms import Literal


class _Place(StrEnum):
    """Where a wildcard may be, as messages call it."""

    SOURCE = "source"
    ARC_NAME = "arc name"
    TARGET = "target"
    OLD_TARGET = "old target"
    NEW_TARGET = "new target"


class _Form(Struct, frozen=True):
    """A kind of triple: what it is called, and what of it may be a wildcard (section 2.1)."""

    name: str
    open: tuple[_Place, ...]


_EVENT = _Form("an event", tuple(_Place))
_INSERTED = _Form("an insertion", (_Place.SOURCE,))
_DELETED = _Form("a deletion", (_Place.SOURCE, _Place.ARC_NAME, _Place.TARGET))
_UPDATED = _Form("an update of an arc", (_Place.SOURCE, _Place.OLD_TARGET))
_CHANGES = "INSERT, DELETE or UPDATE"
_ACTIONS = {Change.INSERT: _INSERTED, Change.DELETE: _DELETED}


class ChangeReader:
    """Reads events and actions at a scanner."""

    def __init__(self, scanner: Scanner, terms: tokens.RdftlTerms, queries: QueryReader) -> None:
        self._scanner = scanner
        self._terms = terms
        self._queries = queries

    def event(self) -> Event:
        change = self._change()
        if change is None:
            return UpdateEvent(self._updated_arc(_EVENT))
        if self._scanner.sees(tokens.OPEN):
            return ArcEvent(change, self._arc(_EVENT))
        return ResourceEvent(change, self._resource(), self._class())

    def rule_action(self) -> RuleAction:
        """An action as it stands in a rule, which may also abort."""
        if self._scanner.accept(tokens.ABORT):
            return self._abort()
        return self.action("INSERT, DELETE, UPDATE or ABORT")

    def action(self, wanted: str = _CHANGES) -> Action:
        change = self._change(wanted)
        if change is None:
            return UpdateAction(self._updated_arcs())
        if self._scanner.sees(tokens.OPEN):
            return ArcAction(change, self._arcs(_ACTIONS[change]))
        path = self._resource()
        if change is Change.INSERT and not self._scanner.sees(tokens.AS):
            raise self._scanner.problem(
                wanted="AS INSTANCE OF and the class of the resource to insert", found=self._scanner.here()
            )
        return ResourceAction(change, path, self._class())

    def _abort(self) -> AbortAction:
        wanted, offset = "the reason, a string in quotes, after ABORT", self._scanner.offset
        found = self._terms.literal() if self._scanner.sees(tokens.QUOTE) else None
        if found is None or found != Literal(found.value) or not found.value:
            told = self._scanner.here() if found is None else shortened(str(found))
            raise self._scanner.problem(wanted=wanted, found=told, offset=offset)
        if self._scanner.sees(tokens.BETWEEN_ACTIONS):
            raise self._scanner.problem(wanted=";; after ABORT, which ends the rule", found="another action")
        return AbortAction(found.value)

    def _change(self, wanted: str = _CHANGES) -> Change | None:
        """INSERT, DELETE or, as None, UPDATE."""
        if self._scanner.accept(tokens.INSERT):
            return Change.INSERT
        if self._scanner.accept(tokens.DELETE):
            return Change.DELETE
        self._scanner.expect(tokens.UPDATE, wanted)
        return None

    # Resources

    def _resource(self) -> Path:
        if self._scanner.sees(tokens.WILDCARD):
            raise self._scanner.problem(wanted="a path or a triple", found="_: every resource is written resource()")
        return self._queries.path("a path (resource(...) or a $variable) or a triple in parentheses")

    def _class(self) -> Name | None:
        if not self._scanner.accept(tokens.AS):
            return None
        self._scanner.expect(tokens.INSTANCE, "INSTANCE after AS")
        self._scanner.expect(tokens.OF, "OF after AS INSTANCE")
        if self._scanner.sees(tokens.WILDCARD):
            raise self._scanner.problem(wanted="the name of a class", found="_, which cannot stand for a class")
        return self._terms.name("the name of a class")

    # Arcs

    def _arcs(self, form: _Form) -> tuple[Arc, ...]:
        arcs = [self._arc(form)]
        while self._goes_on():
            arcs.append(self._arc(form))
        return tuple(arcs)

    def _updated_arcs(self) -> tuple[UpdatedArc, ...]:
        arcs = [self._updated_arc(_UPDATED)]
        while self._goes_on():
            arcs.append(self._updated_arc(_UPDATED))
        return tuple(arcs)

    def _goes_on(self) -> bool:
        """Whether a comma leads to another triple; one that leads to another action is left alone."""
        place = self._scanner.offset
        if self._scanner.accept(tokens.COMMA) and self._scanner.sees(tokens.OPEN):
            return True
        self._scanner.offset = place
        return False

    def _arc(self, form: _Form) -> Arc:
        source, name = self._beginning(form)
        target = self._node(_Place.TARGET, form)
        if self._scanner.sees(tokens.ARROW):
            raise self._scanner.problem(wanted=") after the target", found="an arrow: only UPDATE has an old target")
        self._scanner.expect(tokens.CLOSE, ") after the target of a triple")
        return Arc(source, name, target)

    def _updated_arc(self, form: _Form) -> UpdatedArc:
        source, name = self._beginning(form)
        assert not isinstance(name, NextElement), "only an insertion has it"
        old = self._node(_Place.OLD_TARGET, form)
        self._scanner.expect(tokens.ARROW, "-> (or →) between the old target and the new one")
        new = self._node(_Place.NEW_TARGET, form)
        self._scanner.expect(tokens.CLOSE, ") after the new target of a triple")
        return UpdatedArc(source, name, old, new)

    def _beginning(self, form: _Form) -> tuple[Path | None, Name | NextElement | Delta | None]:
        self._scanner.expect(tokens.OPEN, "( and a triple")
        source = None if self._is_open(_Place.SOURCE, form) else self._source()
        self._scanner.expect(tokens.COMMA, "a comma after the source of a triple")
        name = None if self._is_open(_Place.ARC_NAME, form) else self._arc_name(form)
        self._scanner.expect(tokens.COMMA, "a comma after the arc name of a triple")
        return source, name

    def _is_open(self, place: _Place, form: _Form) -> bool:
        if not self._scanner.sees(tokens.WILDCARD):
            return False
        if place not in form.open:
            allowed = " or ".join(form.open)
            summary = f"{form.name} allows the wildcard _ as its {allowed}"
            raise self._scanner.problem(summary, found=f"it as the {place.value}")
        self._scanner.accept(tokens.WILDCARD)
        return True

    def _source(self) -> Path:
        return self._queries.path("the source of a triple: resource(...), a $variable or _")

    def _node(self, place: _Place, form: _Form) -> Node | None:
        if self._is_open(place, form):
            return None
        literal = self._terms.literal()
        if literal is not None:
            return literal
        return self._queries.path(f"the {place.value} of a triple: resource(...), a $variable, a string or _")

    def _arc_name(self, form: _Form) -> Name | NextElement | Delta:
        if self._scanner.sees(tokens.NEXT_ELEMENT):
            return self._next_element(form)
        if self._scanner.sees(tokens.DOLLAR):
            return self._delta()
        return self._terms.name("an arc name: ns:name, a name, seq++ or $delta.arc_name")

    def _next_element(self, form: _Form) -> NextElement:
        if form is not _INSERTED:
            summary = "seq++ makes a new arc, so only an INSERT action has it"
            raise self._scanner.problem(summary, found=f"it in {form.name}")
        self._scanner.accept(tokens.NEXT_ELEMENT)
        return NextElement()

    def _delta(self) -> Delta:
        offset = self._scanner.offset
        found = self._queries.variable("an arc name, or $delta.arc_name")
        if found != Delta(Component.ARC_NAME):
            hint = "of all that begins with $, only $delta.arc_name is one"
            raise self._scanner.problem(wanted="an arc name", hint=hint, offset=offset)
        return Delta(Component.ARC_NAME)
