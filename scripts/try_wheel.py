"""Try an installation of the wheel: what must work with the extra named on the command line, and what must be refused.

`scripts/release-check` runs this with the interpreter of each empty environment. It needs nothing but Triplewire.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from triplewire.web.built_page import asset, index_file, is_built

PROGRAM = Path(sys.executable).with_name("triplewire")
QUERY = "SELECT ?paper { ?paper <http://example.org/year> ?year FILTER(?year > 2000) }"
EVENT = (
    "<http://example.org/paper> <http://example.org/year> "
    '"2004"^^<http://www.w3.org/2001/XMLSchema#integer> <http://example.org/event> .\n'
)
LISTENING = re.compile(r"http://127\.0\.0\.1:\d+")


def triplewire(*arguments: str, expected: int = 0, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    run = subprocess.run(
        [PROGRAM, *arguments], capture_output=True, text=True, check=False, env={**os.environ, **environment}
    )
    if run.returncode != expected or "Traceback" in run.stderr:
        sys.exit(f"triplewire {' '.join(arguments)}: wanted exit code {expected}, found {run.returncode}\n{run.stderr}")
    return run


def refuses(extra: str, *arguments: str) -> None:
    """A command that lacks its extra says so in a sentence."""
    said = " ".join(triplewire(*arguments, expected=1).stderr.split())
    if f"pip install 'triplewire[{extra}]'" not in said:
        sys.exit(f"triplewire {' '.join(arguments)}: wanted a sentence that names the extra {extra}, found: {said}")


def matches(folder: Path) -> None:
    """One event against one subscription, in process."""
    found = triplewire("match", "-s", str(folder / "new.rq"), "-e", str(folder / "event.nq"), "--format", "json")
    if json.loads(found.stdout)["subscription"] != "new":
        sys.exit(f"triplewire match: wanted a match of 'new', found {found.stdout}")


def has_the_page() -> None:
    """The page in the browser is there, and all that it loads."""
    index = index_file().content.decode()
    names = re.findall(r'(?:src|href)="\./assets/([^"]+)"', index)
    if not is_built() or len(names) < 2 or None in map(asset, names):
        sys.exit(f"wanted the page with its script and style, found {names} in {index[:200]!r}")


def serves(folder: Path) -> None:
    """One event is published, and read again."""
    with _node(folder / "node") as address:
        triplewire("publish", str(folder / "event.nq"), TRIPLEWIRE_NODE=address)
        read = triplewire(
            "query", "--events", "SELECT ?g { GRAPH ?g { ?s ?p ?o } }", "--format", "csv", TRIPLEWIRE_NODE=address
        )
    if "http://example.org/event" not in read.stdout:
        sys.exit(f"triplewire query: wanted the event that was published, found {read.stdout}")


@contextmanager
def _node(data: Path) -> Iterator[str]:
    """A node of this installation, at its address."""
    command = [PROGRAM, "serve", "--data", data, "--port", "0", "--open"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as running:
        assert running.stderr is not None
        try:
            said = []
            for line in running.stderr:
                said.append(line)
                if (address := LISTENING.search(line)) is not None:
                    yield address.group()
                    return
            sys.exit(f"triplewire serve: wanted an address, found {''.join(said)}")
        finally:
            running.terminate()
            running.wait(60)


def pipeline(folder: Path) -> tuple[str, ...]:
    """The smallest job."""
    paths = ("-s", str(folder / "new.rq"), "-e", str(folder / "event.nq"), "--out", str(folder / "lake"))
    return ("pipeline", "match", *paths)


def main(extra: str) -> None:
    """Try everything."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "new.rq").write_text(QUERY, "utf-8")
        (folder / "event.nq").write_text(EVENT, "utf-8")
        triplewire("--version")
        triplewire("pipeline", "--help")
        triplewire("generate", "--out", str(folder / "data"), "--events", "10", "--subscriptions", "10")
        matches(folder)
        has_the_page()
        if extra == "node":
            serves(folder)
        else:
            refuses("node", "serve", "--data", str(folder / "node"), "--port", "0")
            refuses("node", "publish", str(folder / "event.nq"))
        if extra == "spark":
            triplewire(*pipeline(folder))
        else:
            refuses("spark", *pipeline(folder))


if __name__ == "__main__":
    main(sys.argv[1])
