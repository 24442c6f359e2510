"""Lets execution ask the analysis: may a transaction that has read from one that is undone stay (section 2.3)?"""

from __future__ import annotations

from functools import reduce
from operator import or_

from msgspec.structs import replace

from triplewire.languages.rdftl.syntax import Update
from triplewire.rules.analysis import Analysis
from triplewire.rules.analysis.cascades import Cascade
from triplewire.rules.analysis.conditions import commute
from triplewire.rules.execution.dataset_updates import DatasetUpdate
from triplewire.rules.execution.rulebook import Rulebook
from triplewire.rules.execution.units import Commutes, Work


def by_analysis(analysis: Analysis) -> Commutes:
    """The answer for two pieces of work: what a rule does, or somebody's updates.

    Unlike a rule's copies, a reader has evaluated its event and condition on what is undone, so they count as well.
    """

    def commutes(compensated: Work, reader: Work) -> bool:
        return commute(_cascade(compensated, analysis), _cascade(reader, analysis), analysis.index)

    return commutes


def by_rules(rules: Rulebook) -> Commutes:
    """The same for a rulebook. The rules are analysed when somebody asks: mostly nobody does."""
    known: list[Commutes] = []

    def commutes(compensated: Work, reader: Work) -> bool:
        # Nothing is known of what has no schema, nor of updates that RDFTL has no words for.
        if rules.schema.is_empty or any(_is_opaque(work) for work in (compensated, reader)):
            return False
        if not known:
            known.append(by_analysis(Analysis((registered.rule for registered in rules), rules.schema)))
        return known[0](compensated, reader)

    return commutes


def _is_opaque(work: Work) -> bool:
    return any(isinstance(update, DatasetUpdate) for update in work.updates)


def _cascade(work: Work, analysis: Analysis) -> Cascade:
    updates = [analysis.cascade_of(update) for update in work.updates if isinstance(update, Update)]
    if work.rule is None:
        return reduce(or_, updates)
    own = analysis.cascade(work.rule.id)
    footprint = analysis[work.rule.id]
    read = footprint.state | footprint.event.extents
    whole = replace(own, accessed=own.accessed | read, state=own.state | read)
    return reduce(or_, updates, whole)
