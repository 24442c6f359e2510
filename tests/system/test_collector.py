"""The collector passes over what lasts, and garbage is collected before."""

from __future__ import annotations

import gc
import weakref

import pytest

from triplewire.system.collector import Growth, look_at_all_seldom


class Ring:
    """Refers to itself, so that only the collector frees it."""

    def __init__(self) -> None:
        self.me = self


@pytest.fixture(autouse=True)
def thawed():
    thresholds = gc.get_threshold()
    yield
    gc.set_threshold(*thresholds)
    gc.unfreeze()


def test_what_is_there_is_passed_over_and_garbage_is_not_kept():
    garbage, kept = weakref.ref(Ring()), Ring()
    before = gc.get_freeze_count()
    growth = Growth(3)
    assert [growth.note() for _ in range(7)] == [False, False, True, False, False, True, False]
    assert garbage() is None
    assert gc.get_freeze_count() > before
    assert not any(each is kept for each in gc.get_objects())


def test_what_was_passed_over_is_freed_when_nobody_refers_to_it():
    class Thing:
        pass

    thing = Thing()
    Growth(1).note()
    gone = weakref.ref(thing)
    del thing
    assert gone() is None


def test_all_is_looked_at_seldom_and_what_is_new_as_often_as_before():
    young, middle, _ = gc.get_threshold()
    look_at_all_seldom()
    assert gc.get_threshold() == (young, middle, 200)
