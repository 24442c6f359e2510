"""Rule execution (sections 2.2 and 2.3): a schedule of updates, the rules that they trigger, and what is undone.

aborting     who has to be undone with a unit, and the edits that undo them
actions      the edits that it asks for, given the graph as it is
deadline     whatever it asks of the graph on the way, it is told when its time is over
executing    plan it, note what it changed, and put what triggered rules do on the schedule
parties      who is behind a schedule and behind its rules, and what that means where something fails
precedence   a partial order of rules (section 2.2)
publication  changes as events, so that anyone can subscribe to what rules do
rulebook     their names resolved, their order known, their events listened for
runner       runs whole schedules over a repository: feeds `step`, and does what it asks for
state        the state of a schedule, what may come in, and what has to be done
steps        state and input in, new state and effects out
trace        what fired, because of what, what it did and how it ended
triggering   which rules an update triggers, and with which `$delta`
undoing      a unit aborts, with whoever has to abort with it, and all that they did is reversed
units        transactions, and the subtransactions that rules add to them
world        what a step may ask, and what it gives
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
