"""A registered rule as it travels: its text, and what else is decided where it is registered.

The text has resolved names only, so that it means the same everywhere.
"""

from __future__ import annotations

from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from triplewire.languages.rdftl import format_rule, parse_rule
from triplewire.languages.rdftl.clauses import default_abort
from triplewire.languages.rdftl.syntax import Abort, Rule


class RuleRecord(Struct, frozen=True, array_like=True):
    """`id` is `SPi.j`: the super-peer where it was registered, and a number there. `name` is the rule's own.

    `abort` is the abort dependency of what the rule does at another super-peer. `time` is when it was registered, by
    the clock of its super-peer.
    """

    id: str
    origin: str
    name: str
    text: str
    time: float
    owner: str = ""
    abort: Abort = Abort.INDEPENDENT


def record_of(rule: Rule, origin: str, number: int, time: float, owner: str, abort: Abort | None) -> RuleRecord:
    """The record of a rule whose names are resolved.

    Across super-peers the default is INDEPENDENT (section 3.2), whatever it is on one node. A clause that says
    something else than the default of one node holds everywhere; `abort` holds at other super-peers only.
    """
    name = f"{origin}.{number}"
    declared = rule.abort if rule.abort is not default_abort(rule.coupling) else Abort.INDEPENDENT
    text = format_rule(replace(rule, id=name, namespaces=()))
    return RuleRecord(name, origin, rule.id, text, time, owner, declared if abort is None else abort)


@lru_cache(maxsize=65_536)
def rule_of(text: str) -> Rule:
    """The rule that a record's text says. Its own name is the global one."""
    return parse_rule(text)
