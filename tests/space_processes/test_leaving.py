"""A node leaves its space for good, under load: others have everything, and it can come back as a newcomer."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import httpx
from tests.space_processes.crowd import Publisher, check, document, http, notified, publish, subscribe, until, wait_for
from tests.space_processes.test_kills import PATIENT, begin, finish

from triplewire.cli.space.processes import SpaceNodeProcess, settle, space


def leave(process: SpaceNodeProcess) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "triplewire", "space", "leave", "--node", process.url]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)


def asked_to_leave(process: SpaceNodeProcess) -> httpx.Response:
    with http(process) as client:
        return client.post("/space/leave")


def test_f7_a_node_leaves_under_load_for_good_and_comes_back_as_a_newcomer(tmp_path: Path):
    with space(tmp_path, 3, print, flags=PATIENT) as processes:
        *staying, leaver = processes
        publishers = [Publisher(process) for process in (staying[0], leaver)]
        begin(processes, publishers)
        ended = leave(leaver)
        assert ended.returncode == 0, ended.stderr
        assert "has left its space" in ended.stdout
        # It is done, and stays so, whoever asks; no event is taken that nobody would store.
        assert asked_to_leave(leaver).json()["stage"] == "left"
        assert publish(leaver, "urn:e:late", document("late", 1)).status_code == 503
        views = settle(staying)
        assert {node.id for view in views for node in view.nodes} == {view.id for view in views}
        finish(publishers)
        check(staying, publishers)

        leaver.ask_to_end()
        leaver.end()
        # By itself it does not come back: it has nothing to come back to.
        leaver.start(())
        until(lambda: leaver.has_ended, lambda: "it runs, though it is in no space")
        assert "has left it for good" in (tmp_path / f"{leaver.name}.log").read_text()
        leaver.start([staying[0].wait().address])
        leaver.wait()
        settle(processes)
        subscribe(leaver)
        assert publish(staying[1], "urn:e:back", document("back", 1)).status_code == 201
        wait_for(leaver, {"urn:e:back"}, notified)


def test_f1_a_node_that_is_killed_while_it_leaves_goes_on_leaving(tmp_path: Path):
    with space(tmp_path, 3, print, flags=PATIENT) as processes:
        *staying, leaver = processes
        publishers = [Publisher(process) for process in (staying[0], leaver)]
        begin(processes, publishers)
        worker = leaver.wait().worker
        assert asked_to_leave(leaver).status_code == 202
        assert worker is not None
        os.kill(worker, signal.SIGKILL)
        leaver.kill()
        leaver.start(())
        leaver.wait()
        until(lambda: asked_to_leave(leaver).json()["stage"] == "left", lambda: asked_to_leave(leaver).text)
        settle(staying)
        finish(publishers)
        check(staying, publishers)


def test_the_only_node_of_a_space_cannot_leave_it(tmp_path: Path):
    with space(tmp_path, 1, print) as [only]:
        refused = asked_to_leave(only)
        assert refused.status_code == 409
        assert "only one" in refused.text
        assert publish(only, "urn:e:1", document("a", 1)).status_code == 201
