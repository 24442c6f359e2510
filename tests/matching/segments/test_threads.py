"""Live change under threads: readers never wait for a merge, nothing is lost and nothing appears from nowhere."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
from tests.matching.segments.living import early

from triplewire.algebra.subscriptions import Subscription
from triplewire.errors import UnknownSubscription
from triplewire.matching import Matcher
from triplewire.matching.segments import live_index as engine_module
from triplewire.matching.segments.live_index import LiveIndex, Thresholds
from triplewire.rdf.events import Event

STAYING = 30


def subscription(name: str, value: int) -> Subscription:
    return Subscription.parse(f"SELECT ?s {{ ?s <urn:value> ?v FILTER(?v >= {value}) }}", id=name)


def event(value: int) -> Event:
    line = f'<urn:s> <urn:value> "{value}"^^<http://www.w3.org/2001/XMLSchema#integer> <urn:e{value}> .'
    (found,) = Event.parse(line)
    return found


def names(matcher: Matcher, value: int) -> list[str]:
    return [match.subscription_id for match in matcher.match(event(value))]


def in_threads(jobs: list[Callable[[], None]]) -> None:
    """Run all jobs at once; the first failure is raised here."""
    failures: list[BaseException] = []

    def guarded(job: Callable[[], None]) -> None:
        try:
            job()
        except BaseException as failure:  # noqa: BLE001  raised below, in the test's own thread
            failures.append(failure)

    threads = [threading.Thread(target=guarded, args=(job,)) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def test_readers_see_every_subscription_that_stays_and_none_that_is_gone_for_good() -> None:
    matcher = early()
    for number in range(STAYING):
        matcher.add(subscription(f"stays{number}", number))
    for number in range(STAYING):
        matcher.add(subscription(f"gone{number}", 0))
        matcher.remove(f"gone{number}")
    done = threading.Event()

    def write() -> None:
        try:
            for number in range(80):
                matcher.add(subscription(f"comes{number}", 0))
                if number >= 10:
                    matcher.remove(f"comes{number - 10}")
        finally:
            done.set()

    def read() -> None:
        value = 0
        while not done.is_set():
            value = (value + 7) % STAYING
            answer = names(matcher, value)
            assert len(answer) == len(set(answer)), "reported twice"
            assert [name for name in answer if name.startswith("stays")] == [f"stays{n}" for n in range(value + 1)]
            assert not [name for name in answer if name.startswith("gone")]

    in_threads([write, read, read, read])
    matcher.settle()
    assert names(matcher, 0) == ["stays0", *(f"comes{n}" for n in range(70, 80))]
    assert len(matcher) == STAYING + 10


def test_what_one_thread_added_the_same_thread_matches() -> None:
    """An addition takes effect for the next event, whoever else is adding."""
    matcher = early()

    def work(who: int) -> None:
        for number in range(40):
            matcher.add(subscription(f"t{who}-{number}", 0))
            assert f"t{who}-{number}" in names(matcher, 1)
            matcher.remove(f"t{who}-{number}")
            assert f"t{who}-{number}" not in names(matcher, 1)

    in_threads([lambda who=who: work(who) for who in range(3)])
    matcher.settle()
    assert len(matcher) == 0


def test_two_threads_that_add_the_same_name_leave_one_subscription() -> None:
    matcher = early()
    barrier = threading.Barrier(4)

    def work() -> None:
        for number in range(50):
            barrier.wait()
            matcher.add(subscription(f"s{number}", 0))

    in_threads([work] * 4)
    assert sorted(names(matcher, 1)) == sorted(f"s{number}" for number in range(50))


class Held:
    """A merge that waits until it may go on."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.started, self.may_go_on = threading.Event(), threading.Event()
        real = engine_module.merged

        def merged(segments):
            if threading.current_thread().name == "triplewire-merge":
                result = real(segments)
                self.started.set()
                assert self.may_go_on.wait(30)
                return result
            return real(segments)

        monkeypatch.setattr(engine_module, "merged", merged)


@pytest.fixture
def merging(monkeypatch: pytest.MonkeyPatch) -> tuple[Matcher, Held]:
    """A matcher whose twelve subscriptions are being merged right now."""
    held = Held(monkeypatch)
    matcher = Matcher()
    matcher._index = LiveIndex(1, None, Thresholds(draft=1_000, at_once=8))
    for first in (0, 6):
        for number in range(first, first + 6):
            matcher.add(subscription(f"s{number}", 0))
        names(matcher, 1)
    assert held.started.wait(30)
    return matcher, held


def test_readers_do_not_wait_for_a_merge(merging) -> None:
    matcher, held = merging
    assert len(names(matcher, 1)) == 12
    held.may_go_on.set()
    matcher.settle()
    assert [segment.live for segment in matcher._index.segments] == [12]


def test_what_is_removed_during_a_merge_stays_removed(merging) -> None:
    matcher, held = merging
    matcher.remove("s3")
    matcher.remove("s9")
    assert "s3" not in names(matcher, 1)
    held.may_go_on.set()
    matcher.settle()
    assert names(matcher, 1) == [f"s{n}" for n in range(12) if n not in (3, 9)]
    with pytest.raises(UnknownSubscription):
        matcher.remove("s3")


def test_what_is_added_during_a_merge_is_there_after_it(merging) -> None:
    matcher, held = merging
    matcher.add(subscription("late", 0))
    assert "late" in names(matcher, 1)
    matcher.remove("s0")
    matcher.add(subscription("s0", 0))
    held.may_go_on.set()
    matcher.settle()
    assert sorted(names(matcher, 1)) == sorted(["late", *(f"s{n}" for n in range(12))])


def test_a_segment_that_empties_during_its_merge_leaves_nothing_behind(merging) -> None:
    matcher, held = merging
    for number in range(12):
        matcher.remove(f"s{number}")
    matcher.add(subscription("other", 0))
    assert names(matcher, 1) == ["other"]
    held.may_go_on.set()
    matcher.settle()
    assert names(matcher, 1) == ["other"]
    assert len(matcher) == 1


def test_a_merge_that_others_have_overtaken_changes_nothing(merging) -> None:
    """Removals make the segments small enough to be merged at once, while the merge behind is still under way."""
    matcher, held = merging
    for number in (0, 1, 2, 3, 6, 7, 8):
        matcher.remove(f"s{number}")
    matcher.add(subscription("late", 0))
    matcher.add(subscription("later", 0))
    wanted = [*(f"s{n}" for n in (4, 5, 9, 10, 11)), "late", "later"]
    assert names(matcher, 1) == wanted
    assert len(matcher._index.segments) == 1
    held.may_go_on.set()
    matcher.settle()
    assert names(matcher, 1) == wanted
    assert len(matcher) == 7


def test_a_merge_that_fails_is_reported_by_the_next_change_and_loses_nothing(monkeypatch) -> None:
    matcher = Matcher()
    matcher._index = LiveIndex(1, None, Thresholds(draft=1_000, at_once=1))

    def merged(segments):
        raise MemoryError("no room to merge")

    monkeypatch.setattr(engine_module, "merged", merged)
    for name in ("a", "b"):
        matcher.add(subscription(name, 0))
        names(matcher, 1)
    with pytest.raises(MemoryError, match="no room"):
        matcher.settle()
    assert names(matcher, 1) == ["a", "b"]
