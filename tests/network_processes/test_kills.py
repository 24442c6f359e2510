"""kill -9 of one of eight super-peers under load loses nothing that was acknowledged.

Three publishers, a subscriber at every access point. One after the other is killed at random, stays away for a while
or not, and comes back with nothing but its folder. `make test-network KILLS=20` for more than two.
"""

from __future__ import annotations

import os
import random
import time
from pathlib import Path

import pytest
from tests.network_processes.crowd import Publisher, check, kill, notified, subscribe, until

from triplewire.cli.network.processes import network, settle

KILLS = int(os.environ.get("TRIPLEWIRE_KILLS", "2"))
SIZE = 8


@pytest.mark.slow
def test_f7_kill_9_of_one_of_eight_loses_nothing_that_was_acknowledged(tmp_path: Path):
    chance = random.Random(os.environ.get("TRIPLEWIRE_SEED", "7"))
    with network(tmp_path, SIZE, print) as processes:
        for process in processes:
            subscribe(process)
        publishers = [Publisher(process) for process in chance.sample(processes, 3)]
        for publisher in publishers:
            publisher.start()
        until(lambda: all(len(notified(process)) > 50 for process in processes), lambda: "nothing flows")
        for number in range(KILLS):
            victim = chance.choice(processes)
            print(f"kill {number + 1}: {victim.name}, pid {victim.pid}")
            kill(victim)
            # At once, while it is suspected, or after it was given up.
            time.sleep(chance.choice((0.0, 3.0, 12.0)))
            victim.start(())
            victim.wait()
            time.sleep(chance.uniform(0.0, 4.0))
        for publisher in publishers:
            publisher.stop()
        print(f"{sum(len(publisher.acknowledged) for publisher in publishers)} events were acknowledged")
        check(processes, publishers)
        settle(processes)


@pytest.mark.slow
def test_f7_one_that_never_comes_back_is_done_without(tmp_path: Path):
    """Its own events stay on its disk; everybody else gets everything of everybody else."""
    with network(tmp_path, 5, print) as processes:
        for process in processes:
            subscribe(process)
        publishers = [Publisher(process) for process in processes[:2]]
        for publisher in publishers:
            publisher.start()
        until(lambda: all(len(notified(process)) > 20 for process in processes), lambda: "nothing flows")
        kill(processes[3])
        settle(processes)
        time.sleep(2.0)
        for publisher in publishers:
            publisher.stop()
        check([process for process in processes if not process.has_ended], publishers)


@pytest.mark.slow
def test_f7_all_at_once_and_back_again(tmp_path: Path):
    """A power cut: everybody is killed, and everybody comes back by itself, without anybody to join at."""
    with network(tmp_path, 4, print) as processes:
        for process in processes:
            subscribe(process)
        publishers = [Publisher(process) for process in processes[:2]]
        for publisher in publishers:
            publisher.start()
        until(lambda: all(len(notified(process)) > 20 for process in processes), lambda: "nothing flows")
        for process in processes:
            kill(process)
        for process in processes:
            process.start(())
        for process in processes:
            process.wait()
        settle(processes)
        time.sleep(2.0)
        for publisher in publishers:
            publisher.stop()
        check(processes, publishers)
