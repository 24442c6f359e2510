"""The figures of a run, between the marks of the page that discusses them."""

from __future__ import annotations

from benchmarks.eventcloud.costs import CostModel, Fit
from benchmarks.eventcloud.experiments import Spread
from benchmarks.eventcloud.outcomes import CSMA, OSMA, PLAIN, Outcome, of
from benchmarks.eventcloud.tables import ALONG, NAMES, TITLES, asked, value_of
from benchmarks.reports import FIGURES, readable

PAGE = FIGURES.parent / "eventcloud.md"
_MEASURED, _END = "<!-- measured -->", "<!-- end of what was measured -->"


def with_figures(page: str, content: str) -> str:
    """The page with other figures.

    >>> with_figures("a\\n<!-- measured -->\\nold\\n<!-- end of what was measured -->\\nb", "new")
    'a\\n<!-- measured -->\\nnew\\n<!-- end of what was measured -->\\nb'
    """
    before, rest = page.split(_MEASURED, 1)
    return f"{before}{_MEASURED}\n{content}\n{_END}{rest.split(_END, 1)[1]}"


def markdown(
    simulated: list[Outcome], real: list[Outcome], spread: list[Spread], model: tuple[CostModel, Fit, Fit] | None
) -> str:
    """All tables."""
    parts = [_asked(simulated, real)]
    for outcomes, where in ((simulated, "simulated"), (real, "real processes")):
        parts += [_experiment(outcomes, name, where) for name in TITLES if any(o.experiment == name for o in outcomes)]
    if spread:
        parts.append(_spread(spread))
    if real:
        parts.append(_plain(real))
    if model is not None:
        parts.append(_model(*model))
    return "\n\n".join(parts)


def _asked(simulated: list[Outcome], real: list[Outcome]) -> str:
    words = {True: "yes", False: "**no**", None: ""}
    rows = [
        (one.name, one.asked, f"{readable(one.measured)} {one.unit}", words[one.met] if one.asked else "")
        for one in asked(simulated, real)
    ]
    return _table(("figure", "asked", "measured", "met"), rows)


def _experiment(outcomes: list[Outcome], experiment: str, where: str) -> str:
    along = ALONG[experiment]
    csma, osma = ({along(one): one for one in of(outcomes, experiment, name)} for name in (CSMA, OSMA))
    rows = []
    for x in sorted({*csma, *osma}):
        pair = [csma.get(x), osma.get(x)]
        values = [value_of(one) if one else 0.0 for one in pair]
        ratio = f"{values[1] / values[0]:.2f}" if all(values) else ""
        messages = [readable(one.messages) if one and one.messages else "" for one in pair]
        busiest = [f"{one.busiest:.0%}" if one and one.busiest else "" for one in pair]
        shown = [readable(value) if value else "not run" for value in values]
        rows.append((f"{x:,}", *shown, ratio, *messages, *busiest))
    headings = (NAMES[experiment], "CSMA", "OSMA", "OSMA / CSMA")
    details = ("messages/event, CSMA", "OSMA", "busiest node, CSMA", "OSMA")
    if where != "simulated":
        rows, details = [row[:4] for row in rows], ()
    return f"**{TITLES[experiment]}; {where}**\n\n" + _table((*headings, *details), rows)


def _spread(spread: list[Spread]) -> str:
    rows = [(f"{1e3 * one.fsync:g}", readable(one.csma), readable(one.osma), f"{one.ratio:.2f}") for one in spread]
    title = "**(a) at the paper's size, simulated, if an fsync took other times**"
    return f"{title}\n\n" + _table(("fsync, ms", "CSMA", "OSMA", "OSMA / CSMA"), rows)


def _plain(real: list[Outcome]) -> str:
    largest = max(one.nodes for one in real)
    rows = []
    for plain in (one for one in real if one.strategy == PLAIN):
        alike = {
            one.nodes: one.rate
            for one in real
            if (one.strategy, one.experiment, one.subscriptions) == (OSMA, plain.experiment, plain.subscriptions)
        }
        cells = [readable(alike[nodes]) if nodes in alike else "" for nodes in (1, largest)]
        rows.append((f"{TITLES[plain.experiment]}, {plain.subscriptions} subscriptions", readable(plain.rate), *cells))
    headings = ("events/s", "one plain node", "space of 1, OSMA", f"space of {largest}, OSMA")
    return "**Beside one plain node, in the same run**\n\n" + _table(headings, rows)


def _model(model: CostModel, steps: Fit, commits: Fit) -> str:
    rows = [(name, f"{1e6 * seconds:,.1f}") for name, seconds in {**model.kinds, **model.shared}.items()]
    rows += [("fsync", f"{1e6 * model.fsync:,.0f}"), ("commit", f"{1e6 * model.commit:,.0f}")]
    rows += [("change in a commit", f"{1e6 * model.change:,.1f}")]
    words = [
        f"{name}: {fit.measured:,} measured, R² {fit.r_squared:.2f}, "
        f"residual {1e6 * fit.root_mean_square:,.0f} µs (rms), their sum off by {fit.total_off:.1%}"
        for name, fit in (("steps", steps), ("commits", commits))
    ]
    return f"**The cost model** ({'; '.join(words)})\n\n" + _table(("a step of the kind, or each", "µs"), rows)


def _table(headings: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = ["| " + " | ".join(headings) + " |", "|---" + "|---:" * (len(headings) - 1) + "|"]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])
