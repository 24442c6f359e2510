"""The conditions of sections 2.4 and 2.5, each answered with its reason, and one more.

(I1) copies of an action part commute; (I2) what follows them is independent. (C1) and (C2) say the same of two rules.

The paper's tests leave gaps: an action may read what another copy of it writes, an inserted arc may be deleted by
another copy, and what triggered rules write may depend on its order, too. (I3) and (C3) close them: over whole
cascades, nothing is read that the other one writes, and the writes themselves commute. A rule is called well-defined,
and two rules are said to commute, only if all three conditions hold. None of them speaks of updates that are refused:
unless rules are MUTUAL, who is undone with a refused copy depends on when it was refused. Of rules that abort on
purpose (I3) and (C3) do speak.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from triplewire.algebra.verdicts import Verdict
from triplewire.languages.rdftl.syntax import UpdateAction
from triplewire.rules.analysis.cascades import Cascade
from triplewire.rules.analysis.footprints.extents import NOTHING, ExtentIndex, Extents
from triplewire.rules.analysis.footprints.footprint import Footprint
from triplewire.rules.analysis.footprints.writes import Writes


class WellDefined(Struct, frozen=True):
    """Whether the copies of a rule's action part may run in any order."""

    rule: str
    i1: Verdict
    i2: Verdict
    i3: Verdict

    @property
    def holds(self) -> bool:
        return self.i1.holds and self.i2.holds and self.i3.holds


class Commutes(Struct, frozen=True):
    """Whether two rules may run in any order."""

    c1: Verdict
    c2: Verdict
    c3: Verdict

    @property
    def holds(self) -> bool:
        return self.c1.holds and self.c2.holds and self.c3.holds


def well_defined(footprint: Footprint, cascade: Cascade, index: ExtentIndex) -> WellDefined:
    """Answer I1, I2 and I3."""
    if not footprint.uses_delta:
        same = Verdict(True, "no action refers to $delta, so all copies of the action part are the same")
        return WellDefined(footprint.rule.id, same, same, same)
    independent = _independent(cascade, cascade, index)
    return WellDefined(footprint.rule.id, _i1(footprint, index), independent, _orderless(cascade, cascade, index))


def commutes(first: Cascade, second: Cascade, index: ExtentIndex) -> Commutes:
    """Answer C1, C2 and C3."""
    shared = first.accessed & second.accessed
    c1 = _empty(shared, index, "both action parts access {}", "the action parts access different schema triples")
    return Commutes(c1, _independent(first, second, index), _orderless(first, second, index))


def commute(first: Cascade, second: Cascade, index: ExtentIndex) -> bool:
    """Whether all of C1, C2 and C3 hold; quicker than asking for reasons."""
    if first.accessed & second.accessed or _dependent(first, second):
        return False
    if first.counting & second.counting or _aborts_in_part(first, second):
        return False
    return not any(shared for _, shared in _troubles(first, second, index))


def _i1(footprint: Footprint, index: ExtentIndex) -> Verdict:
    for action in footprint.actions:
        if action.uses_delta and isinstance(action.action, UpdateAction):
            return Verdict(False, "an UPDATE action refers to $delta")
        lists = action.writes.all & index.lists
        if action.uses_delta and lists:
            return Verdict(False, f"an action that refers to $delta writes elements of lists: {index.named(lists)}")
    return Verdict(True, "the actions that refer to $delta only insert and delete, and not in lists")


def _independent(first: Cascade, second: Cascade, index: ExtentIndex) -> Verdict:
    return _empty(
        _dependent(first, second),
        index,
        "rules that are triggered query {} and update it",
        "what triggered rules query and what they update has nothing in common",
    )


def _dependent(first: Cascade, second: Cascade) -> Extents:
    return first.queried & second.updated | second.queried & first.updated


def _orderless(first: Cascade, second: Cascade, index: ExtentIndex) -> Verdict:
    for sentence, shared in _troubles(first, second, index):
        if shared:
            return Verdict(False, sentence.format(index.named(shared)))
    if first.counting & second.counting:
        return Verdict(False, "a rule without $delta is triggered by both and appends, once or twice, by their order")
    if _aborts_in_part(first, second):
        return Verdict(
            False, "a rule aborts on purpose, and not every rule is MUTUAL: what is left depends on the order"
        )
    return Verdict(True, "the cascades read nothing that the other one writes, and what they write can be in any order")


def _aborts_in_part(first: Cascade, second: Cascade) -> bool:
    """Whether a rule may abort on purpose and leave some of what the others did."""
    return (first.aborting or second.aborting) and (first.loose or second.loose)


def _troubles(first: Cascade, second: Cascade, index: ExtentIndex) -> Iterator[tuple[str, Extents]]:
    one, other = first.writes, second.writes
    yield (
        "what one order reads is written before it in the other: {}",
        first.state & second.written | second.state & first.written,
    )
    yield "both insert into {} and delete from it", _added(one) & _removed(other) | _removed(one) & _added(other)
    yield "both write {}, whose order counts", first.written & second.written & index.lists
    yield (
        "elements are appended to {} and inserted by number",
        one.appended & other.inserted | one.inserted & other.appended,
    )


def _added(writes: Writes) -> Extents:
    return writes.inserted | writes.appended | writes.updated


def _removed(writes: Writes) -> Extents:
    return writes.deleted | writes.updated


def _empty(shared: Extents, index: ExtentIndex, trouble: str, fine: str) -> Verdict:
    if shared == NOTHING:
        return Verdict(True, fine)
    return Verdict(False, trouble.format(index.named(shared)))
