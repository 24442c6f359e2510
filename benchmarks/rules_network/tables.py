"""What a run says on the screen."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table

from benchmarks.asked import Figure
from benchmarks.reports import readable
from benchmarks.rules_network.measuring import EVERYBODY, OURS, Costs
from benchmarks.rules_network.real import Cascade

FEWER = 5.0
_LONGEST = 0.1
_LARGEST = 64


def firings_table(costs: list[Costs]) -> Table:
    """Both policies at every size. *Fewer* is how many times as many messages or hops the rival needs there."""
    headings = ("concerned", "messages", "fewer", "hops", "fewer", "firings/s", "of peers, ms")
    table = _table("Firings across simulated super-peers, a tenth of them relevant", headings)
    for ours, rival in pairs(costs):
        for one in (ours, rival):
            table.add_row(
                f"{one.super_peers:,}",
                one.policy,
                readable(one.concerned),
                readable(one.firing.messages),
                _fewer(rival.firing.messages, one.firing.messages, one),
                readable(one.firing.hops),
                _fewer(rival.firing.hops, one.firing.hops, one),
                readable(one.firing.a_second),
                readable(one.peer_milliseconds),
                end_section=one is rival,
            )
    return table


def registrations_table(costs: list[Costs]) -> Table:
    """A registration is broadcast in any case; *fewer* is about the replicas that are kept."""
    table = _table("Registrations", ("messages", "hops", "replicas", "fewer", "registrations/s"))
    for ours, rival in pairs(costs):
        for one in (ours, rival):
            table.add_row(
                f"{one.super_peers:,}",
                one.policy,
                readable(one.registration.messages),
                readable(one.registration.hops),
                readable(one.replicas),
                _fewer(rival.replicas, one.replicas, one),
                readable(one.registration.a_second),
                end_section=one is rival,
            )
    return table


def pairs(costs: list[Costs]) -> list[tuple[Costs, Costs]]:
    """What was measured with relevance and without, size by size."""
    by_size = {(one.policy, one.super_peers): one for one in costs}
    sizes = sorted({one.super_peers for one in costs})
    return [(by_size[OURS, size], by_size[EVERYBODY, size]) for size in sizes]


def _table(title: str, headings: Sequence[str]) -> Table:
    table = Table(title=title)
    table.add_column("N", justify="right")
    table.add_column("policy", no_wrap=True)
    for heading in headings:
        table.add_column(heading, justify="right")
    return table


def _fewer(rival: float, ours: float, of: Costs) -> str:
    return f"{rival / ours:,.1f} ×" if of.policy == OURS else ""


def cascade_table(found: Cascade) -> Table:
    """Milliseconds from an update at one super-peer to the notification at the third."""
    table = Table(title=f"A cascade over three of {found.super_peers} real super-peers")
    headings = (
        "updates/s",
        "updates",
        "told",
        "p50, ms",
        "p99, ms",
        "most, ms",
        "registrations/s",
        "CPU a firing, ms",
        "CPU idle, cores",
    )
    for heading in headings:
        table.add_column(heading, justify="right")
    delays = (f"{1e3 * seconds:,.1f}" for seconds in (found.p50, found.p99, found.most))
    cells = [readable(found.updates_per_second), f"{found.updates:,}", f"{found.told:,}", *delays]
    cells += [readable(found.registrations_per_second), readable(1e3 * found.cpu_a_firing), readable(found.idle_cores)]
    table.add_row(*cells)
    return table


def asked(costs: list[Costs], real: Cascade | None) -> list[Figure]:
    """What was asked for, at the largest size there is."""
    figures = []
    if costs:
        ours, rival = pairs(costs)[-1]
        fewer, hops = rival.firing.messages / ours.firing.messages, rival.firing.hops / ours.firing.hops
        met = fewer >= FEWER if ours.super_peers >= _LARGEST else None
        size = f"N = {ours.super_peers:,}"
        figures += [
            Figure(f"messages of a firing, {EVERYBODY}, {size}", "≥ 5", fewer, "×", met),
            Figure(f"hops of a firing, {EVERYBODY}, {size}", "", hops, "×", None),
            Figure(f"replicas of a rule, {EVERYBODY}, {size}", "", rival.replicas / ours.replicas, "×", None),
            Figure(f"firings, {size}", "", ours.firing.a_second, "a second", None),
            Figure(f"registrations, {size}", "", ours.registration.a_second, "a second", None),
        ]
    if real is not None:
        is_met = real.told >= real.updates and real.p99 < _LONGEST
        name = f"update to notification over 3 super-peers, {readable(real.updates_per_second)} updates/s, p99"
        figures.append(Figure(name, "< 100", 1e3 * real.p99, "ms", is_met if real.super_peers >= 8 else None))
    return figures
