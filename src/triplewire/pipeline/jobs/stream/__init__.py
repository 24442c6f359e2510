"""`stream`: what arrives, micro-batch by micro-batch, exactly once into the lake, and from there to nodes and topics.

    request                folders, topics and logs of nodes; how quads arrive; where notifications go
    structured_streaming   folders and topics, by Structured Streaming
    folder_follower        folders, by what the lake has of them, where Structured Streaming cannot be used
    log_follower           the log of a node, by positions in a journal of our own
    follower_thread        the thread on which the last two ask their source
    micro_batches          what is done with each micro-batch: fill, publish as one commit, deliver
    committed_inputs       what the lake has of a stream: a repeat is known by its inputs
    index_refresh          the index of subscription files, built again when they change
    sinks                  where notifications go beside the lake
    notification_events    a notification as an event of a node
    retry                  asking a node again
    stop_signal            asks a stream to stop

Subscriptions are looked at before every micro-batch; what changed takes effect with it, and its row in `runs` says
which index was used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from triplewire.errors import InputError, LakeError
from triplewire.pipeline.api_modes import is_connect
from triplewire.pipeline.jobs.stream.folder_follower import follow_folder
from triplewire.pipeline.jobs.stream.log_follower import follow_log
from triplewire.pipeline.jobs.stream.micro_batches import MicroBatches, StreamSummary
from triplewire.pipeline.jobs.stream.request import Assembly, Folder, NodeLog, StreamRequest, Topic
from triplewire.pipeline.jobs.stream.sinks import ToKafka, ToNode
from triplewire.pipeline.jobs.stream.stop_signal import StopSignal
from triplewire.pipeline.jobs.stream.structured_streaming import run_structured
from triplewire.pipeline.jobs.task_runner import NoListener, ProgressListener
from triplewire.pipeline.lake.folder import Lake, checked_name, open_lake, require_room
from triplewire.pipeline.paths import local_path
from triplewire.system.durable_files import replace_file

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = [
    "Assembly",
    "Folder",
    "NodeLog",
    "StopSignal",
    "StreamRequest",
    "StreamSummary",
    "ToKafka",
    "ToNode",
    "Topic",
    "stream",
]


def stream(
    spark: SparkSession,
    request: StreamRequest,
    listener: ProgressListener | None = None,
    stop: StopSignal | None = None,
) -> StreamSummary:
    """Stream until drained, or until asked to stop."""
    source, stop = request.source, stop or StopSignal()
    checked_name(request.name)
    if is_connect(spark) and not isinstance(source, NodeLog):
        _folder_for_connect(request)
    if isinstance(source, Folder):
        source.require()
    with open_lake(local_path(request.out)) as lake:
        # A stream that is in the lake goes on there, whoever else has been at work in it since.
        if not request.append and request.name not in lake.runs():
            require_room(lake, request.name)
        _require_same(lake, request.name, source.identity(spark))
        batches = MicroBatches(spark, lake, request, listener or NoListener(), stop)
        if isinstance(source, NodeLog):
            follow_log(spark, request, source, lake, batches, stop)
        elif is_connect(spark):
            follow_folder(spark, request, _folder_for_connect(request), batches, stop)
        else:
            run_structured(spark, request, source, lake, batches, stop)
        return batches.summary


def _folder_for_connect(request: StreamRequest) -> Folder:
    """The folder to follow. What needs `foreachBatch` is refused: it would run in the server, without the lake."""
    if isinstance(request.source, Folder) and request.assembly is None:
        return request.source
    raise InputError(
        subject="a stream over Spark Connect",
        wanted="a folder of whole events or the log of a node",
        found="quads that arrive apart" if request.assembly else "a topic of Kafka",
        hint="run it with --master",
    )


def _require_same(lake: Lake, name: str, identity: str) -> None:
    """A stream goes on where it was, which means nothing for another source."""
    path = lake.streams / f"{name}.json"
    lake.streams.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        replace_file(path, msgspec.json.encode(identity))
        return
    known = msgspec.json.decode(path.read_bytes(), type=str)
    if known != identity:
        raise LakeError(
            wanted=f"the source that the stream {name} reads, {known}",
            found=str(identity),
            hint="another --name begins another stream",
            source=str(lake.root),
        )
