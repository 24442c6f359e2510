"""What follows an action part: the rules that it may trigger, and what all of it reads and writes together."""

from __future__ import annotations

from functools import reduce
from operator import or_

from msgspec import Struct
from msgspec.structs import replace

from triplewire.languages.rdftl.syntax import Abort, Rule
from triplewire.rules.analysis.bits import union
from triplewire.rules.analysis.footprints.actions import ActionFootprint
from triplewire.rules.analysis.footprints.extents import NOTHING, Extents
from triplewire.rules.analysis.footprints.footprint import Footprint
from triplewire.rules.analysis.footprints.writes import NO_WRITES, Writes
from triplewire.rules.analysis.triggering import RuleSet, TriggeringGraph


class Following(Struct, frozen=True):
    """Of a set of triggered rules: what they query, what their effect depends on, and what they write.

    `counting` are those that append once however many changes have triggered them: how often they do it depends on how
    the changes are spread over updates. `aborting`: some of them abort on purpose; `loose`: some are not MUTUAL.
    """

    queried: Extents = NOTHING
    state: Extents = NOTHING
    writes: Writes = NO_WRITES
    counting: RuleSet = 0
    aborting: bool = False
    loose: bool = False


class Cascade(Struct, frozen=True):
    """An action part and all that may follow it.

    `queried` and `updated` are the paper's triggeredTriplesQueried and triggeredTriplesUpdated, with classes; `state`
    and `writes` include the action part itself.
    """

    accessed: Extents
    queried: Extents
    updated: Extents
    state: Extents
    writes: Writes
    written: Extents
    counting: RuleSet
    aborting: bool
    loose: bool

    def __or__(self, other: Cascade) -> Cascade:
        return Cascade(
            accessed=self.accessed | other.accessed,
            queried=self.queried | other.queried,
            updated=self.updated | other.updated,
            state=self.state | other.state,
            writes=self.writes | other.writes,
            written=self.written | other.written,
            counting=self.counting | other.counting,
            aborting=self.aborting or other.aborting,
            loose=self.loose or other.loose,
        )


class Cascades:
    """The cascades of a rule base. Rules that trigger the same ones share what follows."""

    def __init__(self, graph: TriggeringGraph) -> None:
        self._graph = graph
        self._known: dict[RuleSet, Following] = {}

    def of(self, footprint: Footprint) -> Cascade:
        """What the rule does when it fires."""
        found = self._following(footprint.writes, footprint.accessed, footprint.action_state)
        return replace(
            found, aborting=found.aborting or footprint.aborts, loose=found.loose or is_loose(footprint.rule)
        )

    def of_action(self, action: ActionFootprint) -> Cascade:
        """What one action does."""
        return self._following(action.writes, action.accessed, action.queried | action.needs)

    def _following(self, own: Writes, accessed: Extents, state: Extents) -> Cascade:
        after = self.after(own)
        writes = own | after.writes
        return Cascade(
            accessed=accessed,
            queried=after.queried,
            updated=after.writes.all,
            state=state | after.state,
            writes=writes,
            written=writes.all,
            counting=after.counting,
            aborting=after.aborting,
            loose=after.loose,
        )

    def after(self, writes: Writes) -> Following:
        """What the rules do that an action may trigger, at once or through others."""
        rules = self._graph.triggered(writes)
        if rules not in self._known:
            self._known[rules] = _together(rules, self._graph)
        return self._known[rules]


def _together(rules: RuleSet, graph: TriggeringGraph) -> Following:
    found = graph.rules_in(rules)
    counting = {each.rule.id for each in found if each.set_oriented and each.writes.appended}
    return Following(
        queried=union(each.queried for each in found),
        state=union(each.state for each in found),
        writes=reduce(or_, (each.writes for each in found), NO_WRITES),
        counting=union(1 << graph.place[name] for name in counting),
        aborting=any(each.aborts for each in found),
        loose=any(is_loose(each.rule) for each in found),
    )


def is_loose(rule: Rule) -> bool:
    """Whether the rule may be undone without what triggered it, or the other way round."""
    return rule.abort is not Abort.MUTUAL
