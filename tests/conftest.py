"""What every test shares: hypothesis profiles, and one fixture that runs a case on each engine.

Matchers use kernels from the first event on, also where those have to be compiled first.

`TRIPLEWIRE_HYPOTHESIS=thorough` asks for many more examples. Under CI examples are the same in every run, so that a
change is judged by what it changes; everywhere else they are drawn anew, and find new things.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
import os
from collections.abc import Callable, Coroutine, Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from triplewire.algebra.subscriptions import Subscription
from triplewire.algebra.taxonomy import Taxonomy
from triplewire.matching import Matcher
from triplewire.matching.evaluation import interpreter
from triplewire.rdf.events import Event
from triplewire.testing import Answers, Oracle, answers_of

_TESTS = Path(__file__).parent
# What an asynchronous test takes at most, on a machine that is busy with other things too.
_HUNG_SECONDS = 300
# Tests that start nodes, networks, jobs on Spark or whole examples: `make test-system`.
_SYSTEM = (
    "cli/network/test_network.py",
    "cli/peer/test_peer.py",
    "cli/rules/test_registered.py",
    "cli/space/test_space.py",
    "client/test_clients.py",
    "client/test_rules.py",
    "network_processes/",
    "node/access_point/test_peers.py",
    "node/http/test_connections.py",
    "node/http/test_large_graphs.py",
    "node/matching/test_evaluation.py",
    "node/matching/test_snapshots.py",
    "node/overlay/test_overlay.py",
    "node/overlay/test_rules.py",
    "node/rules/test_kills.py",
    "node/test_crashes.py",
    "node/test_disks.py",
    "node/test_process.py",
    "node/test_shutdown.py",
    "pipeline/jobs/",
    "pipeline/test_assembly.py",
    "pipeline/test_ctrl_c.py",
    "pipeline/test_workers.py",
    "rules_processes/",
    "space_processes/",
    "test_documented_commands.py",
    "test_examples.py",
    "test_extras.py",
)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark them, before tests are chosen by their marks; and let no asynchronous test hang."""
    for path in _SYSTEM:
        assert (_TESTS / path).exists(), f"{path} has moved: _SYSTEM in tests/conftest.py names it"
    for item in items:
        if item.path.is_relative_to(_TESTS) and item.path.relative_to(_TESTS).as_posix().startswith(_SYSTEM):
            item.add_marker(pytest.mark.system)
        if isinstance(item, pytest.Function) and inspect.iscoroutinefunction(item.obj):
            item.obj = _limited(item.obj)


def pytest_collection_finish(session: pytest.Session) -> None:
    """A group shares nodes, networks or a Spark; pytest 9.2.0 with xdist 3.8.0 scatters its tests without a word."""
    if not getattr(session.config.option, "loadgroup", False):
        return
    for item in session.items:
        if item.get_closest_marker("xdist_group") is not None:
            assert "@" in item.nodeid, f"{item.nodeid} has lost its group: this pytest and pytest-xdist do not fit"


def _limited(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., Coroutine[Any, Any, None]]:
    """The same test, ended when it hangs; that fails also a test which ends well after it was cancelled."""

    @functools.wraps(test)
    async def limited(*arguments: Any, **named: Any) -> None:
        async with asyncio.timeout(_HUNG_SECONDS) as limit:
            await test(*arguments, **named)
        assert not limit.expired()

    return limited


_SLOW_IS_FINE = (HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much)

settings.register_profile("default", deadline=None, print_blob=True, suppress_health_check=_SLOW_IS_FINE)
settings.register_profile(
    "thorough", deadline=None, print_blob=True, suppress_health_check=_SLOW_IS_FINE, max_examples=5_000
)
settings.register_profile(
    "ci", deadline=None, print_blob=True, suppress_health_check=_SLOW_IS_FINE, derandomize=True, database=None
)
settings.load_profile(os.environ.get("TRIPLEWIRE_HYPOTHESIS", "ci" if os.environ.get("CI") else "default"))

interpreter.EVALUATIONS = 0

# From subscriptions, an event and a taxonomy to the answers of those that match, by identifier.
Engine = Callable[[Iterable[Subscription], Event, Taxonomy | None], dict[str, Answers]]


def by_oracle(subscriptions: Iterable[Subscription], event: Event, taxonomy: Taxonomy | None) -> dict[str, Answers]:
    oracle = Oracle(taxonomy)
    found = {subscription.id: oracle.match(subscription, event) for subscription in subscriptions}
    return {name: answers for name, answers in found.items() if answers is not None}


def by_matcher(subscriptions: Iterable[Subscription], event: Event, taxonomy: Taxonomy | None) -> dict[str, Answers]:
    return _answers(Matcher(taxonomy, interpret=0), subscriptions, event)


def by_interpreter(
    subscriptions: Iterable[Subscription], event: Event, taxonomy: Taxonomy | None
) -> dict[str, Answers]:
    return _answers(Matcher(taxonomy, interpret=1_000_000), subscriptions, event)


def _answers(matcher: Matcher, subscriptions: Iterable[Subscription], event: Event) -> dict[str, Answers]:
    known = {subscription.id: subscription for subscription in subscriptions}
    for subscription in known.values():
        matcher.add(subscription)
    found = {m.subscription_id: answers_of(known[m.subscription_id], m) for m in matcher.match(event)}
    return {name: answers for name, answers in found.items() if answers is not None}


@pytest.fixture(params=[by_oracle, by_matcher, by_interpreter], ids=["oracle", "matcher", "interpreter"])
def engine(request: pytest.FixtureRequest) -> Engine:
    """Each way to answer a subscription. A case that uses this fixture must come out the same on all of them."""
    chosen: Engine = request.param
    return chosen
