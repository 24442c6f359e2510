"""Actions and events as RDFTL: each is sent as a rule that has nothing else to say."""

from __future__ import annotations

from functools import lru_cache

from triplewire.errors import MessageRefused
from triplewire.federation.sites.requests import EventQuery
from triplewire.languages.rdftl import format_rule, parse_rule
from triplewire.languages.rdftl.parts import parts
from triplewire.languages.rdftl.syntax import (
    AbortAction,
    Action,
    Always,
    Arc,
    ArcEvent,
    Change,
    Component,
    Delta,
    Event,
    Let,
    Path,
    Resource,
    ResourceEvent,
    Rule,
    UpdatedArc,
    UpdateEvent,
)

_CACHED = 4_096
_UNNAMED = "action"
_NO_ACTION = AbortAction("an event only")
_OF_UPDATES = {Component.OLD_TARGET, Component.NEW_TARGET}


@lru_cache(maxsize=_CACHED)
def action_text(action: Action, lets: tuple[Let, ...]) -> str:
    return format_rule(
        Rule(id=_UNNAMED, event=_event_for(action), condition=Always(), actions=(action,), lets=lets),
    )


@lru_cache(maxsize=_CACHED)
def action_of(text: str) -> tuple[Action, tuple[Let, ...]]:
    rule = parse_rule(text)
    action = rule.actions[0]
    if len(rule.actions) != 1 or isinstance(action, AbortAction):
        raise MessageRefused("action", wanted="one action that changes something", found=text)
    return action, rule.lets


@lru_cache(maxsize=_CACHED)
def query_text(query: EventQuery) -> str:
    return format_rule(
        Rule(id=query.rule, event=query.event, condition=Always(), actions=(_NO_ACTION,), lets=query.lets)
    )


@lru_cache(maxsize=_CACHED)
def query_of(text: str) -> EventQuery:
    rule = parse_rule(text)
    return EventQuery(rule.id, rule.event, rule.lets)


def _event_for(action: Action) -> Event:
    """An event that has the parts of `$delta` of which the action speaks."""
    used = {value.component for value in parts(action) if isinstance(value, Delta)}
    if used & _OF_UPDATES:
        return UpdateEvent(UpdatedArc(None, None, None, None))
    if used - {Component.WHOLE}:
        return ArcEvent(Change.INSERT, Arc(None, None, None))
    return ResourceEvent(Change.INSERT, Path(Resource()))
