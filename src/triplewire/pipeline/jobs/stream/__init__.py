"""`stream`: what arrives, micro-batch by micro-batch, exactly once into the lake, and from there to nodes and topics.

    request                folders, topics and logs of nodes; how quads arrive; where notifications go
    structured_streaming   folders and topics, by Structured Streaming
    folder_follower        folders, by what the lake has of them, where Structured Streaming cannot be used
    change_log             the changes of a node's living graph, as such a log
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
from triplewire.pipeline.jobs.stream.change_log import ChangeLog
from triplewire.pipeline.jobs.stream.folder_follower import follow_folder
from triplewire.pipeline.jobs.stream.log_follower import follow_log
from triplewire.pipeline.jobs.stream.micro_batches import MicroBatches, StreamSummary
from triplewire.pipeline.jobs.stream.request import Assembly, Folder, NodeLog, StreamRequest, Topic
from triplewire.pipeline.jobs.stream.sinks import ToKafka, ToNode
from triplewire.pipeline.jobs.stream.stop_signal import StopSignal
from triplewire.pipeline.jobs.stream.structured_streaming import run_structured
from triplewire.pipeline.jobs.task_runner import NoListener, ProgressListener
from triplewire.pipeline.lake.event_lake import Lake, checked_name, open_lake, require_room
from triplewire.pipeline.storage.creation import create_bytes
from triplewire.pipeline.storage.files import read_bytes
from triplewire.pipeline.storage.location import Location

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = [
    "Assembly",
    "ChangeLog",
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
    if is_connect(spark):
        _require_classic(request)
    if isinstance(source, Folder):
        source.require()
        if request.assembly is not None and not source.location.is_local:
            raise InputError(
                subject="quads that arrive apart", wanted="a folder on this machine", found=source.location.uri
            )
    lake = open_lake(Location.of(request.out, request.storage).absolute())
    # A stream that is in the lake goes on there, whoever else has been at work in it since.
    if not request.append and request.name not in lake.runs():
        require_room(lake, request.name)
    _require_same(lake, request.name, source.identity(spark))
    batches = MicroBatches(spark, lake, request, listener or NoListener(), stop)
    if isinstance(source, NodeLog):
        follow_log(spark, request, source, lake, batches, stop)
    elif isinstance(source, Folder) and request.assembly is None and not _spark_reads(spark, source, lake):
        follow_folder(spark, request, source, batches, stop)
    else:
        run_structured(spark, request, source, lake, batches, stop)
    return batches.summary


def _spark_reads(spark: SparkSession, source: Folder, lake: Lake) -> bool:
    """Whether Structured Streaming can list the folder, and keep its checkpoint in the lake."""
    return not is_connect(spark) and source.location.is_local and lake.root.is_local


def _require_classic(request: StreamRequest) -> None:
    """Refuse what needs `foreachBatch`, which would run in the server there, away from this process."""
    if isinstance(request.source, Topic) or request.assembly is not None:
        raise InputError(
            subject="a stream over Spark Connect",
            wanted="a folder of whole events or the log of a node",
            found="quads that arrive apart" if request.assembly else "a topic of Kafka",
            hint="run it with --master",
        )


def _require_same(lake: Lake, name: str, identity: str) -> None:
    """A stream goes on where it was, which means nothing for another source."""
    path = lake.streams / f"{name}.json"
    try:
        create_bytes(path, msgspec.json.encode(identity))
    except FileExistsError:
        known = msgspec.json.decode(read_bytes(path), type=str)
    else:
        return
    if known != identity:
        raise LakeError(
            wanted=f"the source that the stream {name} reads, {known}",
            found=str(identity),
            hint="another --name begins another stream",
            source=lake.root.uri,
        )
