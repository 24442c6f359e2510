"""What a run says on the screen."""

from __future__ import annotations

from rich.table import Table

from benchmarks.asked import Figure
from benchmarks.network.failing import Recovery
from benchmarks.network.latency import Rate
from benchmarks.network.measuring import FLOODING, OURS, Costs
from benchmarks.reports import readable

AIM = 10.0
_LONGEST = 0.1


def costs_table(costs: list[Costs]) -> Table:
    """Every policy at every size. *Fewer* is how many times as many messages flooding needs at the same size."""
    table = Table(title="Messages for a subscription and for an event, one in twenty super-peers publishes a topic")
    table.add_column("super-peers", justify="right")
    table.add_column("policy", no_wrap=True)
    for heading in ("alone", "fewer", "in a crowd", "fewer", "an event", "fewer", "needless", "hops"):
        table.add_column(heading, justify="right")
    for index, one in enumerate(costs):
        following = costs[index + 1 : index + 2]
        is_last = not following or following[0].super_peers != one.super_peers
        table.add_row(f"{one.super_peers:,}", one.policy, *_cells(one), end_section=is_last)
    return table


def _cells(one: Costs) -> list[str]:
    others = one.super_peers - 1
    if one.policy == FLOODING:
        return [f"{others:,}", "", f"{others:,}", "", f"{others:,}", "", "", str(one.event_hops)]
    return [
        readable(one.lone_messages),
        f"{others / one.lone_messages:,.1f} ×",
        readable(one.messages),
        f"{others / one.messages:,.1f} ×",
        readable(one.event_messages),
        f"{others / one.event_messages:,.1f} ×",
        f"{one.needless:,}",
        f"{one.lone_hops} / {one.event_hops}",
    ]


def sizes_table(costs: list[Costs]) -> Table:
    """What each super-peer keeps."""
    table = Table(title="What a super-peer keeps: mean, and the most of any")
    table.add_column("super-peers", justify="right")
    table.add_column("subscriptions", justify="right")
    table.add_column("policy", no_wrap=True)
    for heading in ("rows of SP/SP", "in the poset", "to simulate, s", "MB of all"):
        table.add_column(heading, justify="right")
    for one in costs:
        if one.policy != FLOODING:
            table.add_row(
                f"{one.super_peers:,}",
                f"{one.subscriptions:,}",
                one.policy,
                f"{one.index_rows:,.0f}, {one.most_index_rows:,}",
                f"{one.poset:,.0f}, {one.most_poset:,}",
                f"{one.seconds:,.0f}",
                f"{one.megabytes:,.0f}",
            )
    return table


def recovery_table(recoveries: list[Recovery]) -> Table:
    """Virtual seconds after a tenth has failed."""
    table = Table(title="After a tenth of the super-peers failed at once")
    headings = (
        "super-peers",
        "failed",
        "all know, s",
        "all attached, s",
        "probes at all, s",
        "messages each",
        "of repair",
    )
    for heading in headings:
        table.add_column(heading, justify="right")
    for one in recoveries:
        table.add_row(
            f"{one.super_peers:,}",
            f"{one.failed:,}",
            f"{one.noticed:.2f}",
            f"{one.attached:.2f}",
            f"{one.reached:.2f}",
            readable(one.messages),
            readable(one.repairing),
        )
    return table


def rates_table(rates: list[Rate]) -> Table:
    """Milliseconds, at each rate of publishing."""
    table = Table(title="From publishing to being told, real processes on the longest path")
    for heading in ("events/s", "hops", "published", "heard", "p50, ms", "p99, ms", "most, ms"):
        table.add_column(heading, justify="right")
    for one in rates:
        delays = (f"{1e3 * seconds:,.1f}" for seconds in (one.p50, one.p99, one.most))
        table.add_row(f"{one.events_per_second:g}", str(one.hops), f"{one.published:,}", f"{one.heard:,}", *delays)
    return table


def asked(costs: list[Costs], recoveries: list[Recovery], real: list[Rate]) -> list[Figure]:
    """What was asked for, at the largest size there is."""
    ours = [one for one in costs if one.policy == OURS]
    largest = max((one for one in ours if one.subscriptions), key=lambda one: one.super_peers)
    is_full = largest.super_peers >= 1_024
    fewer = (largest.super_peers - 1) / largest.messages
    alone = (largest.super_peers - 1) / largest.lone_messages
    needless = sum(one.needless for one in ours)
    size = f"N = {largest.super_peers:,}"
    return [
        Figure(f"flooding beside a subscription, {size}", "≥ 10", fewer, "×", fewer >= AIM if is_full else None),
        Figure(f"the same where nobody else subscribes, {size}", "", alone, "×", None),
        Figure("events sent to super-peers off every path", "0", needless, "messages", needless == 0),
        *(
            Figure(f"probes at all, {one.failed} of {one.super_peers} failed", "", one.reached, "s", None)
            for one in recoveries
        ),
        *(_told(one) for one in real),
    ]


def _told(one: Rate) -> Figure:
    name = f"publish to notify over {one.hops} hops at {one.events_per_second:g} events/s, p99"
    return Figure(name, "< 100", 1e3 * one.p99, "ms", one.heard >= one.published and one.p99 < _LONGEST)
