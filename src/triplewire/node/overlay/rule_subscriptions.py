"""Rule subscriptions: in the network, a rule that listens to events is a subscription of its node.

So events that may trigger it come here from everywhere, in order, also after a restart. In the super-peer a rule has a
name that no client's subscription can have. What cannot stand there is said in the log, and to whoever registers the
rule (`rules.carried_interests`).
"""

from __future__ import annotations

import logging
from collections.abc import Iterator

from triplewire.errors import TriplewireError
from triplewire.network.messages import StandingQuery
from triplewire.network.routing.subscriptions.standing_queries import standing_query
from triplewire.node.broker.broker import Broker
from triplewire.node.overlay.local_changes import Act

_log = logging.getLogger(__name__)


class RuleSubscriptions:
    """Follows the rules of a broker for a super-peer, on the event loop."""

    def __init__(self, broker: Broker, act: Act) -> None:
        self._rules = broker.rules
        self._act = act
        self._announced: dict[str, StandingQuery] = {}
        # What was said of them already.
        self._uncarried: set[tuple[str, str]] = set()

    def begin(self) -> None:
        """Start to follow."""
        self._rules.followers.append(self._changed)

    def run(self) -> None:
        """Pass all rules on to a new super-peer."""
        self._announced = {}
        self._changed()

    def end(self) -> None:
        """Stop following."""
        if self._changed in self._rules.followers:
            self._rules.followers.remove(self._changed)

    def _changed(self) -> None:
        wanted = dict(self._wanted())
        for subscriber, standing in wanted.items():
            if self._announced.get(subscriber) != standing:
                self._act(lambda peer, now, s=subscriber, one=standing: peer.subscribe(now, one, s))  # type: ignore[misc]
        for subscriber, standing in self._announced.items():
            if wanted.get(subscriber) != standing:
                self._act(lambda peer, now, s=subscriber, one=standing: peer.unsubscribe(now, one.key, s))  # type: ignore[misc]
        self._announced = wanted

    def _wanted(self) -> Iterator[tuple[str, StandingQuery]]:
        uncarried = set()
        for rule, texts in self._rules.interests.items():
            for number, text in enumerate(texts):
                try:
                    yield f"/rules/{rule}/{number}", standing_query("sparql", text)
                except TriplewireError as problem:
                    uncarried.add((rule, text))
                    if (rule, text) not in self._uncarried:
                        _log.warning("the network is not told what the rule %s waits for: %s", rule, problem)
        self._uncarried = uncarried
