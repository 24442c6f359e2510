"""F1: a process is killed while it stores. What was committed is there, each commit as a whole or not at all."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from triplewire.network.can.geometry.space import SPACE, Box, Point, exactly
from triplewire.store.space import SpaceDatabase

# Says before a commit that it tries, and afterwards that it is done; each batch adds, removes and replaces.
CHILD = """
import sys
from pathlib import Path
from triplewire.store.space import SpaceDatabase
from tests.store.space.test_kills import change

storage = SpaceDatabase(Path(sys.argv[1]))
first = int(storage.get("progress", b"") or 0)
for number in range(first + 1, 1_000_000):
    print("trying", number, flush=True)
    change(storage, number)
    storage.commit()
    print("done", number, flush=True)
"""
QUADS = 30


def points(number: int) -> list[Point]:
    return [(b"<urn:e:%d>" % number, b"<urn:s:%d>" % at, b"<urn:p>", b'"%d"' % number) for at in range(QUADS)]


def change(storage: SpaceDatabase, number: int) -> None:
    storage.put("progress", b"", b"%d" % number)
    storage.add_event(f"urn:e:{number}", b"%d" % number, {"log": number})
    storage.add_quads(points(number))
    storage.remove_quads(Box(graph=exactly(b"<urn:e:%d>" % (number - 20))))
    storage.remove_event(f"urn:e:{number - 20}")
    if number % 7 == 0:
        # Asking brings the indices up to date, which is a change too.
        assert storage.quads(Box(subject=exactly(b"<urn:s:3>")))


def killed_after(folder: Path, lines: int) -> tuple[int, int]:
    """Run the child until it has said so much; returns what it had done, and what it had tried."""
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, str(folder)], stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[3]
    )
    with child:
        assert child.stdout is not None
        said = [child.stdout.readline() for _ in range(lines)]
        child.send_signal(signal.SIGKILL)
        said += child.stdout.readlines()
    words = [line.split() for line in said if line.endswith("\n")]
    done = [int(number) for what, number in words if what == "done"]
    return max(done, default=0), int(words[-1][1])


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 10))])
def test_f1_what_was_committed_is_there_and_nothing_in_part(tmp_path: Path, seed: int):
    rng = random.Random(seed)
    done = 0
    for _ in range(3):
        newly_done, tried = killed_after(tmp_path, rng.randrange(1, 120))
        done = max(done, newly_done)
        storage = SpaceDatabase(tmp_path)
        found = int(storage.get("progress", b"") or 0)
        assert done <= found <= tried
        kept = range(max(1, found - 19), found + 1)
        assert storage.quads(SPACE) == sorted(point for number in kept for point in points(number))
        assert storage.count(Box(subject=exactly(b"<urn:s:0>"))) == len(kept)
        assert list(storage.events_following("log", 0)) == [b"%d" % number for number in kept]
        storage.close()
        done = found
