"""kill -9 of one of eight processes in mid-cascade: all effects are there that have to be, or they are compensated.

In each round learning objects come over both ways, now and then one that came before is withdrawn, and some process is
killed meanwhile: a super-peer or a peer with a home. `make test-rules-network KILLS=20`.
"""

from __future__ import annotations

import os
import random
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.rules_processes.judging import Judge
from tests.rules_processes.town import ANN, BOB, DESK, GROUPS, OBJECTS, Town, object_text, town, until

from triplewire.cli.network.processes import settle
from triplewire.client import Client
from triplewire.errors import NodeRefused

KILLS = int(os.environ.get("TRIPLEWIRE_KILLS", "3"))
SUBMITTED, CHANGED = 4, 2


@pytest.mark.slow
def test_kill_9_of_one_of_eight_in_mid_cascade_leaves_all_effects_or_none(tmp_path: Path):
    chance = random.Random(os.environ.get("TRIPLEWIRE_SEED", "7"))
    cut_short = 0
    with town(tmp_path) as made:
        judge = Judge(made)
        arrives(made, judge, "begin", None)
        assert not judged(judge)
        for number in range(KILLS):
            # Each process in turn, in a random order.
            if number % (2 * GROUPS) == 0:
                victims = chance.sample(range(2 * GROUPS), 2 * GROUPS)
            victim = victims[number % (2 * GROUPS)]
            was_cut_short = kill_in_mid_cascade(made, judge, chance, number, victim)
            cut_short += was_cut_short
            wrong = judged(judge)
            assert not wrong, "\n".join(wrong)
            print(f"    {'in mid-cascade' if was_cut_short else 'before or after the cascade'}: {judge.summary()}")
            judge.settle()
        # What was late, or comes twice, has had time to show.
        assert not judge.wrongs()
    print(f"{cut_short} of {KILLS} kills were in mid-cascade; {judge.summary()}")
    assert cut_short > 0


def kill_in_mid_cascade(made: Town, judge: Judge, chance: random.Random, number: int, victim: int) -> bool:
    """One round; whether something was under way when the process was killed."""
    away = victim % GROUPS
    names = [f"r{number}-{n}" for n in range(SUBMITTED)]
    # Not in each: who has read what is undone goes with it, and little would be left.
    withdrawn = judge.one_that_stays(chance) if number % 3 == 2 else None
    before = made.listed(DESK, "desk").total()
    with ThreadPoolExecutor(SUBMITTED + 1) as pool:
        submitted = [pool.submit(made.submit, name) for name in names]
        withdrawal = pool.submit(withdraw_persistently, made, withdrawn)
        for n in range(CHANGED):
            made.peers[OBJECTS].change(object_text(f"own{number}-{n}"))
        # While they are accepted, executed, told and noted.
        time.sleep(chance.uniform(0.02, 0.6))
        print(f"kill {number + 1}: {made.kill(victim)}")
        noted = made.listed(DESK, "desk").total() - before
        # At once, or after it was missed.
        time.sleep(chance.choice((0.0, 0.0, 15.0)))
        made.restart(victim)
        for name, transaction in zip(names, submitted, strict=True):
            judge.add(transaction.result(), name, away)
        withdrawal.result()
    settle(made.super_peers)
    # What comes from its inbox after its return is judged with the rest of the round.
    until(lambda: made.peers[OBJECTS].has_told, "the peer of the first group does not report")
    arrives(made, judge, f"after{number}", away)
    return noted < 2 * (SUBMITTED + CHANGED)


def withdraw_persistently(made: Town, transaction: str | None) -> None:
    if transaction is not None:
        made.persistently(OBJECTS, lambda client: withdraw(client, transaction))


def withdraw(client: Client, transaction: str) -> str:
    """Once; asked again because an answer was lost it has aborted already."""
    try:
        return client.federation.withdraw(transaction).transaction
    except NodeRefused as refusal:
        if refusal.status != 409:
            raise
        return transaction


def arrives(made: Town, judge: Judge, name: str, away: int | None) -> None:
    """Submit until something arrives everywhere: all are back by then, and know each other."""
    tries = iter(range(1_000))

    def is_everywhere() -> bool:
        object_name = f"{name}-{next(tries)}"
        judge.add(transaction := made.submit(object_name), object_name, away)
        judge.find_own_changes(transaction, away)
        for _ in range(20):
            time.sleep(0.3)
            lists = (made.listed(ANN, "ann-new"), made.listed(BOB, "bob-new"))
            if all(some[object_name] == 1 for some in lists) and made.listed(DESK, "desk")[object_name] == 2:
                return True
        return False

    until(is_everywhere, lambda: "\n".join(judge.wrongs()))


def judged(judge: Judge) -> list[str]:
    """What is wrong once it is quiet; it is quiet at the latest when nothing is wrong."""
    deadline = time.monotonic() + 120.0
    while (wrong := judge.wrongs()) and time.monotonic() < deadline:
        time.sleep(1.0)
    return wrong
