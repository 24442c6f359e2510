"""Rule execution (sections 2.2 and 2.3): a schedule of updates, the rules that they trigger, and what is compensated.

aborts           a unit aborts with all that have to abort with it, and all that they did is compensated
actions          the edits that an action asks for, given the graph as it is
context          what a step may ask, whose rules and updates it executes, and within which limits
dataset_updates  updates of any graphs of a dataset, beside those that RDFTL has words for
deadline         a graph that is asked only before a deadline
publication      changes as events, so that anyone can subscribe to what rules do
rulebook         the rules that are registered, their names resolved
runner           runs whole schedules over a repository: feeds `step`, and does what it asks for
state            the state of a schedule, what may come in, and what has to be done
steps            the pure step: state and input in, new state and effects out
trace            what fired, because of what, what it did and how it ended
triggering       which rules an update triggers, and with which `$delta`
units            transactions, and the subtransactions that rules add to them
update_steps     steps that plan an update, note what it changed, and schedule what triggered rules do
"""

from __future__ import annotations

from triplewire.rules.execution.context import Limits, Principals
from triplewire.rules.execution.dataset_updates import AnyUpdate, DatasetAction, DatasetUpdate
from triplewire.rules.execution.publication import events_of
from triplewire.rules.execution.rulebook import Rulebook
from triplewire.rules.execution.runner import Runner, ScheduleOutcome
from triplewire.rules.execution.trace import TraceEntry
from triplewire.rules.execution.units import Status, Work

__all__ = [
    "AnyUpdate",
    "DatasetAction",
    "DatasetUpdate",
    "Limits",
    "Principals",
    "Rulebook",
    "Runner",
    "ScheduleOutcome",
    "Status",
    "TraceEntry",
    "Work",
    "events_of",
]
