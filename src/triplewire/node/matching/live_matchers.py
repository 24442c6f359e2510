"""Live matchers: every live subscription in a matcher, one matcher for each grant under which somebody reads.

Clients that may read everything share one matcher. A restricted client's subscriptions are matched against what its
grant leaves of the event, in a matcher shared by all with the same grant.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from triplewire.algebra.queries import Construct
from triplewire.algebra.subscriptions import Subscription
from triplewire.algebra.taxonomy import Taxonomy
from triplewire.errors import BudgetExceeded, InputError
from triplewire.matching import Match, Matcher
from triplewire.matching.batch import MatchBatch
from triplewire.matching.evaluation.budget import Budget
from triplewire.node.access.grants import visible
from triplewire.rdf.events import Event
from triplewire.store.tables.identities import Grant
from triplewire.wire.reasons import UNKNOWN, Reason

# So much may it take to say what the solutions stand on of all that is published at once: others wait for it.
REASON_STEPS = 100_000


class LiveMatchers:
    """Subscriptions by number, ready to be matched. Used by one thread. `changes` counts what came and went.

    `asks_why` says of one whether what its solutions stand on is wanted.
    """

    def __init__(
        self,
        taxonomy: Taxonomy | None = None,
        asks_why: Callable[[str], bool] = lambda _: False,
    ) -> None:
        self._taxonomy = taxonomy
        self._asks_why = asks_why
        self._budget = Budget(REASON_STEPS)
        self._matchers: dict[Grant, Matcher] = {}
        self._grants: dict[str, Grant] = {}
        self._constructs: set[str] = set()
        self._tested = 0
        self._reported = 0
        self.changes = 0

    def add(self, subscription: Subscription, grant: Grant) -> None:
        """Match it from now on. Raises where the query cannot be evaluated, and changes nothing then."""
        matcher = self._matchers.get(grant) or Matcher(self._taxonomy)
        matcher.add(subscription)
        self._matchers[grant] = matcher
        self._grants[subscription.id] = grant
        self.changes += 1
        if isinstance(subscription.query.form, Construct):
            self._constructs.add(subscription.id)

    def adopt(self, grant: Grant, matcher: Matcher, constructs: Mapping[str, bool]) -> None:
        """Take over a matcher that was kept, with exactly these subscriptions, and which of them are a CONSTRUCT."""
        self._matchers[grant] = matcher
        self._grants |= dict.fromkeys(constructs, grant)
        self._constructs |= {name for name, is_construct in constructs.items() if is_construct}

    @property
    def by_grant(self) -> dict[Grant, Matcher]:
        """Every matcher, by grant; a copy, for the snapshot."""
        return dict(self._matchers)

    def remove(self, subscription_id: str) -> None:
        """Match it no more; one that is not there is fine."""
        grant = self._grants.pop(subscription_id, None)
        if grant is None:
            return
        self.changes += 1
        matcher = self._matchers[grant]
        matcher.remove(subscription_id)
        self._constructs.discard(subscription_id)
        if not len(matcher):
            self._tested += matcher.stats.candidates
            del self._matchers[grant]

    def matches(self, events: Sequence[Event]) -> Iterator[Match]:
        """Every match of every event. A match's event is what its subscriber may see; the IRI is always the same."""
        for batch in self.batches(events):
            yield from batch

    def batches(self, events: Sequence[Event]) -> Iterator[MatchBatch]:
        """The same as columns, a batch for each grant. What is asked why of these matches has a budget together."""
        self._budget = Budget(REASON_STEPS)
        for grant, matcher in self._matchers.items():
            seen = [part for event in events if (part := visible(event, grant)) is not None]
            if seen:
                batch = matcher.match_events(seen)
                if batch.errors:
                    raise InputError(wanted="events that the matcher can read", found=str(batch.errors[0]))
                yield batch

    def reasons(self, match: Match) -> tuple[Reason, ...] | None:
        """What each solution stands on, if that is wanted: of what its subscriber may see of the event (row A15)."""
        if not self._asks_why(match.subscription_id):
            return None
        grant = self._grants.get(match.subscription_id)
        try:
            return () if grant is None else self._matchers[grant].reasons(match, self._budget)
        except (BudgetExceeded, RecursionError):
            return (UNKNOWN,) * len(match.solutions)

    def constructs(self, subscription_id: str) -> bool:
        """Whether the subscription is a CONSTRUCT."""
        return subscription_id in self._constructs

    def set_taxonomy(self, taxonomy: Taxonomy | None) -> None:
        """Read events by another taxonomy from now on."""
        self._taxonomy = taxonomy
        for matcher in self._matchers.values():
            matcher.set_taxonomy(taxonomy)

    @property
    def quarantined(self) -> dict[str, str]:
        """The subscriptions that needed too much work, with the reason."""
        return {name: why for matcher in self._matchers.values() for name, why in matcher.quarantined.items()}

    def take_candidates(self) -> int:
        """How many candidates were tested since this was last asked."""
        tested = self._tested + sum(matcher.stats.candidates for matcher in self._matchers.values())
        fresh, self._reported = tested - self._reported, tested
        return fresh

    def costs(self) -> Counter[str | None]:
        """How many candidates were tested for each owner (row A6)."""
        return sum((Counter(matcher.costs()) for matcher in self.by_grant.values()), Counter())

    def __len__(self) -> int:
        return len(self._grants)

    def __contains__(self, subscription_id: object) -> bool:
        return subscription_id in self._grants
