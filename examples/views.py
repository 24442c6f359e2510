"""A library's catalogue, changed from one side; what three views of it are told, on the other.

`make demo-views` runs this: a node in a process of its own, a client that changes its living graph, and three that
follow views. The same from the command line is in docs/views.md.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import Empty, Queue

from rich.console import Console
from rich.text import Text

from triplewire.cli.node.processes import free_port
from triplewire.client import Client, ViewNotification
from triplewire.errors import NodeUnreachable
from triplewire.rdf.solutions import Solutions

START_SECONDS = 400.0
PATIENCE = 30.0
QUIET = 0.5
PREFIX = "PREFIX : <http://example.org/library/> "
VIEWS = {
    "on the shelf": "SELECT ?title { ?book :title ?title OPTIONAL { ?book :lentTo ?reader } FILTER(!BOUND(?reader)) }",
    "by reader": "SELECT ?reader (COUNT(?book) AS ?books) { ?book :lentTo ?reader } GROUP BY ?reader",
    "most wanted": """SELECT ?title ?waiting { ?book :title ?title
        { SELECT ?book (COUNT(?r) AS ?waiting) { ?r :waitsFor ?book } GROUP BY ?book } }
        ORDER BY DESC(?waiting) LIMIT 1""",
}
CHANGES = {
    "two books arrive": 'INSERT DATA { :faust :title "Faust" . :emma :title "Emma" }',
    "Ann takes one of them home": "INSERT DATA { :faust :lentTo :Ann }",
    "Bob and Cy wait for it, Dan for the other": """INSERT DATA {
        :Bob :waitsFor :faust . :Cy :waitsFor :faust . :Dan :waitsFor :emma }""",
    "a title is corrected": """DELETE { ?book :title "Faust" } INSERT { ?book :title "Faust, Part One" }
        WHERE { ?book :title "Faust" }""",
    "Ann brings it back, and Bob takes it, in one request": """DELETE { :faust :lentTo :Ann . :Bob :waitsFor :faust }
        INSERT { :faust :lentTo :Bob } WHERE {}""",
    "somebody publishes what nobody asked for": "INSERT DATA { :emma :pages 474 }",
    "the catalogue is emptied": "CLEAR ALL",
}
Told = Queue[tuple[str, ViewNotification]]


@contextmanager
def node(folder: Path) -> Iterator[str]:
    """A node in a process of its own, until the block ends."""
    port = free_port()
    command = [sys.executable, "-m", "triplewire", "serve", "--open", "--data", str(folder / "data")]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen([*command, "--port", str(port)], stdout=log, stderr=log)
        try:
            wait_for(f"http://127.0.0.1:{port}", process)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait()


def wait_for(url: str, process: subprocess.Popen[bytes]) -> None:
    """Until it answers; the first start after an installation takes a minute."""
    deadline = time.monotonic() + START_SECONDS
    with Client(url) as client:
        while process.poll() is None and time.monotonic() < deadline:
            try:
                client.node_id()
            except NodeUnreachable:
                time.sleep(0.1)
            else:
                return
    raise SystemExit("the node did not start")


def follow(url: str, name: str, told: Told) -> None:
    """Hand on what a view says, for as long as the node is there."""
    with Client(url) as client:
        for one in client.follow_view(name):
            told.put((name, one))


def rows(said: object) -> str:
    if not isinstance(said, Solutions):
        return str(said)
    return ", ".join("(" + " ".join(term.value.rpartition("/")[2] for term in row.values()) + ")" for row in said)


def shown(name: str, one: ViewNotification) -> Text:
    if one.is_first:
        return Text(f"    {name:<13} {rows(one.answer) or '(nothing)'}")
    parts = [("  + " + rows(one.added), "green")] if one.added else []
    parts += [("  − " + rows(one.removed), "red")] if one.removed else []
    return Text.assemble(f"    {name:<13}", *parts)


def collect(told: Told, change: int) -> list[tuple[str, ViewNotification]]:
    """What the views are told of a change: a moment after the last of them, nothing more will come."""
    found: list[tuple[str, ViewNotification]] = []
    with suppress(Empty):
        while True:
            found.append(told.get(timeout=QUIET))
    assert all(one.change == change for _, one in found)
    return sorted(found, key=lambda item: list(VIEWS).index(item[0]))


def main() -> None:
    console = Console(highlight=False, soft_wrap=True)
    told: Told = Queue()
    with tempfile.TemporaryDirectory() as folder, node(Path(folder)) as url, Client(url) as client:
        console.print(Text("Three views of an empty catalogue", style="bold"))
        for name, query in VIEWS.items():
            console.print(Text(f"    {name:<13} {' '.join(query.split())}", style="dim"))
            client.put_view(name, PREFIX + query)
            threading.Thread(target=follow, args=(url, name, told), daemon=True).start()
        console.print(Text("\nWhat each says first: its whole answer", style="bold"))
        first = dict(told.get(timeout=PATIENCE) for _ in VIEWS)
        for name in VIEWS:
            console.print(shown(name, first[name]))
        for what, update in CHANGES.items():
            change = client.update(PREFIX + update)
            console.print(Text.assemble((f"\n{what}", "bold"), ("  " + " ".join(update.split()), "dim")))
            heard = collect(told, change.position)
            for name, one in heard:
                console.print(shown(name, one))
            if not heard:
                console.print("    no view is told anything")
        console.print(Text("\nHow the last one is kept up to date", style="bold"))
        console.print(Text(client.explain_view("most wanted").text))


if __name__ == "__main__":
    main()
