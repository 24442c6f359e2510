"""The page of settings, from `Settings`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args, get_type_hints

from msgspec import NODEFAULT, structs

from docsite.tables import code, table
from triplewire.node.settings import PREFIX, Settings


def page() -> str:
    """Every setting with its three names and its default."""
    return "\n".join(
        [
            "# Settings of a node",
            "",
            "Each is a flag of `triplewire serve`, an environment variable, and a line in the TOML file of `--config`;",
            "a flag comes before a variable, and that before the file. The [node's page](../node.md) says what stands",
            "behind them.",
            "",
            *table(["flag", "variable", "in the file", "default", "what it means"], _rows()),
        ]
    )


def _rows() -> Iterator[list[str]]:
    hints = get_type_hints(Settings, include_extras=True)
    for field in structs.fields(Settings):
        *_, about = get_args(hints[field.name])
        flags = about.extra["flags"] or (f"--{field.name.replace('_', '-')}",)
        yield [
            " ".join(map(code, flags)),
            code(f"{PREFIX}{field.name.upper()}"),
            code(field.name),
            code(_shown(field.default)),
            about.description,
        ]


def _shown(default: Any) -> str:
    """As the file would have it.

    >>> _shown(True), _shown(16.0), _shown("a"), _shown(None)
    ('true', '16', '"a"', '')
    """
    if default is None or default is NODEFAULT:
        return ""
    if isinstance(default, bool):
        return str(default).lower()
    if isinstance(default, str | Path):
        return f'"{default}"'
    return f"{default:g}" if isinstance(default, float) and default < 1e6 else f"{default:.0f}"
