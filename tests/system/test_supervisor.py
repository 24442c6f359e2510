"""Background tasks of one owner."""

from __future__ import annotations

import asyncio

import pytest

from triplewire.errors import StoreError
from triplewire.system.supervisor import Supervisor


class Worker:
    """Runs until it is cancelled, and takes a moment to end."""

    def __init__(self) -> None:
        self.is_running = asyncio.Event()
        self.has_ended = False

    async def run(self) -> None:
        self.is_running.set()
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            self.has_ended = True


async def fail(problem: Exception) -> None:
    raise problem


async def test_stopping_waits_until_every_task_has_ended():
    supervisor, workers = Supervisor(), [Worker() for _ in range(3)]
    for number, worker in enumerate(workers):
        supervisor.start(f"worker {number}", worker.run())
    for worker in workers:
        await worker.is_running.wait()
    supervisor.cancel("worker 1")
    assert "worker 1" not in supervisor
    assert "worker 2" in supervisor
    await supervisor.stop()
    assert [worker.has_ended for worker in workers] == [True] * 3
    assert len(asyncio.all_tasks()) == 1


async def test_one_that_fails_is_told_of_and_the_others_go_on(caplog: pytest.LogCaptureFixture):
    supervisor, worker = Supervisor(), Worker()
    supervisor.start("worker", worker.run())
    await asyncio.wait([supervisor.start("clumsy", fail(ZeroDivisionError("oh")))])
    assert "clumsy" not in supervisor
    assert "worker" in supervisor
    assert not worker.has_ended
    await supervisor.stop()
    assert "a bug: clumsy has ended: oh" in caplog.text
    assert "ZeroDivisionError" in caplog.text


async def test_what_is_reported_elsewhere_is_not_told_again(caplog: pytest.LogCaptureFixture):
    supervisor = Supervisor(reported_elsewhere=(StoreError,))
    await asyncio.wait([supervisor.start("writer", fail(StoreError("disk full")))])
    await asyncio.wait([supervisor.start("clumsy", fail(KeyError("k")))])
    assert [record.getMessage() for record in caplog.records] == ["a bug: clumsy has ended: 'k'"]


async def test_a_name_is_the_newest_task_s_also_while_the_one_before_is_ending():
    supervisor, first, second = Supervisor(), Worker(), Worker()
    old = supervisor.start("worker", first.run())
    await first.is_running.wait()
    supervisor.cancel("worker")
    supervisor.start("worker", second.run())
    await asyncio.wait([old])
    assert "worker" in supervisor
    await second.is_running.wait()
    await supervisor.stop()
    assert (first.has_ended, second.has_ended) == (True, True)


async def test_a_task_that_ended_by_itself_is_forgotten():
    supervisor = Supervisor()
    await supervisor.start("short", asyncio.sleep(0))
    await asyncio.sleep(0)
    assert "short" not in supervisor
    supervisor.cancel("short")
    await supervisor.stop()
    await Supervisor().stop()
