"""kill -9 of nodes of a space under load loses nothing that was acknowledged.

Publishers and subscribers at several nodes. One after the other is killed at random, stays away for a while or not, and
comes back with nothing but its folder; or does not come back. `make test-space-processes KILLS=20` for more.
"""

from __future__ import annotations

import os
import random
import signal
import time
from pathlib import Path

import pytest
from tests.space_processes.crowd import Publisher, check, notified, subscribe, until

from triplewire.cli.space.processes import SpaceNodeProcess, settle, space

KILLS = int(os.environ.get("TRIPLEWIRE_KILLS", "3"))
SIZE = 8
WAITING = ("--space-seconds", "60", "--query-seconds", "60")
# A machine that is busy with other things too must not make nodes take each other for dead.
PATIENT = ("--network-patience", "3", *WAITING)
# Few nodes keep it less busy, and whoever is gone is missed sooner.
LESS_PATIENT = ("--network-patience", "1.5", *WAITING)


def begin(processes: list[SpaceNodeProcess], publishers: list[Publisher], many: int = 30) -> None:
    for process in processes:
        subscribe(process)
    for publisher in publishers:
        publisher.start()
    until(lambda: all(len(notified(process)) > many for process in processes), lambda: "nothing flows")


def finish(publishers: list[Publisher]) -> None:
    for publisher in publishers:
        publisher.stop()
    print(f"{sum(len(publisher.acknowledged) for publisher in publishers)} events were acknowledged")


@pytest.mark.slow
@pytest.mark.parametrize("strategy", ["osma", "csma"])
def test_f7_kill_9_of_one_of_eight_loses_nothing_that_was_acknowledged(tmp_path: Path, strategy: str):
    chance = random.Random(os.environ.get("TRIPLEWIRE_SEED", "7"))
    with space(tmp_path, SIZE, print, flags=("--strategy", strategy, *PATIENT)) as processes:
        publishers = [Publisher(process) for process in chance.sample(processes, 3)]
        begin(processes, publishers)
        for number in range(KILLS):
            victim = chance.choice(processes)
            print(f"kill {number + 1}: {victim.name}, pid {victim.pid}")
            victim.kill()
            # At once, while it is suspected, or after its zones were taken over.
            time.sleep(chance.choice((0.0, 9.0, 30.0)))
            victim.start(())
            victim.wait()
            time.sleep(chance.uniform(0.0, 4.0))
        finish(publishers)
        check(processes, publishers)
        settle(processes)
        chance.choice(processes).kill()
        left = [process for process in processes if not process.has_ended]
        settle(left)
        check(left, publishers)


def test_f7_one_that_does_not_come_back_is_done_without(tmp_path: Path):
    """What it had acknowledged is in its replica."""
    with space(tmp_path, 4, print, flags=LESS_PATIENT) as processes:
        publishers = [Publisher(process) for process in processes[:2]]
        begin(processes, publishers)
        processes[1].kill()
        left = [process for process in processes if not process.has_ended]
        until(lambda: any(process.wait().taken_over for process in left), lambda: "nobody took its zones over")
        # The one whose node is gone acknowledges nothing more; the other goes on.
        count = len(publishers[0].acknowledged)
        until(lambda: len(publishers[0].acknowledged) > count + 20, lambda: "nothing flows any more")
        finish(publishers)
        check(left, publishers)


def test_f1_a_worker_that_is_killed_is_started_again(tmp_path: Path):
    with space(tmp_path, 3, print, flags=LESS_PATIENT) as processes:
        publishers = [Publisher(process) for process in processes[:2]]
        begin(processes, publishers)
        for process in processes[:2]:
            worker = process.wait().worker
            assert worker is not None
            os.kill(worker, signal.SIGKILL)
            until(lambda p=process: p.wait().starts > 1, lambda: "not started again")  # type: ignore[misc]
        finish(publishers)
        settle(processes)
        check(processes, publishers)


@pytest.mark.slow
def test_f7_all_at_once_and_back_again(tmp_path: Path):
    """A power cut: everybody is killed, and everybody comes back by itself, without anybody to join at."""
    with space(tmp_path, 4, print, flags=PATIENT) as processes:
        publishers = [Publisher(process) for process in processes[:2]]
        begin(processes, publishers)
        for process in processes:
            process.kill()
        for process in processes:
            process.start(())
        for process in processes:
            process.wait()
        settle(processes)
        finish(publishers)
        check(processes, publishers)
