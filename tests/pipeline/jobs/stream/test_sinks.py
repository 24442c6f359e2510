"""Delivery to a node from a commit of the lake: a repeat asks the same, and what a node may answer. No Spark."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from triplewire.errors import NodeRefused
from triplewire.pipeline.jobs.run_records import RunStart, publish
from triplewire.pipeline.jobs.stream.sinks import ToNode
from triplewire.pipeline.jobs.stream.stop_signal import StopSignal
from triplewire.pipeline.jobs.task_runner import TaskResults
from triplewire.pipeline.lake.commit_names import CommitName
from triplewire.pipeline.lake.event_lake import Lake, open_lake
from triplewire.pipeline.lake.table_writers import write_rows
from triplewire.pipeline.lake.tables import NOTIFICATIONS
from triplewire.pipeline.progress import Counts
from triplewire.pipeline.split_tasks import TaskReport
from triplewire.pipeline.storage.location import Location

NOW = datetime(2024, 5, 1, tzinfo=UTC)


def row(subscription: str, event: int, found: str = "<urn:s>") -> dict:
    solutions = [[("x", found)]]
    return {
        "subscription": subscription,
        "event": f"urn:event:{event}",
        "time": NOW,
        "solutions": solutions,
        "lane": "fast",
    }


def committed(folder: Path, rows: list[dict], number: int = 0) -> Lake:
    lake = open_lake(Location.of(folder))
    with lake.drafting(CommitName("stream", number)) as draft:
        part = write_rows(draft, NOTIFICATIONS, rows)
        start = RunStart(run="stream", job="stream", inputs=[], batch=number)
        publish(lake, draft, start, None, TaskResults([TaskReport([part], Counts(), {})]))
    return lake


class Node:
    """Takes events, and answers as it is told to; the answers are used up."""

    def __init__(self, *answers: int) -> None:
        self._answers = list(answers)
        self.requests: list[bytes] = []

    def publish(self, events: bytes) -> None:
        self.requests.append(events)
        status = self._answers.pop(0) if self._answers else 201
        if status != 201:
            raise NodeRefused(status, "refused", "")


def delivered(node: Node, lake: Lake) -> int:
    return ToNode(node).deliver(None, lake, CommitName("stream", 0), StopSignal())


def test_a_repeat_sends_the_same_and_nothing_of_other_commits(tmp_path):
    lake = committed(tmp_path, [row("a", 1), row("b", 1), row("a", 2), row("a", 1)], 0)
    committed(tmp_path, [row("a", 7)], 1)
    node = Node()
    assert delivered(node, lake) == delivered(node, lake) == 3
    assert node.requests[0] == node.requests[1]
    assert node.requests[0].count(b"urn:triplewire:Notification>") == 3
    assert b"urn:event:7" not in node.requests[0]


def test_many_go_in_several_requests(tmp_path):
    lake = committed(tmp_path, [row("a", number) for number in range(1_200)])
    node = Node()
    assert delivered(node, lake) == 1_200
    assert [request.count(b"urn:triplewire:Notification>") for request in node.requests] == [500, 500, 200]


def test_what_the_node_was_told_otherwise_before_stays_and_the_others_go(tmp_path):
    lake = committed(tmp_path, [row("a", 1), row("a", 2), row("a", 3)])
    node = Node(409, 201, 409, 201)
    assert delivered(node, lake) == 3
    assert [request.count(b"urn:triplewire:Notification>") for request in node.requests] == [3, 1, 1, 1]


def test_a_busy_node_is_asked_again_and_one_that_forbids_is_not(tmp_path):
    lake = committed(tmp_path, [row("a", 1)])
    node = Node(429)
    assert delivered(node, lake) == 1
    assert len(node.requests) == 2
    forbidding = Node(403)
    with pytest.raises(NodeRefused):
        delivered(forbidding, lake)
    assert len(forbidding.requests) == 1
