"""What a stream is asked to do: where events come from, how they arrive, and where notifications go."""

from __future__ import annotations

from collections.abc import Mapping
from glob import has_magic
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct, field

from triplewire.errors import InputError
from triplewire.pipeline.assembly import seconds_of
from triplewire.pipeline.jobs.stream.sinks import Sink
from triplewire.pipeline.sources.kafka import KafkaCluster
from triplewire.pipeline.sources.options import DEFAULT_READ_OPTIONS, ReadOptions
from triplewire.pipeline.storage.files import find_file, folder_exists
from triplewire.pipeline.storage.location import Location
from triplewire.pipeline.strategies.catalog import REPLICATE
from triplewire.rdf.formats import NQUADS, format_named

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class Folder(Struct, frozen=True):
    """Files that appear in a folder, or under a glob."""

    path: str
    files_at_once: int = 1_000
    reading: ReadOptions = DEFAULT_READ_OPTIONS

    @property
    def location(self) -> Location:
        return Location.of(self.path, self.reading.storage)

    def identity(self, spark: SparkSession) -> str:
        place = self.location
        return f"folder {place.local.resolve() if place.is_local else place}"

    def require(self) -> None:
        """Raise `InputError` if there is nothing to watch."""
        if find_file(self.location) is not None:
            raise InputError(wanted="a folder to watch", found="a file", source=self.path)
        if not has_magic(self.path) and not folder_exists(self.location):
            raise InputError(wanted="a folder to watch", found="nothing", source=self.path)


class Topic(Struct, frozen=True):
    """A topic of Kafka. `options` are the connector's own; `format` is that of its messages."""

    servers: str
    name: str
    events_at_once: int | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    format: str = NQUADS.name

    def __post_init__(self) -> None:
        format_named(self.format)

    def identity(self, spark: SparkSession) -> str:
        """A cluster has one name, by whichever of its servers it is reached."""
        return f"topic {self.name} of the cluster {self.cluster(spark).cluster_id()}"

    def cluster(self, spark: SparkSession) -> KafkaCluster:
        return KafkaCluster(spark, self.servers, self.options)

    @property
    def reading(self) -> dict[str, str]:
        """Options of the connector."""
        most = {} if self.events_at_once is None else {"maxOffsetsPerTrigger": str(self.events_at_once)}
        return {**most, **self.options}


class Page(Protocol):
    """Events of a log as N-Quads. `position` is where to read on, `gap` the last that was removed unread."""

    @property
    def nquads(self) -> bytes: ...
    @property
    def position(self) -> int: ...
    @property
    def gap(self) -> int | None: ...
    @property
    def is_last(self) -> bool: ...


class EventLog(Protocol):
    """The log of a node; `triplewire.client.Client` is one."""

    url: str

    def read_log(self, after: int, limit: int) -> Page: ...
    def node_id(self) -> str: ...


class NodeLog(Struct, frozen=True):
    """A node's events, in the order of its log, or another log of it, by its path."""

    log: EventLog
    events_at_once: int = 100_000
    path: str = "/events"

    def identity(self, spark: SparkSession) -> str:
        return f"node {self.log.node_id()}"


class Assembly(Struct, frozen=True):
    """Quads arrive one by one: an event is whole when none came for `gap`, judged `delay` behind the latest."""

    gap: str = "10 seconds"
    delay: str = "1 minute"

    def __post_init__(self) -> None:
        seconds_of(self.gap)
        seconds_of(self.delay)


Source = Folder | Topic | NodeLog


class StreamRequest(Struct, frozen=True, kw_only=True):
    """What to watch, and where to. Under its `name` a stream resumes. `drain` ends when nothing new is left.

    `assembly` says that quads arrive apart, and how their events are put together. `checkpoint` is a folder of this
    machine for what Spark keeps, where that cannot be in the lake.
    """

    source: Source
    subscriptions: tuple[str, ...]
    out: str
    taxonomy: str | None = None
    strategy: str = REPLICATE
    assembly: Assembly | None = None
    sinks: tuple[Sink, ...] = ()
    strict: bool = False
    append: bool = False
    name: str = "stream"
    every_seconds: float = 5.0
    drain: bool = False
    checkpoint: str | None = None
    storage: dict[str, str] = {}

    def __post_init__(self) -> None:
        if self.assembly is not None and isinstance(self.source, NodeLog):
            raise InputError(
                wanted="a folder or a topic to put events together from", found="a node: its events are whole"
            )
        if (
            self.assembly is not None
            and isinstance(self.source, Topic)
            and format_named(self.source.format) is not NQUADS
        ):
            raise InputError(wanted=f"{NQUADS.name} to put events together from", found=str(self.source.format))
