"""A real standalone cluster on loopback, by the recipe of docs/cluster.md, word for word: a master and two workers.

Where the tests run as root, workers are another user, with working folders and a Python of their own: they see nothing
of the driver's installation, and have no folder that could keep compiled kernels. A worker has one core and 1 GiB, as
the recipe says.
"""

from __future__ import annotations

import os
import pwd
import re
import shutil
import subprocess
import sys
import sysconfig
import textwrap
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from msgspec import Struct

import triplewire

WORKERS = 2
LOOPBACK = "127.0.0.1"
_RECIPE = Path(__file__).parents[2] / "docs" / "cluster.md"
_OTHER_USER = "nobody"
_PATIENCE_SECONDS = 120.0
_ADDRESS = re.compile(r"Starting Spark master at spark://[^:\s]+:(\d+)")


class Workers(Struct, frozen=True):
    """Who the workers are: their Python, what a command begins with to be run by their user, and why that is ours."""

    python: str
    as_user: list[str]
    why_ours: str = ""


class Cluster(Struct, frozen=True):
    """What was started: the master's port, the workers, and the folders that each of them has."""

    port: str
    workers: Workers
    folders: list[Path]

    @property
    def master(self) -> str:
        return f"spark://{LOOPBACK}:{self.port}"


def recipe(heading: str) -> list[str]:
    """The indented blocks under a heading of docs/cluster.md."""
    [section] = [text for text in _RECIPE.read_text().split("\n## ") if text.startswith(f"{heading}\n")]
    return [textwrap.dedent(block) for block in re.findall(r"(?:^ {4}.*\n)+", section, re.MULTILINE)]


def shell(commands: str, **variables: object) -> tuple[list[str], dict[str, str]]:
    """A command for bash, and its environment: only what a recipe leaves open is filled in."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "PYSPARK"))}
    told = {"HOST": LOOPBACK, "SPARK_LOCAL_IP": LOOPBACK, **{key: str(value) for key, value in variables.items()}}
    return ["bash", "-euc", commands], environment | told


@contextmanager
def standalone_cluster(folder: Path) -> Iterator[Cluster]:
    """A cluster for the block. Everything that was started is ended by its process id."""
    workers = _workers(folder)
    find_spark, start_master, start_worker = recipe("Standalone")[0].splitlines()
    with ExitStack() as stack:
        alone = {"PYTHON": sys.executable, "SPARK_MASTER_WEBUI_PORT": 0}
        log = stack.enter_context(
            _program(folder / "master", [], f"{find_spark}\nexec {start_master}", PORT=0, **alone)
        )
        [port] = _awaited(log, _ADDRESS)
        start = f"{find_spark}\nexec {start_worker}"
        homes = [folder / f"worker-{number}" for number in range(WORKERS)]
        for home in homes:
            own = {
                "PYTHON": workers.python,
                "WORKER": LOOPBACK,
                "WORK": home / "work",
                "SPARK_LOCAL_DIRS": home / "local",
                "SPARK_WORKER_WEBUI_PORT": 0,
            }
            stack.enter_context(_program(home, workers.as_user, start, PORT=port, **own))
        _awaited(log, re.compile("(Registering worker)"), WORKERS)
        yield Cluster(port, workers, homes)


def _workers(folder: Path) -> Workers:
    """Another user if there can be one."""
    why = "wanted to be root and to have setpriv, to start workers as another user, found that we are not or do not"
    as_user: list[str] = []
    if os.geteuid() == 0 and shutil.which("setpriv"):
        other = pwd.getpwnam(_OTHER_USER)
        as_user = ["setpriv", f"--reuid={other.pw_uid}", f"--regid={other.pw_gid}", "--clear-groups"]
    python = _python_for(as_user, folder)
    if python is None and as_user:
        why = f"wanted a Python of this version that {_OTHER_USER} may run, found none"
        as_user, python = [], _python_for([], folder)
    assert python is not None
    return Workers(python, as_user, "" if as_user else why)


def _python_for(as_user: list[str], folder: Path) -> str | None:
    """An environment of its own, with copies of what this one has, at a path that this one does not know."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    home = folder / "env"
    for base in filter(None, (sys.executable, shutil.which(version, path="/usr/bin:/usr/local/bin"))):
        shutil.rmtree(home, ignore_errors=True)
        made = subprocess.run([base, "-m", "venv", "--without-pip", str(home)], check=False)
        if made.returncode:
            continue
        _install(home / "lib" / version / "site-packages")
        python = str(home / "bin" / "python")
        command, environment = shell('"$PYTHON" -c "import pyspark, triplewire.pipeline"', PYTHON=python)
        if not subprocess.run([*as_user, *command], env=environment, check=False).returncode:
            return python
    return None


def _install(packages: Path) -> None:
    """What is installed here, and Triplewire from its sources, without a kernel that was compiled."""
    here = Path(sysconfig.get_path("purelib"))
    shutil.copytree(here, packages, copy_function=_link, ignore=_left_out, dirs_exist_ok=True)
    source = Path(triplewire.__file__).parent
    shutil.copytree(source, packages / "triplewire", ignore=shutil.ignore_patterns("__pycache__"))


def _left_out(_: str, names: list[str]) -> set[str]:
    """An editable installation would lead back to the sources."""
    return {name for name in names if "triplewire" in name and not name.endswith(".dist-info")}


def _link(source: str, target: str) -> None:
    """A second name where that can be had: the packages take a gigabyte."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


@contextmanager
def _program(folder: Path, as_user: list[str], start: str, **variables: object) -> Iterator[Path]:
    folder.mkdir()
    command, environment = shell(start, **variables)
    log = folder / "log"
    with log.open("wb") as file:
        # Every step becomes the next one, Java in the end, so this id is the one to end.
        process = subprocess.Popen([*as_user, *command], stdout=file, stderr=file, env=environment, cwd=folder)
    try:
        yield log
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _awaited(log: Path, pattern: re.Pattern[str], times: int = 1) -> list[str]:
    """What a program writes to its log, once it has written it so often."""
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while time.monotonic() < deadline:
        found = pattern.findall(log.read_text(errors="replace"))
        if len(found) >= times:
            return found
        time.sleep(0.2)
    end = log.read_text(errors="replace")[-2_000:]
    raise RuntimeError(f"waited {_PATIENCE_SECONDS} s for {times} of {pattern.pattern!r} in {log}, found: {end}")
