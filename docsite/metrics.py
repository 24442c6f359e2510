"""The page of metrics, from what nodes expose: one alone, one in a network with peers, one in an event space."""

from __future__ import annotations

import asyncio
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docsite.tables import code, table
from triplewire.cli.network.key import make_key
from triplewire.node.http.metrics import exposition
from triplewire.node.service import ANONYMOUS, Node
from triplewire.node.settings import Settings
from triplewire.node.space.space import Space

_PATIENCE = 120
_FAMILY = re.compile(r"^# HELP (\w+) (.*)\n# TYPE \w+ (\w+)$", re.MULTILINE)


def page() -> str:
    """Every metric with its kind and its meaning."""
    with tempfile.TemporaryDirectory() as name:
        kinds = asyncio.run(_kinds(Path(name)))
    return "\n".join(
        [
            "# Metrics",
            "",
            "`GET /metrics`, in Prometheus' text format. [The node's page](../node.md#metrics) says who sees what;",
            "[a dashboard](../how-to/containers.md) draws them.",
            "",
            *(line for kind in kinds for line in kind),
        ]
    )


async def _kinds(folder: Path) -> list[list[str]]:
    key = folder / "key"
    make_key(key)
    alone = await _families(folder / "alone")
    network = await _families(folder / "network", network_key=key, peers_address="tcp://127.0.0.1:0")
    space = await _families(folder / "space", network_key=key, space=True)
    return [
        [*_section("Every node", alone)],
        [*_section("In a network of super-peers", _without(network, alone))],
        [*_section("In an event space", _without(space, alone))],
    ]


async def _families(folder: Path, **settings: Any) -> dict[str, tuple[str, str]]:
    """Kind and meaning of each family, by its name."""
    node = await Node.open(Settings(data=folder, open=True, **settings))
    try:
        await node.begin()
        if node.space is not None:
            await asyncio.wait_for(_reported(node.space), _PATIENCE)
        text = exposition(node, ANONYMOUS, {}).decode()
    finally:
        await node.stop()
    return {name: (kind, meaning) for name, meaning, kind in _FAMILY.findall(text)}


async def _reported(space: Space) -> None:
    """Wait until the space's worker has told of itself."""
    await space.joined()
    while space.report is None:
        await asyncio.sleep(0.05)


def _without(found: dict[str, tuple[str, str]], others: dict[str, tuple[str, str]]) -> dict[str, tuple[str, str]]:
    return {name: about for name, about in found.items() if name not in others}


def _section(title: str, families: dict[str, tuple[str, str]]) -> Iterator[str]:
    yield from (f"## {title}", "")
    yield from table(
        ["metric", "kind", "what it counts"],
        ([code(name), kind, meaning] for name, (kind, meaning) in sorted(families.items())),
    )
