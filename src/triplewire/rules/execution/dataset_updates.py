"""Updates of any graphs of a dataset, beside those that RDFTL has words for: SPARQL Update, documents, patches.

They are updates like any others: rules are triggered by what they change in the default graph, and what they have done
is compensated where they abort. What they delete and insert are deletions and insertions, and updates of arcs only if
they say so.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from triplewire.languages.rdftl.syntax import Let, RuleAction, Update
from triplewire.rules.changes import Edits
from triplewire.rules.execution.actions import ActionEdits

# Called now and then while it takes long: raises when the time is over.
Check = Callable[[], None]


class DatasetAction(Struct, frozen=True):
    """Edits that are worked out when their turn comes: what comes before them is done by then.

    `plan` asks the dataset itself. It changes nothing, and raises `InputError` where it cannot be done. Where it says
    so, some of the edits are updates of arcs.
    """

    plan: Callable[[Check], Edits | ActionEdits]


class DatasetUpdate(Struct, frozen=True, kw_only=True):
    """Such an action that somebody asks for. Updates of one name are one transaction."""

    action: DatasetAction
    lets: tuple[Let, ...] = ()
    transaction: str = ""


AnyAction = RuleAction | DatasetAction
AnyUpdate = Update | DatasetUpdate
