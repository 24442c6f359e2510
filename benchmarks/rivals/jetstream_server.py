"""NATS JetStream in its own process: a file store in which every write is on the disk before it is acknowledged.

From version 2.10 on the server has a setting for that, `sync_interval: always`. Debian's is older and has none; there
the store's folder gets ext4's attribute for synchronous writes, which its files inherit, and which says the same one
layer below.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from pathlib import Path

from msgspec import Struct

from benchmarks.servers import free_port, has_started

_PROGRAM = "nats-server"
_SBIN = "/usr/sbin:/usr/local/sbin"
_HAS_SETTING = (2, 10)
_START_SECONDS = 30.0
HOW_TO_GET = f"{_PROGRAM} is not installed; on Debian and Ubuntu: apt-get install {_PROGRAM}"


class Missing(RuntimeError):  # noqa: N818  says what happened
    """The server cannot be run here; the message says why, and what to do."""


class Sync(Enum):
    """When a write goes to the disk."""

    ALWAYS = "always"
    BY_THE_MINUTE = "2m"


class Running(Struct, frozen=True):
    """A server that listens. `how` says how its writes are made durable."""

    port: int
    version: str
    how: str


@contextmanager
def jetstream(sync: Sync) -> Iterator[Running]:
    """A server with an empty store, or `Missing`."""
    program = _found()
    version = _version(program)
    with tempfile.TemporaryDirectory(prefix="triplewire-bench-") as name:
        folder = Path(name)
        store = folder / "store"
        store.mkdir()
        setting, how = (
            _durable(store, version) if sync is Sync.ALWAYS else ("", "the server's default, every 2 minutes")
        )
        port = free_port()
        config = folder / "nats.conf"
        config.write_text(f'listen: "127.0.0.1:{port}"\njetstream {{ store_dir: "{store}"{setting} }}\n')
        with (folder / "log").open("wb") as log:
            process = subprocess.Popen([program, "-c", str(config)], stdout=log, stderr=log)
            try:
                if not has_started(port, process, _START_SECONDS):
                    raise Missing(f"{_PROGRAM} did not start")
                yield Running(port, version, how)
            finally:
                process.terminate()
                process.wait(30)


def _found() -> str:
    program = shutil.which(_PROGRAM) or shutil.which(_PROGRAM, path=_SBIN)
    if program is None:
        raise Missing(HOW_TO_GET)
    return program


def _version(program: str) -> str:
    printed = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
    found = re.search(r"(\d+)\.(\d+)\.(\d+)", printed.stdout + printed.stderr)
    if found is None:
        raise Missing(f"wanted a version from {_PROGRAM} --version, found {printed.stdout!r}")
    return found.group()


def _durable(store: Path, version: str) -> tuple[str, str]:
    if tuple(map(int, version.split(".")))[:2] >= _HAS_SETTING:
        return ", sync_interval: always", "sync_interval: always"
    if not _marked(store):
        raise Missing(
            f"{_PROGRAM} {version} has no sync_interval, and its folder cannot be marked for synchronous writes "
            "(chattr +S, on ext4); 2.10 or later is needed here"
        )
    return "", f"chattr +S, since {version} has no sync_interval"


def _marked(store: Path) -> bool:
    chattr = shutil.which("chattr") or shutil.which("chattr", path="/usr/bin:/sbin:/usr/sbin")
    return chattr is not None and not subprocess.run([chattr, "+S", store], capture_output=True, check=False).returncode
