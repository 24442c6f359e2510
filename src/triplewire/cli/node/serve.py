"""`triplewire serve`: run a node. Its flags are made from the node's settings, so that none can be missing."""

from __future__ import annotations

import inspect
import os
from collections.abc import Iterator
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import typer
from msgspec import NODEFAULT, structs

from triplewire.cli.invocation import WRONG_CALL, described
from triplewire.cli.screen import complain
from triplewire.errors import InputError
from triplewire.node.settings import Settings, load_settings
from triplewire.node.shutdown import Signals

EXAMPLES = """[bold]Examples[/bold]

triplewire serve --data ./node --port 8080

triplewire serve --data ./node --open

triplewire serve --data ./a --key network.key --network-address tcp://192.0.2.1:7070

triplewire serve --data ./b --key network.key --join tcp://192.0.2.1:7070

triplewire serve --data ./c --space --key space.key --join tcp://192.0.2.1:7171

TRIPLEWIRE_RETENTION_AGE=604800 triplewire serve --config /etc/triplewire.toml
"""

_TOGETHER = "Networks and event spaces"
_PANELS = {"network": _TOGETHER, "join": _TOGETHER, "space": _TOGETHER, "strategy": _TOGETHER, "peers": "Peers"}


def serve_command(config: Path | None, **flags: Any) -> None:
    """Run a node: a durable broker for events and subscriptions, over HTTP.

    With --key it is a super-peer of a network, which it founds, or joins with --join; with --key and --space it is a
    node of an event space instead. With --peers it is an access point: peers come and go there (triplewire peer), and
    the log says with which key.

    Every option can also be set in the environment (TRIPLEWIRE_PORT) and in the file of --config (port = 8080).
    """
    # Importing the server takes a moment, in which a signal counts already.
    with Signals() as signals:
        _serve(flags, config, signals)


def _serve(flags: dict[str, Any], config: Path | None, signals: Signals) -> None:
    from triplewire.node.serve import serve

    serve(_settings(flags, config), signals)


def _settings(flags: dict[str, Any], config: Path | None) -> Settings:
    from triplewire.node.overlay.overlay_settings import overlay_settings
    from triplewire.node.space.space_settings import space_settings

    try:
        settings = load_settings(flags, os.environ, config)
        overlay_settings(settings)
        space_settings(settings)
    except (InputError, OSError) as problem:
        complain(described(problem))
        raise typer.Exit(WRONG_CALL) from None
    return settings


def _parameters() -> Iterator[inspect.Parameter]:
    """One option for each setting, and one for the file that has them."""
    file = typer.Option("--config", metavar="FILE", help="A TOML file with settings.")
    yield _parameter("config", Path, file)
    hints = get_type_hints(Settings, include_extras=True)
    for field in structs.fields(Settings):
        kind, *_, about = get_args(hints[field.name])
        extra = about.extra
        flags = extra["flags"] or (f"--{field.name.replace('_', '-')}",)
        shown = f"{about.description}{_default(field.default, extra['metavar'])}"
        panel = _panel(field.name)
        option = typer.Option(*flags, metavar=extra["metavar"], help=shown, rich_help_panel=panel)
        yield _parameter(field.name, _plain(kind), option)


def _panel(name: str) -> str | None:
    """Under which heading an option stands. Fewer options a table leave more room for words in 80 columns.

    >>> _panel("join_seconds"), _panel("peers_most"), _panel("port")
    ('Networks and event spaces', 'Peers', None)
    """
    return next((panel for beginning, panel in _PANELS.items() if name.startswith(beginning)), None)


def _parameter(name: str, kind: type, option: Any) -> inspect.Parameter:
    # None is "not given": the environment and the file come next, and the default of the setting last.
    annotation = Annotated[kind | None, option]  # type: ignore[valid-type]
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)


def _plain(kind: Any) -> type:
    """The type on the command line: without bounds, which `load_settings` checks, and without None.

    >>> _plain(Annotated[int, "at least one"] | None)
    <class 'int'>
    """
    if get_origin(kind) is Annotated:
        return _plain(get_args(kind)[0])
    inner = [part for part in get_args(kind) if part is not NoneType]
    return _plain(inner[0]) if inner else kind


def _default(value: Any, metavar: str | None) -> str:
    """The end of a help text.

    >>> _default(1048576, "BYTES"), _default(15.0, "SECONDS"), _default(2592000.0, "SECONDS"), _default(None, "FILE")
    (' Default 1 MiB.', ' Default 15.', ' Default 30 days.', '')
    """
    if metavar is None or value is None or value is NODEFAULT:
        return ""
    return f" Default {_shown(value, metavar)}."


def _shown(value: Any, metavar: str) -> str:
    if metavar == "BYTES":
        return f"{value >> 20:,} MiB"
    if isinstance(value, float):
        days = value / 86_400
        return f"{value:g}" if days < 1 else "1 day" if days == 1 else f"{days:g} days"
    return f"{value:,}" if isinstance(value, int) and metavar != "PORT" else str(value)


serve_command.__signature__ = inspect.Signature([*_parameters()])  # type: ignore[attr-defined]
