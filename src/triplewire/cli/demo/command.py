"""`triplewire demo`: starts a node, fills it, and keeps it busy until Ctrl-C."""

from __future__ import annotations

import os
import sys
import time
import uuid
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Annotated

import typer
from msgspec import Struct

from triplewire.cli.demo.happenings import Happening, Paper, happenings
from triplewire.cli.demo.narrator import Narrator
from triplewire.cli.demo.showcase import fill, subscriptions, views
from triplewire.cli.node.processes import NodeProcess, Stop, free_port, is_free, kept_folder, running
from triplewire.cli.screen import diagnostics, output, plain
from triplewire.errors import InputError

if TYPE_CHECKING:
    from triplewire.client import Client

EXAMPLES = """[bold]Examples[/bold]

triplewire demo

triplewire demo --no-browser --port 8090 --data ./library
"""
_PORT = 8080
_DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY")


class _Up(Struct, frozen=True):
    """A node that answers."""

    address: str


def demo_command(
    port: Annotated[
        int | None,
        typer.Option(
            "--port", min=1, max=65_535, metavar="PORT", help="Where it listens. Default 8080, if it is free."
        ),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option("--data", metavar="PATH", help="Where it keeps its data. Without it they are thrown away."),
    ] = None,
    every: Annotated[
        float, typer.Option("--every", min=0.01, metavar="SECONDS", help="How often something happens.")
    ] = 2.0,
    seconds: Annotated[
        float | None, typer.Option("--seconds", min=0.0, metavar="SECONDS", help="End after so long. Default: Ctrl-C.")
    ] = None,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the node's page.")] = True,
) -> None:
    """Start a node with a library in it, and let something happen there: papers are published, books lent and awaited.

    The node is open to everybody on this machine. What its subscriptions, views and rules make of all that is printed,
    and can be looked at in the browser.
    """
    with Stop() as stop, _library(_chosen(port), data, stop) as process, process.client() as client:
        narrator = Narrator(process.client)
        _fill(client, narrator)
        _introduce(process.url)
        if browser:
            _open(f"{process.url}/")
        try:
            _play(client, narrator, stop, every, seconds)
        finally:
            narrator.end()
            _tell("ending the node")


def _chosen(port: int | None) -> int:
    if port is None:
        return free_port(_PORT)
    if not is_free(port):
        raise InputError(wanted=f"a port that is free in --port {port}", found="that somebody listens there")
    return port


@contextmanager
def _library(port: int, data: Path | None, stop: Stop) -> Iterator[NodeProcess[_Up]]:
    """The node, in a process of its own, until the block ends."""
    with kept_folder(data, "triplewire-demo-") as folder:
        process = NodeProcess(folder, "library", (), lambda client: _Up(client.node_id()), port)
        _tell("the first start of an installation takes half a minute more: it compiles the matcher's kernels")
        with running([process], _tell, stop.ending):
            yield process


def _fill(client: Client, narrator: Narrator) -> None:
    fill(client)
    _print("A library's node: a catalogue in its living graph; and standing over it and what is published")
    _print(f"    subscriptions  {', '.join(one.name for one in subscriptions())}")
    _print(f"    views          {', '.join(one.name for one in views())}")
    _print(f"    rules          {', '.join(rule.name for rule in client.rules())}")
    narrator.start()


def _introduce(url: str) -> None:
    _print(f"The page: {url}/    Ctrl-C ends it all", "bold green")
    _print(f"Ask it:   triplewire query --node {url} 'SELECT * {{ ?s ?p ?o }} LIMIT 9'")


def _play(client: Client, narrator: Narrator, stop: Stop, every: float, seconds: float | None) -> None:
    """Let things happen until it is over, or a signal comes."""
    over = time.monotonic() + (float("inf") if seconds is None else seconds)
    # Other papers each time: with --data those of the last time are there.
    story = happenings(Random(), lambda: uuid.uuid4().urn)
    while (left := over - time.monotonic()) > 0 and not stop.wait(min(every, left)):
        happening = next(story)
        narrator.tell(happening)
        _do(client, happening)


def _do(client: Client, happening: Happening) -> None:
    if isinstance(happening, Paper):
        client.publish(happening.trig, "trig")
    else:
        client.update(happening.update)


def _open(url: str) -> None:
    """Open a browser with a window of its own: one in the terminal would take that over."""
    has_windows = sys.platform in ("darwin", "win32") or any(os.environ.get(name) for name in _DISPLAYS)
    if not has_windows or not webbrowser.open(url):
        _tell("no browser could be opened from here: open the page yourself")


def _print(text: str, style: str = "") -> None:
    console = output()
    console.print(plain(text, style), soft_wrap=True)
    console.file.flush()


def _tell(text: str) -> None:
    diagnostics().print(plain(text))
