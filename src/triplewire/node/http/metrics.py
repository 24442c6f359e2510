"""What `/metrics` exposes: counters, gauges and a histogram of a node, as families of Prometheus."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from triplewire.node.access_point.service import AccessPointService
from triplewire.node.federation.service import Federation
from triplewire.node.overlay.overlay import Overlay
from triplewire.node.overlay.traffic_counters import by_kind
from triplewire.node.repository.repository import Repository
from triplewire.node.service import Node
from triplewire.node.space.space import Space
from triplewire.node.views.service import Views
from triplewire.store.histograms import Histogram
from triplewire.store.tables.identities import Client

MEDIA_TYPE = CONTENT_TYPE_PLAIN_0_0_4


def exposition(node: Node, client: Client, oldest: Mapping[int, float]) -> bytes:
    """Everything that a client may see, in Prometheus' text format. `oldest` has a date for each subscription."""
    return generate_latest(_Families([*_families(node, client, oldest)]))


class _Families(Collector):
    """Families that were collected already: they are of one moment, and of one client."""

    def __init__(self, families: Iterable[Metric]) -> None:
        self._families = families

    def collect(self) -> Iterable[Metric]:
        return self._families


def _families(node: Node, client: Client, oldest: Mapping[int, float]) -> Iterator[Metric]:
    yield from _counters(node)
    yield from _gauges(node)
    yield _histogram(node.broker.store.stats.seconds)
    yield _candidates(node, client)
    yield _ages(node, oldest)
    if node.overlay is not None:
        yield from _network(node.overlay)
    if node.federation is not None:
        yield from _federation(node.federation)
    if node.space is not None:
        yield from _space(node.space)
    if node.peers is not None:
        yield from _peers(node.peers)


def _counters(node: Node) -> Iterator[Metric]:
    counters = node.broker.state.counters
    yield CounterMetricFamily("triplewire_published", "events stored", counters.published)
    yield CounterMetricFamily("triplewire_repeated", "events that were there already", counters.repeated)
    yield CounterMetricFamily("triplewire_matched", "notifications made", counters.matched)
    yield CounterMetricFamily("triplewire_delivered", "notifications handed out", counters.delivered)
    yield CounterMetricFamily("triplewire_acknowledged", "acknowledgements", counters.acknowledged)
    yield CounterMetricFamily("triplewire_candidates", "subscriptions tested on an event", counters.candidates)


def _gauges(node: Node) -> Iterator[Metric]:
    broker = node.broker
    yield GaugeMetricFamily("triplewire_writer_queue", "requests that wait for a commit", broker.store.queue_length)
    yield GaugeMetricFamily("triplewire_log_bytes", "bytes of events kept", broker.state.log_bytes)
    count = len(broker.subscriptions.index.without_views)
    yield GaugeMetricFamily("triplewire_subscriptions", "subscriptions", count)
    yield from _living(node)
    yield from _views(node.broker.views)
    if node.space is None:
        yield from _repository(node.repository)


def _living(node: Node) -> Iterator[Metric]:
    living = node.broker.living
    yield GaugeMetricFamily("triplewire_living_position", "changes of the living graph", living.store.head)
    yield GaugeMetricFamily("triplewire_living_quads", "quads that hold in the living graph", living.store.size)
    yield GaugeMetricFamily(
        "triplewire_living_replica_position", "position up to which queries see changes", node.replica.position
    )
    yield CounterMetricFamily(
        "triplewire_living_compactions", "times that it was made anew in memory", living.store.compactions.done
    )
    yield CounterMetricFamily("triplewire_living_updates", "requests that changed the living graph", living.updates)
    yield CounterMetricFamily("triplewire_living_seconds", "seconds that they took on the writer", living.seconds)


def _views(views: Views) -> Iterator[Metric]:
    follower = views.follower
    yield GaugeMetricFamily("triplewire_views", "views that are kept up to date", len(follower))
    yield GaugeMetricFamily(
        "triplewire_sepa_subscriptions", "those of them that are of SEPA's sockets", views.ephemeral
    )
    yield CounterMetricFamily("triplewire_views_told", "what changes meant to views", follower.deltas)
    yield CounterMetricFamily("triplewire_views_seconds", "seconds that it took on the writer", follower.seconds)


def _repository(repository: Repository) -> Iterator[Metric]:
    yield GaugeMetricFamily(
        "triplewire_repository_quarantined", "events that the repository lacks", len(repository.quarantined)
    )
    yield GaugeMetricFamily(
        "triplewire_repository_position", "position up to which the repository has every event", repository.position
    )


def _histogram(seconds: Histogram) -> Metric:
    return HistogramMetricFamily(
        "triplewire_fsync_seconds",
        "how long a commit takes to be on the disk",
        buckets=[(bound, float(count)) for bound, count in seconds.cumulative()],
        sum_value=seconds.sum,
    )


def _candidates(node: Node, client: Client) -> Metric:
    family = CounterMetricFamily(
        "triplewire_candidates_by_owner",
        "subscriptions of an owner tested on an event, while they are live",
        labels=["owner"],
    )
    for owner, count in sorted(node.broker.state.matchers.costs().items(), key=str):
        if owner is not None and (client.rights.is_admin or client.id == owner):
            family.add_metric([owner], count)
    return family


def _ages(node: Node, oldest: Mapping[int, float]) -> Metric:
    family = GaugeMetricFamily(
        "triplewire_oldest_undelivered_seconds",
        "age of the oldest notification that waits",
        labels=["subscription", "owner"],
    )
    now = node.broker.date.time()
    for number, accepted in oldest.items():
        record = node.broker.subscriptions.index.get(number)
        if record is not None:
            family.add_metric([record.name, record.owner], round(max(0.0, now - accepted), 3))
    return family


def _peers(peers: AccessPointService) -> Iterator[Metric]:
    """Who comes and goes at an access point, and what was refused."""
    yield GaugeMetricFamily("triplewire_peers", "peers that are registered", len(peers.machine.peers))
    yield GaugeMetricFamily("triplewire_peers_online", "peers that are on-line", len(peers.machine.online))
    yield _labelled("triplewire_peers_refused", "what was not of a session", "reason", peers.machine.refusals)


def _network(overlay: Overlay) -> Iterator[Metric]:
    """What a super-peer has sent and received, by kind of message, and what became of events."""
    members = len(overlay.peer.members.places)
    yield GaugeMetricFamily("triplewire_network_members", "super-peers of the network", members)
    for name, counts, label, text in (
        ("sent", by_kind(overlay.counters.sent), "kind", "messages to other super-peers"),
        ("received", by_kind(overlay.counters.received), "kind", "messages of other super-peers"),
        ("events", overlay.counters.events, "outcome", "events of other super-peers, and those replayed for them"),
        ("refused", overlay.transport.refused, "fault", "what came in and was no message"),
        ("dropped", overlay.transport.dropped, "reason", "messages that were not sent"),
    ):
        yield _labelled(f"triplewire_network_{name}", text, label, counts)


def _federation(federation: Federation) -> Iterator[Metric]:
    """What a super-peer has of rules across super-peers, and how far it is behind."""
    part, machine = federation.participation, federation.machine
    base = machine.rules.registrar.base
    held = Counter("awake" if base.is_awake(record.id) else "asleep" for record in base)
    family = GaugeMetricFamily("triplewire_federation_rules", "rules that are held here", labels=["state"])
    for state in ("awake", "asleep"):
        family.add_metric([state], held[state])
    yield family
    units = Counter(unit.status.value for unit in machine.rules.coordinator.state.units.values())
    family = GaugeMetricFamily("triplewire_federation_units", "units that are remembered here", labels=["status"])
    for status, count in sorted(units.items()):
        family.add_metric([status], count)
    yield family
    yield _labelled("triplewire_federation_happened", "what has happened", "kind", part.happenings.counts)
    yield _labelled("triplewire_federation_sent", "what was said about rules", "to", part.sent)
    yield CounterMetricFamily("triplewire_federation_inputs", "inputs of the machine", part.host.taken)
    yield GaugeMetricFamily("triplewire_federation_log_bytes", "inputs since the snapshot", part.host.log.bytes)
    yield GaugeMetricFamily(
        "triplewire_federation_commit_seconds", "how long the last input took to be on the disk", part.host.lag
    )
    yield GaugeMetricFamily(
        "triplewire_federation_reports_waiting", "changes of the living graph that the machine lacks", part.site.lag
    )


def _space(space: Space) -> Iterator[Metric]:
    """What a node of a space stores, has sent and received, and what became of events."""
    publications, report = space.publications, space.report
    yield GaugeMetricFamily(
        "triplewire_space_watermark",
        "position up to which the space has what was published here",
        publications.watermark,
    )
    yield GaugeMetricFamily(
        "triplewire_space_under_way", "events of this node that the space does not have yet", publications.under_way
    )
    yield CounterMetricFamily("triplewire_space_starts", "starts of the worker process", space.worker.starts)
    yield _labelled("triplewire_space_events", "events of other nodes", "outcome", space.events)
    if report is None:
        return
    described = report.description
    yield GaugeMetricFamily("triplewire_space_zones", "zones that this node owns", len(described.loads))
    yield GaugeMetricFamily("triplewire_space_quads", "quadruples in the zones of this node", sum(described.loads))
    yield GaugeMetricFamily("triplewire_space_neighbours", "neighbours of this node", len(described.neighbours))
    yield CounterMetricFamily("triplewire_space_commits", "commits of the worker", report.commits)
    yield CounterMetricFamily("triplewire_space_taken_over", "zones taken over from failed nodes", report.taken_over)
    for name, counts, label, text in (
        ("sent", report.sent, "kind", "messages to other nodes"),
        ("received", report.received, "kind", "messages of other nodes"),
        ("refused", report.refused, "fault", "what came in and was refused"),
        ("dropped", report.dropped, "reason", "messages that were not sent"),
    ):
        yield _labelled(f"triplewire_space_{name}", text, label, counts)


def _labelled(name: str, text: str, label: str, counts: Mapping[str, int]) -> Metric:
    family = CounterMetricFamily(name, text, labels=[label])
    for value, count in sorted(counts.items()):
        family.add_metric([value], count)
    return family
