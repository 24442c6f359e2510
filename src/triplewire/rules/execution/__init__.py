"""Rule execution (sections 2.2 and 2.3): a schedule of updates, the rules that they trigger, and what is undone.

rulebook      the rules that are registered; precedence, candidates (through the matcher)
actions       what an action comes to
events        what has happened, and for which `$delta`; firing: the rules whose condition holds
units         transactions and subtransactions; aborting: who is undone with whom; parties: whose rules they are
state, steps  the pure step: state and input in, new state and effects out; world, executing, undoing: its parts
runner        the loop around it, over a repository; trace and publication of what it did
"""

from __future__ import annotations

from triplewire.rules.execution.parties import Parties
from triplewire.rules.execution.publication import events_of
from triplewire.rules.execution.rulebook import Rulebook
from triplewire.rules.execution.runner import Outcome, Runner
from triplewire.rules.execution.trace import Entry
from triplewire.rules.execution.units import Status, Work
from triplewire.rules.execution.world import Limits

__all__ = ["Entry", "Limits", "Outcome", "Parties", "Rulebook", "Runner", "Status", "Work", "events_of"]
