"""The tiling as SVG. Four dimensions do not fit a page, so it is drawn twice.

The **tree of splits**, as a treemap: every split is a line with its dimension and border, every zone a rectangle. The
area of a zone grows with what it stores, its colour says how its node's load compares to the mean.

The **projections** to pairs of dimensions: every zone as a rectangle between its borders. Borders have an order but no
distances, so they stand at equal intervals. Zones that differ only in the other dimensions lie over each other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from msgspec import Struct

from triplewire.cli.space.tiling import DIMENSIONS, Group, OwnedZone, Split, Tree, owned_zones, quads_of, tree_of
from triplewire.wire.spaces import SpaceView

_WIDTH, _TREEMAP_HEIGHT, _PLOT = 1_200, 620, 560
_MARGIN, _TITLE, _LEGEND = 30, 70, 40
_PAIRS = ((1, 2), (0, 3))
# One a dimension; told apart by everybody, as is the sequence from light to dark.
_LINES = ("#7f3b08", "#1b7837", "#762a83", "#08519c")
_FILLS = ("#f7fbff", "#deebf7", "#c6dbef", "#9ecae1", "#6baed6", "#4292c6")
_OVER = "#fdae6b"
_STEPS = (0.25, 0.5, 0.75, 1.0, 1.25)
_MOST_SHOWN = 28
_NAME = 11
_CHARACTER, _LINE = 6.4, 14
_HALO = "stroke='white' stroke-width='3' paint-order='stroke'"


class Area(Struct, frozen=True):
    """A rectangle on the page."""

    x: float
    y: float
    width: float
    height: float

    def cut(self, share: float) -> tuple[Area, Area]:
        """Two parts, across the longer side."""
        if self.width >= self.height:
            first = self.width * share
            return Area(self.x, self.y, first, self.height), Area(
                self.x + first, self.y, self.width - first, self.height
            )
        first = self.height * share
        return Area(self.x, self.y, self.width, first), Area(self.x, self.y + first, self.width, self.height - first)


def svg(view: SpaceView) -> str:
    """The drawing of a space."""
    height = _TITLE + _TREEMAP_HEIGHT + _LEGEND + _PLOT + 3 * _MARGIN
    below = _TITLE + _TREEMAP_HEIGHT + _LEGEND + _MARGIN
    zones = owned_zones(view)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" height="{height}" '
        'font-family="sans-serif" font-size="12">',
        f'<rect width="{_WIDTH}" height="{height}" fill="white"/>',
        *_title(view),
    ]
    if zones:
        parts += _treemap(view, zones)
        parts += _legend(_TITLE + _TREEMAP_HEIGHT + 24)
        half = (_WIDTH - 3 * _MARGIN) / 2
        for at, (across, up) in enumerate(_PAIRS):
            area = Area(_MARGIN + at * (half + _MARGIN), below, half, _PLOT)
            parts += _projection(view, zones, across, up, area)
    return "\n".join([*parts, "</svg>", ""])


def short_name(node: str) -> str:
    """A node's identifier, as much of it as tells nodes apart for a person."""
    return node[:_NAME]


def _title(view: SpaceView) -> Iterator[str]:
    quads, zones = sum(node.quads for node in view.nodes), sum(len(node.zones) for node in view.nodes)
    yield _text(_MARGIN, 28, f"Event space {view.space}", "font-size='18' font-weight='bold'")
    counted = f"{len(view.nodes)} nodes, {zones} zones, {quads:,} quadruples"
    yield _text(_MARGIN, 50, f"{counted}: the tree of splits, area by what a zone stores")


# The tree of splits


def _treemap(view: SpaceView, zones: Sequence[OwnedZone]) -> Iterator[str]:
    area = Area(_MARGIN, _TITLE, _WIDTH - 2 * _MARGIN, _TREEMAP_HEIGHT)
    yield from _drawn(tree_of(zones), area, _fills(view), max(1, sum(zone.quads for zone in zones)))


def _drawn(tree: Tree, area: Area, fills: dict[str, str], total: int) -> Iterator[str]:
    if isinstance(tree, OwnedZone):
        yield from _leaf(tree, area, fills[tree.owner])
    elif isinstance(tree, Group):
        rest = area
        for at, zone in enumerate(tree.zones):
            part, rest = rest.cut(1 / (len(tree.zones) - at))
            yield from _leaf(zone, part, fills[zone.owner])
    else:
        below, above = area.cut(_share(tree, total))
        yield from _drawn(tree.below, below, fills, total)
        yield from _drawn(tree.above, above, fills, total)
        yield from _border(tree, area, above)


def _share(split: Split, total: int) -> float:
    """The share of what lies below; an empty zone has to be seen, too."""
    least = total / 50
    below, above = quads_of(split.below) + least, quads_of(split.above) + least
    return below / (below + above)


def _leaf(owned: OwnedZone, area: Area, fill: str) -> Iterator[str]:
    yield _rectangle(area, f'fill="{fill}" stroke="#888" stroke-width="1"', _borders(owned))
    lines = (short_name(owned.owner), f"{owned.quads:,}")
    if area.height < 2 * _LINE + 4 or area.width < len(lines[1]) * _CHARACTER + 4:
        return
    middle = area.y + area.height / 2
    for at, line in enumerate(lines):
        yield _text(area.x + area.width / 2, middle + at * _LINE, _fitting(line, area.width), "text-anchor='middle'")


def _border(split: Split, area: Area, above: Area) -> Iterator[str]:
    colour = _LINES[split.dimension]
    upright = above.x > area.x
    x2, y2 = (above.x, area.y + area.height) if upright else (area.x + area.width, above.y)
    ends = f'x1="{above.x:.1f}" y1="{above.y:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
    yield f'<line {ends} stroke="{colour}" stroke-width="2.5"/>'
    label = f"{DIMENSIONS[split.dimension]} {_shown(split.border)}"
    room = area.height if upright else area.width
    attributes = f"fill='{colour}' font-size='10' {_HALO}"
    if upright:
        attributes += f" transform='rotate(90 {above.x + 3:.1f} {above.y + 4:.1f})'"
    yield _text(above.x + (3 if upright else 4), above.y + (4 if upright else 11), _fitting(label, room), attributes)


def _fills(view: SpaceView) -> dict[str, str]:
    mean = sum(node.quads for node in view.nodes) / max(1, len(view.nodes))
    return {node.id: _fill(node.quads / mean if mean else 0.0) for node in view.nodes}


def _fill(ratio: float) -> str:
    """By how much a node stores, where the mean is 1."""
    if ratio >= 2:
        return _OVER
    return _FILLS[sum(ratio > step for step in _STEPS)]


def _legend(y: float) -> Iterator[str]:
    x = float(_MARGIN)
    for name, colour in zip(DIMENSIONS, _LINES, strict=True):
        yield f'<line x1="{x}" y1="{y - 4}" x2="{x + 20}" y2="{y - 4}" stroke="{colour}" stroke-width="3"/>'
        yield _text(x + 26, y, f"split by {name}")
        x += 145
    yield _text(x + 20, y, "load of the node by the mean:")
    x += 205
    for label, fill in (("0", _FILLS[0]), ("0.5", _FILLS[2]), ("1", _FILLS[4]), ("1.25", _FILLS[5]), ("2", _OVER)):
        yield f'<rect x="{x}" y="{y - 12}" width="16" height="14" fill="{fill}" stroke="#888"/>'
        yield _text(x + 21, y, label)
        x += 62


# Projections


def _projection(view: SpaceView, zones: Sequence[OwnedZone], across: int, up: int, area: Area) -> Iterator[str]:
    fills = _fills(view)
    columns, rows = _scale(zones, across), _scale(zones, up)
    plot = Area(area.x + 20, area.y + 24, area.width - 20, area.height - 60)
    yield _text(area.x, area.y + 10, f"{DIMENSIONS[across]} → and {DIMENSIONS[up]} ↑", "font-weight='bold'")
    yield _rectangle(plot, 'fill="none" stroke="#444"')
    for owned in zones:
        left, right = columns[owned.zone[across].lower], columns[owned.zone[across].upper]
        low, high = rows[owned.zone[up].lower], rows[owned.zone[up].upper]
        placed = Area(
            plot.x + left * plot.width,
            plot.y + (1 - high) * plot.height,
            (right - left) * plot.width,
            (high - low) * plot.height,
        )
        style = f'fill="{fills[owned.owner]}" fill-opacity="0.45" stroke="#333" stroke-width="1"'
        yield _rectangle(placed, style, _borders(owned))
    for border, place in columns.items():
        if border:
            x, y = plot.x + place * plot.width, plot.y + plot.height + 12
            rotated = f"fill='{_LINES[across]}' font-size='9' transform='rotate(20 {x:.1f} {y:.1f})'"
            yield _text(x, y, _shown(border), rotated)
    for border, place in rows.items():
        if border:
            y = plot.y + (1 - place) * plot.height - 2
            yield _text(plot.x + 3, y, _shown(border), f"fill='{_LINES[up]}' font-size='9' {_HALO}")


def _scale(zones: Sequence[OwnedZone], dimension: int) -> dict[bytes | None, float]:
    """A place from 0 to 1 for every border of a dimension, in their order; None is the open end."""
    lower = {zone.zone[dimension].lower for zone in zones}
    upper = {border for zone in zones if (border := zone.zone[dimension].upper) is not None}
    borders = sorted({b"", *lower, *upper})
    places: dict[bytes | None, float] = {border: at / len(borders) for at, border in enumerate(borders)}
    return places | {None: 1.0}


# Elements


def _borders(owned: OwnedZone) -> str:
    """What a pointer over the zone shows."""
    sides = (
        f"{name}: from {_whole(side.lower)} to {_whole(side.upper)}"
        for name, side in zip(DIMENSIONS, owned.zone, strict=True)
    )
    return "\n".join((f"{owned.owner}: {owned.quads:,} quadruples, epoch {owned.epoch}", *sides))


def _whole(border: bytes | None) -> str:
    return "the end" if border is None else _text_of(border) or "the beginning"


def _shown(border: bytes) -> str:
    """The end of a border says more than its beginning, which many share."""
    text = _text_of(border)
    return text if len(text) <= _MOST_SHOWN else "…" + text[-_MOST_SHOWN:]


def _text_of(border: bytes) -> str:
    return border.decode("utf-8", "backslashreplace")


def _fitting(text: str, room: float) -> str:
    most = max(1, int(room / _CHARACTER) - 1)
    return text if len(text) <= most else text[: most - 1] + "…"


def _rectangle(area: Area, attributes: str, title: str = "") -> str:
    inside = f"<title>{_xml(title)}</title>" if title else ""
    return (
        f'<rect x="{area.x:.1f}" y="{area.y:.1f}" width="{area.width:.1f}" height="{area.height:.1f}" '
        f"{attributes}>{inside}</rect>"
    )


def _text(x: float, y: float, text: str, attributes: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" {attributes}>{_xml(text)}</text>'


def _xml(text: str) -> str:
    """Text for XML, which cannot have control characters at all."""
    return escape("".join(c if c.isprintable() or c == "\n" else "\N{REPLACEMENT CHARACTER}" for c in text))
